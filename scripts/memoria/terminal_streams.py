"""Set the process's three streams to UTF-8 wherever they are no console of Windows.

Windows gives pipes and files the code page of the country (cp1252, cp932), in which most of what
people write cannot be said: printing would end in an error, and what is read would be garbled. A
console takes any text as it is. Other systems say in the locale what they want and are left alone.
"""

from __future__ import annotations

import os
import sys
from typing import Any


def speak_utf8() -> None:
    """Set the streams, and what child processes find; call it before anything is printed."""
    if sys.platform != "win32":
        return
    os.putenv("PYTHONUTF8", "1")
    streams: tuple[Any, ...] = (sys.stdin, sys.stdout, sys.stderr)
    for stream in streams:
        # without a console a program that has no window has no streams, either
        if stream is not None and hasattr(stream, "reconfigure") and not stream.isatty():
            stream.reconfigure(encoding="utf-8", errors="replace")
