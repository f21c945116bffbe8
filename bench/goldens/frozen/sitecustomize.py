"""Stop the clock and fix the randomness of this process; Python loads a module of this name first.

Hooks run without `site`, so bench/goldens/room.py executes this file before them. It imports
nothing that a hook does not load anyway: the list of modules that a hook loads is a golden.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from typing import Any

_NOW = float(os.environ["GOLDENS_NOW"])
_drawn = [int(_NOW)]


def _urandom(count: int) -> bytes:
    """Give bytes that depend on the moment and on how many were drawn before."""
    found = b""
    while len(found) < count:
        # the multiplier and increment of Knuth's MMIX generator
        _drawn[0] = (_drawn[0] * 6364136223846793005 + 1442695040888963407) % 2**64
        found += _drawn[0].to_bytes(8, "big")
    return found[:count]


def _stop_clock() -> None:
    real = {name: getattr(time, name) for name in ("localtime", "gmtime")}
    time.time = lambda: _NOW
    time.time_ns = lambda: int(_NOW * 1e9)
    time.localtime = lambda seconds=_NOW: real["localtime"](seconds)
    time.gmtime = lambda seconds=_NOW: real["gmtime"](seconds)
    os.urandom = _urandom


def _stop_datetime() -> None:
    """Let datetime.now answer the stopped clock; values made in C stay instances of the class."""
    import datetime as dt  # noqa: PLC0415 - a hook does not load it

    real: Any = dt.datetime

    def now(cls: Any, tz: Any = None) -> Any:  # noqa: ANN401 - a class that takes datetime's place
        return cls.fromtimestamp(_NOW, tz)

    def is_instance(_: Any, value: object) -> bool:  # noqa: ANN401 - as above
        return isinstance(value, real)

    kind = type("_Kind", (type(real),), {"__instancecheck__": is_instance})
    stopped = kind("datetime", (real,), {"now": classmethod(now)})
    setattr(dt, "datetime", stopped)  # noqa: B010 - a plain assignment has no type


_stop_clock()
if not sys.flags.no_site:
    _stop_datetime()
