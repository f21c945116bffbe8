"""Read a transcript file of Claude Code, with what the session's subagents called.

Subagents write files of their own, so what they called is found by the times between which a part
was written.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Unpack

from memoria.agents import session_file_store, session_reader_store
from memoria.agents.claude_code.lines import read_line
from memoria.agents.json_line import parse_time
from memoria.agents.transcript import Call, Limits, Transcript
from memoria.agents.turns import TranscriptReader
from memoria.errors import TranscriptError

_LOOK_BACK_BYTES = 64 << 10  # before a watermark: one line in it at least has its time
_MAX_SKEW = timedelta(days=1)  # a copy may have lost its zone, so a file's time is trusted to a day
_CALL_BYTES = 400  # that a call costs beside its texts
_TIMESTAMP = re.compile(rb'"timestamp": ?"([0-9T:.Z+-]{10,40})"')


class ClaudeCodeFormat:
    """The format of Claude Code's lines, each of which says by itself where it belongs."""

    agent = "claude-code"
    head = 0
    read_line = staticmethod(read_line)


def read(path: Path, **portion: Unpack[session_reader_store.Portion]) -> Iterator[Transcript]:
    """Read as agents/session_reader_store.py does, with the calls of subagents.

    These lie beside the transcript's own place.
    """
    limits, source = portion.get("limits") or Limits(), portion.get("source") or path
    since = _find_time_before(path, portion.get("start", 0))
    for part in session_reader_store.read(
        path, ClaudeCodeFormat(), session_file_store.session_name(source.stem), **portion
    ):
        if not part.turns:
            yield part
            continue
        until = max(turn.until for turn in part.turns)
        yield _add_subagents(part, source, since, until, limits)
        since = until


def list_subagents(path: Path) -> tuple[Path, ...]:
    """List the transcripts of the session's subagents, which lie in a folder beside its own."""
    folder = path.parent / path.stem / "subagents"
    try:
        is_there = folder.is_dir() and not folder.is_symlink()
        return tuple(sorted(folder.glob("agent-*.jsonl"))) if is_there else ()
    except OSError:
        return ()


def _find_time_before(path: Path, start: int) -> datetime | None:
    """Find when the line before `start` was written: what a subagent did until then is read."""
    with session_file_store.open_file(path) as (file, _):
        file.seek(max(0, start - _LOOK_BACK_BYTES))
        times = _TIMESTAMP.findall(file.read(min(_LOOK_BACK_BYTES, start)))
    return parse_time(times[-1].decode()) if times else None


def _add_subagents(
    part: Transcript, path: Path, since: datetime | None, until: datetime, limits: Limits
) -> Transcript:
    """Add what the session's subagents called after `since` and up to `until`."""
    if since is None and part.start:
        since = part.turns[0].at
    calls, skipped, budget = [], Counter(dict(part.skipped)), limits.subagents
    for subagent in list_subagents(path):
        try:
            for call in _read_calls(subagent, since, limits):
                if call.at > until:
                    break
                if since is not None and call.at <= since:
                    continue
                texts = (call.result, *(value for _, value in call.arguments))
                budget -= _CALL_BYTES + sum(map(len, texts))
                if budget > 0:
                    calls.append(call)
                else:
                    skipped["subagent call over the bound"] += 1
        except TranscriptError:
            skipped["subagent unreadable"] += 1
    calls.sort(key=lambda call: call.at)
    return replace(part, subagents=tuple(calls), skipped=tuple(sorted(skipped.items())))


def _read_calls(path: Path, since: datetime | None, limits: Limits) -> Iterator[Call]:
    """Give the calls of a subagent, unless its file was written before `since`."""
    with session_file_store.open_file(path) as (file, state):
        written_at = session_file_store.file_time(state)
        if since and written_at + _MAX_SKEW < since:
            return
        bounds = limits._replace(part=limits.subagents)
        name = session_file_store.session_name(path.stem)
        reader = TranscriptReader(name, written_at, bounds, ClaudeCodeFormat(), sidechain=True)
        for part in session_reader_store.read_parts(file, reader, 0, state.st_size, limits):
            yield from part.calls
        yield from reader.finish().calls
