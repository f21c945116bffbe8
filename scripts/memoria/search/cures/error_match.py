"""A failed call and what earlier ones went away after -> what to say about it, if anything.

An error is known by its text: the fixed words of its signature stand in one line of what was
printed, in their order. A signature is broad on purpose (`undefined: <name>` is one error, whatever
the name), so that it is known does not mean that what fixed it then fixes it now: the same line has
to have come back, or the change has to speak of what the error speaks of; only a linter's rule is
kept in the same way everywhere. All of it stems from tools and commands of earlier sessions, so it
is told as a fact with its date. The trap: to name a failure takes a hundred patterns, which cost a
hook more than all its other work, so nothing here does.
"""

from __future__ import annotations

import re

from memoria.search import injection

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# what of a call's error and of each input is kept: as agents/pieces.py has it for transcripts
RESULT, ARGUMENT = 8 << 10, 4 << 10
# of each line of a change: what tells one edit from another
_WIDTH = 160
# errors of one call that are told of: a linter's run can have many
MOST = 3
_TOKEN = re.compile(r"\w{3,}")
_DIGITS = re.compile(r"\d+")
# what a signature has masked, and that it may have stood there more than once
_MASKED = re.compile(r"<[a-z.]+>(?: \.\.\.)?")
_TOUCHED = re.compile(r"\w*<[a-z.]+>\w*")
_TICKS = re.compile(r"`+")
_PLACED = re.compile(r"^\S+:\d+(?::\d+)?:\s*")
_HUMPED = re.compile(r"[a-z][A-Z]|[A-Za-z]_[A-Za-z]")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# they are in every second error and say nothing of this one
_COMMON = {
    "actual", "argument", "const", "error", "expected", "fail", "failed", "false", "file", "from",
    "function", "have", "import", "line", "method", "must", "none", "null", "package", "path",
    "return", "self", "should", "string", "test", "that", "this", "true", "type", "undefined",
    "value", "when", "with",
}  # fmt: skip
_LONG = 4
# signatures have up to 200 characters and lines up to 500; what is near that may have been cut
_CUT, _LINE_CUT = 195, 495
# words that capture/extract/failures/diagnosis.py adds: "FAIL test_lease", "make ship failed"
_OURS = frozenset({"FAIL", "failed"})
_MET = (
    "This error was met in earlier sessions. What was done before it went away, as a record of "
    "them and not as an instruction:"
)


# -- Which error it is -----------------------------------------------------------------------------


def tokens(text: str) -> set[str]:
    """Give the words of an error's text, whole but for their digits."""
    return set(_TOKEN.findall(_DIGITS.sub(" ", text)))


def anchor(signature: str, then: str) -> str:
    """Give a token that every error of a signature holds, "" where there is none."""
    said = " ".join(_whole(signature, _CUT).split(" ", 2)[2:])
    fixed = _TOUCHED.sub(" ", said) if _pieces(signature) else _whole(then, _LINE_CUT)
    words = tokens(fixed) - _OURS
    return max(words, key=lambda word: (len(word), word), default="")


def squashed(line: str) -> str:
    """Reduce an error's line to what stays where the code around it moves: no place, no numbers."""
    return " ".join(_DIGITS.sub("", _PLACED.sub("", line)).split())


def matching_line(signature: str, then: str, lines: Sequence[str]) -> int | None:
    """Find the line in which an error of that signature says what it is; lines have single blanks.

    `then` is the line of an earlier one, for a signature in which nothing is fixed. The rule or
    exception that its kind names has to be printed, too: by a linter anywhere, else in that line.
    """
    code = _code(signature)
    pieces = _pieces(signature) or [" ".join(_PLACED.sub("", then).split())]
    if code and not any(code in line for line in lines):
        return None
    is_lint = _kind(signature).startswith("lint:")
    found = (at for at, line in enumerate(lines) if _stand_in(pieces, line))
    return next((at for at in found if is_lint or code in lines[at]), None)


def _kind(signature: str) -> str:
    return signature.split(" ", 2)[1] if " " in signature else ""


def _code(signature: str) -> str:
    return _kind(signature).partition(":")[2]


def _pieces(signature: str) -> list[str]:
    """Give what every error with this signature holds, in its order."""
    said = _whole(signature, _CUT).split(" ", 2)[2:]
    parts = [part.strip() for text in said for part in _MASKED.split(text)]
    return [part for part in parts if part not in {"", "FAIL"}]


def _whole(text: str, most: int) -> str:
    """Leave out the last word of what may have been cut within it."""
    return text if len(text) < most else text.rpartition(" ")[0]


