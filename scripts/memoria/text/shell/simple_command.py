"""Hold one command of a shell call, as words without quotes, and find the commands that it runs.

Another one stands behind `sudo`, `timeout 5`, `xargs`, `uv run`: the tables say which options take
a value, of the programs that agents put before others.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    # who runs a command, its words, the variables set for it
    Run = tuple[str, tuple[str, ...], tuple[str, ...]]

IN_DOUBLE = frozenset('"\\$`')  # what means something within double quotes
SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh", "ash", "fish"})
_PYTHONS = ("python", "py", "pypy")
# program -> its options that take a value, and how many words come before the command
_PREFIXES: dict[str, tuple[str, int]] = {
    "sudo": ("-u -g -h -p -C -T -r -t -U -D -R --user --group --host --prompt --chdir", 0),
    "doas": ("-u -C", 0),
    "env": ("-u -C -S --unset --chdir --split-string", 0),
    **dict.fromkeys(("timeout", "gtimeout"), ("-s -k --signal --kill-after", 1)),
    **dict.fromkeys(("nohup", "command", "builtin", "setsid", "chronic"), ("", 0)),
    **dict.fromkeys(("unbuffer", "pnpx"), ("", 0)),
    "time": ("-f -o --format --output", 0),
    "exec": ("-a", 0),
    "nice": ("-n --adjustment", 0),
    "ionice": ("-c -n -p", 0),
    "stdbuf": ("-i -o -e", 0),
    "caffeinate": ("-t -w", 0),
    "flock": ("-w -E --timeout", 1),
    "strace": ("-e -o -p -s -u", 0),
    "watch": ("-n -d --interval", 0),
    "xargs": ("-I -n -P -L -d -a -E -s --max-args --max-procs --delimiter --arg-file", 0),
    "npx": ("-p --package -w --workspace", 0),
    "bunx": ("-p --package", 0),
    "uvx": ("--from --with -p --python --index --index-url", 0),
}
# the same for those that run another program by a word of their own
_UV_OPTIONS = "--with --with-editable --with-requirements --python -p --extra --group --only-group"
_UV_OPTIONS += " --package --project --directory --env-file --index --index-url --no-group -C"
_RUNNERS: dict[str, tuple[str, str]] = {
    "uv": ("run", _UV_OPTIONS),
    "poetry": ("run", "-C -P --directory --project"),
    **dict.fromkeys(("pipenv", "rye"), ("run", "")),
    "pdm": ("run", "-p --project"),
    "hatch": ("run", "-e --env"),
    "pixi": ("run", "-e --environment --manifest-path"),
    "pipx": ("run", "--spec --python"),
    **dict.fromkeys(("conda", "mamba"), ("run", "-n -p --name --prefix --cwd")),
    "pnpm": ("exec dlx", "-C --dir --filter -F"),
    "yarn": ("exec dlx", "--cwd -p --package"),
    "npm": ("exec x", "-p --package -w --workspace"),
    "bun": ("x", ""),
    **dict.fromkeys(("bundle", "rbenv"), ("exec", "")),
    "mise": ("exec x", ""),
    # of these and of uv, `-m` stands before the module's name as before a program's
    "coverage": ("run", "--source --omit --include --rcfile --data-file --context --concurrency"),
}
# with these they tell of a program, or list, and run nothing
_TELLING_OPTIONS = {"command": frozenset({"-v", "-V"}), "sudo": frozenset({"-l", "-v", "-k", "-e"})}
_EXEC_OPTIONS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})


class SimpleCommand:
    """One command: a program and its arguments, `words` without quotes.

    `under` names the programs that run it, outermost first; `assigned` are settings before it
    (`CI=1`); `writes` are the files that its output goes to, `body` is its here-document;
    `operator` stands before it ("" for none), None where another command of the text runs it;
    `is_inverted` says that a `!` turns its status round.
    """

    __slots__ = ("assigned", "body", "is_inverted", "name", "operator", "under", "words", "writes")

    def __init__(
        self,
        words: tuple[str, ...],
        under: tuple[str, ...] = (),
        assigned: tuple[str, ...] = (),
        writes: tuple[str, ...] = (),
        body: str = "",
    ) -> None:
        self.words, self.under, self.assigned = words, under, assigned
        self.writes, self.body = writes, body
        self.operator: str | None = None
        self.is_inverted = False
        self.name = words[0].replace("\\", "/").rpartition("/")[2].removesuffix(".exe")

    def __repr__(self) -> str:
        return f"Simple({' '.join((*self.under, ':', *self.assigned, *self.words))!r})"


def is_setting(word: str) -> bool:
    """Whether a word sets a variable for the command that follows."""
    name, sign, _ = word.partition("=")
    return bool(sign) and name.removesuffix("+").isidentifier()


def find_printed_text(commands: Sequence[SimpleCommand]) -> str:
    """Give what these commands print where that stands in the text: `echo`, `cat <<EOF`."""
    if len(commands) != 1 or commands[0].name not in {"echo", "printf", "cat"}:
        return ""
    (command,) = commands
    if command.name == "cat":
        return command.body if len(command.words) == 1 else ""
    return " ".join(word for word in command.words[1:] if word not in {"-e", "-n", "-E"})


def unescape_double_quoted(char: str) -> str:
    """Give what a backslash and this character stand for within double quotes."""
    return "" if char == "\n" else char if char in IN_DOUBLE else "\\" + char


def unescape_ansi(text: str) -> str:
    """Give what stands within $'...', with the escapes that could hide a letter."""
    first, *parts = text.split("\\")
    return first + "".join(_unescape_part(part) for part in parts)


def _unescape_part(part: str) -> str:
    is_hex = part[:1] in {"x", "u", "U"}
    if not is_hex and not part[:1].isdigit():
        return {"n": "\n", "t": "\t", "r": "\r"}.get(part[:1], part[:1]) + part[1:]
    end = (3 if part[0] == "x" else 5) if is_hex else 3
    try:
        return chr(int(part[is_hex:end], 16 if is_hex else 8)) + part[end:]
    except ValueError:
        return part


# -- What a command runs ---------------------------------------------------------------------------


def find_script(name: str, words: Sequence[str]) -> str | None:
    """Give the text that a command runs as a script (`bash -c TEXT`, `eval TEXT`), or None."""
    if name == "eval":
        return " ".join(words[1:])
    if name == "trap":
        return next((word for word in words[1:] if not word.startswith("-")), None)
    if name in SHELLS or name == "su":
        return _find_c_argument(words[1:])
    if name == "env" and any(word in {"-S", "--split-string"} for word in words):
        return " ".join(words[2:])
    return None


def _find_c_argument(words: Sequence[str]) -> str | None:
    is_next = False
    for word in words:
        if word.startswith("-") and word not in {"-", "--"}:
            is_next |= word == "--command" or (not word.startswith("--") and "c" in word)
        elif is_next and word != "--":
            return word
    return None


def reads_script(name: str, words: Sequence[str]) -> bool:
    """Whether a command is a shell that takes its script from what is piped into it."""
    arguments = [word for word in words[1:] if not word.startswith("-") or word == "-"]
    return name in SHELLS and (not arguments or arguments == ["-"] or "-s" in words[1:])


def find_inner_commands(name: str, words: Sequence[str]) -> Iterator[Run]:
    """Give the commands that a command runs."""
    if name in _PREFIXES:
        if not _TELLING_OPTIONS.get(name, frozenset()).intersection(words[1:2]):
            valued, argument_count = _PREFIXES[name]
            yield from _find_inner_command(name, words, 1, valued, argument_count)
    elif name in _RUNNERS:
        verbs, valued = _RUNNERS[name]
        at = past_options(words, 1, valued)
        if at < len(words) and words[at] in verbs.split():
            yield from _find_inner_command(f"{name} {words[at]}", words, at + 1, valued)
    elif name.startswith(_PYTHONS):
        yield from _find_python_module(words)
    elif name == "find":
        yield from _find_runs(words)


def past_options(words: Sequence[str], at: int, valued: str) -> int:
    """Give the place after the options that stand here; `valued` are those that take a value."""
    options = valued.split()
    while at < len(words) and words[at].startswith("-") and words[at] != "--":
        at += 2 if words[at] in options else 1
    return at + (list(words[at : at + 1]) == ["--"])


def _find_inner_command(
    name: str, words: Sequence[str], at: int, valued: str, argument_count: int = 0
) -> Iterator[Run]:
    at = past_options(words, at, valued) + argument_count
    settings = []
    while at < len(words) and "=" in words[at].lstrip("=") and name in {"env", "sudo", "doas"}:
        settings.append(words[at])
        at += 1
    if at < len(words) and words[at]:
        yield name, tuple(words[at:]), tuple(settings)


def _find_python_module(words: Sequence[str]) -> Iterator[Run]:
    """Give `pytest -q` for `python -W error -m pytest -q`, and what `python manage.py` runs."""
    at = 1
    while at < len(words) and words[at].startswith("-") and words[at][:2] not in {"-m", "-c"}:
        at += 2 if words[at] in {"-W", "-X"} else 1
    if at < len(words) and words[at].startswith("-m") and len(words[at]) > len("-m"):
        words = [*words[:at], "-m", words[at][2:], *words[at + 1 :]]
    if list(words[at : at + 1]) == ["-m"] and at + 1 < len(words) and words[at + 1]:
        yield "python -m", tuple(words[at + 1 :]), ()
    elif at < len(words) and words[at].rpartition("/")[2] == "manage.py":
        yield "python", tuple(words[at:]), ()


def _find_runs(words: Sequence[str]) -> Iterator[Run]:
    for at, word in enumerate(words):
        if word in _EXEC_OPTIONS:
            places = range(at + 1, len(words))
            end = next((place for place in places if words[place] in {";", "+"}), len(words))
            if end > at + 1 and words[at + 1]:
                yield "find", tuple(words[at + 1 : end]), ()
