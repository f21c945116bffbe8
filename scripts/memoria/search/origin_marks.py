"""Keep the marks of origin in a patch or an answer, by what its engine was shown.

An engine that makes an article of entries may leave out the mark that says where a line comes from,
or may be asked to by the line itself; so the marks are put back by code: what repeats a marked line
is marked again, and so is what says one in other words; a name repeats it in a title, an alias and
a path. What stands letter by letter in an extract without a mark was judged where the session was
seen, and gets none.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from memoria.capture.provenance.marks import is_marked, mark_origin, split_marked_parts
from memoria.capture.provenance.origins import Origins
from memoria.capture.provenance.spans import ASSISTANT, USER, Span
from memoria.capture.provenance.trace_extract import list_draft_lines, mark_foreign_line
from memoria.text.word_overlap import containment, stems

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from memoria.compile.patch import ArticleChange, Patch, PatchLine, Section
    from memoria.search.answer import CheckedAnswer
    from memoria.vault.entry import Entry, Extract

    # who had the words of a part of a line, "" for the session's own; and the words
    _Parts = Sequence[tuple[str, str]]

# share of the content words of the shorter of two lines from which on one says the other; two words
# meet by chance
_MIN_CONTAINED, _MIN_SHARED = 0.6, 3
# where `make_prose_inert` begins a new paragraph: blank lines, items ("- ", "2) "), fences
_PARAGRAPH_BREAK = re.compile(
    r"(\n\s*\n|\n(?=\s*(?:[-*+]|\d{1,9}[.)])\s)|(?:\A|\n)\s*(?:```|~~~)[^\n]*(?:\n|\Z))"
)


def mark_patch(
    patch: Patch,
    entries: Iterable[Entry],
    extracts: Iterable[Extract],
    shown_texts: Iterable[str] = (),
) -> Patch:
    """Mark what of a patch repeats a marked line of what its engine was shown."""
    logs = {entry.id: _split_parts(list_draft_lines(entry.draft)) for entry in entries}
    shown_parts = _split_parts(line for text in shown_texts for line in text.splitlines())
    quotes: list[Span] = []
    own_texts = set[str]()
    for extract in extracts:
        facts = (fact.text for fact in (*extract.facts, *extract.results))
        own_texts |= {text for text in facts if not is_marked(text)}
        quotes += [Span(USER, statement.quote) for statement in extract.statements]
        shown_parts += _split_parts(fact.text for fact in extract.facts)
    entry_parts = [part for parts in logs.values() for part in parts]
    spans = [Span(speaker, line) for speaker, line in (*shown_parts, *entry_parts) if speaker]
    if all(span.who in {USER, ASSISTANT} for span in spans):
        return patch
    own_spans = [Span(ASSISTANT, line) for speaker, line in entry_parts if not speaker]
    texts = [text for article in patch.articles for text in _list_texts(article)]
    origins = Origins([*spans, *own_spans, *quotes], texts)
    articles = tuple(_mark_change(item, origins, logs, own_texts) for item in patch.articles)
    return replace(patch, articles=articles)


def _split_parts(texts: Iterable[str]) -> list[tuple[str, str]]:
    return [part for text in texts for part in split_marked_parts(text)]


def _find_speaker(text: str, parts: _Parts) -> str:
    """Say who had the line of an entry that a text is nearest to; of equals the entry's own."""
    words = stems(text)
    stemmed = ((name, stems(part)) for name, part in parts)
    near = ((name, said) for name, said in stemmed if len(words & said) >= _MIN_SHARED)
    similar = [(containment(words, said), not name, name) for name, said in near]
    share, _, speaker = max(similar, default=(0.0, True, ""))
    return speaker if share >= _MIN_CONTAINED else ""


def mark_answer(answer: CheckedAnswer, shown_texts: Iterable[str]) -> CheckedAnswer:
    """Mark what of an answer repeats a marked line of the pages shown; ask nothing more of it."""
    parts = _split_parts(line for text in shown_texts for line in text.split("\n"))
    spans = [Span(speaker or ASSISTANT, line) for speaker, line in parts]
    if all(span.who == ASSISTANT for span in spans):
        return answer
    origins = Origins(spans, [*_PARAGRAPH_BREAK.split(answer.text), *answer.follow_ups])
    asks = tuple(line for line in answer.follow_ups if not origins.of(line))
    return replace(answer, text=_mark_paragraphs(answer.text, origins), follow_ups=asks)


def _list_texts(change: ArticleChange) -> Iterator[str]:
    yield from (change.title, change.slug.replace("-", " "), *change.aliases)
    yield from (link.why for link in change.related)
    for text in (change.lead, *(section.prose for section in change.sections)):
        yield from _PARAGRAPH_BREAK.split(text)
    yield from (line.text for section in change.sections for line in section.lines)


def _mark_change(
    change: ArticleChange, origins: Origins, logs: Mapping[str, _Parts], own: Container[str]
) -> ArticleChange:
    names = map(origins.find_name_origin, (change.title, change.slug.replace("-", " ")))
    speaker, lead = next(filter(None, names), ""), change.lead.rstrip()
    # all of a lead is said by its first sentence
    # a page that others' words name is told where one of its lines is
    own = () if speaker else own
    is_own = lead in own or lead.removesuffix(".") in own
    sentences = () if is_own else (lead, *re.split(r"(?<=[.!?])\s+", lead))
    links = (replace(link, why="" if origins.of(link.why) else link.why) for link in change.related)
    return replace(
        change,
        title=mark_origin(change.title, speaker),
        lead=mark_origin(lead, next(filter(None, map(origins.of, sentences)), "")),
        sections=tuple(map(partial(_mark_section, origins, logs, own), change.sections)),
        aliases=tuple(name for name in change.aliases if not origins.find_name_origin(name)),
        related=tuple(links),
    )


def _mark_section(
    origins: Origins, logs: Mapping[str, _Parts], own: Container[str], section: Section
) -> Section:
    def mark_line(item: PatchLine) -> PatchLine:
        if item.text in own:
            return item
        text = mark_foreign_line(item.text, origins)
        return replace(item, text=mark_origin(text, _find_speaker(text, logs.get(item.entry, ()))))

    prose = _mark_paragraphs(section.prose, origins)
    return replace(section, prose=prose, lines=tuple(map(mark_line, section.lines)))


def _mark_paragraphs(text: str, origins: Origins) -> str:
    parts = _PARAGRAPH_BREAK.split(text)
    # every second one stands between two paragraphs
    parts[::2] = [mark_foreign_line(part, origins) for part in parts[::2]]
    return "".join(parts)
