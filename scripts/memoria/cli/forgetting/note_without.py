"""Take what is to be forgotten out of an article or a rule.

A line goes with the entries that it names; one that another entry holds up stays, without the links
to those that go. A note that says nothing after that goes, and so does a rule that nobody else
said. A title of their words is replaced by a line that stays. The trap: a person's own lines in a
note name no entry; they go only where they have nothing but words of what goes, and are reported
where they have one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memoria.rules.model import confidence
from memoria.text.markdown import inert, next_fence
from memoria.text.prose import split
from memoria.vault.article import summary, with_body, with_lead, with_meta, with_title
from memoria.vault.citations import Citation, citations, quote, words
from memoria.vault.slugs import slug

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from memoria.cli.forgetting.lost import Lost
    from memoria.vault.article import Article

# what code makes of the other sections
_DERIVED = frozenset({"Related Concepts", "Sources"})
_SOURCES, _EVIDENCE = "Sources", "Evidence"
_BULLET = re.compile(r"[-*+] |\d{1,3}[.)] ")
# characters of a title that is made of a line
_TITLE = 60
_GOES_ON = re.compile(r"(?:It|They|This|These|That|Those|He|She)\b")
_LINK = re.compile(r"\[\[([^\[\]|#\n]+)(#[^\[\]|\n]*)?(\|[^\[\]\n]*)?\]\]")
_ALONE = re.compile(r"\s*[-*+] \[\[([^\[\]|#\n]+)[^\n]*")


@dataclass(frozen=True, slots=True)
class Remainder:
    """What is left of a note: None for nothing; `left` are a person's lines that hold a word."""

    article: Article | None
    left: tuple[str, ...] = ()


def items(body: str) -> list[str]:
    """Part a section into its list items and paragraphs; together they are the text."""
    found: list[str] = []
    fence, blank = "", True
    for line in body.splitlines(keepends=True):
        before, fence = fence, next_fence(fence, line)
        begins = _BULLET.match(line) or (blank and line.strip() and not line.startswith(" "))
        if not found or (begins and not before):
            found.append(line)
        else:
            found[-1] += line
        blank = not line.strip()
    return found


def purged(article: Article, lost: Lost, *, owned: bool) -> Remainder:
    """Take out of an article what came from forgotten entries.

    `owned` says that nobody but Memoria wrote it.
    """
    logs = {_link(name) for name in article.names("sources")}
    if owned and logs and logs <= lost.over:
        return Remainder(None)
    left: list[str] = []

    def stays(item: str) -> bool:
        if citations(item):
            return not lost.takes(item)
        if not lost.marks(item):
            return True
        # nothing says who wrote it: in a note that a person edited, only what they repeat is ours
        if owned or lost.says(item):
            return False
        left.append(words(item))
        return True

    lead = _lead(article, stays)
    sections = [
        (name, body if name.strip() in _DERIVED else _without(body, stays, lost))
        for name, body in article.sections
    ]
    said = any(body.strip() for name, body in sections if name.strip() not in _DERIVED)
    had = any(body.strip() for name, body in article.sections if name.strip() not in _DERIVED)
    if (had and not said and (owned or not lead)) or not (said or lead):
        return Remainder(None)
    kept = [(name, body) for name, body in sections if body.strip()]
    note = replace(article, sections=tuple(kept))
    note = with_lead(note, lead) if lead != article.lead else note
    return Remainder(_sourced(_named(note, lost), lost), tuple(left))


def _without(body: str, stays: Callable[[str], bool], lost: Lost) -> str:
    parts = [part if not part.strip() or stays(part) else None for part in items(body)]
    if None not in parts:
        return _unlinked(body, lost)
    return _unlinked("".join(part for part in parts if part), lost)


def _unlinked(text: str, lost: Lost) -> str:
    """Take out the links to logs that are gone."""
    for one in filter(lost.has, citations(text)):
        link = rf" ?\(\[\[{re.escape(one.target)}(?:\.md)?(?:[#|][^\]]*)?\]\]\)"
        text = re.sub(link, "", text)
    return text


def _lead(article: Article, stays: Callable[[str], bool]) -> str:
    """Take sentences out of a lead, with those after them that only go on ("It left ...")."""
    sentences, kept, gone = split(article.lead), [], False
    for one in sentences:
        gone = not stays(one) or (gone and bool(_GOES_ON.match(one)))
        kept += [] if gone else [one]
    return article.lead if len(kept) == len(sentences) else " ".join(kept)


