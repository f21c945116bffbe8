"""`memoria backtest`: what came back of what was imported, and what was known by then."""

import pytest
from ledgers import captured, keep, mistaken
from transcript_lines import assistant, result, tool, user

LINE = "RuntimeError: TEST_DATABASE_URL is not set"
RULE = "Set TEST_DATABASE_URL before the tests run"


def mending(at=0):
    """Lines of a session in which a test failed and was mended four minutes later."""
    edit = {"file_path": "/home/ana/shop/a.py", "old_string": "ttl = 1", "new_string": "ttl = 2"}
    return (
        user("Why does the token check fail?", at),
        assistant(tool(f"t1-{at}", command="pytest"), at=at + 1),
        result(f"t1-{at}", "Exit code 1\nE   ValueError: no ttl left", at + 2, error=True),
        assistant(tool(f"t2-{at}", "Edit", **edit), at=at + 3),
        result(f"t2-{at}", "The file was updated.", at + 4),
        assistant(tool(f"t3-{at}", command="pytest"), at=at + 5),
        result(f"t3-{at}", "1 passed", at + 6),
    )


@pytest.fixture
def twice(place):
    """A vault in which two sessions met one error."""
    place.transcript("s-1", *mending())
    place.transcript("s-2", *mending(100))
    place.run("import")
    return place


def test_what_came_back_and_what_it_cost(twice):
    found = twice.json("backtest")
    assert (found["mistakes"], found["came_back"], found["known"]) == (2, 1, 1)
    (back,) = found["comebacks"]
    assert (back["session"], back["times_before"]) == ("s-2", 1)
    assert back["fix"] == "- ttl = 1\n+ ttl = 2"
    assert back["minutes"] == 4.0
    assert found["minutes"] == 4.0
    assert found["headline"] == (
        "1 of 2 errors had been met before in the same project; for 1 of them a fix was known by "
        "then (upper bound)."
    )
    assert "not evidence" in found["caveat"]


def test_the_head_line_is_part_of_the_import(place):
    place.transcript("s-1", *mending())
    place.transcript("s-2", *mending(100))
    _, _, err = place.run("import")
    assert "1 of 2 errors had been met before" in err
    assert "for 1 of them a fix was known by then (upper bound)." in " ".join(err.split())


def records(days):
    for number, day in enumerate(days):
        at = 24 * day
        yield captured(f"s-{number}", at)
        yield mistaken(f"s-{number}", at + 0.1, "Bash exception m", line=LINE)


def test_one_project_alone(place):
    keep(place, *records((0, 1)))
    keep(place, captured("c", 1, project="cli"), mistaken("c", 1.1, "m", project="cli"))
    assert place.json("backtest", "--project", "shop")["mistakes"] == 2
    assert place.json("backtest", "--project", "cli")["mistakes"] == 1
    code, out, err = place.run("backtest", "--project", "nowhere")
    assert (code, out) == (2, "")
    assert err == "memoria: --project 'nowhere': no such project was captured\n"
