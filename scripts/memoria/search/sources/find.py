"""Describe what a line was taken from: its entry, session and turn, and the passage itself.

A line names its entry, and the extract that is kept beside the entry has the turn of each of its
lines: both are looked up. Each log and transcript is read once a run.
"""

from __future__ import annotations

import hashlib
from functools import cache
from itertools import dropwhile, islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from memoria.agents import port as agents
from memoria.agents.claude_code import settings_store as client
from memoria.agents.claude_code.user_words import ask
from memoria.agents.transcript import Call, Say, Steer
from memoria.errors import MemoriaError
from memoria.privacy import clean as gate
from memoria.search.service import extract
from memoria.text.markdown import mark
from memoria.text.prose import clipped
from memoria.text.word_overlap import stems
from memoria.vault.citations import Citation, citations, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import date, datetime

    from memoria.agents.transcript import Turn
    from memoria.rules.model import Rule
    from memoria.vault.article import Article
    from memoria.vault.citations import Quote
    from memoria.vault.daily import Block
    from memoria.vault.entry import Extract
    from memoria.workspace import Workspace

NO_TURN = -1
_WHOLE = 4  # words in a row: fewer may be a part of any line
# turns of a transcript, from the entry's first one on: a part of a session has a few dozen
_TURNS = 500
# characters: of a text that is searched (a long answer has 10,000), of what is shown of the
# question and of the passage
_LONGEST, _ASKED, _SHOWN = 20_000, 300, 500
# of the words: with fewer in common, the passage is another one
_LIKE = 0.5

# whose words an entry holds that says so: none of them are this vault's user's
_ORIGINS = {
    "review": "out of a code review: written by others",
    "buildlog": "out of a buildlog: who wrote it is not known",
}


class Trace(NamedTuple):
    """Where a line comes from: the entry that it names, or that has these words ("exact").

    `words` are the source's own; `turn` is the index of the turn within the entry's part of the
    session, NO_TURN where it is not known; `origin` says whose words they were, "" likewise.
    """

    block: Block
    words: str
    sure: str = ""
    turn: int = NO_TURN
    origin: str = ""


class Source(NamedTuple):
    """An entry of a log with what was found in its session, None where that is gone."""

    block: Block
    extract: Extract | None = None

    def said(self) -> Iterator[tuple[str, int, str]]:
        """Yield the lines of the entry: what was found in the session first, it has the turns."""
        drafts = [self.block.entry.draft]
        if self.extract:
            drafts.append(self.extract.draft)
            yield from ((fact.text, fact.turn, fact.origin) for fact in self.extract.facts)
            yield from ((one.quote, NO_TURN, "user") for one in self.extract.statements)
        for draft in drafts:
            lists = (draft.exchanges, draft.decisions, draft.lessons, draft.actions)
            for text in (*(line for lines in lists for line in lines), draft.context, draft.title):
                yield text, NO_TURN, ""

    def trace(self, said: str) -> Trace | None:
        """Look a line up, without regard to case and marks; it may be a part of one."""
        wanted = mark(said)
        is_long = wanted.count(" ") + 1 >= _WHOLE
        for text, turn, origin in self.said() if wanted else ():
            marked = mark(text)
            if wanted == marked or (is_long and f" {wanted} " in f" {marked} "):
                return Trace(self.block, text, "exact", turn, origin)
        return None


class Scene(NamedTuple):
    """What was said where a line comes from: who said it and when, and what was asked there."""

    turn: int
    at: datetime
    asked: str
    who: str
    passage: str


