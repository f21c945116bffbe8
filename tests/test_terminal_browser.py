import sys
import webbrowser
from pathlib import Path

import pytest

from memoria import terminal


@pytest.fixture
def opened(monkeypatch):
    """No test opens a window: this takes the address instead."""
    found = []
    monkeypatch.setattr(webbrowser, "open", lambda address: found.append(address) or True)
    return found


def test_a_file_is_opened_by_its_address(opened):
    assert terminal.browse(Path("/tmp/my notes/report.html"), {"DISPLAY": ":0"})
    assert opened == ["file:///tmp/my%20notes/report.html"]


@pytest.mark.skipif(sys.platform in {"darwin", "win32"}, reason="the system has a screen")
def test_without_a_screen_no_browser_is_asked(opened):
    assert not terminal.browse(Path("/tmp/report.html"), {"DISPLAY": ""})
    assert opened == []
