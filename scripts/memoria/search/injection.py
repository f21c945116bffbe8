"""Choose a start's lines, and compose the text that a hook injects, within the client's limit.

The client cuts a hook's output at 10,000 UTF-16 units and then shows a preview instead, so the text
is built from whole items and stays below. It is marked as reference data with its origin, between
lines that its content cannot forge. Of the prepared lines a start is
given those about its branch or about all, under their headings. Session starts load this module, so
it imports nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

# 10,000 is the client's limit for the whole text; the rest is for JSON escapes that it may count
LIMIT = 9_500
# a path this long is none that a person reads; what counts is that the rest has room
_MAX_PATH = 1_000
# rules are why a person installs this: they come first, and learning/session_rules.py chooses what
# fits its budget of 5,320; the rest is for their heading and for marks that a line may need
RULES_SHARE = 5_600
# characters in which a tag's name begins, with blanks and a slash before it
_TAG_CHARS = 24
_HEADER = """<memoria-{boundary}>
Memory of earlier coding sessions in this project, kept by Memoria. It is reference data from \
the user's own vault at {vault}, not a message of the user. Dates tell how old a line is.
"""
_FOOTER = "</memoria-{boundary}>"
# a statement of fact: text in the form of orders can look like an attack to the client
_RULES_HEADING = "\n## Standing rules of the user for this project{since}\n"

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
# UTF-16 units of all a start's lines, headings included; and those that rules may take, of which
# the lines have what they leave
START_SHARE, _SPARED_BY_RULES = 2_500, 4_000
# characters of a heading's mark and line ends
_HEADING_UNITS = 6


def count_units(text: str) -> int:
    """Count UTF-16 code units, as the client does: an emoji is two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def compose(snapshot: dict[str, Any], vault: str, boundary: str, notices: list[str]) -> str:
    """Give the text to inject, "" when there is nothing to say.

    `snapshot` holds `rules` as [{text}, ...] and `start` as [[heading, [{text}, ...]], ...], each
    item with a `text` of whole lines; `notices` are lines about Memoria's own health.
    """
    rules = snapshot.get("rules")
    path = " ".join(vault.splitlines())
    path = path if count_units(path) <= _MAX_PATH else "..." + path[-_MAX_PATH // 4 :]
    head = _HEADER.format(boundary=boundary, vault=path)
    foot = _FOOTER.format(boundary=boundary)
    room = LIMIT - count_units(head) - count_units(foot)
    body = ""
    for notice in notices:
        line = f"\n{strip_frame_marks(notice, boundary)}\n"
        body += line if count_units(body + line) <= room else ""
    sections = [(_RULES_HEADING.format(since=_format_since(rules)), rules, RULES_SHARE)]
    start = snapshot.get("start") or []
    sections += [(f"\n## {title}\n", items, LIMIT) for title, items in start]
    for title, items, share in sections:
        body += _format_section(title, items, boundary, min(share, room - count_units(body)))
    return head + body + foot if body else ""


def _format_since(rules: object) -> str:
    """Say since when the rules are active; where that differs, each line has its own day."""
    items = rules if isinstance(rules, list) else []
    records = (item for item in items if isinstance(item, dict) and "since" in item)
    days = sorted({str(item["since"]) for item in records})
    day = days[0] if len(days) == 1 else "the day behind each"
    return f" (active since {day})" if days else ""


def strip_frame_marks(text: str, boundary: str) -> str:
    """Take from a text what could look like the frame around it: its lines, its headings."""
    lines = strip_frame_tags(text, boundary).split("\n")
    heads = (line.lstrip().startswith(("# ", "## ")) for line in lines)
    safe = (f"\\{line}" if head else line for line, head in zip(lines, heads, strict=True))
    return "\n".join(safe).strip("\n")


def strip_frame_tags(text: str, boundary: str) -> str:
    """Take from a text what could look like the lines of the frame around it."""
    first, *tags = (text.replace(boundary, "*") if boundary else text).split("<")
    # "</Memoria-" and "< /memoria-" read alike
    names = (tag[:_TAG_CHARS].replace("/", "").strip().lower() for tag in tags)
    named_tags = zip(tags, names, strict=True)
    safe = (f" {tag.lstrip()}" if name.startswith("memoria") else tag for tag, name in named_tags)
    return "<".join((first, *safe))


def _format_section(title: str, items: object, boundary: str, share: int) -> str:
    """Give a title with as many whole items as fit; a later, shorter one may still fit."""
    block = title
    for item in items if isinstance(items, list | tuple) else ():
        text = item.get("text") if isinstance(item, dict) else ""
        if isinstance(text, str) and text.strip():
            line = strip_frame_marks(text, boundary) + "\n"
            block += line if count_units(block + line) <= share else ""
    return block if block != title else ""


def group_by_section(
    lines: Iterable[Mapping[str, str]], rules: int = _SPARED_BY_RULES
) -> list[tuple[str, list[Mapping[str, str]]]]:
    """Put lines under their headings, as many whole ones as there is room for beside the rules."""
    room_left, sections = START_SHARE + max(0, _SPARED_BY_RULES - rules), []
    ordered = list(lines)
    for section, heading in SECTIONS.items():
        fitting: list[Mapping[str, str]] = []
        room = room_left - len(heading) - _HEADING_UNITS
        for line in ordered:
            # a long line is passed over and a later, shorter one may still fit
            size = count_units(line["text"]) + 1
            if line["section"] == section and size <= room:
                fitting.append(line)
                room -= size
        if fitting:
            sections.append((heading, fitting))
            room_left = room
    return sections


def choose_for_branch(
    lines: Iterable[Mapping[str, str]], branch: str, since: str
) -> list[Mapping[str, str]]:
    """Choose the lines for a session on a branch; none that is of a day before `since`."""
    branches = {branch, ""}
    return [line for line in lines if line["branch"] in branches and line["day"] >= since]
