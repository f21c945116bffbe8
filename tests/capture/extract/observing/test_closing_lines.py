"""Each tool's closing lines, as it writes them, and no word of a log."""

from pathlib import Path

from cases import cased, parts

from memoria.capture.extract.observing.closing_lines import _FAILED, is_silent, rows_of, said


@cased()
def test_a_closing_line_tells_how_a_tool_ended(tool, passed, failed):
    log = "INFO Error in the log, as the test wants it\n"
    assert said(tool, log + passed) == ("passed" if passed else "")
    assert said(tool, log + failed) == "failed"
    assert said(tool, f"\x1b[32m{failed}\x1b[0m") == "failed"


def test_every_row_has_a_sample():
    _, samples = parts(Path(__file__).parent)["test_a_closing_line_tells_how_a_tool_ended"]
    covered = {row for tool, _, _ in samples for row in rows_of(tool)}
    assert _FAILED.keys() - covered == {""}


def test_silence_tells_only_of_tools_that_are_silent():
    assert is_silent("go vet")
    assert is_silent("pnpm lint")
    assert not is_silent("pytest")
