"""`memoria guard test` and `suggest`, and how rules with a check were kept, over real captures."""

import json
import re

import pytest
from memoria.evidence.withholding.adherence import Kept
from memoria.evidence.withholding.adherence_service import preferred
from place import state_of
from ruled import SHOP, keep, made, notes
from transcript_lines import assistant, result, say, tool, user

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


def test_a_rule_without_a_check_says_so(shop):
    code, _, err = shop.run("guard", "test", the(shop).id)
    assert code == 2
    assert "has no check: `memoria guard suggest" in err


def test_suggesting_writes_the_check_and_leaves_it_off(shop):
    code, out, _ = shop.run("guard", "suggest", "--dry-run")
    assert code == 0
    assert the(shop).check is None
    code, out, _ = shop.run("guard", "suggest", the(shop).id)
    assert code == 0
    assert "came up in 2 of 3 sessions, 2 times: kept 1, broken 1 in 1 sessions" in out
    assert f"Written into its note, off. `memoria guard on {the(shop).id}`" in out
    assert guard.written(the(shop).check)["broken"] == {"with": ["--force", "-f", "+*"]}
    assert not (state_of(shop.vault) / "guards.json").exists()
    assert "suggested checks" in (shop.vault / "knowledge" / "log.md").read_text()
    # a second time there is nothing left to suggest, and nothing changes
    before = shop.files()
    assert shop.json("guard", "suggest")["suggested"] == []
    assert shop.files() == before


def test_testing_shows_the_passages_without_secrets(shop):
    shop.run("guard", "suggest")
    found = shop.json("guard", "test", the(shop).id)
    assert found["sessions"] == {"occasion": 2, "broken": 1, "minded": 0}
    assert (found["occasions"], found["kept"], found["broken"]) == (2, 1, 1)
    assert found["replayed"] == {"transcripts": 3, "of": 3, "gone": 0, "sessions": 3}
    (passage,) = found["passages"]
    assert (passage["session"], passage["day"]) == ("s-2", "2026-03-02")
    assert passage["call"].startswith("git push -f")
    assert SECRET not in json.dumps(found)
    assert SECRET not in shop.run("guard", "test", the(shop).id)[1]


def test_what_is_gone_is_told_and_what_is_elsewhere_can_be_named(shop):
    shop.run("guard", "suggest")
    for path in shop.projects.rglob("s-2.jsonl"):
        path.unlink()
    found = shop.json("guard", "test", the(shop).id)
    assert (found["replayed"]["of"], found["replayed"]["gone"], found["broken"]) == (2, 1, 0)
    found = shop.json("guard", "test", the(shop).id, "--from", str(shop.projects))
    assert found["replayed"]["of"] == 2
    code, _, err = shop.run("guard", "test", the(shop).id, "--from", str(shop.root / "no"))
    assert (code, "no transcripts in" in err) == (2, True)


def test_a_rule_of_another_project_is_not_tried_here(shop):
    (shop.vault / "knowledge" / f"{the(shop).path}.md").unlink()
    keep(shop, made(FORCE, scope=("github.com/ana/other",)))
    assert shop.json("guard", "suggest", the(shop).id)["suggested"][0]["occasions"] == 0


def test_a_nuisance_is_not_offered(shop):
    for number in range(5):
        shop.transcript(f"n-{number}", *pushing("git push -f", at=300 + 10 * number))
    shop.run("import")
    (one,) = shop.json("guard", "suggest")["suggested"]
    assert (one["offered"], one["kept"]) == (False, False)
    assert "6 of 7 occasions that nobody minded" in one["why"]
    assert the(shop).check is None
    assert "Not offered" in shop.run("guard", "suggest")[1]


