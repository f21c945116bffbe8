"""Markdown of a daily log <-> entries: blocks that are delivered once and never written over.

Each block carries its entry's id and the hash of what Memoria wrote, in an HTML comment under the
heading. The id makes delivery exactly-once, whoever calls twice; the hash shows that a person has
edited the block, which then is left alone. A `### Session` block without a comment was written by
hand and is an entry like the others. The trap: everything outside the blocks (notes between them,
a different heading) is the person's and passes through to the byte.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Literal

from memoria.stages.entry import Draft, Entry
from memoria.stages.markup import inert

_HEADING = re.compile(r"^### Session \((\d{1,2}):(\d{2})\) - (.*)$")
_COMMENT = re.compile(r"^<!-- memoria (\{.*\}) -->$")
_FENCE = re.compile(r"^\s{0,3}(```+|~~~+)")
_LABELS = {
    "**Key Exchanges:**": "exchanges",
    "**Decisions Made:**": "decisions",
    "**Lessons Learned:**": "lessons",
    "**Action Items:**": "actions",
}
_BULLET = re.compile(r"^[-*+] (?:\[[ xX]\] )?")
How = Literal["added", "replaced", "kept", "edited"]


@dataclass(frozen=True, slots=True)
class Block:
    """One `### Session` block of a log: where it stands, whose it is, whether a person changed it.

    `start` and `end` are indexes of the text. `written` is the hash Memoria wrote, "" for a block
    that a person wrote; `sha` is the hash of the block as it stands.
    """

    entry: Entry
    start: int
    end: int
    sha: str
    written: str

    @property
    def edited(self) -> bool:
        """Whether the block is not what Memoria wrote."""
        return self.sha != self.written


@dataclass(frozen=True, slots=True)
class Placed:
    """A log's text after an entry was placed in it, and how that went."""

    text: str
    how: How


def render(entry: Entry) -> str:
    """Give the block of an entry, from its heading to a last newline."""
    body = _body(entry.draft)
    meta = {
        "entry": entry.id,
        "sha": digest(entry),
        "project": entry.project,
        "session": entry.session,
        "engine": entry.engine,
    }
    # "--" would end the comment in strict HTML; the escape is the same string in JSON
    comment = json.dumps(meta, ensure_ascii=False).replace("--", "-\\u002d")
    return f"{_title(entry)}\n\n<!-- memoria {comment} -->\n\n{body}"


def digest(entry: Entry) -> str:
    """Hash the block of an entry as Memoria writes it: what a later edit is told by."""
    return _sha(f"{_title(entry)}\n{_body(entry.draft)}")


def place(text: str, entry: Entry) -> Placed:
    """Put an entry into the log's text: add it, or replace the block of the same id.

    A block that a person has edited is never replaced ("edited"); the same content twice changes
    nothing ("kept"). An empty text becomes a whole log.
    """
    block = render(entry)
    for found in blocks(text, entry.day):
        if found.entry.id == entry.id:
            if found.edited:
                return Placed(text, "edited")
            # what stands between this block and the next belongs to the block's end
            new = text[: found.start] + block + "\n" + text[found.end :].lstrip("\n")
            new = new.rstrip("\n") + "\n"
            return Placed(new, "kept" if new == text else "replaced")
    if not text.strip():
        text = f"# Daily Log: {entry.day.isoformat()}\n\n## Sessions\n"
    return Placed(text.rstrip("\n") + "\n\n" + block, "added")


def blocks(text: str, day: date) -> tuple[Block, ...]:
    """Find the session blocks of a log in their order; code fences hide headings."""
    found = []
    for start, end in _ranges(text):
        found.append(_block(text[start:end], start, end, day))
    return tuple(found)


def _ranges(text: str) -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    at, start, fence = 0, -1, ""
    for line in text.splitlines(keepends=True):
        bare = line.rstrip("\r\n")
        mark = _FENCE.match(bare)
        if mark and (not fence or bare.strip().startswith(fence)):
            fence = "" if fence else mark.group(1)
        elif not fence and bare.startswith(("# ", "## ", "### ")):
            if start >= 0:
                ranges.append((start, at))
            start = at if _HEADING.match(bare) else -1
        at += len(line)
    if start >= 0:
        ranges.append((start, at))
    return ranges


def _block(text: str, start: int, end: int, day: date) -> Block:
    lines = text.splitlines()
    meta, body = _split(lines[1:])
    sha = _sha(f"{lines[0]}\n" + "\n".join(body).strip("\n") + "\n")
    match = _HEADING.match(lines[0])
    hour, minute, title = match.groups() if match else ("0", "0", "")
    entry = Entry(
        id=meta.get("entry") or "h-" + _sha(f"{day} {lines[0]}"),
        day=day,
        at=datetime.combine(day, _time(int(hour), int(minute))),
        project=meta.get("project", ""),
        session=meta.get("session", ""),
        engine=meta.get("engine", "hand"),
        draft=_draft(title.strip(), body),
    )
    return Block(entry, start, end, sha, meta.get("sha", ""))


def _time(hour: int, minute: int) -> time:
    return time(min(hour, 23), min(minute, 59))


def _split(lines: list[str]) -> tuple[dict[str, str], list[str]]:
    for index, line in enumerate(lines):
        match = _COMMENT.match(line.strip())
        if match:
            return _meta(match.group(1)), lines[:index] + lines[index + 1 :]
    return {}, lines


def _meta(text: str) -> dict[str, str]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(value, dict):
        return {}
    return {key: item for key, item in value.items() if isinstance(item, str)}


def _title(entry: Entry) -> str:
    return f"### Session ({entry.at:%H:%M}) - {inert(entry.draft.title) or 'Untitled'}"


def _body(draft: Draft) -> str:
    parts = [f"**Context:** {inert(draft.context)}"] if draft.context else []
    for label, name in _LABELS.items():
        lines = getattr(draft, name)
        box = "- [ ] " if name == "actions" else "- "
        if lines:
            parts.append(label + "\n" + "\n".join(box + inert(line) for line in lines))
    return "\n\n".join(parts) + "\n"


def _draft(title: str, body: list[str]) -> Draft:
    lists: dict[str, list[str]] = {name: [] for name in _LABELS.values()}
    context, current = "", ""
    for line in (raw.strip() for raw in body):
        if line.startswith("**Context:**"):
            context, current = line.removeprefix("**Context:**").strip(), "context"
        elif line in _LABELS:
            current = _LABELS[line]
        elif current in lists and _BULLET.match(line):
            lists[current].append(_BULLET.sub("", line))
        elif line and current in lists and lists[current]:
            lists[current][-1] += " " + line
        elif line and current == "context":
            context = f"{context} {line}"
    exchanges, decisions, lessons, actions = (tuple(lines) for lines in lists.values())
    return Draft(title, context, exchanges, decisions, lessons, actions)


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
