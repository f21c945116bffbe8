"""A failure of SQLite -> whose fault it is: the file's, or that of the disk and its other users.

The databases here are derived from the vault: one that is damaged is made anew, but one that cannot
be read for want of room or of a lock is left, or each busy moment would cost a rebuild.
"""

import sqlite3

_NOT_THE_FILE_S = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}


def is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether the file itself is at fault, as far as SQLite says."""
    # the low byte is the kind of error, what is above it a detail; some have no code at all
    return getattr(error, "sqlite_errorcode", 0) & 0xFF not in _NOT_THE_FILE_S
