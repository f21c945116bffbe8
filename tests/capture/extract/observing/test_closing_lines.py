"""Each tool's closing lines, as it writes them, and no word of a log."""

from pathlib import Path

from cases import cased, parts

from memoria.capture.extract.observing.closing_lines import (
    _FAILED,
    find_closing_state,
    find_rows,
    is_silent,
)


@cased()
def test_a_closing_line_tells_how_a_tool_ended(tool, passed, failed):
    log = "INFO Error in the log, as the test wants it\n"
    assert find_closing_state(tool, log + passed) == ("passed" if passed else "")
    assert find_closing_state(tool, log + failed) == "failed"
    assert find_closing_state(tool, f"\x1b[32m{failed}\x1b[0m") == "failed"


def test_every_row_has_a_sample():
    _, samples = parts(Path(__file__).parent)["test_a_closing_line_tells_how_a_tool_ended"]
    covered = {row for tool, _, _ in samples for row in find_rows(tool)}
    assert _FAILED.keys() - covered == {""}


def test_silence_tells_only_of_tools_that_are_silent():
    assert is_silent("go vet")
    assert is_silent("pnpm lint")
    assert not is_silent("pytest")
