"""Fold lines in order to Transcripts: open and close turns, and cut a file into parts.

It is fed line by line and gives parts away as they are complete, so that a file of any length is
read in bounded memory. The trap: what a line means depends on lines far before it (a result on its
call, a removed queue entry on its words), yet reading from a part's end must give the turns that
reading on gives: so a part ends where a turn begins, and what a turn needs lies within it.
"""

import hashlib
from collections import Counter
from collections.abc import Container
from datetime import datetime
from typing import Protocol

from memoria.agents import transcript
from memoria.agents.claude_code import tools
from memoria.agents.open_turn import OpenTurn, PromptQueue, memory_size, tally
from memoria.agents.transcript import AssistantText, Call, Compaction, Interrupt, Steer, Transcript

_MAX_LINKS = 100  # pull requests of one session
_MAX_IDS = 32_768  # of one generation: two of them cost 5 MB and reach back some 60 MB of file


class LineFormat(Protocol):
    """How an agent writes its sessions: a line as pieces.

    One is made for each reading, so that it may remember what earlier lines said. `head` is how
    many of a file's first lines it has to know of, wherever the reading starts.
    """

    agent: str
    head: int

    def read_line(
        self, raw: bytes, limits: transcript.Limits, now: datetime
    ) -> transcript.TranscriptLine | str:
        """Parse a line, or say why it is left out ("" where it is no conversation by its type).

        `now` is the time of the line before, which one without a time of its own gets.
        """
        ...