class Sources:
    """Finds the sources of lines in one vault; what is read is kept."""

    def __init__(self, work: Workspace) -> None:
        self.history = work.vault.history()
        self._work = work
        self.log = cache(work.vault.log)
        self.of_day = cache(self._of_day)
        self._part = cache(self._read_part)

    def _of_day(self, day: date) -> tuple[Source, ...]:
        """Give the entries of a day with what was found in their sessions; () for no log."""
        blocks = self.log(day).blocks
        return tuple(Source(block, extract(self._work, block.entry.id)) for block in blocks)

    def of_line(self, line: str, article: Article, *, deep: bool) -> list[dict[str, Any]]:
        """Trace a line to the entries that it names, else to one that its article is made from."""
        named = citations(line)
        if named:
            return [self.of_citation(one, words(line), deep=deep) for one in named]
        listed = citations(article.section("Sources")) or tuple(
            Citation(name.removesuffix(".md")) for name in article.names("sources")
        )
        trace = _exact(words(line), (source for one in listed for source in self._named(one)))
        if trace:
            return [self.traced(trace, deep=deep)]
        return [self.page(one.note) for one in listed if one.day is None][:1]

    def _named(self, citation: Citation) -> list[Source]:
        """Give the entry that a link names, all those of the day where it names none."""
        entries = self.of_day(citation.day) if citation.day else ()
        return [one for one in entries if citation.entry in {"", one.block.entry.id}]

    def of_citation(self, citation: Citation, said: str, *, deep: bool) -> dict[str, Any]:
        """Trace words to what their link names."""
        if citation.day is None:
            return self.page(citation.note)
        named = self._named(citation)
        trace = _exact(said, named)
        if named and citation.entry:
            trace = trace or Trace(named[0].block, said, "cited")
        if trace:
            return self.traced(trace, deep=deep)
        note = "that log is gone or empty"
        if self.of_day(citation.day):
            missing = "that log has no entry of this id" if citation.entry else ""
            note = missing or "no entry of that day says so"
        return {"path": f"{citation.note}.md", "note": note}

    def said(self, quote: Quote, rule: Rule) -> dict[str, Any]:
        """Trace what the user said for a rule."""
        if quote.citation:
            traced = self.of_citation(quote.citation, quote.words, deep=True)
            return {"words": quote.words} | traced
        place = rule.path or rule.id
        return {"words": quote.words, "path": place, "note": quote.where or "no log is named"}

    def page(self, link: str) -> dict[str, Any]:
        """Say of an entry that a person wrote, or a review's, whose words it holds."""
        name = f"{link.removeprefix('daily/')}.md"
        try:
            page = self._work.vault.page(name)
        except MemoriaError as error:
            return {"path": f"daily/{name}", "note": str(error)}
        if not page.text:
            return {"path": f"daily/{name}", "note": "it is not there"}
        # few lines come from a written entry, and its readers take long to load
        from memoria.vault.written.written_entry import written  # noqa: PLC0415 - as above

        entry = written(page.text)
        note = f"a draft made from session {entry.session}" if entry.session else ""
        note = _ORIGINS.get(entry.origin) or note or "you wrote it by hand"
        return {"path": f"daily/{name}", "title": entry.title, "note": note}

    def entry(self, block: Block) -> dict[str, Any]:
        """Describe an entry."""
        entry = block.entry
        path, exists = self._transcript(entry.session)
        text = self.log(entry.day).text
        return {
            "path": f"daily/{entry.day}.md",
            "line": text.count("\n", 0, block.start) + 1,
            "entry": entry.id,
            "title": entry.draft.title,
            "day": str(entry.day),
            "time": f"{entry.at:%H:%M}",
            "project": entry.project,
            "session": entry.session,
            "engine": entry.engine,
            "edited": block.edited,
            "transcript": str(path) if path else None,
            "exists": exists,
        }

    def traced(self, source: Trace, *, deep: bool) -> dict[str, Any]:
        """Describe where a line comes from; `deep` looks into the transcript, if it is there."""
        value = self.entry(source.block) | {
            "sure": source.sure,
            "words": source.words,
            "origin": source.origin or None,
            "turn": source.turn + 1 or None,
        }
        if not deep or not value["exists"]:
            return value
        turns = self._part(Path(value["transcript"]), source.block.entry.id)
        found = scene(source.words, turns, source.turn)
        if found is None:
            return value
        # a transcript holds what was never redacted
        asked, passage = gate.clean((found.asked, found.passage), self._work.settings.secrets)
        return value | {
            "turn": found.turn + 1,
            "at": found.at.astimezone(self._work.settings.zone).isoformat(timespec="seconds"),
            "asked": asked or None,
            "who": found.who or None,
            "passage": passage or None,
        }

    def _transcript(self, session: str) -> tuple[Path | None, bool]:
        """Say where a session's transcript is or was, and whether it is there."""
        marks = self.history.watermarks.values()
        known = [Path(one.path) for one in marks if session and one.identity == session]
        there = next((path for path in known if path.is_file()), None)
        if there is None and session:
            folder = client.projects_dir(self._work.settings.config_dir)
            there = client.find_transcript(folder, session)
        return (there, True) if there else (known[0] if known else None, False)

    def _read_part(self, path: Path, identity: str) -> tuple[Turn, ...]:
        """Read the turns of a transcript, but private words, from the one that an entry begins."""
        try:
            read = (gate.without_private(part).turns for part in agents.read(path))
            turns = (turn for part in read for turn in part)
            return tuple(islice(dropwhile(lambda turn: not _begins(turn, identity), turns), _TURNS))
        except MemoriaError:
            return ()


