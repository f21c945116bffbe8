"""Memory that another tool kept -> the daily logs, entries and articles that it becomes here.

Four kinds come in: the vault of a claude-memory-compiler, a buildlog folder, the files of Claude
Code's own memory, and instruction files such as CLAUDE.md. Each keeps the form that is nearest to
what it was, so that a person finds it again. The trap: nobody can tell who wrote it, an agent or a
person, and a cloned repository brings instructions along; so every entry says `origin` and counts
as others' words, and no rule of it is in force before it is approved here.
"""

from __future__ import annotations

import hashlib
import json
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from memoria.stages import daily, frontmatter
from memoria.stages.critique import HEADINGS
from memoria.stages.demand import demand
from memoria.stages.markup import inert, inert_prose, next_fence, wikilinks
from memoria.stages.patch import MAX_RULE, MIN_RULE
from memoria.stages.region import Damaged, region
from memoria.stages.short_session import add, short_sessions, tail

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import date

    from memoria.stages.article import Article
    from memoria.stages.entry import Category

Origin = Literal["buildlog", "auto-memory", "instructions"]
_ITEM = re.compile(r"(\s*)(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.+)")
_CONTENTS = re.compile(r"\[[^\]]+\]\([\w./-]+\.md\)(?:$|\s*[-:\u2013\u2014])")
_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*$")
_FRONT = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?\r?\n)??---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_SHA = 24  # hex digits: 96 bits, as a review's hash has
# of one file: what has more is no set of rules but a manual
_MOST = 200


@dataclass(frozen=True, slots=True)
class Decided:
    """What a buildlog's person had decided: ids promoted and rejected, in their order there."""

    promoted: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()


def sha(text: str) -> str:
    """Hash a file, blind to white space: the name by which the same one is known again."""
    return hashlib.sha256(" ".join(text.split()).encode("utf-8", "replace")).hexdigest()[:_SHA]


# -- Instruction files and memory files ------------------------------------------------------------


def instructions(text: str, name: str, origin: Origin, project: str, day: date) -> tuple[str, int]:
    """Write the entry of a file of instructions or memory, and say how many lines it holds.

    Its list items are what may become rules; a text of none is kept as it is under Notes.
    """
    lines = list(items(text))
    meta = {
        "title": f"From {name}",
        "origin": origin,
        "session": sha(text),
        "project": project,
        "created": day,
    }
    front = "".join(frontmatter.emit(key, value) for key, value in meta.items() if value)
    goal = (
        f"What `{inert(name).replace('`', '')}` says, brought in by `memoria import`. No line of "
        "it is in force until you approve it with `memoria review`."
    )
    blocks = [f"# From {inert(name)}", "## The Goal", goal]
    if lines:
        blocks += ["## Improvements", *_improvements(lines)]
    prose = inert_prose(_prose(text))
    if prose:
        blocks += ["## Notes", prose]
    return f"---\n{front}---\n\n" + "\n\n".join(blocks) + "\n", len(lines)


def items(text: str) -> Iterator[str]:
    """Give the list items of Markdown that are long enough to say something, each once.

    What Memoria itself promoted into the file, frontmatter and code are left out; an item below
    another one is joined to it, or half a thought would become a rule.
    """
    found: dict[str, None] = {}
    for line in _items(_plain(text)):
        if MIN_RULE <= len(line) <= MAX_RULE:
            found.setdefault(line)
    yield from list(found)[:_MOST]


def _items(text: str) -> Iterator[str]:
    fence, parent = "", ""
    for line in text.splitlines():
        before, fence = fence, next_fence(fence, line)
        match = None if before or fence else _ITEM.match(line)
        if not match:
            continue
        words = " ".join(match[2].split())
        # a memory's list of its own files says nothing that they do not say
        if _CONTENTS.match(words):
            continue
        if not match[1]:
            parent = words
            if not words.endswith(":"):
                yield words
        else:
            yield f"{parent} {words}" if parent.endswith(":") else words


def _plain(text: str) -> str:
    # where a person has cut through the marks, what they hold is read like the rest
    with suppress(Damaged):
        text = region(text, "")
    return text[found.end() :] if (found := _FRONT.match(text)) else text


