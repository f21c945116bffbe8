"""Derive the check of a rule from its words, where it names a command, an option or a path.

Only sure forms are read, with commands, options and paths in backticks; an option and some programs
whose name is no word of English need none. A form is matched from its first word to its last, since
a condition that is not understood would turn a good rule into false alarms. The occasion is wider
than the breach ("a push", not "a push by force"), or a rule that is kept could not be counted.
"""

import json
import re
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from memoria.errors import UsageError
from memoria.rules.guards import judge
from memoria.rules.guards.check import Check, parse_check

# what stands in the slots of a part of a form
Texts = Sequence[str]
# a check as data, None where the words of the form name nothing that fits it
CheckData = dict[str, Any] | None

# characters: what is longer tells a story, and its middle may be a condition
_MAX_CHARS = 300
# programs whose name in a rule is a command also without backticks
_BARE = "git npm npx pnpm yarn pip uv pytest cargo eslint mypy ruff curl gh sudo brew".split()  # noqa: SIM905 - read as text
_PROGRAMS = frozenset(_BARE) | frozenset(
    """pip3 pipx pipenv uvx poetry conda tox nox prettier pyright pylint flake8 rg grep sed wget
    terraform kubectl mvn docker-compose jest vitest chmod chown rsync apt-get bun deno tsc python3
    go make docker python node rm mv cp bundle rails php composer dotnet swift flutter helm aws
    gcloud ansible black biome just nx hatch pdm bash sh ssh kill pre-commit psql mysql redis-cli
    supabase prisma vercel systemctl""".split()  # noqa: SIM905 - as above
)
# of these a rule means only one use: alone they pass on what another command prints
_USUAL_OPTIONS = {"grep": ["-r", "-R", "--recursive"], "sed": ["-i", "--in-place"]}
# ways to say an option, and what an option says of the command it belongs to
_FORCE_OPTIONS = ["--force", "-f"]
_FORCE_WORDS = [*_FORCE_OPTIONS, "+*"]  # of a push, whose "+main" forces, too
_OPTION_OWNERS = {
    "--no-verify": ["git commit", "git push"],
    "--amend": ["git commit"],
    "--break-system-packages": ["pip install"],
    "--hard": ["git reset"],
}

# what fills the slots of a form: "`git push -f`"; "--amend" and "npm" also without backticks
_CODE_SPAN = re.compile(
    r"`(?P<marked>[^`\n]{1,120})`|(?<![\w`./-])(?P<option>--?[a-zA-Z][\w-]*)(?![\w-])"
    rf"|(?<![\w`./-])(?P<plain>{'|'.join(sorted(_BARE, reverse=True))})\b(?![-/.]\w)"
)
# "Please, from now on, ", "Make sure that you "
_POLITE_OPENING = re.compile(
    r"^(?:(?:please|important|note|remember|rule|from now on|and|also|so|ok"
    r"|(?:always )?remember to|make sure (?:to|that you|you)|(?:you|we) (?:must|should)"
    r"|in this (?:repo|repository|project))[,:]? +)+"
)
# ", because it breaks the build", " - it hides errors", ": use pnpm"
_TRAILING_REASON = re.compile(
    r"\s*[,(:;-]*\s*\b(?:because|since|so that|it'?s|it (?:is|was)|it [a-z]+s|they|this is"
    r"|to (?:avoid|keep|prevent|ensure))\b.*$|: [a-z{].*$"
)
# "unless" of "never force-push unless asked"
_CONDITION = re.compile(
    r"\b(?:unless|except|only|if|when|but|however|other than|apart from|until|while)\b"
)
_SUBCOMMAND_WORD = re.compile(r"[a-z][a-z0-9:_-]*\Z")  # "run-script" of `npm run-script`, no "-D"
_OPTION_WORD = re.compile(r"--?[a-zA-Z][\w-]*\Z")  # "-f", "--no-verify", no "--depth=1"
_PATH_GLOB = re.compile(r"(?=.*[/.])[\w.*?/@{}-]+\Z")  # "src/*.py", ".env", no "src"


