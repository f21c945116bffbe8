"""Derive the check of a rule from its words, where it names a command, an option or a path.

Only sure forms are read: "never run `git push --force`", "use `uv` instead of `pip`", "don't edit
`vendor/**`". Commands, options and paths stand in backticks; an option and some programs whose name
is no word of English need none. A form is matched from its first word to its last, since a
condition that is not understood ("unless asked", "on Windows") would turn a good rule into false
alarms. The occasion must be wider than the breach ("a push", not "a push by force"), or a rule that
is kept has no occasions and nothing can be counted.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from memoria.errors import UsageError
from memoria.rules.guards import judge
from memoria.rules.guards.check import parsed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memoria.rules.guards.check import Check

    # a check as data, None where the words of the form name nothing that fits it
    Made = dict[str, Any] | None

# characters: what is longer tells a story, and its middle may be a condition
_LONGEST = 300
# programs whose name in a rule is a command also without backticks
_PLAIN = "git npm npx pnpm yarn pip uv pytest cargo eslint mypy ruff curl gh sudo brew".split()  # noqa: SIM905 - read as text
_PROGRAMS = frozenset(_PLAIN) | frozenset(
    """pip3 pipx pipenv uvx poetry conda tox nox prettier pyright pylint flake8 rg grep sed wget
    terraform kubectl mvn docker-compose jest vitest chmod chown rsync apt-get bun deno tsc python3
    go make docker python node rm mv cp bundle rails php composer dotnet swift flutter helm aws
    gcloud ansible black biome just nx hatch pdm bash sh ssh kill pre-commit psql mysql redis-cli
    supabase prisma vercel systemctl""".split()  # noqa: SIM905 - as above
)
# of these a rule means only one use: alone they pass on what another command prints
_NARROWED = {"grep": ["-r", "-R", "--recursive"], "sed": ["-i", "--in-place"]}
# programs that start another one, which counts as run by itself, too
_RUNNERS = ("uv run", "poetry run", "pipenv run", "hatch run", "pdm run", "bundle exec", "npx")
# ways to say an option, and what an option says of the command it belongs to
_SPELLINGS = {"--force": ["--force", "-f"], "-f": ["--force", "-f"]}
_FORCED = ["--force", "-f", "+*"]
_OWNERS = {
    "--no-verify": ["git commit", "git push"],
    "--amend": ["git commit"],
    "--break-system-packages": ["pip install"],
    "--hard": ["git reset"],
}

_SPAN = re.compile(
    r"`(?P<marked>[^`\n]{1,120})`|(?<![\w`./-])(?P<option>--?[a-zA-Z][\w-]*)(?![\w-])"
    rf"|(?<![\w`./-])(?P<plain>{'|'.join(sorted(_PLAIN, reverse=True))})\b(?![-/.]\w)"
)
_POLITE = re.compile(
    r"^(?:(?:please|important|note|remember|rule|from now on|and|also|so|ok"
    r"|(?:always )?remember to|make sure (?:to|that you|you)|(?:you|we) (?:must|should)"
    r"|in this (?:repo|repository|project))[,:]? +)+"
)
_REASON = re.compile(
    r"\s*[,(:;-]*\s*\b(?:because|since|so that|it'?s|it (?:is|was)|it [a-z]+s|they|this is"
    r"|to (?:avoid|keep|prevent|ensure))\b.*$"
)
_CONDITION = re.compile(
    r"\b(?:unless|except|only|if|when|but|however|other than|apart from|until|while)\b"
)
_WORD = re.compile(r"[a-z][a-z0-9:_-]*\Z")
_OPTION = re.compile(r"--?[a-zA-Z][\w-]*\Z")
_PATH = re.compile(r"(?=.*[/.])[\w.*?/@{}-]+\Z")


class Derived(NamedTuple):
    """A check, and what of the rule it rests on."""

    check: Check
    reason: str


class _Command(NamedTuple):
    """A command as a rule names it: program and subcommand, then options and what follows them."""

    pattern: str
    tail: tuple[str, ...]

    @property
    def program(self) -> str:
        return self.pattern.split()[0]

    @property
    def is_part(self) -> bool:
        """Whether only some calls of the pattern are meant: those with the tail."""
        return bool(self.tail) or self.pattern in _NARROWED

    def shown_by(self) -> list[str]:
        """Give the words that show the command with its tail: any spelling of its option."""
        if self.pattern == "git push" and self.tail[:1] in (("--force",), ("-f",)):
            return _FORCED
        tail = " ".join(self.tail)
        return _SPELLINGS.get(tail, [tail]) if tail else _NARROWED[self.pattern]


class _Parts:
    """The slots of a form that matched, read as commands, options or paths."""

    def __init__(self, match: re.Match[str], spans: Sequence[str]) -> None:
        self._match, self._spans = match, spans

    def texts(self, name: str) -> list[str]:
        """Give what stands in the slots of the form's part of that name."""
        return [self._spans[int(number)] for number in re.findall(r"\d+", self._match[name])]

    def commands(self, name: str) -> list[_Command]:
        """Give the commands, none where any of the slots is no command."""
        commands = []
        for text in self.texts(name):
            program, *words = text.split() or ["?"]
            size = next((at for at, word in enumerate(words) if not _WORD.match(word)), len(words))
            commands.append(_Command(" ".join((program, *words[:size])), tuple(words[size:])))
        return commands if all(one.program in _PROGRAMS for one in commands) else []

    def options(self, name: str) -> list[str]:
        """Give the options with their spellings, none where any of the slots is no option."""
        texts = self.texts(name)
        if not all(map(_OPTION.match, texts)):
            return []
        return [spelling for text in texts for spelling in _SPELLINGS.get(text, [text])]

    def paths(self, name: str) -> list[str]:
        """Give the paths as globs, none where any of the slots is no path."""
        texts = self.texts(name)
        globs = [f"**/{text}**" if text.endswith("/") else text for text in texts]
        return globs if all(map(_PATH.match, texts)) else []


