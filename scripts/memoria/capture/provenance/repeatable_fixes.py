"""Take from a mistake's remedy what may be told again when the same error comes back.

What fixed an error is a change of the session's own, but its words may be others': a comment that
a page dictated, a command that a tool printed. So of code only the code is kept, and a comment or
string that orders or was read somewhere is cut out of it; a command is told whole or not at all.
What is changed in a file was read there first, so code that was read is no reason.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from memoria.capture.provenance.spans import PAGE, PASTED
from memoria.privacy.imperatives import acts, orders

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memoria.capture.provenance.origins import Origins
    from memoria.vault.entry import Mistake

# words in a row that are no code
_PROSE = re.compile(r"(?:[^\W\d_]+(?:['\u2019][^\W\d_]+)?[,;:]?\s+){4,}[^\W\d_]+")
_BARE = re.compile(r"\w{1,40}")
# what is left of a comment that was cut out
_CUT = re.compile(r"\s*(?:#|//|/\*|--)\s*\u2026.*")
# comments, and strings of several words
_SAID_IN_CODE = re.compile(
    r"""(?<=\#)[^\n]+|(?<=//)[^\n]+|(?<=/\*)[^\n]+|(?<=--\s)[^\n]+|"[^"\n]*\s[^"\n]*\s[^"\n]*"
    |'[^'\n]*\s[^'\n]*\s[^'\n]*'|`[^`\n]*\s[^`\n]*\s[^`\n]*`""",
    re.VERBOSE,
)


def told(mistakes: Iterable[Mistake]) -> list[str]:
    """Give all texts of remedies that say something, for `Origins` to look for."""
    changes = [
        line for one in mistakes if one.resolution for line in one.resolution.change.splitlines()
    ]
    return changes + [found[0] for line in changes for found in _SAID_IN_CODE.finditer(line[2:])]


def unprompted(mistake: Mistake, origins: Origins) -> Mistake:
    """Take from a mistake's remedy what others had: it might be told again as one that helps."""
    found = mistake.resolution
    told = found.change.splitlines() if found else []
    if found is None:
        return mistake
    kept = [_of_code(line, origins) for line in told]
    new = {_CUT.sub("", line[2:]) for line in kept if line.startswith("+ ")}
    old = {_CUT.sub("", line[2:]) for line in kept if line.startswith("- ")}
    # where nothing but words was changed, nothing is left to tell
    whole = all(kept) and not (new and new <= old)
    return replace(mistake, resolution=replace(found, change="\n".join(kept) if whole else ""))


def _of_code(line: str, origins: Origins) -> str:
    """Give a line of a remedy without the words in it that others had; "" where it may not be told.

    What is changed in a file was read there first, or printed by a tool, and code itself orders. So
    only comments and strings are looked at, and what would act; a command is told whole or not.
    """
    if _BARE.fullmatch(line):
        return line
    who = origins.of(line)
    if not line.startswith(("+ ", "- ")):
        return "" if who or acts(line) else line

    def kept(match: re.Match[str]) -> str:
        said = match[0]
        return "\u2026" if orders(said) or acts(said) or origins.of(said) else said

    code = _SAID_IN_CODE.sub(kept, line[2:])
    # a changed line may be prose: of a document, or the second one of a long comment
    prose = [run[0] for run in _PROSE.finditer(code)]
    if prose and (who or any(map(orders, (code, *prose)))):
        return ""
    return "" if who in {PAGE, PASTED} or acts(line[2:]) or not code.strip() else line[:2] + code