def derive_check(text: str) -> Check | None:
    """Derive the check of a rule's text, None where it asks for none that is sure."""
    # a rule's text may be inert Markdown
    text = text.replace("&lt;", "<").replace("\\`", "`").replace("\u2019", "'")
    line = " ".join(re.sub(r"\*\*|^[-*+\u2022]\s+", "", text).split())
    if len(line) > _MAX_CHARS or _CONDITION.search(_CODE_SPAN.sub("", line).lower()):
        return None
    spans = [next(filter(None, match.groups())) for match in _CODE_SPAN.finditer(line)]
    numbers = iter(range(len(spans)))
    frame = _CODE_SPAN.sub(lambda _: f"{{{next(numbers)}}}", line).lower()
    frame = _POLITE_OPENING.sub("", frame).rstrip(".!,: ")
    for wording in (frame, _TRAILING_REASON.sub("", frame).rstrip(".!,:; ")):
        for pattern, make in _FORMS:
            match = pattern.fullmatch(wording)
            parts = match.groups() if match else ()
            slots = [[spans[int(at)] for at in re.findall(r"\d+", part)] for part in parts]
            if match and (data := make(*slots)):
                return read_proposed(json.dumps(data))[0]
    return None


def read_proposed(data: str) -> tuple[Check | None, str]:
    """Read the check that an engine proposed, as JSON ("" for none); say why it cannot be one."""
    if not data:
        return None, ""
    try:
        return judge.require_way_on(parse_check(json.loads(data))), ""
    except (UsageError, ValueError, RecursionError) as error:
        return None, str(error)


class _Command(NamedTuple):
    """A command as a rule names it: program and subcommand, and the words that narrow it."""

    pattern: str
    narrow: list[str]

    @property
    def program(self) -> str:
        return self.pattern.split()[0]


def _read_commands(texts: Texts) -> list[_Command]:
    """Read commands, none where any of the texts is no command."""
    commands = []
    for text in texts:
        # a pipe and a place to fill in (<branch>) are no words of one command
        program, *words = (not set("|&;<>") & set(text) and text.split()) or ["?"]
        subcommand = list(takewhile(_SUBCOMMAND_WORD.match, words))
        pattern, tail = " ".join((program, *subcommand)), words[len(subcommand) :]
        narrow = [" ".join(tail)] if tail else _USUAL_OPTIONS.get(pattern, [])
        if tail and tail[0] in _FORCE_OPTIONS:
            narrow = _FORCE_WORDS if pattern == "git push" else _FORCE_OPTIONS
        commands.append(_Command(pattern, narrow))
    return commands if all(command.program in _PROGRAMS for command in commands) else []


def _read_options(texts: Texts) -> list[str]:
    """Read options with their spellings, none where any of the texts is no option."""
    if not all(map(_OPTION_WORD.match, texts)):
        return []
    return [word for text in texts for word in (_FORCE_OPTIONS if text in _FORCE_WORDS else [text])]


def _read_globs(texts: Texts) -> list[str]:
    """Read paths as globs, none where any of the texts is no path."""
    globs = [f"**/{text}**" if text.endswith("/") else text for text in texts]
    return globs if all(map(_PATH_GLOB.match, texts)) else []


def _break_by(commands: list[str], words: list[str]) -> CheckData:
    return {"occasion": {"command": commands}, "broken": {"with": words}} if words else None


def _forbid(texts: Texts) -> CheckData:
    options, commands = _read_options(texts), _read_commands(texts)
    if options:
        owners = _OPTION_OWNERS.get(options[0])
        return _break_by(owners, options) if owners else None
    if len(commands) == 1 and commands[0].narrow:
        return _break_by([commands[0].pattern], commands[0].narrow)
    if not commands or any(command.narrow for command in commands):
        return None
    patterns, programs = [call.pattern for call in commands], [call.program for call in commands]
    is_program_banned = any(pattern in programs for pattern in patterns)
    occasion = {"tools": ["Bash"]} if is_program_banned else {"command": programs}
    return {"occasion": occasion, "broken": {"command": patterns}}