def derive(text: str) -> Derived | None:
    """Derive the check of a rule's text, None where it asks for none that is sure."""
    plain = " ".join(re.sub(r"\*\*|^[-*+\u2022]\s+", "", text).replace("\u2019", "'").split())
    if len(plain) > _LONGEST or _CONDITION.search(_SPAN.sub("", plain).lower()):
        return None
    spans = [next(filter(None, match.groups())) for match in _SPAN.finditer(plain)]
    numbers = iter(range(len(spans)))
    frame = _SPAN.sub(lambda _: f"{{{next(numbers)}}}", plain).lower()
    frame = _POLITE.sub("", frame).rstrip(".!,: ")
    for shown in (frame, _REASON.sub("", frame).rstrip(".!,:; ")):
        for pattern, make in _FORMS:
            match = pattern.fullmatch(shown)
            data = make(_Parts(match, spans)) if match else None
            if data:
                return _checked(data)
    return None


def _checked(data: dict[str, Any]) -> Derived | None:
    try:
        check = judge.check_that_may_be_on(parsed(data))
    except UsageError:
        return None
    return Derived(check, f"read as: {json.dumps(data['broken'], ensure_ascii=False)}")


def read_proposed(data: str) -> tuple[Check | None, str]:
    """Read the check that an engine proposed, as JSON ("" for none); say why it cannot be one."""
    if not data:
        return None, ""
    try:
        return judge.check_that_may_be_on(parsed(json.loads(data))), ""
    except (UsageError, ValueError, RecursionError) as error:
        return None, str(error)


def check_for(text: str, data: str = "") -> Check | None:
    """Give the check of a new rule: the one that an engine proposed, else what its words ask for.

    It is only proposed, too: a person switches it on.
    """
    check, _ = read_proposed(data)
    derived = None if check else derive(text)
    return derived.check if derived else check


# -- What the forms ask for ------------------------------------------------------------------------


def _forbid(parts: _Parts) -> Made:
    options, commands = parts.options("what"), parts.commands("what")
    if options:
        owners = _OWNERS.get(options[0])
        return _forbid_with(owners, options) if owners else None
    if len(commands) == 1 and commands[0].is_part:
        return _forbid_with([commands[0].pattern], commands[0].shown_by())
    if not commands or any(command.is_part for command in commands):
        return None
    patterns, programs = [one.pattern for one in commands], [one.program for one in commands]
    is_whole = any(pattern in programs for pattern in patterns)
    occasion = {"tools": ["Bash"]} if is_whole else {"command": programs}
    return {"occasion": occasion, "broken": {"command": patterns}}