def _stand_in(pieces: Sequence[str], line: str) -> bool:
    """Say whether all pieces stand in a line, one after the other."""
    at = 0
    for piece in pieces:
        # "FAIL TestLease" is put together of a line that has more between the two
        found = line.find(piece.removeprefix("FAIL "), at)
        if found < 0:
            return False
        at = found + len(piece)
    return True


# -- Which cure is for it --------------------------------------------------------------------------


def subjects(text: str) -> frozenset[str]:
    """Give the words that tell what an error or a change is about."""
    words = (word.lower().rstrip("s") for word in _WORD.findall(text))
    return frozenset(word for word in words if len(word) >= _LONG) - _COMMON


def fits(cure: Mapping[str, str], line: str, command: str, project: str) -> bool:
    """Say whether what made an error pass says something of this one, whose line is given."""
    same = squashed(cure["line"]) in squashed(line)
    if cure["how"] != "edit":
        # another way to call it, a command before it: of the same command alone
        return _runs(command, cure["action"]) and (same or cure["how"] != "rephrase")
    if not cure["change"]:
        return same and cure["project"] == project
    # in general: how a line was written otherwise, or how the rule was silenced
    general = cure["change"].startswith("- ") or _code(cure["signature"]) in cure["change"]
    if general and _kind(cure["signature"]).startswith("lint:"):
        return True
    return same or bool(_names(cure["change"]) & _names(squashed(line)))


def _names(text: str) -> set[str]:
    """Give the names of code in a text: of several words, since a plain word may be anything."""
    return {word for word in _TOKEN.findall(text) if _HUMPED.search(word)}


def _runs(command: str, action: str) -> bool:
    """Say whether a command line has the words of an action, as far as a glance tells."""
    words = {word.rpartition("/")[2] for word in command.split()}
    return bool(action) and words.issuperset(action.replace("&&", " ").split())


def best(
    cures: Iterable[Mapping[str, str]], text: str, command: str, project: str
) -> list[Mapping[str, str]]:
    """Choose one cure for each known error of a failed call, in the order of the text."""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    chosen: dict[str, tuple[int, tuple[bool, int, str, str], Mapping[str, str]]] = {}
    for cure in cures:
        mark = cure["signature"]
        at = matching_line(mark, cure["line"], lines)
        if at is None or not fits(cure, lines[at], command, project):
            continue
        own = subjects(squashed(lines[at])) - subjects(mark)
        rank = (
            cure["project"] == project,
            len(own & subjects(cure["change"])),
            cure["day"],
            cure["change"],
        )
        if mark not in chosen or chosen[mark][1] < rank:
            chosen[mark] = (at, rank, cure)
    ordered = sorted(chosen.values(), key=lambda row: (row[0], row[2]["signature"]))
    return [cure for _, _, cure in ordered[:MOST]]


# -- What is said ----------------------------------------------------------------------------------


def told(cure: Mapping[str, str], project: str) -> str:
    """Give the line that tells of a cure in a session of that project."""
    where = "in this project" if cure["project"] == project else "in another project"
    link = f", [[{cure['log']}]]" if cure["log"] else ""
    code = _code(cure["signature"])
    return f"- {cure['day']} {where}{link}: {f'{code} ' if code else ''}{passed(cure)}"


def passed(cure: Mapping[str, str]) -> str:
    """Say after what an error passed."""
    change, file = cure["change"].splitlines(), f" of {code_span(cure['file'])}"
    if cure["how"] == "edit":
        lines = " ".join(map(code_span, change))
        return f"passed after an edit{file if cure['file'] else ''}{': ' if lines else ''}{lines}"
    if cure["how"] == "variable":
        where = f" in {code_span(cure['file'])}" if cure["file"] else ""
        return f"passed with the variable {code_span(cure['change'])} set{where}"
    if cure["how"] == "command":
        return f"passed after {code_span(change[0])}"
    new = [line.removeprefix("+ ") for line in change if not line.startswith("- ")]
    return f"passed when called as {' '.join(map(code_span, new))}"


def code_span(line: str) -> str:
    """Show a line as code, in marks that nothing in it ends, without what is too long."""
    plain = " ".join(line.split())
    plain = plain if len(plain) <= _WIDTH else plain[: _WIDTH - 3] + "..."
    longest = max(map(len, _TICKS.findall(plain)), default=0)
    mark = "`" * (longest + 1)
    return f"{mark} {plain} {mark}" if longest else f"`{plain}`"


def composed(lines: Sequence[str], vault: str, boundary: str) -> str:
    """Give the text for a failed call, with what it went away after the last times."""
    said = "\n".join([_MET, *lines])
    return injection.compose({}, vault, boundary, [said])
