"""Find out whether a program starts.

A file that is there says little: the libraries of an upgraded Python are gone, or the packages that
it ran with. So it is run once, without input, and what it complains of last is kept.
"""

from __future__ import annotations

import subprocess

# a cold disk and a virus scanner together stay far below
_SECONDS = 30


def complaint(*words: str) -> str:
    """Run a program; give "" where it ends with 0, else the last line that it says, or why."""
    try:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return "it does not end"
    except OSError as error:
        return error.strerror or type(error).__name__
    said = done.stderr.decode(errors="replace").strip().splitlines()
    return "" if done.returncode == 0 else (said or [f"it ends with code {done.returncode}"])[-1]
