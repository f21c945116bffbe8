"""`memoria experiment`: from the seed's four commands to a coin that the hooks toss."""

import json
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import hooked
import pytest
from ledgers import begun, captured, keep, started
from place import AGENT, debugging, state_of
from ruled import approvals, keep as keep_rules, made

from memoria.capture.extract.session_context import SessionContext
from memoria.learning.policy import Learned, compact


@pytest.fixture
def shop(place, tmp_path, monkeypatch):
    """The place, within a project's folder."""
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return place


def elsewhere(place, monkeypatch, name="cli"):
    folder = place.root / name
    folder.mkdir(exist_ok=True)
    monkeypatch.chdir(folder)
    return str(folder)


def experiment(place, *arguments):
    return place.run("experiment", *arguments)


def fails(place, *arguments):
    """Run it; give the one line that it says."""
    code, out, err = experiment(place, *arguments)
    assert code == 2, (out, err)
    assert out == ""
    assert err.count("\n") == 1, err
    assert err.startswith("memoria: ")
    return err.removeprefix("memoria: ").strip()


def coins(place):
    state = json.loads((state_of(place.vault) / "hooks.json").read_text())
    return state["experiments"]


# -- The seed's commands ---------------------------------------------------------------------------


def test_the_same_description_again_is_a_repeat(shop):
    experiment(shop, "start")
    # the last one is near to the others, and counted as they are
    for text in (
        "Forgot to handle null case",
        "forgot to handle the null case!",
        "Forgot to handle null user case",
    ):
        experiment(shop, "session", "start")
        code, out, _ = experiment(
            shop, "log-mistake", "--error-class", "types", "--description", text, "--json"
        )
        assert code == 0
        logged = json.loads(out)
        assert not logged["opened"]
        experiment(shop, "session", "end")
    assert (logged["repeat"], logged["met_before"]) == (True, 2)
    figures = shop.json("experiment", "metrics")
    arms = figures["arms"]
    assert sum(arm["repeats"] for arm in arms.values()) == 2
    assert sum(arm["sessions"] for arm in arms.values()) == 3


def test_the_report_on_all_has_every_experiment_and_what_was_tracked_by_hand(shop):
    assert experiment(shop, "report", "--all")[1].startswith("No session was captured or tracked")
    shop.run("remember", "Always pin the versions", "--pin")
    for number, kind in enumerate(("correction", "types")):
        experiment(shop, "start")
        for text in ("the versions were not pinned", "the versions were not pinned"):
            log = ("log-mistake", "--error-class", kind, "--description", text)
            assert experiment(shop, *log)[0] == 0
        experiment(shop, "end")
        assert len(shop.json("experiment", "report", "--all")["experiments"]) == number + 1
    _, out, _ = experiment(shop, "report", "--all")
    assert out.startswith("2 sessions, 2 of them tracked by hand: 4 errors")
    assert out.count(": by chance") == 2
    found = shop.json("experiment", "report", "--all")
    assert found["sessions"]["tracked_by_hand"] == found["sessions"]["sessions"] == 2
    assert found["by_class"]["types"]["mistakes"] == 2
    assert [one["verdict"]["sentence"] in out for one in found["experiments"]] == [True, True]
    assert "name none beside it" in fails(shop, "report", "--all", "--experiment", "e-1")


# -- Which experiment ------------------------------------------------------------------------------


def test_a_second_start_is_refused_and_changes_nothing(shop):
    first = shop.json("experiment", "start")
    before = shop.ledger("experiment")
    said = fails(shop, "start")
    assert (
        f"an experiment runs there already: {first['id']} in {Path.cwd()}: by chance, 50% with"
        in said
    )
    assert "ends it" in fails(shop, "start", "--all-projects")
    assert shop.ledger("experiment") == before
    assert coins(shop) == [{"id": first["id"], "project": str(Path.cwd()), "p": 0.5}]


def test_before_after_says_what_is_wrong_with_it_and_has_two_phases(shop):
    _, _, err = experiment(shop, "start", "--design", "before-after")
    assert "Before-after cannot say why" in err
    assert coins(shop)[0]["p"] == 0.0
    assert experiment(shop, "switch")[0] == 0
    assert coins(shop)[0]["p"] == 1.0
    assert "it can only end" in fails(shop, "switch")
    assert "phase after" in experiment(shop, "status")[1]


