"""Find the entry, the session and the turn in which a line was said.

From a link to the entry that it names, from the entry to its session and turn by what was kept
beside it, and, while Claude Code still has the transcript, to what was asked in that turn.
"""

from __future__ import annotations

from functools import cache, partial
from itertools import dropwhile, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from memoria.agents import port
from memoria.agents.claude_code import settings_store
from memoria.agents.claude_code.user_words import parse_ask
from memoria.capture.extract.extract_record import read_extract
from memoria.capture.parts import build_entry_id
from memoria.errors import MemoriaError
from memoria.privacy import clean
from memoria.text.markdown import normalise_words
from memoria.text.prose import clip_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from memoria.agents.transcript import Turn
    from memoria.rules.model import Rule
    from memoria.vault.citations import Citation, Quote
    from memoria.vault.daily_log import Block
    from memoria.vault.entry import Extract
    from memoria.workspace import Workspace

NO_TURN = -1
_MIN_WORDS = 4  # in a row: fewer may be a part of any line
_MAX_ASK = 300  # characters of the question that are shown
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


class EntrySource(NamedTuple):
    """An entry of a log with what was found in its session, None where that is gone."""

    block: Block
    extract: Extract | None = None

    def list_said_lines(self) -> Iterator[tuple[str, int, str]]:
        """Yield the lines of the entry: what was found in the session first, it has the turns."""
        drafts = [self.block.entry.draft]
        if self.extract:
            drafts.append(self.extract.draft)
            facts = (*self.extract.facts, *self.extract.results)
            yield from ((fact.text, fact.turn, fact.origin) for fact in facts)
            yield from ((statement.quote, NO_TURN, "user") for statement in self.extract.statements)
        for draft in drafts:
            lines = (*draft.exchanges, *draft.decisions, *draft.lessons, *draft.actions)
            yield from ((text, NO_TURN, "") for text in (*lines, draft.context, draft.title))

    def trace(self, line: str) -> Trace | None:
        """Look a line up, without regard to case and marks; it may be a part of one.

        An entry shows a sentence with its neighbours: the turn of the sentence is that of the line.
        """
        words, found, part = normalise_words(line), None, None
        is_long = words.count(" ") + 1 >= _MIN_WORDS
        for text, turn, origin in self.list_said_lines() if words else ():
            said_words = normalise_words(text)
            if words == said_words or (is_long and f" {words} " in f" {said_words} "):
                found = found or Trace(self.block, text, "exact", turn, origin)
            elif said_words.count(" ") + 1 >= _MIN_WORDS and f" {said_words} " in f" {words} ":
                part = part or Trace(self.block, text, "exact", turn, origin)
        if found and part and found.turn == NO_TURN:
            return found._replace(turn=part.turn, origin=part.origin)
        return found


class SourceLookup:
    """Looks up where the lines of one vault were said; what is read is kept."""

    def __init__(self, work: Workspace) -> None:
        self._work = work
        self.history = work.vault.history()
        self.log = cache(work.vault.log)

    def read_day(self, day: date) -> tuple[EntrySource, ...]:
        """Give the entries of a day with what was found in their sessions; () for no log."""
        extract_of = partial(read_extract, self._work)
        return tuple(EntrySource(row, extract_of(row.entry.id)) for row in self.log(day).blocks)

    def trace_citation(self, citation: Citation, words: str, *, deep: bool) -> dict[str, Any]:
        """Trace words to what their link names."""
        if citation.day is None:
            return self.page(citation.note)
        entries = self.read_day(citation.day)  # all of them, where it names none
        sources = [source for source in entries if citation.entry in {"", source.block.entry.id}]
        # who has it word for word, a source that knows its turn before others
        traces = [trace for source in sources if (trace := source.trace(words))]
        trace = min(traces, key=lambda trace: trace.turn == NO_TURN, default=None)
        if sources and citation.entry:
            trace = trace or Trace(sources[0].block, words, "cited")
        if trace:
            return self.trace_source(trace, deep=deep)
        note = "that log has no entry of this id" if entries else "that log is gone or empty"
        if entries and not citation.entry:
            note = "no entry of that day says so"
        return {"path": f"{citation.note}.md", "note": note}

    def trace_quote(self, quote: Quote, rule: Rule) -> dict[str, Any]:
        """Trace what the user said for a rule."""
        account = {"path": rule.path or rule.id, "note": quote.where or "no log is named"}
        if quote.citation:
            account = self.trace_citation(quote.citation, quote.words, deep=True)
        return {"words": quote.words} | account

    def page(self, link: str) -> dict[str, Any]:
        """Say of an entry that a person wrote, or a review's, whose words it holds."""
        path = f"daily/{link.removeprefix('daily/')}.md"
        try:
            page = self._work.vault.page(path.removeprefix("daily/"))
        except MemoriaError as error:
            return {"path": path, "note": str(error)}
        if not page.text:
            return {"path": path, "note": "it is not there"}
        # few lines come from a written entry, and its readers take long to load
        from memoria.vault.written.written_entry import parse_written_entry  # noqa: PLC0415 - as above

        entry = parse_written_entry(page.text)
        note = f"a draft made from session {entry.session}" if entry.session else ""
        note = _ORIGINS.get(entry.origin) or note or "you wrote it by hand"
        return {"path": path, "title": entry.title, "note": note}

    def describe_entry(self, block: Block) -> dict[str, Any]:
        """Describe an entry."""
        entry = block.entry
        path, exists = self._find_transcript(entry.session)
        return {
            "path": f"daily/{entry.day}.md",
            "line": self.log(entry.day).text.count("\n", 0, block.start) + 1,
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

    def trace_source(self, source: Trace, *, deep: bool) -> dict[str, Any]:
        """Describe where a line comes from; `deep` looks into the transcript, if it is there."""
        said = {"sure": source.sure, "words": source.words, "origin": source.origin or None}
        value = self.describe_entry(source.block) | said | {"turn": source.turn + 1 or None}
        turn = None
        if deep and value["exists"] and source.turn != NO_TURN:
            turn = self._read_turn(Path(value["transcript"]), source.block.entry.id, source.turn)
        if turn is None:
            return value
        # a transcript holds what was never redacted
        question = clean.clean_value(parse_ask(turn.prompt).text, self._work.settings.secrets)
        at = turn.at.astimezone(self._work.settings.zone).isoformat(timespec="seconds")
        return value | {"at": at, "asked": clip_text(" ".join(question.split()), _MAX_ASK) or None}

    def _find_transcript(self, session: str) -> tuple[Path | None, bool]:
        """Say where a session's transcript is or was, and whether it is there."""
        marks = self.history.watermarks.values()
        paths = [Path(mark.path) for mark in marks if session and mark.identity == session]
        existing = next((path for path in paths if path.is_file()), None)
        if existing is None and session:
            folder = settings_store.projects_dir(self._work.settings.config_dir)
            existing = settings_store.find_transcript(folder, session)
        return (existing, True) if existing else (paths[0] if paths else None, False)

    def _read_turn(self, path: Path, entry: str, number: int) -> Turn | None:
        """Read a turn of a transcript, but private words, counted from where an entry begins."""
        try:
            turns = (turn for part in port.read(path) for turn in clean.without_private(part).turns)
            own_turns = dropwhile(lambda turn: build_entry_id(turn.uuid) != entry, turns)
            return next(islice(own_turns, number, None), None)
        except MemoriaError:
            return None
