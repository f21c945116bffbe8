"""A rule's sentence -> its frame of everyday words, and the commands, options, paths in it.

A rule is matched by its frame ("never use 0 with 1"), so that its grammar can be checked whole and
what is named cannot be taken for grammar. What a span is (a command, an option, a path, a piece of
code) depends on where it stands, so a mention can be asked for each. The trap: `make`, `go`, `any`
and `test` are programs and words; bare ones are mentions only with a word or an option of theirs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from memoria.rules.guards.from_text.everyday_names import CODE, FORMS, STRONG, WEAK, WORDS

if TYPE_CHECKING:
    from collections.abc import Callable


class Named(NamedTuple):
    """A command as a rule names it: program, subcommand's words, options and words after them."""

    program: str
    words: tuple[str, ...] = ()
    tail: tuple[str, ...] = ()

    @property
    def patterns(self) -> tuple[str, ...]:
        """The patterns of a check for it, with the other names of its program."""
        forms = FORMS.get(self.program, (self.program,))
        return tuple(" ".join((form, *self.words)) for form in forms)

    @property
    def options(self) -> tuple[str, ...]:
        """The options among the words after it."""
        return tuple(word for word in self.tail if word.startswith("-"))


class Mention(NamedTuple):
    """A span of a rule; `marked` where it stood in backticks or quotes."""

    text: str
    marked: bool


class Sentence(NamedTuple):
    """A sentence with its mentions taken out: "use {0}, not {1}" in lower case."""

    frame: str
    mentions: tuple[Mention, ...]


_MARKED = re.compile(
    r"`{1,3}([^`\n]{1,120})`{1,3}|[\"\u201c]([^\"\u201d\n]{2,80})[\"\u201d]|'([^'\n ]{2,40})'"
)
# a word of the shell as it may stand bare in a sentence
_OPTION = r"(?<![\w-])--?[a-zA-Z][\w-]*(?:=[\w./-]+)?(?![\w-])"
_FILE = (
    r"(?<![\w/.`])(?:\*\*?/|\.{0,2}/)?(?:[\w.*-]+/)+(?:[\w*-]+(?:\.[\w*-]+)*|\.{3})?"
    r"|(?<![\w/.])(?:[\w*-]+\.)+(?:lock|json|ya?ml|toml|md|env|py|tsx?|jsx?|go|rs|sql|css|html|txt"
    r"|ini|cfg|sh|proto|csv|xml|snap)\b|(?<![\w/.])\.env(?:\.[\w*]+)*\b|(?<![\w/])\*\.\w+"
    r"|(?<![\w/.])(?:node_modules|__pycache__)\b"
)
_BARE_CODE = re.compile(
    r"(?<![\w.`{])(?:console\.(?:logs?|error)|dangerouslySetInnerHTML|@ts-(?:ignore|nocheck"
    r"|expect-error)|innerHTML|eslint-disable|println!|dbg!|!important|os\.system|binding\.pry|fmt\.Print(?:ln|f)|System\.out\.println|datetime\.utcnow)"
    r"(?:\(\))?(?![\w])"
)
_BARE = re.compile(_OPTION + "|" + _FILE)
_ENDINGS = (
    "lock|json|ya?ml|toml|md|mdx|env|py|pyi|tsx?|jsx?|mjs|cjs|vue|go|mod|sum|rs|rb|php|java|kt|cs"
    "|swift|sql|css|scss|html|txt|ini|cfg|conf|sh|proto|csv|xml|snap|tf|bicep|log|pem|key"
)
_ENDING = re.compile(rf"\.(?:{_ENDINGS})\Z|\A\.[a-z][\w.-]*\Z|\A\*\.\w+\Z")
_PLAIN = re.compile(r"[A-Za-z][\w.+-]*\Z")
_SUBCOMMAND = re.compile(r"[a-z][a-z0-9:_-]*\Z")
_PROGRAM = re.compile(r"(?:\./|[\w.-]+/)*[A-Za-z][\w.+-]*\Z")
# the beginning of a piece of a program, not of a command
_KEYWORDS = frozenset(
    """async await const let var def class import from return new throw public private static void
    function type interface enum else for while switch case try catch export default as is in
    instanceof typeof keyof yield raise lambda global unsafe impl pub mut fn""".split()  # noqa: SIM905 - a word list reads best as words
)
_ENDS_WORDS = re.compile(r"[<>{}\[\]|;&$\"'()\\]|\.\.\.|…")
_FLAG = re.compile(r"--?[A-Za-z][\w-]*(?:=[\w./:-]+)?\Z")
# of a command's words after its program: "npm run db:reset" has two
_DEEPEST = 2
# they run the program that is named after them
_STARTERS = frozenset({"npx", "bunx", "uvx", "pnpx"})
_SLOT = re.compile(r"\{(\d+)\}")


