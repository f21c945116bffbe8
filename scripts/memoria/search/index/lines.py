"""Make the lines of entries, articles and subjects: what a hook may say one of, with its source.

A line has a kind, a weight, the words' origin and the link to where it stands. The trap: what of a
line is others' words carries a mark, and only the part without one can ever be told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memoria.capture.provenance.marks import known_by, parted, said_part
from memoria.capture.provenance.origins import folded
from memoria.text.markdown import inert, unfenced
from memoria.vault.citations import citations, words
from memoria.vault.schema import GENERATED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memoria.vault.article import Article
    from memoria.vault.entry import Draft, Fact, Subject

# what a draft's lists hold, and what each is worth to a later session
_LISTS = (("decisions", "decision", 3), ("lessons", "lesson", 3), ("exchanges", "answer", 2))
# sections of articles that hold lines of one kind; those of others are facts
_SECTIONS = {
    "Decisions": ("decision", 3),
    "Gotchas and Causes": ("lesson", 3),
    "Errors and Fixes": ("fix", 3),
    "Questions Answered": ("answer", 2),
    "Before the Change": ("past", 1),
}
# of a fact's score (capture/extract/session_extract.py): the compiler counts it as solid from here
_SOLID = 3.0
_PAST = "context"
_FEWEST = 3  # words: "ok" tells a later session nothing


class Line(NamedTuple):
    """A line that can be told: `key` is what this machine knows it by, "" for others' words.

    `origin` is whose words it has: the user's, the assistant's, or those of what was read.

    `kind` is decision, lesson, fix, answer, action, conclusion or fact; `weight` is 1 to 3. `link`
    is what it was taken from, "" for the document that it stands in.
    """

    kind: str
    weight: int
    origin: str
    key: str
    text: str
    link: str = ""


def of_entry(draft: Draft) -> Iterator[Line]:
    """Give the lines of an entry's lists."""
    for name, kind, weight in _LISTS:
        yield from (_line(kind, weight, text) for text in getattr(draft, name))
    yield from (_line("action", 1, text) for text in draft.actions)


def of_subject(subject: Subject, facts: Iterable[Fact], end: int | None) -> Iterator[Line]:
    """Give what a subject came to, then the facts of its turns; it ends before the turn `end`."""
    for said in subject.conclusions:
        yield _line("conclusion", 3, inert(said.text), said.origin)
    for fact in facts:
        if fact.turn >= subject.turn and (end is None or fact.turn < end) and fact.kind != _PAST:
            weight = 2 if fact.score >= _SOLID else 1
            yield _line(fact.kind, weight, inert(fact.text), fact.origin)


def of_note(article: Article) -> Iterator[Line]:
    """Give an article's path, which a link to it says, and the lines of its sections."""
    yield Line("name", 0, "", known_by(article.path), article.path, article.path)
    for heading, body in article.sections:
        if heading.strip() not in GENERATED:
            kind, weight = _SECTIONS.get(heading.strip(), ("fact", 2))
            for text in filter(str.strip, unfenced(body)):
                source = next(iter(citations(text)), None)
                yield _line(kind, weight, words(text), link=source.target if source else "")


def _line(kind: str, weight: int, text: str, origin: str = "", link: str = "") -> Line:
    said = said_part(text)
    who, others = parted(text)[-1]
    # what is others' has no key: nothing makes it one that is told
    key = known_by(text) if len(folded(said)) >= _FEWEST else ""
    return Line(kind, weight, who or origin or _speaker(said), key, said or others, link)


def _speaker(text: str) -> str:
    return "user" if text.startswith("User: ") else "assistant"
