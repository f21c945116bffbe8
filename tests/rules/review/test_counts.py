"""Every place that says how many rules wait says the same number, whatever they wait for."""

import re
import sys

import pytest
from keyboard import memoria
from place import debugging
from ruled import approvals, keep, made

from memoria.cli.setup.start import count_rules
from memoria.mcp.server import VaultService
from memoria.rules.guards.check import parse_check
from memoria.rules.review.waiting import count_by_status
from memoria.rules.rulebook import rulebook

PUSH = {"occasion": {"command": ["git push"]}, "broken": {"with": ["main"]}}
MAYBE = "And let us use pnpm instead of npm here, the lock file is pnpm's."
AFTER = "Then rerun the build and tell me which of the pages still fail to render in the browser."


@pytest.fixture
def mixed(place):
    """A vault with a rule of every kind: four wait, and two are in force."""
    keep(place, made("Run the linter before you commit"))  # undecided
    keep(place, made("Name branches by their ticket", status="active"))  # its note asks
    keep(place, made("Keep the port in the settings", status="rejected"))
    keep(place, made("Use tabs in the sources", status="retired"))
    keep(place, made("Write docs in English", status="active"), approve=True)
    check = parse_check(PUSH)
    keep(place, made("Never push to main", status="active", check=check), approve=True)
    entry = "# Auth\n\n## Improvements\n\n### Workflow\n\n- Rotate the signing key every month\n"
    (place.vault / "daily/2026-03-02-auth.md").write_text(entry)
    review = place.root / "pr.txt"
    review.write_text("Tests must not sleep, because they turn flaky.\nRename `x`.\n")
    assert place.run("learn", "--from-review", str(review))[0] == 0
    return place


def _asked(question):
    raise AssertionError(question)


def numbers(place):
    """Give how many rules wait, by each place that says it."""
    _, overview, status = place.run("status")
    _, doctor, _ = place.run("doctor")
    service = VaultService(place.work)
    said = {
        "status": overview + status,
        "doctor": doctor,
        "mcp status": service.call("memory_status", {}, _asked),
        "mcp diff": service.call("memory_diff", {}, _asked),
    }
    patterns = {
        "status": r"(\d+) waiting for your decision",
        "doctor": r"(\d+) waiting \(`memoria review`\)",
        "mcp status": r"waiting for the user: (\d+) rules",
        "mcp diff": r"(\d+) wait; the user decides",
    }
    found = {name: int(re.search(patterns[name], text)[1]) for name, text in said.items()}
    states = [one["status"] for one in place.json("status")["rules"]]
    return found | {
        "counts": place.json("status")["counts"]["waiting"],
        "listed": states.count("waiting"),
        "diff": place.json("diff")["total"],
        "start": count_rules(place.work)[1],
        "service": count_by_status(place.work, rulebook(place.work))["waiting"],
        "review": sum(one["why"] != "proposed" for one in place.json("review")),
    }


def test_one_number_everywhere_also_while_an_agent_asks_something_of_an_active_rule(mixed):
    assert len(approvals(mixed)) == 2
    found = numbers(mixed)
    assert set(found.values()) == {4}, found
    counts = mixed.json("status")["counts"]
    assert counts == {"waiting": 4, "active": 2, "rejected": 1, "retired": 1}
    assert count_by_status(mixed.work, rulebook(mixed.work)) == counts
    active = made("Never push to main").id
    VaultService(mixed.work).call("memory_reject", {"ids": [active]}, lambda _: None)
    found = numbers(mixed)
    assert set(found.values()) == {4}, found
    assert approvals(mixed).keys() >= {active}
    assert f"- {active}" in VaultService(mixed.work).call("memory_diff", {}, _asked)


def test_review_shows_the_sentence_its_turn_and_why_it_waits_in_80_columns(place):
    said = f"Please fix the login page. {MAYBE} {AFTER}"
    place.transcript("s-0", *debugging("the token check", 0, said))
    assert place.run("import")[0] == 0
    (case,) = place.json("review")
    assert case["turn"].endswith(AFTER)
    assert case["note"].startswith("waits: ")
    _, listed, _ = place.run("review")
    for out in (listed, card(place)):
        assert max(map(len, out.splitlines())) <= 80
        shown = " ".join(out.split())
        # the reason behind it is no part of the rule, and stands in its turn
        assert f'"{MAYBE.partition(",")[0]}" (daily/2026-03-02)' in shown
        assert f"said in: {case['turn']}" in shown
        assert case["note"] in shown


def card(place):
    """Give what a person at a terminal of 80 columns is shown."""
    if sys.platform == "win32":
        pytest.skip("a pseudo-terminal is POSIX's")
    terminal = memoria("review", place.vault, env={"NO_COLOR": "1"}, width=80)
    terminal.press("q")
    terminal.end()
    return terminal.plain.partition("[a]pprove")[0]