def _prose(text: str) -> str:
    """Give what is no list item: paragraphs under their headings, which become paragraphs."""
    kept, fence = [], ""
    for line in _plain(text).splitlines():
        before, fence = fence, next_fence(fence, line)
        if before or fence or not _ITEM.match(line):
            head = None if before or fence else _HEADING.match(line)
            kept.append(f"\n{head[1]}:\n" if head else line)
    return "\n".join(kept)


def _improvements(lines: Iterable[str]) -> Iterator[str]:
    by_category: dict[Category, list[str]] = {}
    for line in lines:
        by_category.setdefault(demand(line).category, []).append(f"- {inert(line)}")
    for category, heading in HEADINGS.items():
        if category in by_category:
            yield f"### {heading}"
            yield "\n".join(by_category[category])


# -- buildlog --------------------------------------------------------------------------------------


def entry(text: str) -> str:
    """Give a buildlog's entry as one of this vault: the same text, with where it is from."""
    mark = f"origin: buildlog\nsession: {sha(text)}\n"
    found = _FRONT.match(text)
    if found and _is_sound(found[1] or ""):
        known = [line for line in (found[1] or "").splitlines() if not _OURS.match(line)]
        front = "".join(f"{line}\n" for line in known)
        return f"---\n{front}{mark}---\n{text[found.end() :]}"
    return f"---\n{mark}---\n\n{text}"


_OURS = re.compile(r"(?:origin|session)\s*:")


def _is_sound(front: str) -> bool:
    """Whether it can be read; what cannot stays a part of the text."""
    try:
        frontmatter.values(front)
    except ValueError:
        return False
    return True


def decided(promoted: str, rejected: str) -> Decided:
    """Read promoted.json and rejected.json; a file that is none holds no id."""
    return Decided(_ids(promoted), _ids(rejected))


def learnings(text: str) -> Iterator[str]:
    """Give the rules that a buildlog took from reviews (review_learnings.json)."""
    value = _object(text).get("learnings")
    for one in value.values() if isinstance(value, dict) else ():
        rule = one.get("rule") if isinstance(one, dict) else None
        if isinstance(rule, str) and rule.strip():
            yield " ".join(rule.split())


def _ids(text: str) -> tuple[str, ...]:
    found = _object(text).get("skill_ids")
    return tuple(str(one) for one in found) if isinstance(found, list) else ()


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


# -- claude-memory-compiler ------------------------------------------------------------------------


def merged(mine: str, theirs: str, day: date) -> str:
    """Give a daily log with the sessions of another one that it does not have, in their order."""
    if not mine.strip():
        return theirs
    known = {_words(mine[one.start : one.end]) for one in daily.blocks(mine, day)}
    new = [theirs[one.start : one.end].strip() for one in daily.blocks(theirs, day)]
    missing = [block for block in new if _words(block) not in known]
    at = tail(mine)
    above = "\n\n".join([mine[:at].rstrip("\n"), *missing]) + "\n"
    text = f"{above}\n{mine[at:]}".rstrip("\n") + "\n" if missing else mine
    for short in short_sessions(theirs):
        text = add(text, short, day.isoformat())
    return text


def compiled(state: str) -> frozenset[str]:
    """Read a compiler's state.json: the logs ("2026-04-01.md") that its articles were made of."""
    found = _object(state).get("ingested")
    return frozenset(found) if isinstance(found, dict) else frozenset()


def inert_article(article: Article) -> Article:
    """Make an article of another tool's inert: text, lists and links to notes, nothing active."""
    known = frozenset(wikilinks(article.preamble)) | {
        target for _, body in article.sections for target in wikilinks(body)
    }
    lead = inert_prose(article.lead, known)
    preamble = f"\n# {inert(article.title)}\n\n{lead}\n\n" if lead else f"\n# {article.title}\n\n"
    sections = tuple(
        (inert(heading), f"\n{inert_prose(body, known)}\n\n") for heading, body in article.sections
    )
    return replace(article, preamble=preamble, lead=lead, sections=sections, sha="")


def _words(text: str) -> str:
    return " ".join(text.split())