def _named(note: Article, lost: Lost) -> Article:
    """Take their words out of the names of a note."""
    changes: dict[str, object] = {}
    for key in ("aliases", "tags"):
        names = note.names(key)
        if any(map(lost.marks, names)):
            changes[key] = [name for name in names if not lost.marks(name)]
    if lost.marks(note.key):
        changes["key"] = ""
    if lost.marks(note.title) or lost.marks(str(note.meta.get("title") or "")):
        title = _title(note)
        changes["title"] = title
        note = with_title(note, inert(title))
    return with_meta(note, changes)


def _title(note: Article) -> str:
    bodies = [body for name, body in note.sections if name.strip() not in _DERIVED]
    lines = [words(item) for body in bodies for item in items(body) if item.strip()]
    text = next(iter(lines), "") or summary(replace(note, title="Notes"))
    return text if len(text) <= _TITLE else text[:_TITLE].rsplit(" ", 1)[0]


def _sourced(note: Article, lost: Lost) -> Article:
    """Name only the logs that a note still rests on."""
    bodies = [body for name, body in note.sections if name.strip() != _SOURCES]
    linked = {one.note for body in bodies for one in citations(body)}
    sources = note.names("sources")
    kept = [one for one in sources if _link(one) not in lost.days or _link(one) in linked]
    if kept != list(sources):
        note = with_meta(note, {"sources": kept} | _dates(note, kept, lost))
    body = note.section(_SOURCES)
    if not body:
        return note
    lines = [_source(line, kept, lost) for line in body.strip("\n").split("\n")]
    text = "\n".join(line for line in lines if line)
    return with_body(note, _SOURCES, text) if text != body.strip("\n") else note


def _dates(note: Article, kept: Iterable[str], lost: Lost) -> dict[str, object]:
    """Give a note that was begun or changed last on a day that is over the days that it has."""
    days = sorted(day for day in (Citation(_link(one)).day for one in kept) if day)
    if not days:
        return {}
    ends = {"created": days[0], "updated": days[-1]}
    return {key: day for key, day in ends.items() if f"daily/{note.meta.get(key)}" in lost.over}


def _source(line: str, kept: Collection[str], lost: Lost) -> str:
    named = citations(line)
    if not lost.touches(line):
        return line
    if all(map(lost.has, named)) or not any(f"{one.note}.md" in kept for one in named):
        return ""
    title = line.partition("]]")[2]
    return line[: len(line) - len(title)] if lost.marks(title) else line


def _link(source: str) -> str:
    return source.removesuffix(".md")


# -- Rules -----------------------------------------------------------------------------------------


def purged_rule(note: Article, lost: Lost, sessions: Collection[str]) -> Remainder:
    """Take sightings out of a rule's note; None where no other is left.

    `sessions` are the ids of the sessions that go, or how they begin, as notes have them. A
    person's lines in a note that goes are given as left: they are no sightings.
    """
    lines = note.section(_EVIDENCE).strip().splitlines()
    kept = [line for line in lines if not lost.takes(line)]
    said = note.names("sessions")
    others = [one for one in said if one not in sessions]
    if len(kept) == len(lines) and len(others) == len(said) and not _is_marked(note, lost):
        return Remainder(note)
    sighted = [line for line in kept if citations(line)]
    if not sighted and (lines or not others):
        notes = [line for line in note.section("Notes").splitlines() if line.strip()]
        return Remainder(None, tuple(line for line in (*kept, *notes) if not lost.marks(line)))
    linked = {one.note for line in kept for one in citations(line)}
    sources = [
        name
        for name in note.names("sources")
        if _link(name) not in lost.days or _link(name) in linked
    ]
    changes: dict[str, object] = {
        "sessions": others,
        "frequency": max(1, len(others)),
        "confidence": confidence(len(others)),
        "sources": sources,
        "aliases": [name for name in note.names("aliases") if not lost.marks(name)],
    }
    note = with_meta(with_body(note, _EVIDENCE, "\n".join(kept)), changes)
    return Remainder(_reworded(note, sighted, lost))


def _is_marked(note: Article, lost: Lost) -> bool:
    of_day = not lost.days.isdisjoint(map(_link, note.names("sources")))
    names = (note.title, *note.names("aliases"))
    return any(map(lost.marks if of_day else lost.holds, names))


