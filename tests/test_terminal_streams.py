import io
import os
import sys

import pytest

from memoria import terminal as console


class Screen(io.TextIOWrapper):
    def isatty(self):
        return True


@pytest.fixture
def windows(monkeypatch):
    told = {}
    monkeypatch.setattr(console.sys, "platform", "win32")
    monkeypatch.setattr(os, "putenv", told.__setitem__)
    return told


def test_a_pipe_of_a_code_page_takes_all_that_people_write(windows, monkeypatch):
    sink = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(sink, encoding="cp1252", newline="\n"))
    monkeypatch.setattr(sys, "stderr", None)
    console.speak_utf8()
    print("caf\u00e9 \u5e97 \u2192")
    sys.stdout.flush()
    assert sink.getvalue().decode("utf-8") == "caf\u00e9 \u5e97 \u2192\n"
    assert windows["PYTHONUTF8"] == "1"


def test_what_is_read_is_utf8(windows, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xe5\xba\x97"), "cp1252"))
    console.speak_utf8()
    assert sys.stdin.read() == "\u5e97"


def test_a_console_is_left_as_it_is(windows, monkeypatch):
    monkeypatch.setattr(sys, "stdout", Screen(io.BytesIO(), encoding="cp1252"))
    console.speak_utf8()
    assert sys.stdout.encoding == "cp1252"


def test_other_systems_say_in_the_locale_what_they_want(monkeypatch):
    monkeypatch.setattr(console.sys, "platform", "linux")
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="latin-1"))
    console.speak_utf8()
    assert sys.stdout.encoding == "latin-1"
