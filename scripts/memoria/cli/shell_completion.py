"""The verbs with their options -> a script that lets a shell complete them.

The script holds all that there is to complete, so that a press of Tab starts no program: Python
alone would take longer than a person likes to wait. The trap: help texts go into three kinds of
quotes, so each shell has its own way of writing a word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SHELLS = ("bash", "zsh", "fish")
# characters of a help text that a list beside its option has room for
_HELP = 70


@dataclass(frozen=True, slots=True)
class Option:
    """An option: its names, whether a value follows, which values there are, what it does."""

    names: tuple[str, ...]
    has_value: bool
    choices: tuple[str, ...]
    summary: str


@dataclass(frozen=True, slots=True)
class Command:
    """A verb or an action below one; `path` is the words that lead to it.

    `choices` are the values that its own argument can have.
    """

    path: tuple[str, ...]
    summary: str
    options: tuple[Option, ...]
    choices: tuple[str, ...]
    below: tuple[Command, ...]


def script(shell: str, program: str, verbs: tuple[Command, ...]) -> str:
    """Give the script for one of SHELLS."""
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](program, verbs)


def _every(commands: tuple[Command, ...]) -> Iterator[Command]:
    for command in commands:
        yield command
        yield from _every(command.below)


def _words(command: Command) -> list[tuple[str, str]]:
    """Give what may follow a command, each with what it does."""
    found = [(one.path[-1], one.summary) for one in command.below]
    found += [(choice, "") for choice in command.choices]
    return found + [(name, one.summary) for one in command.options for name in one.names]


def _valued(verbs: tuple[Command, ...]) -> dict[tuple[str, ...], str]:
    """Give the values that options take -> a shell's pattern of what then stands before."""
    found: dict[tuple[str, ...], list[str]] = {}
    for command in _every(verbs):
        for option in command.options:
            if option.has_value:
                keys = [f'"{" ".join(command.path)} {name}"' for name in option.names]
                found.setdefault(option.choices, []).extend(keys)
    return {choices: "|".join(keys) for choices, keys in found.items()}


# what is before the word: the verb, and the action where the verb has some
_BASH = """# {program} completion bash >> ~/.bashrc
_{program}() {{
  local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}"
  local key="${{COMP_WORDS[1]}}" words=""
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then key=""; fi
  if ((COMP_CWORD > 2)); then case "$key" in {nested}) key="$key ${{COMP_WORDS[2]}}" ;; esac; fi
  case "$key $prev" in
{values}
  esac
  case "$key" in
{commands}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}
complete -o default -F _{program} {program}
"""


def _bash(program: str, verbs: tuple[Command, ...]) -> str:
    # without an answer the shell completes the names of files
    values = [
        f'    {keys}) COMPREPLY=($(compgen -W "{" ".join(choices)}" -- "$cur")); return ;;'
        for choices, keys in _valued(verbs).items()
    ]
    rows = [f'    "") words="{" ".join(one.path[-1] for one in verbs)} --help --version" ;;']
    rows += [
        f'    "{" ".join(one.path)}") words="{" ".join(word for word, _ in _words(one))}" ;;'
        for one in _every(verbs)
    ]
    return _filled(_BASH, program, verbs, values, rows)


_ZSH = """#compdef {program}
# {program} completion zsh > "${{fpath[1]}}/_{program}", or in ~/.zshrc behind compinit:
# eval "$({program} completion zsh)"
_{program}() {{
  local key="$words[2]" prev="$words[CURRENT-1]"
  local -a found
  (( CURRENT == 2 )) && key=""
  if (( CURRENT > 3 )); then case "$key" in {nested}) key="$key $words[3]" ;; esac; fi
  case "$key $prev" in
{values}
  esac
  case "$key" in
{commands}
  esac
  _describe -V {program} found || _files
}}
if [[ "$funcstack[1]" == _{program} ]]; then _{program} "$@"; else compdef _{program} {program}; fi
"""


def _zsh(program: str, verbs: tuple[Command, ...]) -> str:
    values = [
        f"    {keys}) {_answer(choices)}; return ;;" for choices, keys in _valued(verbs).items()
    ]
    rows = [f'    "") found=({" ".join(_pair(one.path[-1], one.summary) for one in verbs)}) ;;']
    rows += [
        f'    "{" ".join(one.path)}") found=({" ".join(_pair(*word) for word in _words(one))}) ;;'
        for one in _every(verbs)
    ]
    return _filled(_ZSH, program, verbs, values, rows)


def _answer(choices: tuple[str, ...]) -> str:
    return f"compadd -- {' '.join(choices)}" if choices else "_files"


def _pair(word: str, summary: str) -> str:
    told = f":{_short(summary)}" if summary else ""
    return _quoted(word.replace(":", "\\:") + told)


def _fish(program: str, verbs: tuple[Command, ...]) -> str:
    start = f"complete -c {program}"
    rows = [
        f"# {program} completion fish > ~/.config/fish/completions/{program}.fish",
        f"{start} -f",
    ]
    for one in verbs:
        told = _quoted(_short(one.summary), fish=True)
        rows.append(f"{start} -n __fish_use_subcommand -a {one.path[0]} -d {told}")
    for command in _every(verbs):
        when = _quoted(_condition(command), fish=True)
        for word, summary in _words(command):
            if not word.startswith("-"):
                told = _quoted(_short(summary), fish=True)
                rows.append(f"{start} -n {when} -a {_quoted(word, fish=True)} -d {told}")
        rows += [f"{start} -n {when} {_flag(option)}" for option in command.options]
    return "\n".join(rows) + "\n"


def _condition(command: Command) -> str:
    """Say in fish's words that the line so far is this command; a verb's action comes second."""
    places = [
        f"contains -- {word} (commandline -opc)[{place}]"
        for place, word in enumerate(command.path, start=2)
    ]
    if command.below:
        places.append("test (count (commandline -opc)) -eq 2")
    return "; and ".join(places)


def _flag(option: Option) -> str:
    names = [
        f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names
    ]
    if option.choices:
        names.append(f"-x -a {_quoted(' '.join(option.choices), fish=True)}")
    elif option.has_value:
        names.append("-r -F")
    return " ".join([*names, "-d", _quoted(_short(option.summary), fish=True)])


def _filled(
    form: str, program: str, verbs: tuple[Command, ...], values: list[str], rows: list[str]
) -> str:
    return form.format(
        program=program,
        nested=_nested(verbs),
        values="\n".join(values),
        commands="\n".join(rows),
    )


def _nested(verbs: tuple[Command, ...]) -> str:
    """Name the verbs that have actions, as a shell's pattern."""
    return "|".join(one.path[0] for one in verbs if one.below) or "''"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _HELP else f"{line[: _HELP - 3]}..."


def _quoted(word: str, *, fish: bool = False) -> str:
    """Write a word in single quotes: in fish a backslash has a meaning there, in zsh none has."""
    if fish:
        escaped = word.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"
    escaped = word.replace("'", "'\\''")
    return f"'{escaped}'"
