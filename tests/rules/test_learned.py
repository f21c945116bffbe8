"""From a session's slate to what is believed of its rules: the whole way through the ledger."""

import json

import pytest
from cases import cased
from place import debugging, state_of
from transcript_lines import say, user

from memoria.hooks import protocol, session_allotment
from memoria.vault import project

RULE = "Always compare the expiry of tokens in UTC"


@pytest.fixture
def taught(place, tmp_path, monkeypatch):
    """A vault with a rule that holds everywhere."""
    monkeypatch.chdir(tmp_path)
    place.run("init")
    place.run("remember", RULE, "--global")
    return place


def start(place, session, cwd="/home/ana/shop"):
    """Do what the session-start hook does, for a session in that folder."""
    here = protocol.HookPlace(str(place.vault), str(state_of(place.vault)))
    snapshot = protocol.read_json(here.path("inject", project.file_name(cwd) + ".json"))
    snapshot = snapshot or protocol.read_json(here.path("inject", "default.json"))
    return session_allotment.load_or_draw_allotment(here, session, cwd, snapshot)


def bandit(place):
    return json.loads((state_of(place.vault) / "bandit.json").read_text())


def rule_id(place):
    return place.json("status")["rules"][0]["id"]


def take_in(place, *lines):
    """Take in a session of these lines, which was started before."""
    place.transcript("s-1", *lines)
    place.run("import", "--from", str(place.projects))
    place.run("flush")


def test_what_a_session_was_given_is_judged_and_learned(taught):
    name = rule_id(taught)
    given = start(taught, "s-1")
    assert [one["id"] for one in given["slate"] + given["withheld"]] == [name]
    take_in(taught, *debugging("the expiry of tokens"))
    (record,) = taught.ledger("injection")
    assert (record["session"], record["policy"]) == ("s-1", "joint")
    (judged,) = taught.ledger("judged")
    # its occasion came up, and the mistake that came speaks of it
    assert list(judged["rules"]) == [name]
    row = bandit(taught)["rules"][name]
    assert row["shown"] + row["withheld"] == 1
    assert row["well"] + row["again"] == 1
    # a second flush takes nothing twice
    taught.run("flush")
    assert len(taught.ledger("injection")) == 1
    assert start(taught, "s-1") == given
    # bandit.json comes back to the same bytes
    taught.run("reward", name, "1", "--session", "s-1")
    path = state_of(taught.vault) / "bandit.json"
    before = path.read_bytes()
    path.unlink()
    taught.run("compile", "--all")
    assert path.read_bytes() == before


def test_a_session_that_has_nothing_to_do_with_a_rule_says_nothing_of_it(taught):
    start(taught, "s-1")
    take_in(taught, user("What is the capital of France?", 0), say("Paris.", 1))
    assert len(taught.ledger("injection")) == 1
    assert taught.ledger("judged") == []


def test_a_person_s_word_is_kept_and_moves_what_is_believed(taught):
    name = rule_id(taught)
    before = bandit(taught)["rules"][name]["mean"]
    about = ("--context", "type-errors", "--outcome", "caught it early")
    code, _, err = taught.run("reward", name[:8], "1", *about)
    assert code == 0
    assert "helped" in err
    assert bandit(taught)["rules"][name]["mean"] > before
    for _ in range(3):
        taught.run("reward", name, "-1")
    assert bandit(taught)["rules"][name]["mean"] < before
    (row,) = taught.json("rewards")["rules"]
    assert [one["reward"] for one in row["rewards"]] == [1, -1, -1, -1]
    assert row["rewards"][0]["outcome"] == "caught it early"
    _, out, _ = taught.run("rewards", name)
    assert "4 rewards, 1 of them good" in out


def test_what_is_no_reward_is_none(taught):
    assert "memoria reward ID 1" in taught.err("rewards")
    for word in ("2", "yes", ""):
        assert taught.run("reward", rule_id(taught), word)[0] == 2
    assert taught.ledger("reward") == []
    assert taught.json("rewards")["total"] == 0


@cased()
def test_the_policies_of_the_settings(place, tmp_path, monkeypatch, policy):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MEMORIA_POLICY", policy)
    monkeypatch.setenv("MEMORIA_WITHHOLD", "0")
    place.run("init")
    place.run("remember", RULE, "--global")
    place.run("remember", "Never push to the main branch", "--global", "--pin")
    given = start(place, "s-1")
    assert given["policy"] == policy
    assert len(given["slate"]) == (1 if policy == "none" else 2)


def test_settings_that_are_wrong(place, monkeypatch):
    for name, value in (("POLICY", "best"), ("WITHHOLD", "1"), ("WITHHOLD", "x")):
        with monkeypatch.context() as patch:
            patch.setenv(f"MEMORIA_{name}", value)
            assert f"MEMORIA_{name}" in place.err("status", code=2)