def test_stopping_shows_what_was_found_so_far(shop, monkeypatch):
    from memoria.rules.guards import replay_service as replay

    shop.run("guard", "suggest")
    real, calls = replay._take, []

    def take(*arguments):
        if len(calls) == 2:
            raise KeyboardInterrupt
        calls.append(1)
        real(*arguments)

    monkeypatch.setattr(replay, "_take", take)
    code, out, err = shop.run("guard", "test", the(shop).id)
    assert code == 130
    assert "came up in" in out
    assert "stopped after 2 of 3 transcripts" in err


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


def test_a_capture_counts_how_rules_were_kept(shop):
    shop.run("guard", "suggest")
    one = the(shop)
    row = [{"id": one.id, "hash": "h", "p": 0.9}]
    given(shop, "s-4", slate=row)
    given(shop, "s-5", withheld=row)
    given(shop, "s-6", slate=row)
    shop.transcript("s-4", *pushing("git push", at=300))
    shop.transcript("s-5", *pushing("git push -f", at=400))
    shop.transcript("s-6", *pushing("git log", at=500))
    shop.run("import")
    shop.run("flush")
    found = {one["session"]: one["rules"] for one in shop.ledger("adherence")}
    assert set(found) == {"s-4", "s-5"}
    assert found["s-4"][one.id] | {"check": ""} == {
        "kept": 1, "broken": 0, "stopped": 0, "guard": "", "check": "",
    }  # fmt: skip
    # the check's verdict is the reward, and its silence is one as well
    judged = {one["session"]: one["rules"] for one in shop.ledger("judged")}
    assert judged["s-4"][one.id] == {"well": True, "by": "check", "quote": ""}
    assert judged["s-5"][one.id] == {"well": False, "by": "check", "quote": ""}
    assert "s-6" not in judged
    (told,) = shop.json("rewards")["rules"]
    said = "kept in 1 of 1 sessions with an occasion when shown, in 0 of 1 when withheld"
    assert told["adherence"]["sentence"] == said
    assert said in shop.run("rewards")[1]
    assert said in shop.run("report", "--json")[1]


def test_sessions_with_a_guard_are_kept_apart(shop):
    shop.run("guard", "suggest")
    one = the(shop)
    assert shop.run("guard", "on", one.id)[0] == 0
    shop.transcript("s-0", *pushing("git push", at=290))
    shop.run("import")
    (old,) = shop.ledger("adherence")
    # it ended long before the guard was switched on
    assert old["rules"][one.id]["guard"] == ""
    switches = state_of(shop.vault) / "guards.json"
    switches.write_text(
        re.sub(r'"at": "[^"]*"', '"at": "2026-03-01T00:00:00+00:00"', switches.read_text())
    )
    given(shop, "s-4", slate=[{"id": one.id, "hash": "h", "p": 0.9}])
    key = "t4"
    stopped = f"PreToolUse:Bash hook error: {FORCE}"
    shop.transcript(
        "s-4",
        user("Push it", 300),
        assistant(tool(key, command="git push -f"), at=301),
        result(key, stopped, 302, error=True),
        *pushing("git push", at=303),
    )
    shop.run("import")
    _, found = shop.ledger("adherence")
    row = found["rules"][one.id]
    assert (row["kept"], row["broken"], row["stopped"], row["guard"]) == (1, 0, 1, "bump")
    assert "judged" not in {record["kind"] for record in shop.ledger()}
    (told,) = shop.json("rewards", one.id)["rules"]
    assert told["adherence"]["guarded"] == {"kept": 0, "sessions": 1}
    assert told["adherence"]["shown"]["sessions"] == 0


def test_what_a_check_saw_comes_before_what_words_seem_to_say():
    judged = {"a": (True, "flush", ""), "b": (False, "model", "you did it again"),
              "c": (True, "flush", ""), "d": (True, "flush", "")}  # fmt: skip
    kept = {"a": Kept(1, 1), "d": Kept(1, guard="bump")}
    assert preferred(judged, kept, {"a", "b", "c", "d"}) == {
        "a": (False, "check", ""),
        "b": (False, "model", "you did it again"),
    }
    assert preferred(judged, {}, set()) == judged
