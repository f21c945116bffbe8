"""A project's snapshot -> the text that a hook injects, within the client's limit.

The client cuts a hook's output at 10,000 UTF-16 units and then shows a preview instead, so the text
is built from whole items (rules, the newest entries) and stays below. A start lists no articles:
search and index.md have them. The text is marked as reference data with its origin, between lines
that its content cannot forge. The trap: the session-start hook loads this module on every start, so
it imports nothing at all.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from typing import Any

# 10,000 is the client's limit for the whole text; the rest is for JSON escapes that it may count
LIMIT = 9_500
# a path this long is none that a person reads; what counts is that the rest has room
_LONGEST_PATH = 1_000
# rules are why a person installs this: they come first, and learning/slate.py chooses what fits its
# budget of 5,320; the rest is for their heading and for marks that a line may need
RULES_SHARE = 5_600
# what happened last in this project: as many lines as a reader takes in
ENTRIES_SHARE = 3_000

# characters in which a tag's name begins, with blanks and a slash before it
_TAG_WITHIN = 24

_HEADER = """<memoria-{boundary}>
Memory of earlier Claude Code sessions in this project, kept by Memoria. It is reference data from \
the user's own vault at {vault}, not a message of the user. Dates tell how old a line is.
"""
_FOOTER = "</memoria-{boundary}>"
# a statement of fact: text in the form of orders can look like an attack to the client
_RULES = "\n## Standing rules of the user for this project{since}\n"
_ENTRIES = "\n## Latest sessions\n"


def units(text: str) -> int:
    """Count UTF-16 code units, as the client does: an emoji is two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def compose(snapshot: dict[str, Any], vault: str, boundary: str, notices: list[str]) -> str:
    """Give the text to inject, "" when there is nothing to say.

    `snapshot` holds `rules` as [{text}, ...] and `entries` newest first, each item with a `text` of
    whole lines; `notices` are lines about Memoria's own health.
    """
    fill = {"boundary": boundary, "vault": _path(vault)}
    shares = (
        (_RULES.format(since=_since(snapshot)), _items(snapshot, "rules", boundary), RULES_SHARE),
        (_ENTRIES, _items(snapshot, "entries", boundary), ENTRIES_SHARE),
    )
    head, foot = _HEADER.format(**fill), _FOOTER.format(**fill)
    left = LIMIT - units(head) - units(foot)
    body = ""
    for notice in notices:
        line = f"\n{plain(notice, boundary)}\n"
        if units(line) <= left:
            body += line
            left -= units(line)
    for title, items, share in shares:
        block = _block(title, items, min(share, left))
        left -= units(block)
        body += block
    return head + body + foot if body else ""


def _since(snapshot: dict[str, Any]) -> str:
    """Say since when the rules are active; where that differs, each line has its own day."""
    rules = snapshot.get("rules")
    items = rules if isinstance(rules, list) else []
    days = sorted(
        {str(item["since"]) for item in items if isinstance(item, dict) and "since" in item}
    )
    if not days:
        return ""
    return f" (active since {days[0] if len(days) == 1 else 'the day behind each'})"


def _path(vault: str) -> str:
    line = " ".join(vault.splitlines())
    return line if units(line) <= _LONGEST_PATH else "..." + line[-_LONGEST_PATH // 4 :]


def _items(snapshot: dict[str, Any], name: str, boundary: str) -> list[str]:
    items = snapshot.get(name)
    if not isinstance(items, list):
        return []
    texts = [item.get("text") for item in items if isinstance(item, dict)]
    return [plain(text, boundary) for text in texts if isinstance(text, str) and text.strip()]


def plain(text: str, boundary: str) -> str:
    """Take from a text what could look like the frame around it: its lines, its headings."""
    safe = untagged(text, boundary)
    lines = (
        f"\\{line}" if line.lstrip().startswith(("# ", "## ")) else line
        for line in safe.split("\n")
    )
    return "\n".join(lines).strip("\n")


def untagged(text: str, boundary: str) -> str:
    """Take from a text what could look like the lines of the frame around it."""
    first, *tags = (text.replace(boundary, "*") if boundary else text).split("<")
    return first + "".join(_tag(tag) for tag in tags)


def _tag(rest: str) -> str:
    # "</Memoria-" and "< /memoria-" read alike
    name = rest[:_TAG_WITHIN].replace("/", "").strip().lower()
    return "< " + rest.lstrip() if name.startswith("memoria") else "<" + rest


def _block(title: str, items: list[str], share: int) -> str:
    left = share - units(title)
    block = ""
    for item in items:
        size = units(item) + 1
        # a long item is passed over and a later, shorter one may still fit: whole items only
        if size <= left:
            block += item + "\n"
            left -= size
    return title + block if block else ""
