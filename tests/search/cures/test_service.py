import pytest
from place import Place, state_of
from transcript_lines import assistant, result, tool, user

from memoria.hooks import failure_answer, protocol
from memoria.search.cures import store

SHOP = "/home/ana/shop"


@pytest.fixture
def place(tmp_path, capsys):
    made = Place(tmp_path, capsys)
    made.run("init", str(made.vault))
    return made


def known(place, text):
    where = protocol.Place(str(place.vault), str(state_of(place.vault)))
    return list(failure_answer.cures(where, text))


def test_an_error_and_what_mended_it_are_there_after_an_import(place):
    check = {"command": "pytest"}
    edit = {
        "file_path": "/home/ana/shop/a.py",
        "old_string": "expiry = 1",
        "new_string": "expiry = 2",
    }
    place.transcript(
        "s-1",
        user("Why?", 0),
        assistant(tool("t1", **check), at=1),
        result("t1", "Exit code 1\nE   ValueError: no expiry", 2, error=True),
        assistant(tool("t2", "Edit", **edit), at=3),
        result("t2", "The file was updated.", 4),
        assistant(tool("t3", **check), at=5),
        result("t3", "1 passed", 6),
    )
    place.run("import", "--from", str(place.projects), "--engine", "offline")
    (row,) = known(place, "Exit code 1\nE   ValueError: no expiry")
    assert row == {
        "signature": "shell exception:ValueError no expiry",
        "action": "pytest",
        "project": SHOP,
        "day": "2026-03-02",
        "log": "daily/2026-03-02",
        "line": "ValueError: no expiry",
        "change": "- expiry = 1\n+ expiry = 2",
        "how": "edit",
        "file": "a.py",
    }
    assert known(place, "Exit code 1\nE   ValueError: no till") == []


def test_a_file_that_cannot_be_written_is_said_and_keeps_nothing_back(place):
    path = state_of(place.vault) / store.NAME
    path.unlink(missing_ok=True)
    path.mkdir()
    code, _, err = place.run("remember", "Restart the webhook queue through systemd.", "--global")
    assert code == 1  # the rule is taught; what the hooks read could not all be brought up to date
    assert "the failure hook does without" in " ".join(err.split())