class TranscriptReader:
    """Feed `line` (or `skip`) in the file's order, then `finish`; each gives complete parts.

    It holds one part and the turn that is open. A part ends at a turn's border, when it is full or
    when the session was resumed on another day: capture as it happened would have delivered the
    two days apart. Only a turn that alone fills a part is cut inside.
    """

    def __init__(  # noqa: PLR0913 - what a reading begins with; the options by name
        self,
        session: str,
        now: datetime,
        limits: transcript.Limits,
        form: LineFormat,
        *,
        start: int = 0,
        known: Container[str] = frozenset(),
        sidechain: bool = False,
    ) -> None:
        """Begin at byte `start`; `now` is the time of the first lines where they have none."""
        self._limits, self._known, self._sidechain = limits, known, sidechain
        self._form = form
        self._session, self._cwd, self._branch = session, "", ""
        self._place = transcript.LinePlace()
        self._title, self._now = (0, ""), now
        self._start = self._end = start
        self._seen = _RecentIds()
        self._queue = PromptQueue()
        self._calls: dict[str, tuple[OpenTurn, int]] = {}
        self._closed: list[OpenTurn] = []
        self._size = 0
        self._links: dict[str, None] = {}
        self._skipped: Counter[str] = Counter()
        self._open = OpenTurn(start)
        self._opening: int | None = None

    def line(self, raw: bytes, end: int) -> list[Transcript]:
        """Take the line that ends at byte `end`; give the parts that it completes."""
        start, self._end = self._end, end
        line = self._form.read_line(raw, self._limits, self._now)
        reason = line if isinstance(line, str) else self._find_skip_reason(line)
        if reason:
            self._open.skip(reason)
        if isinstance(line, str) or reason:
            return []
        name = line.uuid
        # only a line that begins a turn needs one: by its bytes, the same at every reading
        if not name and (self._open.at is None or transcript.PromptEvent in map(type, line.pieces)):
            name = hashlib.sha256(raw.strip()).hexdigest()[:32]
        return self._take_line(line, name, start)

    def skip(self, reason: str, end: int) -> None:
        """Pass over a line that ends at byte `end`, unread."""
        self._end = end
        self._open.skip(reason)

    def finish(self, *, leave_open: bool = False) -> Transcript:
        """Give the last part, which may have no turns; `leave_open` leaves its last turn out."""
        if leave_open and self._open.has_begun:
            return self._cut_part(self._open.start)
        self._close_turn()
        return self._cut_part(self._end)

    def _find_skip_reason(self, line: transcript.TranscriptLine) -> str:
        if line.sidechain and not self._sidechain:
            return "sidechain"
        return "" if not line.uuid or self._seen.add_new(line.uuid) else "repeated"

    def _take_line(
        self, line: transcript.TranscriptLine, uuid: str, start: int
    ) -> list[Transcript]:
        self._note_place(line)
        parts = []
        for piece in line.pieces:
            if isinstance(piece, transcript.TurnStartEvent):
                self._opening = start
            elif isinstance(piece, transcript.PromptEvent):
                turn_start = start if self._opening is None else self._opening
                self._opening = None
                parts += self._begin_turn(piece.text, uuid, turn_start)
            else:
                self._take_piece(piece)
        self._open.touch(line, uuid, self._branch)
        if self._size + self._open.size > self._limits.part:
            parts += self._cut_overflow()
        return parts

    def _note_place(self, line: transcript.TranscriptLine) -> None:
        self._now = line.at
        if line.place is self._place:
            return
        self._place = line.place
        self._session = line.place.session or self._session
        self._cwd = self._cwd or line.place.cwd
        self._branch = line.place.branch or self._branch

    def _begin_turn(self, text: str, uuid: str, start: int) -> list[Transcript]:
        if self._open.is_resent(text):
            return []
        until = self._open.until
        self._close_turn()
        parts = [self._cut_part(start)] if self._is_resumed(until) else []
        known, now = uuid in self._known, self._now
        self._open = OpenTurn(start, uuid, now, now, text, self._branch, known)
        self._open.size += memory_size(text)
        return parts

    def _cut_overflow(self) -> list[Transcript]:
        """Give away what is closed when the part is full, and a turn that alone fills it.

        The latter not between a call and its result, unless that result never comes.
        """
        if self._closed:
            return [self._cut_part(self._open.start)]
        is_torn = bool(self._calls) and self._open.size <= 2 * self._limits.part
        if is_torn or not self._open.is_new:
            return []
        self._close_turn()
        return [self._cut_part(self._end)]

    def _is_resumed(self, until: datetime | None) -> bool:
        """Say whether the session went on after a night: a long pause and another date."""
        if until is None or not self._closed:
            return False
        return self._now - until > self._limits.pause and self._now.date() != until.date()

    def _take_piece(self, piece: transcript.Piece) -> None:  # noqa: C901 - one arm for each kind of piece
        match piece:
            case AssistantText(text) | Compaction(text):
                self._open.add(piece, text)
            case Interrupt():
                self._open.add(piece)
            case Call():
                if not self._open.known:
                    self._calls[piece.id] = (self._open, len(self._open.steps))
                self._open.add(piece, *(value for _, value in piece.arguments))
            case transcript.ResultEvent():
                self._take_result(piece)
            case transcript.SteerEvent():
                self._take_steer(piece, is_queued=False)
            case transcript.QueueEvent():
                if words := self._queue.apply_operation(piece):
                    self._take_steer(words, is_queued=True)
            case transcript.TitleEvent(rank, text) if rank >= self._title[0]:
                self._title = (rank, text)
            case transcript.PullRequestEvent(url) if len(self._links) < _MAX_LINKS:
                self._links[url] = None
            case transcript.WithdrawalEvent(turns):
                self._withdraw_turns(turns)

    def _take_result(self, result: transcript.ResultEvent) -> None:
        turn, index = self._calls.pop(result.id, (None, 0))
        if turn is None:
            if not self._open.known:
                self._open.skip("result without a call")
            return
        if result.goes_on:
            self._calls[result.id] = (turn, index)
        call = turn.find_call(index)
        if call is not None:
            growth = turn.answer(index, call, tools.complete_call(call, result), self._limits)
            self._size += 0 if turn is self._open else growth

    def _withdraw_turns(self, turns: int) -> None:
        """Drop the last turns, as far as they were not given away in a part."""
        for _ in range(min(turns, len(self._closed) + 1)):
            if self._open.has_begun:
                self._open = OpenTurn(self._open.start)
            elif self._closed:
                self._size -= self._closed.pop().size
        self._open.skip("withdrawn by the user")

    def _take_steer(self, event: transcript.SteerEvent, *, is_queued: bool) -> None:
        """Add what the user typed once, though newer clients write it in two forms.

        Only the attachment says who typed: where a program did, the queue's form is taken back.
        """
        steer = Steer(event.text, self._now)
        twin = self._open.pair_forms(event, steer, is_queued=is_queued)
        if not event.typed:
            self._open.skip("not typed")
            self._open.revoked += [] if twin is None else [twin]
        elif twin is None:
            self._open.add(steer, event.text)

    def _close_turn(self) -> None:
        """Put the open turn to the part; of one that is known only its lines count."""
        turn = self._open
        if turn.is_new:
            self._closed.append(turn)
            self._size += turn.size
        elif turn.has_begun:
            turn.skip("known turn")
        for reason, times in turn.skipped.items():
            tally(self._skipped, reason, times)
        self._open = OpenTurn(self._end)

    def _cut_part(self, end: int) -> Transcript:
        """Give what is closed as a part that ends at byte `end`, and begin the next one there."""
        part = Transcript(
            session=self._session,
            cwd=self._cwd,
            title=self._title[1],
            turns=tuple(turn.build_turn() for turn in self._closed),
            start=self._start,
            end=end,
            pull_requests=tuple(self._links),
            skipped=tuple(sorted(self._skipped.items())),
            is_named=self._title[0] == transcript.TYPED_TITLE,
            agent=self._form.agent,
        )
        self._start, self._size, self._closed = end, 0, []
        self._links, self._skipped = {}, Counter()
        self._calls = {key: place for key, place in self._calls.items() if place[0] is self._open}
        return part


class _RecentIds:
    """A memory of ids that forgets the oldest: files of any length, memory of one size."""

    def __init__(self) -> None:
        self._new: set[int] = set()  # hashes: a third of the memory, and as good as never equal
        self._old: set[int] = set()

    def add_new(self, name: str) -> bool:
        """Remember an id; False where it is remembered already."""
        digest = hash(name)
        if digest in self._new or digest in self._old:
            return False
        if len(self._new) >= _MAX_IDS:
            self._new, self._old = set(), self._new
        self._new.add(digest)
        return True
