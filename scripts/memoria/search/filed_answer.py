"""Make or update the note under qa/ that holds a question and its checked answer.

A question that was asked before, in the same words, has its note already and gets no second one.
What a person wrote into it stays: where the file is not as Memoria wrote it, the new answer is put
below. A note must not cite itself, which an engine that was shown it may do.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from memoria.search.answer import without_links
from memoria.text.markdown import inert
from memoria.text.prose import clipped
from memoria.vault.article import compose, render, with_body, with_lines, with_meta
from memoria.vault.file_names import SLUG
from memoria.vault.schema import RESERVED

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


class Filing(NamedTuple):
    """What is to be filed: the question, its answer, the day, and the titles of the pages shown."""

    question: str
    answer: Checked
    day: date
    titles: Mapping[str, str]

    def bodies(self, path: str) -> tuple[list[str], dict[str, str]]:
        """Give the pages that it rests on and the sections of its note, without the note itself."""
        # a colleague's entry is no note of the vault, to which a link would lead
        text = _COLLEAGUES.sub(r"`\1`", without_links(self.answer.text, [path]))
        cited = self.answer.citations
        consulted = [name for name in cited if name != path and not name.startswith("team/")]
        titles = ((name, inert(self.titles.get(name, ""))) for name in consulted)
        sources = [f"- [[{name}]]" + f" - {title}" * bool(title) for name, title in titles]
        asks = [f"- {line}" for line in self.answer.follow_ups]
        return consulted, {ANSWER: text, SOURCES: "\n".join(sources), FOLLOW_UPS: "\n".join(asks)}


def normal(question: str) -> str:
    """Reduce a question to what two askings share: its words, without case and punctuation."""
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", question).casefold()))


def earlier(question: str, notes: Iterable[Article]) -> Article | None:
    """Find the note of the same question."""
    wanted = normal(question)
    for note in notes:
        if normal(str(note.meta.get("question") or note.title.removeprefix("Q:"))) == wanted:
            return note
    return None


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
    consulted, bodies = filing.bodies(path)
    meta = {"title": title, "question": filing.question, "consulted": consulted}
    made = compose(path, kind.name, meta | {"filed": filing.day}, title, "")
    for heading, body in bodies.items():
        if body or heading != FOLLOW_UPS:
            made = with_body(made, heading, body, kind.sections)
    return made


def updated(before: Article, filing: Filing, kind: Kind, *, owned: bool) -> Article:
    """Bring a note up to date; `owned` says that its file is as Memoria wrote it."""
    consulted, bodies = filing.bodies(before.path)
    order = kind.sections
    if owned:
        after = with_meta(before, {"consulted": consulted})
        for heading, body in bodies.items():
            if body and after.section(heading).strip() != body:
                after = with_body(after, heading, body, order)
    else:
        old = before.section(ANSWER).replace("\r\n", "\n").strip()
        # other words in other lines are no other answer
        if normal(bodies[ANSWER]) in normal(old):
            return before
        named = list(dict.fromkeys([*before.names("consulted"), *consulted]))
        below = [old, f"Asked again on {filing.day}:", bodies[ANSWER]]
        after = with_meta(before, {"consulted": named})
        after = with_body(after, ANSWER, "\n\n".join(filter(None, below)), order)
        for heading in (SOURCES, FOLLOW_UPS):
            lines = [line.removeprefix("- ") for line in bodies[heading].splitlines()]
            after = with_lines(after, heading, lines, order)
    return before if render(after) == render(before) else with_meta(after, {"filed": filing.day})
