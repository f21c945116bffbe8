"""Read and write the Markdown of a daily log: its blocks, one a session, and the short sessions.

A text comes in; its blocks go out (`parse_blocks`), or the text with an entry in it (`place`). A
block's id makes delivery exactly-once; the hash in its comment shows that a person has edited it,
and then it is left alone. A `### Session` block without both was written by hand. A captured part
that became no entry is a line of the list that ends the log, known by the comment that names its
part, wherever a person has moved it. All else passes through to the byte.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from typing import Literal

from memoria.text.hashes import hash_text
from memoria.text.json_text import read_object
from memoria.text.lazy_patterns import lazy_pattern
from memoria.text.markdown import LINE, find_headings, make_inert
from memoria.vault.citations import block_line, parse_block_id
from memoria.vault.entry import Draft, Entry

# "### Session (14:05) - Cache keys", and what a person may leave of it: "### Session: Cache keys"
_HEADING = lazy_pattern(
    r"### Session(?![^\s:])(?: \((\d{1,2}):(\d{2})\))?\s*(?:[-\u2013\u2014:]\s*)?(.*)"
)
# '<!-- memoria {"sha": "0f3a"} -->', on a line of its own
_COMMENT = lazy_pattern(r"<!-- memoria (\{.*\}) -->")
# characters of a heading, the id and the comment, with room for a long path as project
_HEAD_CHARS = 8_192
_HEAD_LINES = 4  # below the heading: a blank line, the id, a blank line, the comment
_LABELS = {
    "**Key Exchanges:**": "exchanges",
    "**Decisions Made:**": "decisions",
    "**Lessons Learned:**": "lessons",
    "**Action Items:**": "actions",
}
_BULLET = lazy_pattern(r"^[-*+] (?:\[[ xX]\] )?")  # "- " or "* [x] "
_TICKED = lazy_pattern(r"^[-*+] \[[xX]\] ")


@dataclass(frozen=True, slots=True)
class Block:
    """One `### Session` block of a log, from index `start` to `end` of its text."""

    entry: Entry
    start: int
    end: int
    sha: str  # the present hash
    written: str  # the hash that Memoria wrote, "" for a person's block

    @property
    def edited(self) -> bool:
        """Whether the block is not what Memoria wrote."""
        return self.sha != self.written


@dataclass(frozen=True, slots=True)
class EntryPlacement:
    """A log's text after an entry was placed in it, and what became of it."""

    text: str
    outcome: Literal["added", "replaced", "kept", "edited"]


def render(entry: Entry) -> str:
    """Give the block of an entry, from its heading to a last newline."""
    meta = {
        "sha": digest(entry),
        "project": entry.project,
        "session": entry.session,
        "engine": entry.engine,
        **({"agent": entry.agent} if entry.agent else {}),
    }
    heading, draft = _format_heading(entry), _format_draft(entry.draft)
    parts = (heading, block_line(entry.id), format_comment(meta), draft)
    return "\n\n".join(part for part in parts if part)


def digest(entry: Entry) -> str:
    """Hash the block of an entry as Memoria writes it: what a later edit is told by."""
    return hash_text(f"{_format_heading(entry)}\n{_format_draft(entry.draft)}")


def place(text: str, entry: Entry) -> EntryPlacement:
    """Put an entry into the log's text: add it, or replace the block of the same id.

    A block that a person has edited is left ("edited"), as is the same content twice ("kept").
    """
    blocks = parse_blocks(text, entry.day)
    if old := next((block for block in blocks if block.entry.id == entry.id), None):
        return _replace_block(text, old, entry)
    if any(parse_block_id(line) == entry.id for line in text.split("\n")):
        # its heading is gone, but a person has kept the rest
        return EntryPlacement(text, "edited")
    if not text.strip():
        return EntryPlacement(format_log_header(entry.day) + render(entry), "added")
    end = line_end(text)
    # by the clock, whichever agent's sessions were captured first; else below all entries
    ours = (block for block in blocks if block.start and block.written)
    later = (block.start for block in ours if block.entry.at > entry.at)
    at = next(later, find_list_start(text))
    below = end + text[at:] if text[at:] else ""
    new_block = render(entry).replace("\n", end)
    return EntryPlacement(f"{end_with_blank_line(text[:at])}{new_block}{below}", "added")


def _replace_block(text: str, old: Block, entry: Entry) -> EntryPlacement:
    if old.edited:
        return EntryPlacement(text, "edited")
    if old.sha == digest(entry):
        return EntryPlacement(text, "kept")
    old_text = text[old.start : old.end]
    # the blank lines up to the next heading are no part of what is replaced
    tail = old_text[len(old_text.rstrip("\r\n")) :]
    # a person may have mended the project in the comment
    block = render(replace(entry, project=old.entry.project)).rstrip("\n")
    # line by line: an item may begin as another one does
    rows = filter(_TICKED.match, old_text.splitlines())
    ticked_lines = {_untick_line(row): row for row in rows}
    lines = (ticked_lines.pop(line, line) for line in block.split("\n"))
    new_text = line_end(old_text).join(lines) + tail
    return EntryPlacement(text[: old.start] + new_text + text[old.end :], "replaced")


