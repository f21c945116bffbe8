"""A patch or an answer, and what its engine was shown -> the same with the marks of origin kept.

An engine that makes an article of entries may leave out the mark that says where a line comes from,
or may be asked to by the line itself; so the marks are put back by code: what repeats a marked line
is marked again, and so is what says one in other words. The trap: a name repeats it, too, in a
title, an alias and a path.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from memoria.capture.extract.sentences import containment, stems
from memoria.capture.provenance.marks import marked, parted
from memoria.capture.provenance.origins import Origins
from memoria.capture.provenance.spans import ASSISTANT, USER, Span
from memoria.capture.provenance.trace_extract import lines, traced_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memoria.compile.patch import ArticleChange, Line, Patch, Section
    from memoria.search.answer import Checked
    from memoria.vault.entry import Entry, Extract

    # who had the words of a part of a line, "" for the session's own; and these
    _Parts = Sequence[tuple[str, str]]

# of the content words of the shorter of two lines (DESIGN 5): from here on one says the other; two
# words meet by chance
_SAID_AGAIN, _FEWEST = 0.6, 3
# where `inert_prose` begins a new one: blank lines, items, fences
_PARAGRAPH = re.compile(
    r"(\n\s*\n|\n(?=\s*(?:[-*+]|\d{1,9}[.)])\s)|(?:\A|\n)\s*(?:```|~~~)[^\n]*(?:\n|\Z))"
)


def carried(
    patch: Patch, entries: Iterable[Entry], extracts: Iterable[Extract], shown: Iterable[str] = ()
) -> Patch:
    """Mark what of a patch repeats a marked line of what its engine was shown.

    `shown` are texts of articles.
    """
    whole = (line for text in shown for line in text.splitlines())
    marks = (Span(who, said) for line in whole for who, said in parted(line) if who)
    entries = tuple(entries)
    told = [*marks, *_spans(entries, extracts)]
    if all(span.who in {USER, ASSISTANT} for span in told):
        return patch
    origins = Origins(told, [text for one in patch.articles for text in _texts(one)])
    said = {
        entry.id: [part for whole in lines(entry.draft) for part in parted(whole)]
        for entry in entries
    }
    changed = (_changed(one, origins) for one in patch.articles)
    return replace(patch, articles=tuple(_reworded(one, said) for one in changed))


def _reworded(change: ArticleChange, said: Mapping[str, _Parts]) -> ArticleChange:
    """Mark the lines that say a marked line of their entry in other words."""

    def each(line: Line) -> Line:
        return replace(line, text=marked(line.text, _who(line.text, said.get(line.entry, ()))))

    sections = (replace(one, lines=tuple(map(each, one.lines))) for one in change.sections)
    return replace(change, sections=tuple(sections))


def _who(text: str, parts: _Parts) -> str:
    """Say who had the line of an entry that a text is nearest to; of equals the entry's own."""
    words = stems(text)
    near = [
        (containment(words, stems(part)), not who, who)
        for who, part in parts
        if len(words & stems(part)) >= _FEWEST
    ]
    nearest = max(near, default=(0.0, True, ""))
    return nearest[2] if nearest[0] >= _SAID_AGAIN else ""


def answered(answer: Checked, shown: Iterable[str]) -> Checked:
    """Mark what of an answer repeats a marked line of the pages shown; ask nothing more of it."""
    told = [
        Span(who or ASSISTANT, line)
        for one in shown
        for whole in one.split("\n")
        for who, line in parted(whole)
    ]
    if all(span.who == ASSISTANT for span in told):
        return answer
    origins = Origins(told, [*_PARAGRAPH.split(answer.text), *answer.follow_ups])
    asks = tuple(line for line in answer.follow_ups if not origins.of(line))
    return replace(answer, text=_paragraphs(answer.text, origins), follow_ups=asks)


def _spans(entries: Iterable[Entry], extracts: Iterable[Extract]) -> Iterator[Span]:
    own: list[Span] = []
    for entry in entries:
        for who, line in (part for whole in lines(entry.draft) for part in parted(whole)):
            if who:
                yield Span(who, line)
            else:
                own.append(Span(ASSISTANT, line))
    for extract in extracts:
        own += [Span(USER, said.quote) for said in extract.statements]
        for who, line in (part for fact in extract.facts for part in parted(fact.text)):
            if who:
                yield Span(who, line)
    yield from own


def _texts(change: ArticleChange) -> Iterator[str]:
    yield from (change.title, change.slug.replace("-", " "), *change.aliases)
    yield from (link.why for link in change.related)
    for text in (change.lead, *(section.prose for section in change.sections)):
        yield from _PARAGRAPH.split(text)
    for section in change.sections:
        yield from (line.text for line in section.lines)


def _changed(change: ArticleChange, origins: Origins) -> ArticleChange:
    who = origins.of_name(change.title) or origins.of_name(change.slug.replace("-", " "))
    return replace(
        change,
        title=marked(change.title, who),
        # all of a lead is said by its first sentence
        lead=marked(change.lead.rstrip(), _worst(change.lead, origins)),
        sections=tuple(_section(one, origins) for one in change.sections),
        aliases=tuple(name for name in change.aliases if not origins.of_name(name)),
        related=tuple(
            replace(link, why="" if origins.of(link.why) else link.why) for link in change.related
        ),
    )


def _section(section: Section, origins: Origins) -> Section:
    told = tuple(replace(one, text=traced_line(one.text, origins)) for one in section.lines)
    return replace(section, prose=_paragraphs(section.prose, origins), lines=told)


def _paragraphs(text: str, origins: Origins) -> str:
    parts = _PARAGRAPH.split(text)
    # every second one stands between two paragraphs
    return "".join(part if at % 2 else traced_line(part, origins) for at, part in enumerate(parts))


def _worst(text: str, origins: Origins) -> str:
    parts = re.split(r"(?<=[.!?])\s+", text)
    return origins.of(text) or next(filter(None, map(origins.of, parts)), "")
