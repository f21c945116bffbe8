"""Check what an engine answers to a question: it cites only what was shown.

A link is a promise that the reader can look it up, so each has to name a page that the engine has
read. What is wrong with an answer is kept, so that it can be asked for once more; after that the
wrong links are taken out and named.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memoria.errors import BadReply
from memoria.llm.forms import STRING, STRINGS, Form, closed_object
from memoria.llm.prompts import boundary, filled
from memoria.search.pages import shown
from memoria.text.markdown import inert, inert_prose, wikilinks

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from memoria.llm.port import Question

UNKNOWN = "The vault does not know this."
# an answer is asked for in at most 300 words; what is ten times as long is none (characters)
_LONG = 2_000
# a page is cited once or not at all, and few fit into a prompt
_CITED_PAGES = 10
MOST_FOLLOW_UPS = 5  # what a person may want to ask next, not a list to work through
_LINE = 300  # characters of a follow-up question, or of a link
# only shape is in the schema: the client sends the whole prompt again for each violation
QUERY_SCHEMA: Mapping[str, Any] = closed_object(
    known={"type": "boolean"}, answer=STRING, citations=STRINGS, follow_ups=STRINGS
)
_LINK = re.compile(
    r"!?\[\[([^\[\]\n|#]{1,200})(?:#[^\[\]\n|]{0,200})?(?:\|([^\[\]\n]{0,200}))?\]\]"
)
# a parenthesis of links alone: what is left of it without them is nothing
_CITED = re.compile(
    r"\s?\((?:(?:see|from|sources?):? )?(?=\[\[)((?:\[\[[^\[\]\n]{1,400}\]\][\s,;]{0,9}){1,50})\)",
    re.IGNORECASE,
)
# the list that stands below an answer without a link in it, see `check`
_LISTED = "\n\nSources: "


@dataclass(frozen=True, slots=True)
class Answer:
    """What an engine answered, as it came: `citations` are paths of pages, or links to them."""

    known: bool
    answer: str
    citations: tuple[str, ...] = ()
    follow_ups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Checked:
    """An answer that may be printed and filed: inert Markdown that links only to what was shown.

    `citations` are the targets of its links. `removed` are targets that it had cited besides.
    """

    known: bool
    text: str
    citations: tuple[str, ...] = ()
    follow_ups: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    @property
    def faults(self) -> tuple[str, ...]:
        """Say what was wrong with the answer, for the engine and for the person."""
        dead = (f"[[{name}]] is not one of the pages that were shown" for name in self.removed)
        bare = "the answer names no page that it comes from"
        return (*dead, *[bare] * (self.known and not self.citations))


def query_prompt(template: str, question: Question, refusals: Sequence[str] = ()) -> str:
    """Ask for the answer to a question; `refusals` say what was wrong with an earlier one."""
    pages = shown(question.pages)
    again = "".join(f"\n- {' '.join(reason.split())}" for reason in refusals)
    values = {
        "question": question.text,
        "pages": pages,
        "boundary": boundary(question.text, pages),
        "refusals": f"\nAn earlier answer was refused. Answer anew, mended:{again}" * bool(again),
    }
    return filled(template, values)


def answer(value: object) -> Answer:
    """Read the answer to a query; raises BadReply with the place and the reason."""
    form = Form(value)
    is_known, text = form.flag("known"), form.text("answer", _LONG)
    if is_known and not text:
        raise BadReply("known, it says, but there is no answer")
    follow_ups = form.names("follow_ups", _CITED_PAGES, _LINE)[:MOST_FOLLOW_UPS]
    return Answer(is_known, text, form.names("citations", _CITED_PAGES, _LINE), follow_ups)


def check(answer: Answer, names: Container[str]) -> Checked:
    """Check an answer against the pages that were shown and still exist.

    An answer that cites nothing in its text gets the pages that the form lists. One that does not
    know is said plainly; what it has to say besides stays if it names where that stands.
    """
    text = answer.answer.replace("[[knowledge/", "[[")
    listed = [_target(name) for name in answer.citations]
    named = dict.fromkeys([*_links(text), *listed])
    bad = tuple(name for name in named if name not in names)
    text = inert_prose(without_links(text, bad), names)
    good = [f"[[{name}]]" for name in listed if name in names]
    if answer.known and good and not _links(text):
        text += f"{_LISTED}{', '.join(good)}"
    citations = _links(text)
    if not answer.known:
        rest = text.replace(UNKNOWN, "").strip()
        text = f"{UNKNOWN}\n\n{rest}" if citations and rest else UNKNOWN
    asks = []
    for line in answer.follow_ups:
        dead = [name for name in _links(line) if name not in names]
        asks.append(inert(without_links(line, dead), names))
    return Checked(answer.known, text, citations, tuple(filter(None, asks)), bad)


def without_links(text: str, targets: Iterable[str]) -> str:
    """Take links to targets out: with their parenthesis if they stand in one, else to words."""
    gone = set(targets)

    def live_links(links: str) -> list[str]:
        return [link[0] for link in _LINK.finditer(links) if _target(link[1]) not in gone]

    def cited(match: re.Match[str]) -> str:
        links = live_links(match[1])
        return f" ({', '.join(links)})" if links else ""

    def words(match: re.Match[str]) -> str:
        if _target(match[1]) not in gone:
            return match[0]
        return match[2] or _target(match[1]).rsplit("/", 1)[-1].replace("-", " ")

    if not gone:
        return text
    prose, mark, listed = text.rpartition(_LISTED)
    # words are no source: of the list below an answer the link goes whole
    if not mark or _LINK.sub("", listed).strip(", "):
        prose, mark, listed = text, "", ""
    below = live_links(listed)
    return _LINK.sub(words, _CITED.sub(cited, prose)) + mark * bool(below) + ", ".join(below)


def _links(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(_target, wikilinks(text))))


def _target(name: str) -> str:
    bare = name.strip().removeprefix("[[").removesuffix("]]").split("|")[0].split("#")[0].strip()
    return bare.removeprefix("knowledge/").removesuffix(".md")
