from datetime import UTC, datetime, timedelta

import pytest
from ruled import made

from memoria.evidence.report.rule_records import MOST, tracks
from memoria.evidence.withholding.by_rule import Occasion
from memoria.vault.storage.history import History

AT = datetime(2026, 4, 1, tzinfo=UTC)
A, B = made("Run the linter", status="approved"), made("Never push to main", status="approved")


def injection(session, shown=(), withheld=()):
    def rows(ids):
        return [{"id": name, "hash": "h", "p": 0.9} for name in ids]

    return {
        "kind": "injection", "event": "SessionStart", "at": AT.isoformat(), "session": session,
        "slate": rows(shown), "withheld": rows(withheld),
    }  # fmt: skip


def reward(name, value, session="", by="person"):
    return {
        "kind": "reward", "at": AT.isoformat(), "id": name, "reward": value, "by": by,
        "session": session,
    }  # fmt: skip


def history(injections=(), rewards=(), judged=()):
    return History(
        kept={"injection": tuple(injections), "reward": tuple(rewards), "judged": tuple(judged)}
    )


def occasion(number, rule, *, injected, back, p=0.5):
    at = AT + timedelta(hours=number)
    return Occasion(f"s{number}", at, "shop", rule, rule, injected, p, back)


def found(rules=(A, B), kept=None, **more):
    values = {
        "in_force": {A.id},
        "history": kept or history(),
        "shown": {},
        "needed": (),
        "beliefs": {},
    }
    return tracks(rules, **values | more)


def test_a_rule_that_reached_nobody_is_only_counted():
    result = found()
    assert result.shown == ()
    assert (result.in_force, result.untried) == (1, 1)


def test_sessions_and_not_lines_are_counted():
    kept = history(
        [
            injection("s1", [A.id], [B.id]), injection("s1", [A.id], [B.id]),
            injection("s2", [], [A.id]), injection("s3", [], [A.id]), injection("s3", [A.id]),
        ]
    )  # fmt: skip
    one, other = found(kept=kept, shown={A.id: 2}).shown
    assert (one.rule.id, one.shown, one.withheld) == (A.id, 2, 1)
    assert (other.rule.id, other.shown, other.withheld) == (B.id, 0, 1)


def test_rewards_are_one_a_session_and_all_without_one():
    judged = {
        "kind": "judged", "at": AT.isoformat(), "session": "s1",
        "rules": {A.id: {"well": True, "by": "flush"}, B.id: {"well": False, "by": "flush"}},
    }  # fmt: skip
    kept = history([], [reward(A.id, -1, "s1"), reward(A.id, 1), reward(A.id, 1)], [judged])
    one, other = found(kept=kept).shown
    assert (one.helped, one.nothing, one.hurt) == (2, 0, 1)
    assert one.earnings == ("2 helped", "0 did not, 1 hurt")
    assert other.earnings == ("0 helped", "1 did not")


def test_what_a_merged_rule_earned_goes_to_its_heir():
    heir = made("Lint", status="approved", merged=(B.id,))
    kept = history([injection("s1", [], [B.id])], [reward(B.id, 1)])
    (one,) = found(rules=(heir,), kept=kept).shown
    assert (one.helped, one.withheld) == (1, 1)


def test_a_belief_counts_only_for_a_rule_that_was_tried():
    beliefs = {A.id: {"mean": 0.4, "sd": 0.1}, B.id: {"mean": 0.9, "sd": 0.1}}
    kept = history(rewards=[reward(B.id, 1)])
    one, other = found(kept=kept, shown={A.id: 3}, beliefs=beliefs).shown
    assert one.belief.mean == 0.4
    assert other.belief is None


def test_rules_that_earned_their_place_and_rules_to_retire():
    needed = []
    for number in range(120):
        injected = number % 2 == 0
        needed += [
            occasion(number, A.id, injected=injected, back=not injected),
            occasion(number, B.id, injected=injected, back=injected),
        ]
    result = found(shown={A.id: 60, B.id: 60}, needed=needed)
    assert [one.rule.id for one in result.earned] == [A.id]
    assert [one.rule.id for one in result.retire] == [B.id]
    assert result.withheld == 120
    assert result.earned[0].compared == ("0 of 60 with it", "60 of 60 without")


@pytest.mark.parametrize(("p", "said"), [(1.0, ""), (0.5, "")])
def test_too_few_occasions_compare_nothing(p, said):
    needed = [occasion(n, A.id, injected=True, back=False, p=p) for n in range(4)]
    (one,) = found(shown={A.id: 4}, needed=needed).shown
    assert one.compared == (said, said)


def test_paraphrases_are_judged_together():
    needed = [
        occasion(n, (A if n % 4 < 2 else B).id, injected=n % 2 == 0, back=n % 3 == 0)
        for n in range(40)
    ]
    beliefs = {one.id: {"mean": 0.1, "sd": 0.1, "family": A.id} for one in (A, B)}
    (kin,) = found(shown={A.id: 20, B.id: 20}, needed=needed, beliefs=beliefs).kin
    assert kin.rules == (A, B)
    assert kin.compared[0].endswith("of 20 with it")
    assert "points" in kin.difference
    assert found(shown={A.id: 20, B.id: 20}, needed=needed).kin == ()


def test_a_rule_that_no_session_needed_is_named():
    result = found(shown={A.id: 80, B.id: 80})
    assert [one.rule.id for one in result.idle] == [A.id]


def test_those_tried_most_are_shown_and_the_rest_counted():
    rules = [made(f"Rule number {n}") for n in range(MOST + 5)]
    shown = {one.id: n + 1 for n, one in enumerate(rules)}
    result = found(rules=rules, shown=shown)
    assert len(result.shown) == MOST
    assert result.more == 5
    assert result.shown[0].shown == MOST + 5


def test_a_status_that_does_not_hold_here_is_told():
    result = found(shown={A.id: 1, B.id: 1})
    assert {one.state for one in result.shown} == {"approved", "approved, not in force here"}
