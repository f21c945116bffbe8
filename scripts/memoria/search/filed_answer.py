"""A question and its checked answer -> the note under qa/ that holds them, new or updated.

A question that was asked before, in the same words, has its note already and gets no second one.
What a person wrote into it stays: where the file is not as Memoria wrote it, the new answer is put
below. The trap: a note must not cite itself, which an engine that was shown it may do.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.search.answer import without_links
from memoria.text.markdown import inert
from memoria.text.prose import clipped
from memoria.vault.article import compose, render, with_body, with_lines, with_meta
from memoria.vault.schema import RESERVED
from memoria.vault.slugs import SLUG

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import date

    from memoria.search.answer import Checked
    from memoria.vault.article import Article
    from memoria.vault.schema import Kind

ANSWER, SOURCES, FOLLOW_UPS = "Answer", "Sources Consulted", "Follow-Up Questions"
_TITLE = 120  # characters: what an article's title may have (compile/patch.py)
_SLUG = 60  # characters: a file name that one can still read in a list
# words that questions share, so that they name nothing
_EMPTY = frozenset(
    """a about an and are as at be by can could did do does for from had has have how i if in is it
    its me my of on or our should so tell that the their there they this to us use using was we were
    what when where which who why will with would you your""".split()  # noqa: SIM905 - a list of words is read as text
)
_COLLEAGUES = re.compile(r"\[\[(team/[^\[\]|\n]{1,120})\]\]")


@dataclass(frozen=True, slots=True)
class Filing:
    """What is to be filed: the question, its answer, the day, and the titles of the pages shown."""

    question: str
    answer: Checked
    day: date
    titles: Mapping[str, str]


def normal(question: str) -> str:
    """Reduce a question to what two askings share: its words, without case and punctuation."""
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", question).casefold()))


def earlier(question: str, notes: Iterable[Article]) -> Article | None:
    """Find the note of the same question."""
    wanted = normal(question)
    return next((note for note in notes if normal(_question(note)) == wanted), None)


def _question(note: Article) -> str:
    return str(note.meta.get("question") or note.title.removeprefix("Q:"))


def slug(question: str, is_free: Callable[[str], bool]) -> str:
    """Name the note after the words of the question; a hash keeps apart what has the same name."""
    ascii_only = unicodedata.normalize("NFKD", question).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", ascii_only.replace("'", ""))
    name = "-".join([word for word in words if word not in _EMPTY] or words)
    if len(name) > _SLUG:
        name = name[:_SLUG].rpartition("-")[0] or name[:_SLUG]
    mark = hashlib.sha256(normal(question).encode("utf-8", "replace")).hexdigest()[:8]
    fits = SLUG.match(name) and name not in RESERVED and is_free(name)
    return name if fits else f"{name}-{mark}".strip("-")


def note(path: str, filing: Filing, kind: Kind) -> Article:
    """Make the note of a question that is filed for the first time."""
    title = f"Q: {clipped(inert(filing.question), _TITLE)}"
    text, consulted = _content(path, filing)
    meta = {
        "title": title,
        "question": filing.question,
        "consulted": consulted,
        "filed": filing.day,
    }
    made = with_body(compose(path, kind.name, meta, title, ""), ANSWER, text, kind.sections)
    made = with_body(made, SOURCES, _listed(_sources(consulted, filing)), kind.sections)
    asks = filing.answer.follow_ups
    return with_body(made, FOLLOW_UPS, _listed(asks), kind.sections) if asks else made


def updated(before: Article, filing: Filing, kind: Kind, *, owned: bool) -> Article:
    """Bring a note up to date; `owned` says that its file is as Memoria wrote it.

    The note itself is given back where there is nothing new.
    """
    text, consulted = _content(before.path, filing)
    if owned:
        after = _replaced(before, text, consulted, filing, kind)
    else:
        after = _added(before, text, consulted, filing, kind)
    if render(after) == render(before):
        return before
    return with_meta(after, {"filed": filing.day})


def _replaced(
    before: Article, text: str, consulted: list[str], filing: Filing, kind: Kind
) -> Article:
    bodies = {
        ANSWER: text,
        SOURCES: _listed(_sources(consulted, filing)),
        FOLLOW_UPS: _listed(filing.answer.follow_ups),
    }
    after = with_meta(before, {"consulted": consulted})
    for heading, body in bodies.items():
        if body and after.section(heading).strip() != body:
            after = with_body(after, heading, body, kind.sections)
    return after


def _added(before: Article, text: str, consulted: list[str], filing: Filing, kind: Kind) -> Article:
    old = before.section(ANSWER).replace("\r\n", "\n").strip()
    # other words in other lines are no other answer
    if normal(text) in normal(old):
        return before
    named = list(dict.fromkeys([*before.names("consulted"), *consulted]))
    after = with_meta(before, {"consulted": named})
    below = "\n\n".join(part for part in (old, f"Asked again on {filing.day}:", text) if part)
    after = with_body(after, ANSWER, below, kind.sections)
    after = with_lines(after, SOURCES, _sources(consulted, filing), kind.sections)
    return with_lines(after, FOLLOW_UPS, filing.answer.follow_ups, kind.sections)


def _content(path: str, filing: Filing) -> tuple[str, list[str]]:
    """Give the text of the answer and the pages that it rests on, the note itself left out."""
    text = without_links(filing.answer.text, [path])
    # a colleague's entry is no note of the vault, to which a link would lead
    text = _COLLEAGUES.sub(r"`\1`", text)
    named = (name for name in filing.answer.citations if not name.startswith("team/"))
    return text, [name for name in named if name != path]


def _sources(consulted: Iterable[str], filing: Filing) -> list[str]:
    titles = ((path, inert(filing.titles.get(path, ""))) for path in consulted)
    return [f"[[{path}]] - {title}" if title else f"[[{path}]]" for path, title in titles]


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