def tick_action(text: str, item: str) -> str:
    """Tick an action item in a log's text; a text without it stays as it is."""
    box = f"- [ ] {make_inert(item)}"
    at = next((start for start, line in _split_lines(text) if line == box), None)
    return text if at is None else text[:at] + box.replace("[ ]", "[x]") + text[at + len(box) :]


def _untick_line(line: str) -> str:
    return _TICKED.sub("- [ ] ", line)


def parse_blocks(text: str, day: date) -> tuple[Block, ...]:
    """Find the session blocks of a log; a copy of one by a person is an entry of its own."""
    blocks: list[Block] = []
    copies: Counter[str] = Counter()
    # a person may forget to close the fence above a heading of ours
    marks = ("# ", "## ", "### ")
    headings = list(find_headings(_split_lines(text), marks, lambda at, _: _is_ours(text, at)))
    ends = [*(at for at, _ in headings[1:]), len(text)]
    for (start, head), end in zip(headings, ends, strict=False):
        if not _HEADING.fullmatch(head):
            continue
        block = _parse_block(text[start:end], start, end, day)
        name = block.entry.id
        copy, copies[name] = copies[name], copies[name] + 1
        if copy:
            identity = f"h-{hash_text(f'{name} {copy}')}"
            block = replace(block, entry=replace(block.entry, id=identity))
        blocks.append(block)
    return tuple(blocks)


def _split_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines without their ends, and where they start."""
    for match in LINE.finditer(text):
        yield match.start(), match[0].rstrip("\r\n").removeprefix("\ufeff")


def _is_ours(text: str, at: int) -> bool:
    """Whether a session's heading is there, with Memoria's comment below it."""
    heading, *lines = text[at : at + _HEAD_CHARS].split("\n", _HEAD_LINES + 1)
    is_heading = bool(_HEADING.fullmatch(heading.strip("\r\ufeff")))
    return is_heading and any(_COMMENT.fullmatch(line.strip()) for line in lines[:_HEAD_LINES])


def _parse_block(text: str, start: int, end: int, day: date) -> Block:
    heading, *lines = (line for _, line in _split_lines(text))
    identity, meta, body = _split_block(lines)
    # what was done since is no other entry: it is compiled once, and not taken for edited
    sha = hash_text(f"{heading}\n" + "\n".join(map(_untick_line, body)).strip("\n") + "\n")
    match = _HEADING.fullmatch(heading)
    hour, minute, title = match.groups() if match else (None, None, "")
    entry = Entry(
        id=identity or "h-" + hash_text(f"{day} {heading}"),
        day=day,
        at=datetime.combine(day, time(min(int(hour or 0), 23), min(int(minute or 0), 59))),
        project=meta.get("project", ""),
        session=meta.get("session", ""),
        engine=meta.get("engine", "hand"),
        agent=meta.get("agent", ""),
        draft=_parse_draft(title.strip(), body),
        done=tuple(_BULLET.sub("", line) for line in map(str.strip, body) if _TICKED.match(line)),
    )
    return Block(entry, start, end, sha, meta.get("sha", ""))


def _split_block(lines: list[str]) -> tuple[str, dict[str, str], list[str]]:
    """Part the lines of a block into its id, what its comment says, and the rest."""
    identity, comment, body = "", "", []
    for line in lines:
        if not identity and parse_block_id(line):
            identity = parse_block_id(line)
        elif not comment and (match := _COMMENT.fullmatch(line.strip())):
            comment = match[1]
        else:
            body.append(line)
    return identity, parse_comment(comment), body


def _format_heading(entry: Entry) -> str:
    return f"### Session ({entry.at:%H:%M}) - {make_inert(entry.draft.title) or 'Untitled'}"


def _format_draft(draft: Draft) -> str:
    context = make_inert(draft.context)
    parts = [f"**Context:** {context}"] if context else []
    for label, name in _LABELS.items():
        box = "- [ ] " if name == "actions" else "- "
        if lines := [box + line for line in map(make_inert, getattr(draft, name)) if line]:
            parts.append(label + "\n" + "\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _parse_draft(title: str, body: list[str]) -> Draft:
    """Read a block's lines; without labels they are context, and lessons if listed."""
    lists: dict[str, list[str]] = {name: [] for name in _LABELS.values()}
    context: list[str] = []
    section = ""
    for line in (raw.strip() for raw in body):
        if line.startswith("**Context:**"):
            context, section = [line.removeprefix("**Context:**").strip()], "context"
        elif line in _LABELS:
            section = _LABELS[line]
        elif section != "context" and _BULLET.match(line):
            section = section or "lessons"
            lists[section].append(line)
        elif line and lists.get(section):
            lists[section][-1] += " " + line
        elif line:
            lists.get(section, context).append(line)
    lists["actions"] = [line for line in lists["actions"] if not _TICKED.match(line)]
    exchanges, decisions, lessons, actions = (
        tuple(_BULLET.sub("", line) for line in lines) for lines in lists.values()
    )
    return Draft(title, " ".join(context), exchanges, decisions, lessons, actions)