def _forbid_with(commands: list[str], words: list[str]) -> Made:
    return {"occasion": {"command": commands}, "broken": {"with": words}} if words else None


def _forbid_option(parts: _Parts) -> Made:
    commands = parts.commands("command")
    is_one = len(commands) == 1 and not commands[0].tail
    return _forbid_with([commands[0].pattern], parts.options("what")) if is_one else None


def _forbid_forced_push(parts: _Parts) -> Made:
    return _forbid_with(["git push"], _FORCED * (parts.options("what") == _FORCED[:2]))


def _prefer(parts: _Parts) -> Made:
    better, worse = parts.commands("better"), parts.commands("worse")
    if not better or not worse:
        return None
    instead, wrong = " ".join((better[0].pattern, *better[0].tail)), [one.pattern for one in worse]
    runner = next((name for name in _RUNNERS if f"{instead} ".startswith(f"{name} ")), "")
    if runner and instead == f"{runner} {wrong[0]}":
        broken: dict[str, list[str]] = {"not_under": [runner]}
        return {"occasion": {"command": wrong}, "broken": broken, "instead": instead}
    broken = {"command": wrong, "not_under": [one.program for one in better]}
    if len(worse) == 1 and worse[0].is_part:
        broken["with"] = worse[0].shown_by()
    elif better[0].pattern in wrong or any(one.tail for one in worse):
        return None
    occasion = {"command": [*(one.pattern for one in better), *wrong]}
    return {"occasion": occasion, "broken": broken, "instead": instead}


def _forbid_edit(parts: _Parts) -> Made:
    globs = parts.paths("what")
    # of a path with another beginning it is not known that a rule of the project means it
    return {"occasion": {"path": ["**/*", "!/**"]}, "broken": {"path": globs}} if globs else None


def _forbid_commit(parts: _Parts) -> Made:
    globs = [glob.replace("**/", "*/").replace("/**", "/*") for glob in parts.paths("what")]
    return _forbid_with(["git add", "git commit"], globs)


_SLOT = r"\{\d+\}"
_SLOTS = rf"{_SLOT}(?:(?:,? (?:or|and|nor) |, |/){_SLOT})*"
_NEVER = (
    r"(?:(?:you |we )?(?:must |should |do )?(?:never|not)(?: ever)?"
    r"|(?:you |we )?(?:don't|dont|mustn't|can't|cannot)(?: ever)?|avoid|no|stop)"
)
_CALL = r"(?:us(?:e|ing)|run(?:ning)?|execut(?:e|ing)|call(?:ing)?|invok(?:e|ing))"
_HERE = (
    r"(?: (?:here|anywhere|ever|again|directly|manually|by hand|commands?|flags?|options?"
    r"|in (?:this|the|our) (?:repo|repository|project)|for any reason))*"
)
_NOT = (
    r"(?:,? (?:instead of|rather than|over|not|and not|never|and never)|[,.;] (?:and )?never use)"
)
_EDIT = (
    r"(?:(?:edit|modify|touch|change|alter|updat|writ)(?:e|ing)?(?: to)?)"
    r"(?: (?:any |the )?(?:files?|code|anything))?(?: (?:in|under|inside|of))?(?: the)?"
)
_SHAPES: tuple[tuple[str, Callable[[_Parts], Made]], ...] = (
    (rf"{_NEVER} (?:{_CALL} )?(?:the )?(?P<what>{_SLOTS})", _forbid),
    (rf"{_NEVER} {_CALL} (?P<command>{_SLOT}) with (?P<what>{_SLOTS})", _forbid_option),
    (rf"{_NEVER} push with (?P<what>{_SLOT})", _forbid_forced_push),
    (rf"{_NEVER} {_EDIT} (?P<what>{_SLOTS})(?: (?:folder|directory|files?))?", _forbid_edit),
    (rf"{_NEVER} (?:commit|stage) (?P<what>{_SLOTS})(?: files?)?", _forbid_commit),
    (rf"(?:always )?(?:use|prefer|run) (?P<better>{_SLOT}){_NOT} (?P<worse>{_SLOTS})", _prefer),
)
_FORMS = [(re.compile(pattern + _HERE), make) for pattern, make in _SHAPES]
