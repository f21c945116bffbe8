import io
import json
import os
import sys

import pytest

from memoria import terminal

VALUE = {"caf\u00e9 \u5e97": "half \ud83c", "path": "a\udcffb"}


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "cp1252", "utf-16"])
def test_a_result_is_whole_json_in_any_encoding(monkeypatch, encoding):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
    terminal.print_json(VALUE)
    terminal.print_json({"caf\u00e9": 1})
    sys.stdout.flush()
    first, second = raw.getvalue().decode(encoding).split("}\n")[:2]
    assert json.loads(first + "}") == VALUE
    assert json.loads(second + "}") == {"caf\u00e9": 1}


def test_a_line_is_shown_as_well_as_can_be(monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="cp1252"))
    terminal.print_line("caf\u00e9 \u5e97 \ud83c")
    terminal.print_line()
    sys.stdout.flush()
    assert raw.getvalue() == b"caf\xe9 ? ?\n\n"


def test_talk_goes_to_stderr_and_quiet_silences_it_but_not_warnings(capsys):
    for quiet in (False, True):
        found = terminal.Terminal(quiet=quiet)
        found.say("[bold]talk[/bold]")
        found.warn("heed")
        with found.progress("Working", 2) as step:
            step("one")
        out, err = capsys.readouterr()
        assert out == ""
        assert err == ("heed\n" if quiet else "[bold]talk[/bold]\nheed\n")


def test_a_page_is_wrapped_below_its_beginning_and_holds_no_codes(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    nasty = "  \x1b[31mone\x1b]0;x\x07 \u202etwo [red]three[/red] four five six seven"
    terminal.print_rows([("bold", "head"), ("", nasty), ("", "")])
    out, err = capsys.readouterr()
    assert out == "head\n  one two [red]three[/red] four five six\n  seven\n\n"
    assert err == ""


# as a file that somebody pushed may be called: a title, the clipboard, colours, a turned text
NASTY = "b\x1b]0;evil\x07\x1b]52;c;ZXZpbA==\x1b\\\x1b[31mRED\x9b1m\r\u202egnp\u2066\u2028.md"


@pytest.mark.parametrize(
    ("how", "shown"),
    [
        (terminal.print_stderr, "bREDgnp .md\n"),
        (terminal.Terminal(quiet=True).warn, "bREDgnp .md\n"),
        (terminal.Terminal().say, "bREDgnp .md\n"),
        (terminal.print_line, "bREDgnp .md\n"),
        (terminal.print_prompt, "bREDgnp .md"),
        (terminal.print_paragraph, "bREDgnp .md\n"),
        (lambda text: terminal.print_rows([("", text)]), "bREDgnp .md\n"),
        (lambda text: terminal.print_table(["a"], [[text]]), "a\nbREDgnp .md\n"),
    ],
)
def test_no_name_of_a_file_moves_or_colours_the_terminal(capsys, how, shown):
    how(NASTY)
    assert "".join(capsys.readouterr()) == shown


def test_json_has_what_a_terminal_would_obey_as_escapes(capsys):
    terminal.print_json({"path": NASTY})
    out = capsys.readouterr().out
    assert json.loads(out) == {"path": NASTY}
    assert out.isascii()
    assert not set(out) & set(map(chr, (*range(10), *range(11, 32), 127)))


def test_a_document_is_to_the_letter_but_for_a_terminal(capsys, monkeypatch):
    terminal.print_document(NASTY)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    terminal.print_document("\x1b[31mRED\u202e")
    assert capsys.readouterr().out == NASTY + "RED"


def test_a_line_is_as_long_as_it_is_unless_somebody_looks(capsys, monkeypatch):
    text = "- one two three four five; `memoria remember x` is typed\n  six seven eight nine ten"
    monkeypatch.delenv("COLUMNS", raising=False)
    terminal.print_line(text)
    assert capsys.readouterr().out == text + "\n"
    monkeypatch.setenv("COLUMNS", "40")
    terminal.print_line(text)
    terminal.Terminal().say(text)
    terminal.print_line("NO  hooks: none for this vault, so that nothing is captured", 4)
    out, err = capsys.readouterr()
    rows = (
        "- one two three four five;",
        "  `memoria remember x` is typed",
        "  six seven eight nine ten",
    )
    assert err.splitlines() == [*rows]
    assert out.splitlines() == [
        *rows,
        "NO  hooks: none for this vault, so that",
        "    nothing is captured",
    ]


class Screen(io.TextIOWrapper):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("platform", "wrapper", "encoding"),
    [
        ("win32", io.TextIOWrapper, "utf-8"),
        ("win32", Screen, "cp1252"),
        ("linux", io.TextIOWrapper, "cp1252"),
    ],
)
def test_a_pipe_of_a_code_page_takes_all_that_people_write(
    monkeypatch, platform, wrapper, encoding
):
    told, sink = {}, io.BytesIO()
    monkeypatch.setattr(terminal.sys, "platform", platform)
    monkeypatch.setattr(os, "putenv", told.__setitem__)
    monkeypatch.setattr(sys, "stdout", wrapper(sink, encoding="cp1252", newline="\n"))
    monkeypatch.setattr(sys, "stderr", None)
    monkeypatch.setattr(sys, "stdin", wrapper(io.BytesIO("caf\u00e9".encode()), "cp1252"))
    terminal.speak_utf8()
    assert sys.stdout.encoding == encoding
    assert told == ({"PYTHONUTF8": "1"} if platform == "win32" else {})
    text = sys.stdin.read()
    assert (text == "caf\u00e9") == (encoding == "utf-8")
    sys.stdout.write(text)
    sys.stdout.flush()
    assert sink.getvalue() == "caf\u00e9".encode()