# -- The list of short sessions --------------------------------------------------------------------

HEADING = "## Short Sessions"
# the last comment of a line: the words before it may hold what looks like another
_LAST_COMMENT = re.compile(r".*<!-- memoria (\{.*\}) -->\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ShortSession:
    """The line of one part: its id, whose it is, and the line as it stands."""

    part: str
    session: str
    project: str
    line: str = ""


def format_comment(meta: Mapping[str, object]) -> str:
    """Write what Memoria has to know of a part into an HTML comment."""
    # "--" would end the comment in strict HTML; the escape is the same string in JSON
    values = json.dumps(meta, ensure_ascii=False).replace("--", "-\\u002d")
    return f"<!-- memoria {values} -->"


def parse_comment(values: str) -> dict[str, str]:
    """Read the texts that a comment holds; {} for a broken one."""
    fields = read_object(values).items()
    return {key: item for key, item in fields if isinstance(item, str)}


def line_end(text: str) -> str:
    """Give how lines end in a text."""
    return "\r\n" if "\r\n" in text else "\n"


def end_with_blank_line(text: str) -> str:
    """End a text in a blank line."""
    end = line_end(text)
    return text + next((gap for gap in ("", end) if (text + gap).endswith(end * 2)), end * 2)


def format_log_header(day: date | str) -> str:
    """Give what a log begins with."""
    return f"# Daily Log: {day}\n\n## Sessions\n\n"


def format_line(session: ShortSession, words: str) -> str:
    """Make the line of a part, with what is said of it."""
    meta = {"part": session.part, "session": session.session, "project": session.project}
    return f"- {make_inert(words)} {format_comment(meta)}"


def find_short_sessions(text: str) -> tuple[ShortSession, ...]:
    """Find the lines in a log, in their order."""
    return tuple(session for _, _, session in _find_lines(text))


def add_short_session(text: str, session: ShortSession, day: str) -> str:
    """Put a line into a log's text, unless its part stands there; an empty text becomes a log."""
    # in the comment of a line, or as the block id of an entry
    if f'"{session.part}"' in text or f"\n^{session.part}" in text:
        return text
    end = line_end(text)
    if end_of_list := max((stop for _, stop, _ in _find_lines(text)), default=0):
        gap = "" if text[:end_of_list].endswith("\n") else end
        return f"{text[:end_of_list]}{gap}{session.line}{end}{text[end_of_list:]}"
    head = end_with_blank_line(text if text.strip() else format_log_header(day))
    return f"{head}{HEADING}{end}{end}{session.line}{end}"


def find_list_start(text: str) -> int:
    """Say where the list that ends a log begins, else where the log ends."""
    at = text.rfind(f"\n{HEADING}") + 1
    if not at:
        return len(text)
    starts = {start for start, _, _ in _find_lines(text)}
    matches = list(LINE.finditer(text, at))[1:]
    is_last = all(match.start() in starts or not match[0].strip() for match in matches)
    return at if is_last else len(text)


def remove_short_sessions(text: str, parts: Collection[str], sessions: Collection[str]) -> str:
    """Take out the lines of forgotten parts and sessions, and a list that is then empty."""
    rows = [row for row in _find_lines(text) if row[2].part in parts or row[2].session in sessions]
    spans = [(start, stop) for start, stop, _ in rows]
    for start, stop in reversed(spans):
        text = text[:start] + text[stop:]
    at = find_list_start(text)
    is_empty = bool(spans) and at < len(text) and not find_short_sessions(text[at:])
    return f"{text[:at].rstrip()}\n" if is_empty else text


def _find_lines(text: str) -> Iterator[tuple[int, int, ShortSession]]:
    for match in LINE.finditer(text):
        values = _LAST_COMMENT.fullmatch(match[0])
        meta = parse_comment(values[1]) if values else {}
        if "part" in meta:
            session, project = meta.get("session", ""), meta.get("project", "")
            found_session = ShortSession(meta["part"], session, project, match[0].strip())
            yield match.start(), match.end(), found_session
