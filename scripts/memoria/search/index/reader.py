"""Read the index of lines with the standard library alone, for the hooks.

It is opened read-only. A flush that is just writing it is waited for as long as nobody notices;
after that a prompt gets nothing, which is what most prompts get. The interpreter's own module is
loaded, since the package around it costs three times as much.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    import _sqlite3
    from collections.abc import Collection
    from typing import Any

    Row = tuple[Any, ...]

# search/index/store.py writes it: raise it with any change to the tables or to what stands in them
VERSION = 10
# A writer shuts readers out while it puts its pages in place: for one entry a few thousandths of a
# second, for a batch of files half a second (store.py). A person sees a delay of a quarter
_PATIENCE_SECONDS = 0.25
_BUSY_CODE = 5  # as SQLite has it, who is the same in every version
# older SQLites take no more than 999 values at once
_MAX_VALUES = 500
_FRESH_RULES = """SELECT name, hash, text FROM rule WHERE scope IN ('', ?) AND since > ?
    ORDER BY since DESC, rowid"""
# a colleague's line (search/team_lines.py) is told with the name of its author before the day
_LINES = """SELECT key, line.kind, weight, line.text,
        iif(document.link LIKE 'team/%', author || ', ', '') || date, document.link
    FROM line JOIN passage ON passage.id = passage JOIN document ON document.id = document
    WHERE passage = ? AND told AND line.link = '' AND (document.kind = 'entry' OR EXISTS
        (SELECT 1 FROM line AS name WHERE name.passage = line.passage AND name.kind = 'name'
            AND name.told))
    ORDER BY line.id"""
_REPLACED = """SELECT date, link FROM passage JOIN document ON document.id = document
    WHERE newer = ? ORDER BY date DESC, moment DESC"""
# of a Cure (search/cures/from_ledger.py) what a failed call is told by
_CURE_FIELDS = ("signature", "action", "project", "day", "log", "line", "how", "change", "file")
_CURES = f"SELECT {', '.join(_CURE_FIELDS)} FROM cure WHERE anchor IN ({{}})"  # noqa: S608 - constants


class SessionLine:
    """A line of an earlier session: its key, kind and weight, what it says, its day, its source."""

    def __init__(self, row: Row) -> None:  # a NamedTuple costs a hook a millisecond more to load
        self.key, self.kind, self.weight, self.text, self.day, self.link = row


class IndexReader:
    """The index of a vault for one project; what is not there finds nothing."""

    def __init__(self, path: str, project: str, session: str = "") -> None:
        """Open it for a project; what the session itself left there is not looked at."""
        self.project, self.session = project, session
        self._base = _open_index(path)
        if self.rows("PRAGMA user_version") != [(VERSION,)]:
            self._base = None

    def rows(self, query: str, *values: object) -> list[Row]:
        """Run a query; [] without an index, and from then on where a writer keeps us waiting."""
        try:
            return self._base.execute(query, values).fetchall() if self._base else []
        except Exception as error:
            if getattr(error, "sqlite_errorcode", 0) != _BUSY_CODE:
                raise
            self._base = None
            return []

    def among(self, query: str, members: Collection[object], *more_values: object) -> list[Row]:
        """Run a query that has {} where a list of values belongs, as often as these are many."""
        listed, rows = list(members), []
        for start in range(0, len(listed), _MAX_VALUES):
            batch = listed[start : start + _MAX_VALUES]
            rows += self.rows(query.format(",".join("?" * len(batch))), *batch, *more_values)
        return rows

    def fresh(self, since: float) -> list[Row]:
        """Give the rules (id, hash, text) that a person has decided on after that moment.

        The ledger has whole seconds, so one of the same second counts as later.
        """
        return self.rows(_FRESH_RULES, self.project, since - 1.0)

    def lines(self, passage: int) -> list[SessionLine]:
        """Give the lines of a passage that may be told."""
        return [SessionLine(row) for row in self.rows(_LINES, passage)]

    def cures(self, words: Collection[str]) -> list[dict[str, str]]:
        """Give the cures that may be for an error with these words, each by its fields' names."""
        rows = self.among(_CURES, sorted(words))
        return [dict(zip(_CURE_FIELDS, row, strict=True)) for row in rows]

    def newest(self, passage: int, newer: int) -> int:
        """Give what is current of a passage that `newer` replaced: itself where that is 0."""
        while newer:
            passage = newer
            rows = self.rows("SELECT coalesce(newer, 0) FROM passage WHERE id = ?", passage)
            newer = rows[0][0] if rows else 0
        return passage

    def find_replaced(self, passage: int) -> list[Row]:
        """Give (day, link) of what a passage replaces, the latest first."""
        return self.rows(_REPLACED, passage)


def _open_index(path: str) -> _sqlite3.Connection | None:
    if not os.path.isfile(path):
        return None
    # here, where it may be missing without an end of the program: not every Python has it
    import _sqlite3  # noqa: PLC0415

    # a path may hold what means something in an address
    address = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    if os.sep != "/":
        address = "/" + address.replace(os.sep, "/")
    return _sqlite3.connect(f"file:{address}?mode=ro", timeout=_PATIENCE_SECONDS, uri=True)