def _reworded(note: Article, kept: Collection[str], lost: Lost) -> Article | None:
    """Give a rule other words where its own go; they were never approved, so it waits."""
    notes = note.section("Notes")
    lines = [line for line in notes.strip("\n").split("\n") if not lost.marks(line)]
    if notes and lines != notes.strip("\n").split("\n"):
        note = with_body(note, "Notes", "\n".join(lines))
    if lost.marks(str(note.meta.get("check") or "")):
        note = with_meta(note, {"check": None})
    if not lost.marks(note.title) and not lost.marks(str(note.meta.get("title") or "")):
        return note
    quotes = [quote(line).words for line in kept]
    text = next(iter([*note.names("aliases"), *quotes]), "")
    if not text:
        return None
    aliases = [name for name in note.names("aliases") if name != text]
    changes: dict[str, object] = {"title": text, "aliases": aliases, "status": "waiting"}
    return with_title(with_meta(note, changes), inert(text))


# -- Links -----------------------------------------------------------------------------------------


def moved(article: Article, lost: Lost, taken: Collection[str]) -> str:
    """Give the path that a note is to have: another one where its name holds their words."""
    if not lost.marks(article.slug):
        return article.path
    folder = article.path.rsplit("/", 1)[0]
    name = slug(article.title)
    if not name or lost.marks(name):
        name = str(article.meta.get("id") or "note")
    path, number = f"{folder}/{name}", 1
    while path in taken:
        number += 1
        path = f"{folder}/{name}-{number}"
    return path


def relinked(article: Article, moves: Mapping[str, str]) -> Article:
    """Point links to moved notes at their new places; those to notes that are gone ("") go."""
    changes: dict[str, object] = {}
    for key in ("connects", "consulted"):
        names = article.names(key)
        now = [moves.get(name, name) for name in names]
        if now != list(names):
            changes[key] = [name for name in now if name]
    sources = article.names("sources")
    if not moves.keys().isdisjoint(map(_link, sources)):
        changes["sources"] = [f"{moves.get(_link(one), _link(one))}.md" for one in sources]
    sections = tuple((name, relinked_text(body, moves)) for name, body in article.sections)
    preamble = _relinked_line(article.preamble, moves)
    note = replace(article, sections=sections, preamble=preamble)
    return with_meta(note, changes)


def linked(text: str) -> tuple[str, ...]:
    """Give the targets of a text's links."""
    return tuple(match[1].strip() for match in _LINK.finditer(text))


def relinked_text(text: str, moves: Mapping[str, str]) -> str:
    """Do the same in a text, where a list's item that is but such a link goes as a whole."""
    found = []
    for line in text.splitlines(keepends=True):
        alone = _ALONE.match(line)
        if not alone or moves.get(alone[1].strip(), "there"):
            found.append(_relinked_line(line, moves))
    return "".join(found)


def _relinked_line(line: str, moves: Mapping[str, str]) -> str:
    def link(match: re.Match[str]) -> str:
        path = match[1].strip()
        if path not in moves:
            return match[0]
        return f"[[{moves[path]}{match[2] or ''}]]" if moves[path] else "\u2026"

    return _LINK.sub(link, line)


def purged_log(text: str, lost: Lost, moves: Mapping[str, str]) -> str:
    """Take out of log.md the links to notes that are gone, and questions and refusals of theirs."""
    entries = re.split(r"(?m)^(?=## \[)", text)
    return "".join(_entry(one, lost, moves) for one in entries)


def _entry(text: str, lost: Lost, moves: Mapping[str, str]) -> str:
    head, _, rest = text.partition("\n")
    question = head.partition(" query | ")[2]
    if lost.holds(head) or (question and lost.marks(question)):
        return ""
    lines = [line for line in rest.splitlines(keepends=True) if not _is_theirs(line, lost)]
    return head + "\n" * (text != head) + "".join(_listed(line, moves) for line in lines)


def _is_theirs(line: str, lost: Lost) -> bool:
    return lost.holds(line) or (line.startswith("- Refused:") and lost.marks(line))


def _listed(line: str, moves: Mapping[str, str]) -> str:
    """Shorten a list of links."""
    label, mark, rest = line.rstrip("\n").partition(": ")
    links = rest.split(", ")
    if not mark or not any(_LINK.fullmatch(link) for link in links):
        return _relinked_line(line, moves)
    now = [_relinked_line(link, moves) for link in links]
    return f"{label}: {', '.join(link for link in now if link != chr(0x2026)) or '(none)'}\n"
