"""Check what an engine answers to a question, and make or update the note that holds it.

A link is a promise that the reader can look it up, so each has to name a page that the engine has
read. What is wrong with an answer is kept, so that it can be asked for once more; after that the
wrong links are taken out and named. A question that was asked before, in the same words, has its
note already; what a person wrote into it stays, and the new answer is put below.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from memoria.errors import BadReply
from memoria.llm.forms import STRING, STRINGS, Form, closed_object_schema
from memoria.llm.prompts import build_boundary, fill_template
from memoria.search.pages import render_pages
from memoria.text.function_words import FUNCTION_WORDS
from memoria.text.markdown import find_wikilinks, make_inert, make_prose_inert
from memoria.text.prose import clip_text
from memoria.vault.article import (
    Article,
    compose_article,
    render_article,
    with_body,
    with_lines,
    with_meta,
)
from memoria.vault.file_names import SLUG
from memoria.vault.schema import RESERVED, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence
    from datetime import date

    from memoria.llm.port import QueryMaterial

UNKNOWN = "The notes of the vault give no answer to this."
# an answer is asked for in at most 300 words; what is ten times as long is none (characters)
_MAX_ANSWER = 2_000
# a page is cited once or not at all, and few fit into a prompt
_MAX_CITED = 10
MAX_FOLLOW_UPS = 5  # what a person may want to ask next, not a list to work through
_MAX_LINE = 300  # characters of a follow-up question, or of a link
# only shape is in the schema: the client sends the whole prompt again for each violation
QUERY_SCHEMA: Mapping[str, Any] = closed_object_schema(
    known={"type": "boolean"}, answer=STRING, citations=STRINGS, follow_ups=STRINGS
)
# "[[concepts/auth#^e-1|login]]": the page, and the words for it
_LINK = re.compile(
    r"!?\[\[([^\[\]\n|#]{1,200})(?:#[^\[\]\n|]{0,200})?(?:\|([^\[\]\n]{0,200}))?\]\]"
)
# a parenthesis of links alone, "(see [[concepts/auth]], [[qa/x]])": without them nothing is left
_CITATION = re.compile(
    r"\s?\((?:(?:see|from|sources?):? )?(?=\[\[)((?:\[\[[^\[\]\n]{1,400}\]\][\s,;]{0,9}){1,50})\)",
    re.IGNORECASE,
)
# the list that stands below an answer without a link in it, see `check_answer`
_LIST_HEAD = "\n\nSources: "
ANSWER, SOURCES, FOLLOW_UPS = "Answer", "Sources Consulted", "Follow-Up Questions"
_MAX_TITLE = 120  # characters: what an article's title may have (compile/patch.py)
_MAX_SLUG = 60  # characters: a file name that one can still read in a list
# a name tells nothing with these, but without one of them it would ask the opposite
_EMPTY_WORDS = FUNCTION_WORDS - {"no", "not", "nothing", "off"}
_COLLEAGUE_LINK = re.compile(r"\[\[(team/[^\[\]|\n]{1,120})\]\]")  # "[[team/ann/2026-01-16]]"


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """What an engine answered, as it came: `citations` are paths of pages, or links to them."""

    known: bool
    answer: str
    citations: tuple[str, ...] = ()
    follow_ups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
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
        reason = "is not one of the pages that were shown"
        no_source = "the answer names no page that it comes from"
        faults = [f"[[{name}]] {reason}" for name in self.removed]
        return (*faults, *[no_source] * (self.known and not self.citations))


def build_query_prompt(template: str, question: QueryMaterial, refusals: Sequence[str] = ()) -> str:
    """Ask for the answer to a question; `refusals` say what was wrong with an earlier one."""
    text, pages = question.text, render_pages(question.pages)
    reasons = "".join(f"\n- {' '.join(reason.split())}" for reason in refusals)
    if reasons:
        reasons = f"\nAn earlier answer was refused. Answer anew, mended:{reasons}"
    values = {"question": text, "pages": pages, "boundary": build_boundary(text, pages)}
    return fill_template(template, values | {"refusals": reasons})


def parse_answer(value: object) -> QueryAnswer:
    """Read the answer to a query; raises BadReply with the place and the reason."""
    form = Form(value)
    is_known, text = form.flag("known"), form.text("answer", _MAX_ANSWER)
    if is_known and not text:
        raise BadReply("known, it says, but there is no answer")
    follow_ups = form.names("follow_ups", _MAX_CITED, _MAX_LINE)[:MAX_FOLLOW_UPS]
    return QueryAnswer(is_known, text, form.names("citations", _MAX_CITED, _MAX_LINE), follow_ups)


def check_answer(answer: QueryAnswer, names: Container[str]) -> CheckedAnswer:
    """Check an answer against the pages that were shown and still exist.

    An answer that cites nothing in its text gets the pages that the form lists. One that does not
    know is said plainly; what it has to say besides stays if it names where that stands.
    """
    text = answer.answer.replace("[[knowledge/", "[[")
    listed_names = [_parse_target(name) for name in answer.citations]
    cited_names = dict.fromkeys([*_find_links(text), *listed_names])
    unknown_names = tuple(name for name in cited_names if name not in names)
    text = make_prose_inert(strip_links(text, unknown_names), names)
    listed_links = [f"[[{name}]]" for name in listed_names if name in names]
    if answer.known and listed_links and not _find_links(text):
        text += f"{_LIST_HEAD}{', '.join(listed_links)}"
    citations = _find_links(text)
    if not answer.known:
        remark = text.replace(UNKNOWN, "").strip()
        text = f"{UNKNOWN}\n\n{remark}" if citations and remark else UNKNOWN
    asks = []
    for line in answer.follow_ups:
        dead_links = [name for name in _find_links(line) if name not in names]
        asks.append(make_inert(strip_links(line, dead_links), names))
    return CheckedAnswer(answer.known, text, citations, tuple(filter(None, asks)), unknown_names)


def strip_links(text: str, targets: Iterable[str]) -> str:
    """Take links to targets out: with their parenthesis if they stand in one, else to words."""
    dead_names = set(targets)

    def live_links(links: str) -> str:
        matches = _LINK.finditer(links)
        return ", ".join(link[0] for link in matches if _parse_target(link[1]) not in dead_names)

    def keep_live(match: re.Match[str]) -> str:
        links = live_links(match[1])
        return f" ({links})" if links else ""

    def name_dead(match: re.Match[str]) -> str:
        name = _parse_target(match[1])
        words = match[2] or name.rsplit("/")[-1].replace("-", " ")
        return words if name in dead_names else match[0]

    if not dead_names:
        return text
    prose, mark, list_text = text.rpartition(_LIST_HEAD)
    # words are no source: of the list below an answer the link goes whole
    if not mark or _LINK.sub("", list_text).strip(", "):
        prose, mark, list_text = text, "", ""
    below = live_links(list_text)
    return _LINK.sub(name_dead, _CITATION.sub(keep_live, prose)) + mark * bool(below) + below


def _find_links(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(_parse_target, find_wikilinks(text))))


def _parse_target(name: str) -> str:
    target = name.strip().removeprefix("[[").removesuffix("]]").split("|")[0].split("#")[0].strip()
    return target.removeprefix("knowledge/").removesuffix(".md")


class Filing(NamedTuple):
    """What is to be filed: the question, its answer, the day, and the titles of the pages shown."""

    question: str
    answer: CheckedAnswer
    day: date
    titles: Mapping[str, str]  # by link: an entry's is that of its block

    def bodies(self, path: str) -> tuple[list[str], dict[str, str]]:
        """Give the pages that it rests on and the sections of its note, without the note itself."""
        # a colleague's entry is no note of the vault, to which a link would lead
        text = _COLLEAGUE_LINK.sub(r"`\1`", strip_links(self.answer.text, [path]))
        citations = self.answer.citations
        consulted = [name for name in citations if name != path and not name.startswith("team/")]
        links = dict.fromkeys(link[0].strip("![]").split("|")[0] for link in _LINK.finditer(text))
        own_links = [link for link in links if _parse_target(link) in consulted]
        titles = ((link, make_inert(self.titles.get(link, ""))) for link in own_links)
        sources = "\n".join(f"- [[{link}]]" + f" - {title}" * bool(title) for link, title in titles)
        questions = "\n".join(f"- {line}" for line in self.answer.follow_ups)
        return consulted, {ANSWER: text, SOURCES: sources, FOLLOW_UPS: questions}


def normalise_question(question: str) -> str:
    """Reduce a question to what two askings share: its words, without case and punctuation."""
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", question).casefold()))


def find_earlier_note(question: str, notes: Iterable[Article]) -> Article | None:
    """Find the note of the same question."""
    normalised = normalise_question(question)
    for note in notes:
        text = str(note.meta.get("question") or note.title.removeprefix("Q:"))
        if normalise_question(text) == normalised:
            return note
    return None


def choose_slug(question: str, is_free: Callable[[str], bool]) -> str:
    """Name the note after the words of the question; a hash keeps apart what has the same name."""
    ascii_only = unicodedata.normalize("NFKD", question).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", ascii_only.replace("'", ""))
    name = "-".join([word for word in words if word not in _EMPTY_WORDS] or words)
    if len(name) > _MAX_SLUG:
        name = name[:_MAX_SLUG].rpartition("-")[0] or name[:_MAX_SLUG]
    mark = hashlib.sha256(normalise_question(question).encode("utf-8", "replace")).hexdigest()[:8]
    is_usable = SLUG.match(name) and name not in RESERVED and is_free(name)
    return name if is_usable else f"{name}-{mark}".strip("-")


def build_note(path: str, filing: Filing, kind: Kind) -> Article:
    """Make the note of a question that is filed for the first time."""
    title = f"Q: {clip_text(make_inert(filing.question), _MAX_TITLE)}"
    consulted, bodies = filing.bodies(path)
    meta = {"title": title, "question": filing.question, "consulted": consulted}
    note = compose_article(path, kind.name, meta | {"filed": filing.day}, title, "")
    for heading, body in bodies.items():
        if body or heading != FOLLOW_UPS:
            note = with_body(note, heading, body, kind.sections)
    return note


def update_note(note: Article, filing: Filing, kind: Kind, *, is_owned: bool) -> Article:
    """Bring a note up to date; `is_owned` says that its file is as Memoria wrote it."""
    consulted, bodies = filing.bodies(note.path)
    sections = kind.sections
    if is_owned:
        updated = with_meta(note, {"consulted": consulted})
        for heading, body in bodies.items():
            if body and updated.section(heading).strip() != body:
                updated = with_body(updated, heading, body, sections)
    else:
        old_answer = note.section(ANSWER).replace("\r\n", "\n").strip()
        # other words in other lines are no other answer
        if normalise_question(bodies[ANSWER]) in normalise_question(old_answer):
            return note
        consulted_names = list(dict.fromkeys([*note.names("consulted"), *consulted]))
        below = [old_answer, f"Asked again on {filing.day}:", bodies[ANSWER]]
        updated = with_meta(note, {"consulted": consulted_names})
        updated = with_body(updated, ANSWER, "\n\n".join(filter(None, below)), sections)
        for heading in (SOURCES, FOLLOW_UPS):
            lines = [line.removeprefix("- ") for line in bodies[heading].splitlines()]
            updated = with_lines(updated, heading, lines, sections)
    is_same = render_article(updated) == render_article(note)
    return note if is_same else with_meta(updated, {"filed": filing.day})
