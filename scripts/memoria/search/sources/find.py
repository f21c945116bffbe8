"""Describe what a line was taken from: its entry, session and turn, and the passage itself.

What `memoria why` prints of each source is made here: read once a run, as several lines come from
the same day and the same transcript.
"""

from __future__ import annotations

import hashlib
from itertools import dropwhile, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoria.agents import port as agents
from memoria.agents.claude_code import settings_store as client
from memoria.capture.extract import extract_record
from memoria.capture.extract.sentences import stems
from memoria.errors import MemoriaError
from memoria.privacy import clean as gate
from memoria.search.sources.trace import Source, cited, sought
from memoria.search.sources.turn_scene import scene
from memoria.vault.citations import Citation, citations, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import date

    from memoria.agents.transcript import Turn
    from memoria.rules.model import Rule
    from memoria.search.sources.trace import Trace
    from memoria.search.sources.turn_scene import Scene
    from memoria.vault.article import Article
    from memoria.vault.citations import Quote
    from memoria.vault.entry import Extract
    from memoria.vault.storage.history import Seen
    from memoria.workspace import Workspace

_ERRORS, _SOURCES = "Errors and Fixes", "Sources"
_UNSAID = "no entry of that day says so"
# of the error's words: a line about it may leave out a path; elsewhere it has to name it whole
_LIKE = 0.7
_LEAST = 3
# resolutions of an error that are shown, the latest
_SHOWN = 3
# of a transcript, from the entry's first one on: a part of a session has a few dozen
_TURNS = 500


