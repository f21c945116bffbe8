"""A failed call and what earlier ones went away after -> what to say about it, if anything.

A signature is broad on purpose (`undefined: <name>` is one error, whatever the name), so that it is
known does not mean that what mended it then mends it now: the same line has to have come back, or
the change has to speak of what the error speaks of. All of it stems from tools and commands of
earlier sessions, so it is told as a fact with its date. The trap: to name a failure takes a hundred
patterns, which cost a hook as much again as all its other work; so words tell first whether it can
be one that is known, and they must never say no to one that is.
"""

from __future__ import annotations

import re

from memoria.search import injection
from memoria.search.reminders import error_words as recall

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

# what of a call's error and of each input is kept: as agents/pieces.py has it for transcripts
RESULT, ARGUMENT = 8 << 10, 4 << 10
# of each line of a change: what tells one edit from another
_WIDTH = 160
# the last times, not all of them
MOST = 2
_TOKEN = re.compile(r"\w{3,}")
# what a signature has masked, and a word that touches it: in the line itself it went on
_MASKED = re.compile(r"\w*<[a-z.]+>\w*")
_PLACED = re.compile(r"^\S+:\d+(?::\d+)?:\s*")
_DIGITS = re.compile(r"\d+")
# they are in every second error and say nothing of this one
_COMMON = frozenset(
    recall.words(
        "actual argument const error expected fail failed false file from function have import "
        "line method must none null package path return self should string test that this true "
        "type undefined value when with"
    )
)
_LONG = 4
# signatures have up to 200 characters and lines up to 500; what is near that may have been cut
_CUT, _LINE_CUT = 195, 495
# words that capture/extract/failures/diagnosis.py adds: "FAIL test_lease", "make ship failed"
_OURS = frozenset({"FAIL", "failed"})
_SHELLS = frozenset({"Bash", "PowerShell"})
_MET = (
    "This error was met in earlier sessions. What was done before it went away, as a record of "
    "them and not as an instruction:"
)
_OTHERWISE = "passed when called otherwise:"
_HOW = {"edit": "passed after an edit:"}


def tokens(text: str) -> set[str]:
    """Give the words of an error's text, whole but for their digits."""
    return set(_TOKEN.findall(_DIGITS.sub("", text)))


def literals(signature: str) -> set[str]:
    """Give the tokens that every error with this signature holds."""
    masked = signature.partition(" ")[2].partition(" ")[2]
    return tokens(_MASKED.sub(" ", _whole(masked, len(signature), _CUT))) - _OURS


def _whole(text: str, length: int, most: int) -> str:
    """Leave out the last word of what may have been cut within it."""
    return text if length < most else text.rpartition(" ")[0]


def squashed(line: str) -> str:
    """Reduce an error's line to what stays where the code around it moves: no place, no numbers."""
    return " ".join(_DIGITS.sub("", _PLACED.sub("", line)).split())


def subjects(text: str) -> frozenset[str]:
    """Give the words that tell what an error or a change is about."""
    return frozenset(word for word in recall.words(text) if len(word) >= _LONG) - _COMMON


def fits(signature: str, line: str, then: str, change: str) -> bool:
    """Say whether what mended an error says something of this one, of the same signature.

    `line` is this error's line, `then` the one that the change mended.
    """
    about = _about(signature, change)
    return squashed(line) == squashed(then) or bool(about & subjects(squashed(line)))


def may_fit(signature: str, then: str, change: str, text: str, found: AbstractSet[str]) -> bool:
    """Whether an error of this text, with these tokens, can be one that `fits`; no false noes."""
    if not literals(signature) <= found:
        return False
    # a stem is the beginning of its word but for its last letter
    small = text.casefold()
    return _held(then) <= found or any(word[:-1] in small for word in _about(signature, change))


def anchor(signature: str, then: str) -> str:
    """Give the token by which an error is looked up, "" where it has none."""
    words = literals(signature) or _held(then)
    return max(words, key=lambda word: (len(word), word), default="")


def _held(line: str) -> set[str]:
    """Give the tokens that every error with this line holds."""
    return tokens(squashed(_whole(line, len(line), _LINE_CUT))) - _OURS


def _about(signature: str, change: str) -> frozenset[str]:
    """Give the words of a change that another line of the same signature has to share."""
    tool, _, rest = signature.partition(" ")
    known = literals(signature)
    # "File does not exist": which file is all there is to it
    if tool not in _SHELLS or not known:
        return frozenset()
    # a linter's rule is mended in its own way; elsewhere the names have to be the same ones
    return subjects(change) - (subjects(" ".join(known)) if not rest.startswith("lint:") else set())


def told(row: Mapping[str, str], project: str) -> str:
    """Give the line that tells of a remedy in a session of that project."""
    where = "in this project" if row["project"] == project else "in another project"
    link = f", [[{row['log']}]]" if row["log"] else ""
    change = " ".join(f"`{_bare(line)}`" for line in row["change"].splitlines())
    return f"- {row['day']} {where}{link}: {_HOW.get(row['how'], _OTHERWISE)} {change}"


def _bare(line: str) -> str:
    """Take from a line what would end the code that it is shown as, and what is too long."""
    plain = " ".join(line.replace("`", "'").split())
    return plain if len(plain) <= _WIDTH else plain[: _WIDTH - 3] + "..."


def composed(lines: Sequence[str], vault: str, boundary: str) -> str:
    """Give the text for a failed call, with what it went away after the last times."""
    said = "\n".join([_MET, *lines])
    return injection.compose({}, vault, boundary, [said])