def test_a_project_name_with_quotes_and_a_secret_in_what_is_logged(shop, monkeypatch):
    name = 'it\'s "quoted" <b>, and; more'
    folder = elsewhere(shop, monkeypatch, name)
    assert shop.json("experiment", "start")["project"] == folder
    experiment(shop, "session", "start")
    key = "ghp_" + "a1B2" * 9
    said = f'say "no", twice, and {key}'
    experiment(shop, "log-mistake", "--error-class", "a", "--description", said)
    assert key not in (state_of(shop.vault) / "ledger.jsonl").read_text()
    elsewhere(shop, monkeypatch, "quoted-two")
    experiment(shop, "start")
    assert "fits several" in fails(shop, "end", "--project", "quoted")
    experiment(shop, "end")
    elsewhere(shop, monkeypatch, name)
    experiment(shop, "end")
    assert name in experiment(shop, "report")[1]
    assert shop.json("experiment", "status", "--project", 'it\'s "quoted"')["experiments"]


# -- Wrong use -------------------------------------------------------------------------------------

LOG = ("log-mistake", "--error-class", "a", "--description")
WRONG = {
    "none runs": [
        (("start", "--error-class", "  "), "--error-class is empty"),
        (("start", "--project", "nowhere"), "no such project was captured"),
        (("start", "--project", "a", "--all-projects"), "exclude each other"),
        (("end",), "`memoria experiment start` starts one"),
        (("switch",), "no experiment runs in"),
        ((*LOG, "b"), "no experiment runs in"),
        (("session", "start"), "no experiment runs in"),
        (("report",), "there is no experiment yet"),
        (("metrics",), "there is no experiment yet"),
        (("report", "--experiment", "x-1"), "there is no experiment yet"),
    ],
    "one runs": [
        (("log-mistake", "--description", "b"), "the error's class is empty"),
        ((*LOG, " "), "the description is empty"),
        (("session", "end"), "no session is open"),
        (("switch",), "only before-after has phases"),
        (("report", "--experiment", "x-zz"), "no experiment 'x-zz': x-"),
        (("end", "--project", "nowhere"), "no such project was captured"),
    ],
}


@pytest.mark.parametrize("state", WRONG)
def test_wrong_use_is_one_line_that_says_what_to_do(shop, state):
    if state == "one runs":
        experiment(shop, "start")
    ledger = state_of(shop.vault) / "ledger.jsonl"
    before = ledger.exists() and ledger.read_bytes()
    for arguments, said in WRONG[state]:
        assert said in fails(shop, *arguments)
        assert (ledger.exists() and ledger.read_bytes()) == before, arguments


# -- Sessions by hand ------------------------------------------------------------------------------


def test_a_session_s_arm_is_drawn_and_told(shop):
    rule = made("Always lint before you commit", scope=(), status="active")
    (name,) = keep_rules(shop, rule, approve=True)
    experiment(shop, "start")
    arms = {}
    for _ in range(20):  # all in one arm: once in half a million runs
        _, out, err = experiment(shop, "session", "start", "--json")
        found = json.loads(out)
        arms.setdefault(found["arm"], err)
        assert "is open" in fails(shop, "session", "start")
        experiment(shop, "session", "end")
    assert "use `memoria skills`" in arms["treated"]
    assert "work without its rules" in arms["control"]
    rows = {row["arm"]: row["rules"] for row in shop.ledger("hand") if row["action"] == "start"}
    assert rows == {"treated": [name], "control": []}


# -- The coin, by the hooks ------------------------------------------------------------------------