def sentence(text: str) -> Sentence:
    """Take the mentions out of a sentence."""
    found: list[Mention] = []

    def slot(span: str, *, marked: bool) -> str:
        # a slot is written with braces, so those of the text are put aside
        span = span.replace("\1", "{").replace("\2", "}")
        found.append(Mention(span.strip(), marked))
        return f"{{{len(found) - 1}}}"

    def mark(match: re.Match[str]) -> str:
        span = match[1] or match[2] or match[3]
        quoted = match[1] is None
        one = Mention(span.strip(), marked=True)
        if quoted and not (command(one) or option(one)):
            return match[0]
        return slot(span, marked=True)

    frame = _MARKED.sub(mark, text.replace("{", "\1").replace("}", "\2"))
    frame = _BARE_CODE.sub(lambda match: slot(match[0], marked=True), frame)
    frame = _programs(frame, lambda span: slot(span, marked=False))
    frame = _BARE.sub(lambda match: slot(match[0], marked=False), frame)
    return Sentence(" ".join(frame.lower().split()), tuple(found))


# what stands around a word and is none of it
_SIGNS = "(),.;:!"


def slots(text: str) -> tuple[int, ...]:
    """Give the numbers of the mentions in a part of a frame."""
    return tuple(int(number) for number in _SLOT.findall(text))


def _programs(frame: str, slot: Callable[[str], str]) -> str:
    """Take out programs that are named bare, with the words and options that belong to them."""
    parts = re.split(r"(\s+)", frame)
    made: list[str] = []
    at = 0
    while at < len(parts):
        span, size = _spoken(parts, at)
        before, found, after = parts[at], "", ""
        if span:
            before, found, after = "".join(parts[at : at + size]).partition(span)
        made.append(before + (slot(found) if found else "") + after)
        at += size
    return "".join(made)


def _spoken(parts: list[str], at: int) -> tuple[str, int]:
    """Give the bare command at a place ("" for none), and how many parts it takes."""
    word = parts[at].strip(_SIGNS)
    if word == parts[at].lstrip("(") and word.lower() in STRONG | WEAK:
        size = _taken(parts, at)
        if size:
            return "".join(parts[at : at + size]).strip(_SIGNS), size
    known = word.lower() in STRONG and word in {word.lower(), word.capitalize()}
    return (word if known else ""), 1


def _taken(parts: list[str], at: int) -> int:
    """Count the parts (words and spaces) of a bare command from there on, 0 for a lone program."""
    program, end = parts[at].lstrip("(").lower(), at
    known = WORDS.get(program, frozenset())
    place, depth = at + 2, 0
    while place < len(parts):
        word = parts[place].rstrip(_SIGNS)
        before = parts[place - 2]
        free = before in {"run", "artisan"} or (place == at + 2 and program in _STARTERS)
        is_word = (
            not before.startswith("-")
            and depth < _DEEPEST
            and (word in known or (free and _SUBCOMMAND.match(word)))
        )
        if not is_word and not (_FLAG.match(word) and (depth or program in STRONG)):
            break
        depth += bool(is_word)
        end = place
        if word != parts[place]:
            break
        place += 2
    return end - at + 1 if end > at else 0


