"""Show a file in the person's browser.

Alone here, so that no test ever opens a window. On a machine without a screen Python may find a
browser of text, which would take over the terminal; it is not asked then.
"""

from __future__ import annotations

import sys
import webbrowser
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# one of these names a screen where the system itself does not
_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME")


def show(path: Path, environment: Mapping[str, str]) -> bool:
    """Open a file in the browser; False where none is found that has a window."""
    screen = sys.platform in {"darwin", "win32"} or any(map(environment.get, _SCREENS))
    return screen and webbrowser.open(path.as_uri())
