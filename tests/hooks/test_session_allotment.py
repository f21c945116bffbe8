"""What a session's start allots: the same again for the same session, and a fair coin."""

import json
import os

import pytest
from cases import cased

from memoria.hooks import protocol, session_allotment

RULES = [{"id": f"wf-{n:010x}", "text": f"- rule {n}", "hash": f"h{n}"} for n in range(6)]
COMPACT = {
    "policy": "joint",
    "version": 1,
    "law": "normal",
    "cost": 0.03,
    "k": 4,
    "epsilon": 0.1,
    "arms": [[one["id"], 10] for one in RULES],
    "pinned": [0],
    "labels": {"": [[at, 0.5, 0.1] for at in range(1, 6)]},
}
SNAPSHOT = {"project": "shop", "rules": RULES, "selection": COMPACT}
RUNNING = {"id": "x-1", "project": "shop", "p": 0.5}


@pytest.fixture
def place(tmp_path):
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    (state / "hooks.json").write_text(json.dumps({"vault": str(tmp_path / "vault")}))
    return protocol.HookPlace(str(tmp_path / "vault"), str(state))


def ids(found, field="slate"):
    return [one["id"] for one in found[field]]


def test_a_session_that_comes_back_is_given_the_same_again(place):
    first = session_allotment.load_or_draw_allotment(place, "s-1", "shop", SNAPSHOT)
    # also when everything was learned anew meanwhile
    changed = SNAPSHOT | {"selection": COMPACT | {"labels": {"": []}}}
    assert session_allotment.load_or_draw_allotment(place, "s-1", "shop", changed) == first
    assert protocol.read_json(place.path("given", "s-1.json")) == first


def test_the_record_says_what_was_chosen_and_how(place):
    found = session_allotment.load_or_draw_allotment(place, "s-1", "shop", SNAPSHOT)
    assert (found["kind"], found["event"], found["session"]) == ("injection", "SessionStart", "s-1")
    assert ids(found)[0] == RULES[0]["id"]
    assert found["pinned"] == [RULES[0]["id"]]
    assert len(found["slate"]) + len(found["withheld"]) == 4
    shares = {one["id"]: one["p"] for one in (*found["slate"], *found["withheld"])}
    assert shares.pop(RULES[0]["id"]) == 1.0
    assert set(shares.values()) == {0.9}
    assert (found["experiment"], found["arm"], found["p"]) == ("", "", None)
    assert session_allotment.list_rule_texts(SNAPSHOT, found) == [
        {"text": f"- rule {int(i[3:], 16)}"} for i in ids(found)
    ]


def test_a_rule_that_is_not_in_force_any_more_is_not_given(place):
    found = session_allotment.load_or_draw_allotment(place, "s-1", "shop", SNAPSHOT)
    later = SNAPSHOT | {"rules": RULES[:1]}
    assert session_allotment.list_rule_texts(later, found) == [{"text": "- rule 0"}]


def test_an_experiment_s_coin_is_fair_and_control_gets_pinned_rules_alone():
    settings = {"experiments": [RUNNING]}
    found = [
        session_allotment.draw_allotment(settings, f"s-{n}", "shop", SNAPSHOT) for n in range(1_000)
    ]
    control = [one for one in found if one["arm"] == "control"]
    # five deviations of a fair coin
    assert 421 <= len(control) <= 579
    assert all(ids(one) == [RULES[0]["id"]] and not one["withheld"] for one in control)
    assert {one["arm"] for one in found} == {"control", "treated"}
    assert {one["p"] for one in found} == {0.5}
    again = [
        session_allotment.draw_allotment(settings, f"s-{n}", "shop", SNAPSHOT)["arm"]
        for n in range(50)
    ]
    assert again == [one["arm"] for one in found[:50]]


@cased()
def test_which_experiment_counts(running, arm):
    assert (
        session_allotment.draw_allotment({"experiments": running}, "s", "shop", SNAPSHOT)["arm"]
        == arm
    )


def test_a_state_that_cannot_be_written_to_still_gives_the_rules(place):
    os.mkdir(place.path("given"))  # noqa: PTH102 - as hooks do
    os.mkdir(place.path("given", "s-1.json"))  # noqa: PTH102 - in the way
    found = session_allotment.load_or_draw_allotment(place, "s-1", "shop", SNAPSHOT)
    assert found == session_allotment.draw_allotment({}, "s-1", "shop", SNAPSHOT) | {
        "at": found["at"]
    }