def prepared(place):
    """Give the hooks a pinned rule and another one, and a flush that does nothing."""
    path = state_of(place.vault) / "hooks.json"
    state = json.loads(path.read_text())
    path.write_text(json.dumps(state | {"command": [sys.executable, "-S", "-c", "pass"]}))
    rules = [
        {"id": "wf-0000000001", "text": "- Pinned rule", "hash": "1"},
        {"id": "wf-0000000002", "text": "- Learned rule", "hash": "2"},
    ]
    chosen = compact(Learned("all"), [], SessionContext()) | {
        "arms": [[one["id"], 20] for one in rules],
        "pinned": [0],
        "k": 2,
        "epsilon": 0.0,
        "labels": {"": [[1, 0.0, 0.0]]},
    }
    value = {
        "rules": rules,
        "selection": chosen,
        "start": [
            {
                "id": "1",
                "section": "errors",
                "branch": "",
                "day": f"{datetime.now(UTC):%Y-%m-%d}",
                "text": "- An error",
            }
        ],
    }
    (state_of(place.vault) / "inject" / "default.json").write_text(json.dumps(value))


def given(place, session):
    return json.loads((state_of(place.vault) / "given" / f"{session}.json").read_text())


def test_what_the_hooks_drew_comes_into_the_study(shop):
    experiment(shop, "start")
    prepared(shop)
    cwd = str(Path.cwd())
    soon = (datetime.now(UTC) - datetime(2026, 3, 2, 10, tzinfo=UTC)) // timedelta(minutes=1) + 5
    for number in range(6):
        name = f"s-{number}"
        if number < 5:
            context = hooked.context(hooked.Hooks(shop).start(cwd, name))
            extras = [word in context for word in ("Pinned rule", "Learned rule", "An error")]
            assert extras == [True, *[given(shop, name)["arm"] == "treated"] * 2]
        lines = [one | {"cwd": cwd} for one in debugging(f"check {number}", soon + 20 * number)]
        if number:
            shop.transcript(name, *lines)
    assert shop.run("flush", "--engine", "offline")[0] == 0
    shop.run("import")
    counts = shop.json("experiment", "status")["experiments"][0]["sessions"]
    assert counts["treated"] + counts["control"] == 4
    assert (counts["waiting"], counts["no_coin"]) == (1, 1)
    report = shop.json("experiment", "report")
    arms = report["arms"].values()
    assert [sum(arm[name] for arm in arms) for name in ("mistakes", "repeats")] == [4, 3]
    assert "1 session left out: the arm was not recorded." in report["verdict"]["notes"]


# -- A whole study ---------------------------------------------------------------------------------


def test_a_damaged_ledger_is_no_traceback(place):
    keep(place, started(), begun("a", 1, p="half"), captured("a", 1), {"kind": "experiment"})
    keep(place, {"kind": "injection", "session": ["a"]}, {"kind": "hand", "action": "end"})
    assert "None of 1 session can be compared" in place.do("experiment", "report")


def test_pinned_and_promoted_rules_are_outside(shop):
    rule = made("Always lint before you commit", status="active", pinned=True, scope=())
    (name,) = keep_rules(shop, rule, approve=True)
    assert name in approvals(shop)
    found = shop.json("experiment", "start")
    assert found["outside"] == [name]
    report = shop.json("experiment", "report")
    assert report["outside"] == {name: "Always lint before you commit"}
    assert (
        f"(promoted or pinned): {name} (Always lint before you commit)."
        in experiment(shop, "report")[1]
    )
    experiment(shop, "end")
    assert shop.json("experiment", "report")["outside"].keys() == {name}


@pytest.mark.parametrize("action", ["switch", "end"])
def test_of_an_experiment_that_does_not_run_nothing_is_proposed(shop, action):
    agent = replace(shop, driver=AGENT)
    assert "no experiment runs" in agent.err("experiment", action, code=2)


@pytest.mark.parametrize("words", [("start", "--design", "before-after"), ("switch",), ("end",)])
def test_an_agent_withholds_no_rules_and_ends_no_experiment(shop, words):
    shop.run("remember", "Always run the linter before you commit.")
    if words[0] != "start":
        experiment(shop, "start", "--design", "before-after")
    before, agent = shop.ledger("experiment"), replace(shop, driver=AGENT)
    code, out, err = experiment(agent, *words)
    assert (code, out, err.count("\n")) == (0, "", 1)
    assert err.startswith("Proposed, not done: memoria experiment ")
    assert shop.ledger("experiment") == before
    assert experiment(agent, "status")[0] == 0
    assert agent.json("experiment", *words)["proposed"] is True
    # what the person types settles the proposal
    assert experiment(shop, *words)[0] == 0
    assert len(shop.ledger("experiment")) == len(before) + 1
