import json

import pytest
from ledgers import begun, captured, judged, mistaken, moment, started

from memoria.errors import UsageError, VaultError
from memoria.stages import ledger, shard

RULE = "wf-0123456789"
REWARD = {"kind": "reward", "at": moment(3), "id": RULE, "reward": 1, "by": "person"}
DECISION = {"kind": "rule", "at": moment(2), "id": RULE, "status": "approved", "by": "review"}
ALL = [
    captured("s1", 0),
    mistaken("s1", 0.1, "Bash exit a"),
    begun("s1", 0),
    judged("s1", 1, wf_0123456789=True),
    REWARD,
    DECISION,
    started(),
    {"kind": "call", "at": moment(1), "cost_usd": 1.0},
    {"kind": "wrote", "at": moment(1), "wrote": {"concepts/x": "abc"}},
    {"kind": "compile", "at": moment(1), "log": "2026-03-01", "wrote": {"concepts/x": "abc"}},
    {"kind": "skills", "at": moment(1)},
    {"kind": "proposal", "at": moment(1), "id": RULE, "verb": "promote"},
]


def lines(records=ALL, machine="m-laptop", **more):
    return list(shard.shard(records, machine, **more))


def taken(text, known=(), here="m-desk"):
    return shard.arrival(text, known, here)


def test_what_happened_travels_and_what_is_of_a_machine_stays():
    found = taken(lines())
    kinds = {"session": 1, "mistake": 1, "injection": 1, "judged": 1, "reward": 1, "elsewhere": 2}
    assert found.kinds == kinds
    assert (found.machine, found.told, found.known, found.strange) == ("m-laptop", 2, 0, 0)
    (session,) = [one for one in found.records if one["kind"] == "session"]
    assert not {"path", "identity", "end", "tail", "last_uuid", "entry"} & set(session)
    assert session["machine"] == "m-laptop"


def test_the_fold_of_what_was_taken_in_has_its_sessions_and_no_decision():
    history = ledger.fold(ledger.line(one) for one in taken(lines()).records)
    assert list(history.stays) == ["s1"]
    assert len(history.mistakes) == 1
    assert history.watermarks == {}
    assert history.captures == {}
    assert history.cost == 0
    assert len(history.of("reward")) == len(history.of("judged")) == 1
    assert history.of("rule") == history.of("experiment") == ()


def test_twice_and_by_way_of_a_third_machine_is_once():
    first = taken(lines()).records
    again = taken(lines(), first)
    assert again.records == ()
    assert again.known == len(first)
    third = taken(lines(first, "m-desk"), (), "m-third").records
    assert {one["machine"] for one in third} == {"m-laptop"}
    assert taken(lines(first, "m-desk"), first, "m-third").records == ()
    # home again: it was there before
    home = taken(lines(third, "m-third"), ALL, "m-laptop")
    assert home.records == ()
    # or it is gone, and comes back as its own
    back = taken(lines(third, "m-third"), (), "m-laptop").records
    assert not [one for one in back if "machine" in one and one["kind"] != "elsewhere"]


def test_one_session_that_two_machines_captured_counts_once():
    theirs = [
        captured("s1", 0, at=moment(9), engine="claude", path="/other"),
        mistaken("s1", 0.1, "Bash exit a", resolved=moment(0.2), change="other words"),
        begun("s1", 0, policy="all"),
        judged("s1", 1, wf_0123456789=False),
    ]
    assert taken(lines(theirs), ALL).records == ()


def test_what_was_taken_back_does_not_travel():
    records = [REWARD | {"step": "s1"}, {"kind": "undo", "at": moment(4), "of": "s1", "step": "s2"}]
    assert taken(lines(records)).records == ()
    assert len(taken(lines(records[:1])).records) == 1


def test_since_a_day():
    assert [json.loads(one)["kind"] for one in lines(since="2031-01-01")] == ["shard"]


@pytest.mark.parametrize("first", ["", "no json", "{}", '{"kind": "session"}', '{"kind": "shard"}'])
def test_what_is_no_shard_is_refused(first):
    with pytest.raises(UsageError, match="no shard"):
        taken([first, *lines()[1:]])


@pytest.mark.parametrize(
    "changed",
    [
        lambda text: [text[0].replace('"form":1', '"form":2'), *text[1:]],
        lambda text: [text[0].replace('"v":1', '"v":2'), *text[1:]],
        lambda text: [*text, ledger.line(REWARD | {"v": 2, "machine": "m-x"})],
    ],
)
def test_a_newer_one_is_refused_whole(changed):
    with pytest.raises(VaultError, match="newer Memoria"):
        taken(changed(lines()))


def test_what_no_shard_has_is_left_out():
    elsewhere = {"kind": "elsewhere", "at": moment(1), "machine": "m-x"}
    odd = [
        "torn {",
        ledger.line({"kind": "approvals", "at": moment(1), "machine": "m-x"}),
        ledger.line({"kind": "call", "at": moment(1), "machine": "m-x"}),
        ledger.line(REWARD),
        ledger.line(REWARD | {"machine": "m-x", "at": 5}),
        ledger.line(elsewhere | {"record": {"kind": "x"}}),
        ledger.line(elsewhere | {"record": 5}),
        "\n",
    ]
    found = taken([lines()[0], *odd])
    assert (found.records, found.strange) == ((), 7)