# -- What a mention is ----------------------------------------------------------------------------


def command(one: Mention, *, called: bool = False) -> Named | None:
    """Read a mention as a command, None where it is none.

    `called` says that the rule speaks of running it: then a program that is not known will do.
    """
    text = one.text.removeprefix("$ ").strip()
    words = text.split()
    while words and re.fullmatch(r"[A-Z_]+=\S*", words[0]):
        words = words[1:]
    if not words or _ENDS_WORDS.search(words[0]) or not _PROGRAM.match(words[0]):
        return None
    program = words[0].rsplit("/", 1)[-1]
    lone = len(words) == 1
    known = program in STRONG or (program in WEAK and (not lone or called))
    if not known and not (called and _is_script(words)):
        return None
    if program in _KEYWORDS and program not in STRONG:
        return None
    return _read(program, words[1:])


def _is_script(words: list[str]) -> bool:
    """Whether a program that is not known looks like one: a path, or words like a command's."""
    return (
        words[0].startswith("./")
        or words[0].endswith((".sh", ".py"))
        or (
            len(words) > 1
            and words[0].islower()
            and "=" not in words
            and all(_SUBCOMMAND.match(w) or _FLAG.match(w) for w in words[1:])
        )
    )


def _read(program: str, after: list[str]) -> Named:
    words: list[str] = []
    tail: list[str] = []
    for word in after:
        if _ENDS_WORDS.search(word):
            break  # a placeholder or another command: what follows is an example
        if not tail and len(words) < _DEEPEST and _SUBCOMMAND.match(word):
            words.append(word)
        else:
            tail.append(word.partition("=")[0] if word.startswith("--") else word)
    return Named(program, tuple(words), tuple(tail))


def option(one: Mention) -> str:
    """Read a mention as an option, "" where it is none."""
    return one.text.partition("=")[0] if _FLAG.match(one.text) else ""


def path(one: Mention) -> tuple[str, ...]:
    """Read a mention as a path, and give the globs for it; () where it is none."""
    text = one.text.strip().removeprefix("./")
    folder = text.endswith(("/", "/*", "/**")) or text in {
        "node_modules",
        "vendor",
        "dist",
        "__pycache__",
    }
    if not re.fullmatch(r"[\w.*@/-]+", text) or text.startswith(("/", "-", "..")) or "//" in text:
        return ()
    # `window.location.search` has dots, too: only an ending that files have makes it a file
    if not folder and "/" not in text and not _ENDING.search(text):
        return ()
    text = text.removesuffix("/**").removesuffix("/*").rstrip("/")
    if not text.strip("*./"):
        return ()
    if folder or ("/" in text and "." not in text.rsplit("/", 1)[-1]):
        return _anywhere(text + "/**")
    return _anywhere(text)


def _anywhere(glob: str) -> tuple[str, ...]:
    # a glob without a slash is a file's name wherever it lies
    return (glob,) if "/" not in glob or glob.startswith("**/") else (glob, "**/" + glob)


def code(one: Mention) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Read a mention as a piece of a program: the texts that show it, and the files it is for.

    A text that is not known must be unlikely to stand somewhere by chance, or nothing is given.
    """
    text = one.text.strip()
    known = CODE.get(text.lower().removesuffix("()").removesuffix("(").removesuffix("(...)"))
    if known and (one.marked or "." in text):
        return known
    bare = text.removesuffix("...)").removesuffix(")")
    telling = re.search(r"[.(@#!<:=]", bare) and len(bare) >= 6 and " " not in bare  # noqa: PLR2004 - `a.b()` is not telling, `x.innerHTML` is
    whole = bool(telling) and not re.search(r"[{}\[\]<>*…/]|\.\.\.|^\W+$", bare)
    if one.marked and whole and not path(one) and not option(one) and not _PLAIN.match(bare):
        return (bare,), ()
    return (), ()