class Sources:
    """Finds the sources of lines in one vault; what is read is kept."""

    def __init__(self, work: Workspace) -> None:
        self.history = work.vault.history()
        self._work = work
        self._days: dict[date, tuple[Source, ...]] = {}
        self._turns: dict[tuple[Path, str], tuple[Turn, ...]] = {}
        self._texts: dict[date, str] = {}

    def of_day(self, day: date) -> tuple[Source, ...]:
        """Give the entries of a day with what was found in their sessions; () for no log."""
        if day not in self._days:
            log = self._work.vault.log(day)
            self._texts[day] = log.text
            self._days[day] = tuple(
                Source(block, self._extract(block.entry.id)) for block in log.blocks
            )
        return self._days[day]

    def _extract(self, identity: str) -> Extract | None:
        state = self._work.vault.state
        try:
            value = state.read_json(state.extracts / f"{identity}.json")
        except MemoriaError:
            return None  # the lines of the entry itself serve in its place
        return extract_record.decode(value) if value else None

    def of_line(self, line: str, article: Article, *, deep: bool) -> list[dict[str, Any]]:
        """Trace a line to the entries that it names, else to one that its article is made from.

        `deep` looks into the transcripts, too.
        """
        named = citations(line)
        if named:
            return [self.of_citation(one, words(line), deep=deep) for one in named]
        listed = citations(article.section(_SOURCES)) or tuple(
            Citation(name.removesuffix(".md")) for name in article.names("sources")
        )
        pages = [self.page(one.note) for one in listed if one.day is None]
        trace = sought(words(line), (found for one in listed for found in self._named(one)))
        return [self.traced(trace, deep=deep)] if trace else pages[:1]

    def _named(self, citation: Citation) -> tuple[Source, ...]:
        """Give the entry that a link names, all those of the day where it names none."""
        entries = self.of_day(citation.day) if citation.day else ()
        if not citation.entry:
            return entries
        return tuple(one for one in entries if one.block.entry.id == citation.entry)

    def of_citation(self, citation: Citation, said: str, *, deep: bool) -> dict[str, Any]:
        """Trace words to what their link names."""
        if citation.day is None:
            return self.page(citation.note)
        found = self._named(citation)
        trace = cited(said, found[0]) if found and citation.entry else sought(said, found)
        return self.traced(trace, deep=deep) if trace else self._missing(citation)

    def _missing(self, citation: Citation) -> dict[str, Any]:
        note = "that log is gone or empty"
        if citation.day and self.of_day(citation.day):
            note = "that log has no entry of this id" if citation.entry else _UNSAID
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
        from memoria.rules.from_review import review_entry as critique  # noqa: PLC0415 - as above
        from memoria.vault.written.written_entry import written  # noqa: PLC0415 - as above

        found = written(page.text)
        origin = critique.origin(page.text)
        if origin:
            note = critique.ORIGINS[origin]
        elif found.session:
            note = f"a draft made from session {found.session}"
        else:
            note = "you wrote it by hand"
        return {"path": f"daily/{name}", "title": found.title, "note": note}

    def entry(self, one: Source) -> dict[str, Any]:
        """Describe an entry."""
        entry = one.block.entry
        path, exists = self._transcript(entry.session)
        text = self._texts.get(entry.day, "")
        return {
            "path": f"daily/{entry.day}.md",
            "line": text.count("\n", 0, one.block.start) + 1,
            "entry": entry.id,
            "title": entry.draft.title,
            "day": str(entry.day),
            "time": f"{entry.at:%H:%M}",
            "project": entry.project,
            "session": entry.session,
            "engine": entry.engine,
            "edited": one.block.edited,
            "transcript": str(path) if path else None,
            "exists": exists,
        }

    def traced(self, source: Trace, *, deep: bool) -> dict[str, Any]:
        """Describe where a line comes from; `deep` looks into the transcript, if it is there."""
        value = self.entry(Source(source.block)) | {
            "sure": source.sure,
            "words": source.words,
            "origin": source.origin or None,
            "turn": source.turn + 1 or None,
        }
        found = self._scene(source, value) if deep else None
        if found is None:
            return value
        return value | {
            "turn": found.turn + 1,
            "at": found.at.astimezone(self._work.settings.zone).isoformat(timespec="seconds"),
            "asked": found.asked or None,
            "who": found.who or None,
            "passage": found.passage or None,
        }

    def _scene(self, source: Trace, value: dict[str, Any]) -> Scene | None:
        if not value["exists"]:
            return None
        turns = self._part(Path(value["transcript"]), source.block.entry.id)
        found = scene(source.words, turns, source.turn)
        return gate.clean(found, self._work.settings.secrets) if found else None

    def _transcript(self, session: str) -> tuple[Path | None, bool]:
        """Say where a session's transcript is or was, and whether it is there."""
        marks = self.history.watermarks.values()
        known = [Path(mark.path) for mark in marks if session and mark.identity == session]
        there = next((path for path in known if path.is_file()), None)
        if there is None and session:
            folder = client.projects_dir(self._work.settings.config_dir)
            there = client.find_transcript(folder, session, "")
        return (there, True) if there else (known[0] if known else None, False)

    def _part(self, path: Path, identity: str) -> tuple[Turn, ...]:
        """Read the turns of a transcript from the one on that an entry begins with."""
        key = path, identity
        if key not in self._turns:
            try:
                found = dropwhile(lambda turn: not _begins(turn, identity), _read(path))
                self._turns[key] = tuple(islice(found, _TURNS))
            except MemoriaError:
                self._turns[key] = ()
        return self._turns[key]

    def mistakes(self, text: str, section: str) -> list[dict[str, Any]]:
        """Give the errors that a line speaks of: how often they came, what mended them."""
        groups: dict[str, list[Seen]] = {}
        error = text.partition(" -> ")[0]
        whole = section == _ERRORS or error != text
        for seen in self.history.mistakes:
            if _speaks_of(error, seen.mistake.line, _LIKE if whole else 1.0):
                groups.setdefault(seen.mistake.signature, []).append(seen)
        return [_met(group) for group in groups.values()]


def _read(path: Path) -> Iterator[Turn]:
    """Read the turns of a transcript without what the person marked as private."""
    for part in agents.read(path):
        yield from gate.without_private(part).turns


def _begins(turn: Turn, identity: str) -> bool:
    """Whether an entry begins with a turn (capture/service.py makes its id so)."""
    digest = hashlib.sha256(turn.uuid.encode("utf-8", "replace")).hexdigest()
    return identity == f"e-{digest[:12]}"


def _speaks_of(text: str, error: str, share: float) -> bool:
    wanted = stems(error)
    return len(wanted) >= _LEAST and len(wanted & stems(text)) >= share * len(wanted)


def _met(group: Sequence[Seen]) -> dict[str, Any]:
    last = group[-1].mistake
    return {
        "error": last.line,
        "signature": last.signature,
        "count": len(group),
        "sessions": len({seen.session for seen in group}),
        "resolutions": _resolutions(group),
    }


def _resolutions(group: Iterable[Seen]) -> list[dict[str, str]]:
    found = [seen.mistake.resolution for seen in group if seen.mistake.resolution]
    told = {(one.how, one.change): one for one in found}
    latest = sorted(told.values(), key=lambda one: (bool(one.change), one.at))[-_SHOWN:]
    return [
        {"how": one.how, "change": one.change, "at": one.at.isoformat()} for one in reversed(latest)
    ]
