"""Choose from the prepared lines those that a session's start is given, by section.

A line has to be about the branch or about all. What nobody has touched for two months is left out.
The session-start hook loads this module, so it imports little.
"""

from __future__ import annotations

from memoria.search.injection import count_units

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# of a prepared line (search/prepared_lines.py)
FIELDS = ("id", "section", "branch", "day", "text")
# in the order in which a reader needs them
SECTIONS = {
    "stopped": "Where the last session of this work stopped",
    "open": "Left open then",
    "found": "Decided and found in this work",
    "pages": "Pages of the knowledge base about it",
    "errors": "What keeps going wrong in this project, and what fixed it",
}
# UTF-16 units of all of it, headings included; and those that rules may take, of which it has what
# they leave
SHARE, RULES_SHARE = 2_500, 4_000
# characters of a heading's mark and line ends
_HEADING = 6


def group_by_section(
    lines: Iterable[Mapping[str, str]], rules: int = RULES_SHARE
) -> list[tuple[str, list[Mapping[str, str]]]]:
    """Put lines under their headings, as many whole ones as there is room for beside the rules."""
    room_left, sections = SHARE + max(0, RULES_SHARE - rules), []
    ordered = list(lines)
    for section, heading in SECTIONS.items():
        chosen: list[Mapping[str, str]] = []
        room = room_left - len(heading) - _HEADING
        for line in ordered:
            # a long line is passed over and a later, shorter one may still fit
            size = count_units(line["text"]) + 1
            if line["section"] == section and size <= room:
                chosen.append(line)
                room -= size
        if chosen:
            sections.append((heading, chosen))
            room_left = room
    return sections


def choose_for_branch(
    lines: Iterable[Mapping[str, str]], branch: str, since: str
) -> list[Mapping[str, str]]:
    """Choose the lines for a session on a branch; none that is of a day before `since`."""
    branches = {branch, ""}
    return [line for line in lines if line["branch"] in branches and line["day"] >= since]