def _exact(said: str, sources: Iterable[Source]) -> Trace | None:
    """Find who has a line word for word, a source that knows its turn before others."""
    traces = [trace for one in sources if (trace := one.trace(said))]
    return min(traces, key=lambda trace: trace.turn == NO_TURN, default=None)


def _begins(turn: Turn, identity: str) -> bool:
    """Whether an entry begins with a turn (capture/service.py makes its id so)."""
    digest = hashlib.sha256(turn.uuid.encode("utf-8", "replace")).hexdigest()
    return identity == f"e-{digest[:12]}"


def scene(said: str, turns: Sequence[Turn], expected: int) -> Scene | None:
    """Find words among turns, in the expected one first; None where there is no turn."""
    wanted, best, place = stems(said), 0.0, None
    for index in sorted(range(len(turns)), key=lambda index: index != expected):
        turn = turns[index]
        asked = clipped(" ".join(ask(turn.prompt).text.split()), _ASKED)
        if index == expected and place is None:
            place = Scene(index, turn.at, asked, "", "")
        for who, at, passage in _passages(turn):
            share = len(wanted & stems(passage)) / len(wanted) if wanted else 0.0
            if share >= _LIKE and share > best:
                best = share
                place = Scene(index, at, asked, who, clipped(" ".join(passage.split()), _SHOWN))
        if best == 1.0 or (best and index == expected):
            break
    return place


def _passages(turn: Turn) -> Iterator[tuple[str, datetime, str]]:
    """Yield the lines of a turn, and then what runs over two, cut before megabytes are searched."""
    for who, at, text in _texts(turn):
        lines = [line for line in text[:_LONGEST].split("\n") if line.strip()]
        joined = map("\n".join, pairwise(lines))
        yield from ((who, at, passage) for passage in (*lines, *joined))


def _texts(turn: Turn) -> Iterator[tuple[str, datetime, str]]:
    """Yield what was said: the person first, then the assistant; tools last, as they repeat."""
    yield "user", turn.at, ask(turn.prompt).text
    for step in turn.steps:
        if isinstance(step, Steer):
            yield "user", step.at, step.text
        elif isinstance(step, Call):
            yield "user", step.at, ask(step.reason).text if step.reason else ""
            yield from (("user", step.at, f"{one.question} {one.text}") for one in step.answers)
    for step in turn.steps:
        if isinstance(step, Say):
            yield "assistant", step.at, step.text
        elif isinstance(step, Call):
            yield from (("assistant", step.at, value) for _, value in step.arguments)
    yield from (("tool", call.at, call.result) for call in turn.calls)
