"""Claim for a session what a hook gives it, so that nothing is given twice.

Hooks of several installations get the same event at the same moment, and none may wait for a lock:
what is to be given is claimed first, by lines that are appended to a small file of the session. Of
two claims the first counts. A session of an experiment's control arm gets nothing at all.
"""

from __future__ import annotations

import json
import os
import sys
import time

from memoria.hooks import protocol

# the sources of SessionStart: each start leaves a marker with the time of its injection
_STARTS = ("startup", "resume", "clear", "compact", "fork")
_BEGUN = "begun"
# the moment of the last record, which has microseconds
_last = 0


class SessionClaims:
    """What a session was given, and what it is not to get.

    `given/SESSION.json` is written by the session's start (hooks/session_allotment.py): "arm" is
    "control" for a session that gets nothing, "slate" and "withheld" are rules as {"id", "hash"}.
    """

    def __init__(self, place: protocol.HookPlace, session: str) -> None:
        self.session = session
        self._place = place
        self._path = place.path("seen", f"{session}.given")
        self._start = protocol.read_json(place.path("given", f"{session}.json")) or {}
        self.is_control = self._start.get("arm") == "control"
        self._claims = self._read_claims()

    def has(self, item: str) -> bool:
        """Whether the session was given a thing by a hook."""
        return _one_line(item) in self._claims

    def rules_at_start(self) -> dict[str, str]:
        """Give the rules that the session's start gave or withheld, id to the hash of the words."""
        lists = [self._start.get(name) for name in ("slate", "withheld")]
        rows = [row for rows in lists if isinstance(rows, list) for row in rows]
        return {str(row.get("id")): str(row.get("hash")) for row in rows if isinstance(row, dict)}

    def since(self) -> float:
        """Give the moment of the session's last start, in seconds of the epoch."""
        started = max(
            _modified_time(self._place.path("seen", f"{self.session}-{start}")) for start in _STARTS
        )
        if started:
            return started
        if _BEGUN not in self._claims:
            protocol.append_rows(self._path, [(_BEGUN, f"{time.time():.3f}")])
            self._claims = self._read_claims()
        try:
            return float(self._claims.get(_BEGUN, ""))
        except ValueError:  # half a line: the disk was full
            return time.time()

    def claim(self, event: str, items: list[str]) -> set[str]:
        """Claim things for an event; give those that are now this hook's to give, none but once."""
        owner = f"{os.getpid()}-{time.time_ns()}"
        # the event, too: who has that of two hooks gives what fits, the other one nothing
        protocol.append_rows(self._path, [(_one_line(item), owner) for item in (event, *items)])
        self._claims = self._read_claims()
        if self._claims.get(_one_line(event)) != owner:
            return set()
        return {item for item in items if self._claims.get(_one_line(item)) == owner}

    def record(self, event: str, project: str, **fields: object) -> None:
        """Leave word for the ledger of what was given; the next flush takes it from there."""
        now = _moment()
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now // 10**9))
        value = {
            "kind": "injection",
            "event": event,
            # the ledger knows an event by its session and moment; calls fail side by side
            "at": f"{moment}.{now // 1000 % 10**6:06d}+00:00",
            "session": self.session,
            "project": project,
            **fields,
        }
        folder = self._place.path("given", "events")
        os.makedirs(folder, mode=0o700, exist_ok=True)
        # nanoseconds order the events, the process id keeps two of one moment apart
        name = f"{now:020d}-{os.getpid()}-{self.session[:36]}.json"
        protocol.write(os.path.join(folder, name), json.dumps(value).encode())

    def _read_claims(self) -> dict[str, str]:
        """Read the claims, thing to owner; of two for one thing the first counts."""
        rows = [line.partition("\t") for line in protocol.read_whole_lines(self._path)]
        return {item: owner for item, _, owner in reversed(rows)}


def _moment() -> int:
    """Give the time in nanoseconds, never twice: Windows' clock stands still for up to 16 ms."""
    global _last  # noqa: PLW0603 - what one hook records, it records in turn
    # hooks of one reply run side by side; the numbers of Windows' processes are multiples of 4
    offset = os.getpid() // 4 % 1000 * 1000 if sys.platform == "win32" else 0
    _last = max(time.time_ns() + offset, _last + 1000)
    return _last


def _one_line(item: str) -> str:
    """Give a thing's name as one line without tabs: a note may be called anything."""
    return " ".join(item.split()).encode("utf-8", "replace").decode()


def _modified_time(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