def _forbid_forced_push(texts: Texts) -> CheckData:
    is_forced = _read_options(texts) == _FORCE_OPTIONS
    return _break_by(["git push"], _FORCE_WORDS) if is_forced else None


def _prefer(good: Texts, bad: Texts) -> CheckData:
    better, worse = _read_commands(good), _read_commands(bad)
    patterns = [command.pattern for command in worse]
    if not better or not worse or any(command.narrow for command in worse[1:]):
        return None
    occasion = {"command": [better[0].pattern, *patterns]}
    broken = {"command": patterns, "not_under": [better[0].program]}
    if good[0] == f"{better[0].program} run {patterns[0]}":  # `uv run pytest` instead of `pytest`
        occasion, broken = {"command": patterns}, {"not_under": [f"{better[0].program} run"]}
    elif worse[0].narrow:
        broken["with"] = worse[0].narrow
    elif better[0].pattern in patterns:
        return None
    return {"occasion": occasion, "broken": broken, "instead": good[0]}


def _forbid_edit(texts: Texts) -> CheckData:
    globs = _read_globs(texts)
    # of a path with another beginning it is not known that a rule of the project means it
    return {"occasion": {"path": ["**/*", "!/**"]}, "broken": {"path": globs}} if globs else None


def _forbid_commit(texts: Texts) -> CheckData:
    globs = [glob.replace("**/", "*/").replace("/**", "/*") for glob in _read_globs(texts)]
    anywhere = [f"*/{glob}" for glob in globs if "/" not in glob]  # a name without a folder
    return _break_by(["git add", "git commit"], [*globs, *anywhere])


_ONE_SLOT = r"(\{\d+\})"  # "{0}"
_SLOTS = r"(\{\d+\}(?:(?:,? (?:or|and|nor) |, |/)\{\d+\})*)"  # "{0}", "{0}, {1} or {2}"
# "never", "you must not ever", "don't", "avoid"
_FORBIDDING = (
    r"(?:(?:you |we )?(?:must |should |do )?(?:never|not)(?: ever)?"
    r"|(?:you |we )?(?:don't|dont|mustn't|can't|cannot)(?: ever)?|avoid|no|stop)"
)
# "use", "running"
_USING = r"(?:us(?:e|ing)|run(?:ning)?|execut(?:e|ing)|call(?:ing)?|invok(?:e|ing))"
# " directly in this repo", " flag"
_TAIL = (
    r"(?: (?:here|anywhere|ever|again|directly|manually|by hand|commands?|flags?|options?"
    r"|in (?:this|the|our) (?:repo|repository|project)|for any reason))*"
)
# " rather than", ", not", ". Never use"
_INSTEAD_OF = (
    r"(?:,? (?:instead of|rather than|over|not|and not|never|and never)|[,.;] (?:and )?never use)"
)
# "edit", "write to any files in", "touching anything under the"
_EDITING = (
    r"(?:(?:edit|modify|touch|change|alter|updat|writ)(?:e|ing)?(?: to)?)"
    r"(?: (?:any |the )?(?:files?|code|anything))?(?: (?:in|under|inside|of))?(?: the)?"
)
# "never use {0} here", "never push with {0}", "do not edit files in {0}", "never commit {0}",
# "use {0} instead of {1}"
_SHAPES: tuple[tuple[str, Callable[..., CheckData]], ...] = (
    (rf"{_FORBIDDING} (?:{_USING} )?(?:the )?{_SLOTS}", _forbid),
    (rf"{_FORBIDDING} push with {_ONE_SLOT}", _forbid_forced_push),
    (rf"{_FORBIDDING} {_EDITING} {_SLOTS}(?: (?:folder|directory|files?))?", _forbid_edit),
    (rf"{_FORBIDDING} (?:commit|stage) {_SLOTS}(?: files?)?", _forbid_commit),
    (rf"(?:always )?(?:use|prefer|run) {_ONE_SLOT}{_INSTEAD_OF} {_SLOTS}", _prefer),
)
_FORMS = [(re.compile(pattern + _TAIL), make) for pattern, make in _SHAPES]
