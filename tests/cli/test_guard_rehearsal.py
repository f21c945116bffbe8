"""`memoria guard suggest`, and how rules with a check were kept, over real captures."""

import json
import re

import pytest
from place import state_of
from ruled import SHOP, keep, made, notes
from transcript_lines import assistant, result, say, tool, user

from memoria.evidence.rule_observer import Kept, preferred
from memoria.rules.guards import check as guard

FORCE = "Never push with --force"
SECRET = "ghp_" + "k3Xw" * 9


def pushing(*commands, at=0, asked="Push the branch"):
    lines = [user(asked, at)]
    for number, command in enumerate(commands):
        key = f"t{at}-{number}"
        lines += [assistant(tool(key, command=command), at=at), result(key, "done", at)]
    return (*lines, say("The branch is pushed.", at + 1))


@pytest.fixture
def shop(place, monkeypatch):
    """A vault with a rule, and three sessions that pushed."""
    monkeypatch.setattr("memoria.capture.service.project_key", lambda _: SHOP)
    keep(place, made(FORCE, status="active"), approve=True)
    place.transcript("s-1", *pushing("git push"))
    place.transcript("s-2", *pushing("git status", f"git push -f https://{SECRET}@x/y", at=100))
    place.transcript("s-3", *pushing("git log", at=200))
    assert place.run("import")[0] == 0
    return place


def the(place):
    (one,) = notes(place).values()
    return one


def suggested(place, *options):
    return place.json("guard", "suggest", *options)["suggested"]


def test_suggesting_writes_the_check_and_leaves_it_off(shop):
    assert shop.run("guard", "suggest", "--dry-run")[0] == 0
    assert the(shop).check is None
    code, out, _ = shop.run("guard", "suggest", the(shop).id)
    assert code == 0
    assert "came up in 2 of 3 sessions, 2 times: kept 1, broken 1 in 1 session" in out
    assert "2026-03-02 s-2  git push -f" in out
    assert SECRET not in out
    assert f"Written into its note, off. `memoria guard on {the(shop).id}`" in out
    assert guard.written(the(shop).check)["broken"] == {"with": ["--force", "-f", "+*"]}
    assert not (state_of(shop.vault) / "guards.json").exists()
    assert "suggested checks" in (shop.vault / "knowledge" / "log.md").read_text()
    # a second time there is nothing left to suggest, and nothing changes; it can be tried again
    before = shop.files()
    assert suggested(shop) == []
    (row,) = suggested(shop, the(shop).id)
    assert (row["offered"], row["kept"]) == (True, False)
    assert "kept 1, broken 1" in row["lines"][-2]
    assert SECRET not in json.dumps(row)
    assert shop.files() == before


def test_a_nuisance_is_not_offered(shop):
    for number in range(5):
        shop.transcript(f"n-{number}", *pushing("git push -f", at=300 + 10 * number))
    shop.run("import")
    (one,) = suggested(shop)
    assert (one["offered"], one["kept"]) == (False, False)
    assert "6 of 7 occasions that nobody minded" in one["why"]
    assert the(shop).check is None
    assert "Not offered" in shop.run("guard", "suggest")[1]


def test_stopping_shows_what_was_found_so_far(shop, monkeypatch):
    from memoria.rules.guards import replay_service as replay

    real, calls = replay.agents.read, []

    def take(*arguments):
        if len(calls) == 2:
            raise KeyboardInterrupt
        calls.append(1)
        return real(*arguments)

    monkeypatch.setattr(replay.agents, "read", take)
    code, out, err = shop.run("guard", "suggest", the(shop).id)
    assert code == 130
    assert "came up in" in out
    assert "stopped after 2 of 3 transcripts" in err
    assert the(shop).check is None


def test_no_form_no_check(shop):
    keep(shop, made("Prefer composition over inheritance"))
    other = next(one for one in notes(shop).values() if one.text.startswith("Prefer"))
    code, _, err = shop.run("guard", "suggest", other.id)
    assert code == 2
    assert "no check can be derived" in err


# -- How rules were kept ---------------------------------------------------------------------------


def given(place, session, **rows):
    """What the session-start hook left for a session."""
    folder = state_of(place.vault) / "given"
    folder.mkdir(exist_ok=True)
    record = {
        "kind": "injection", "event": "SessionStart", "at": "2026-03-02T10:00:00+00:00",
        "session": session, "project": SHOP, "experiment": "", "arm": "", "p": None,
        "slate": [], "withheld": [], "pinned": [], "effects": {},
    } | rows  # fmt: skip
    (folder / f"{session}.json").write_text(json.dumps(record))


def judged(place):
    return {one["session"]: one["rules"] for one in place.ledger("judged")}


def test_a_check_s_verdict_is_a_reward_unless_a_guard_kept_the_rule(shop):
    shop.run("guard", "suggest")
    name = the(shop).id
    row = [{"id": name, "hash": "h", "p": 0.9}]
    given(shop, "s-4", slate=row)
    given(shop, "s-5", withheld=row)
    given(shop, "s-6", slate=row)
    for number, command in enumerate(("git push", "git push -f", "git log"), 4):
        shop.transcript(f"s-{number}", *pushing(command, at=100 * number))
    shop.run("import")
    shop.run("flush")
    assert judged(shop) == {
        "s-4": {name: {"well": True, "by": "check", "quote": ""}},
        "s-5": {name: {"well": False, "by": "check", "quote": ""}},
    }
    assert shop.run("guard", "on", name)[0] == 0
    switches = state_of(shop.vault) / "guards.json"
    since = '"at": "2026-03-02T20:00:00+00:00"'
    switches.write_text(re.sub(r'"at": "[^"]*"', since, switches.read_text()))
    given(shop, "s-7", slate=row)
    given(shop, "s-8", slate=row)
    shop.transcript("s-7", *pushing("git push", at=510))  # before the guard was on
    shop.transcript("s-8", *pushing("git push", at=2000))
    shop.run("import")
    assert judged(shop).keys() == {"s-4", "s-5", "s-7"}


def test_what_a_check_saw_comes_before_what_words_seem_to_say():
    words = {"a": (True, "flush", ""), "b": (False, "model", "you did it again"),
              "c": (True, "flush", ""), "d": (True, "flush", "")}  # fmt: skip
    kept = {"a": Kept(1, 1), "d": Kept(1, guard="bump")}
    assert preferred(words, kept, {"a", "b", "c", "d"}) == {
        "a": (False, "check", ""),
        "b": (False, "model", "you did it again"),
    }
    assert preferred(words, {}, set()) == words
