"""Lines of the ledger without what is forgotten."""

import json
import re

import pytest

from memoria.vault.storage.history import fold
from memoria.vault.storage.tombstones import Erasure, buried, key, names, record

AT = "2026-03-02T10:00:00+00:00"
LOST = Erasure(
    sessions=frozenset({"s-gone"}),
    entries=frozenset({"e-gone"}),
    notes=frozenset({"concepts/kept", "index"}),
    rules=frozenset({"wf-gone"}),
    projects=frozenset({"/home/ana/gone"}),
    holds=lambda text: "nightjar" in text.casefold(),
    marks=lambda text: re.search("bittern|nightjar", text.casefold()) is not None,
)


def one(value):
    (line,) = list(
        buried([json.dumps({"at": AT} | value, separators=(",", ":")) + "\n"], LOST)
    ) or [""]
    return json.loads(line) if line else None


@pytest.mark.parametrize(
    "value",
    [
        {"kind": "session", "session": "s-gone", "turns": ["t1"]},
        {"kind": "session", "session": "s-part", "entry": "e-gone"},
        {"kind": "reward", "id": "wf-gone", "session": "s-kept", "context": "x"},
        {"kind": "rule", "id": "wf-gone"},
        {"kind": "experiment", "project": "/home/ana/gone"},
        {"kind": "later-kind", "about": ["s-gone"]},
        {"kind": "later-kind", "words": {"deep": "of NightJar"}},
        {"kind": "compile", "log": "daily/x.md", "entries": {"e-gone": "1"}, "wrote": {}},
        {"kind": "promote", "ids": ["wf-gone"], "path": "/x"},
        *(
            {"kind": kind, "id": "wf-gone", "session": "s-kept", "project": "/x"}
            for kind in ("opinion", "proposal", "guard")
        ),
        {"kind": "adherence", "session": "s-gone", "rules": {"wf-kept": {}}},
        {"kind": "session", "session": "s-gone"},
        {"kind": "opinion", "id": "wf-kept", "project": "/home/ana/gone"},
        {"kind": "hand", "session": "mine", "project": "/x", "description": "A Bittern fell"},
    ],
)
def test_what_goes_leaves_kind_and_time(value):
    assert one(value) == {"kind": value["kind"], "at": AT, "tombstone": True}


@pytest.mark.parametrize(
    ("value", "after"),
    [
        ({"kind": "session", "session": "s-part", "entry": "e-kept", "end": 90}, {}),
        ({"kind": "mistake", "session": "s-kept"}, {}),
        ({"kind": "call", "task": "compile", "cost_usd": 0.1}, {}),
        (
            {"kind": "compile", "entries": {"e-gone": "1", "e-kept": "2"}, "wrote": {"a/b": "1"}},
            {"entries": {"e-kept": "2"}, "wrote": {}},
        ),
        (
            {"kind": "wrote", "wrote": {"concepts/kept": "1", "concepts/gone": "2"}},
            {"wrote": {"concepts/kept": "1"}},
        ),
        ({"kind": "promote", "ids": ["wf-gone", "wf-kept"]}, {"ids": ["wf-kept"]}),
        (
            {"kind": "judged", "session": "s-kept", "rules": {"wf-gone": {}, "wf-kept": {}}},
            {"rules": {"wf-kept": {}}},
        ),
        (
            {"kind": "adherence", "session": "s-kept", "rules": {"wf-gone": {}, "wf-kept": {}}},
            {"rules": {"wf-kept": {}}},
        ),
        (
            {"kind": "opinion", "id": "wf-kept", "context": "a bittern", "outcome": "it held"},
            {"context": ""},
        ),
        ({"kind": "reward", "id": "wf-kept", "reward": 1, "quote": "bittern!"}, {"quote": ""}),
        ({"kind": "promote", "ids": ["wf-kept"], "project": "/home/ana/gone"}, {}),
    ],
)
def test_what_stays_says_the_rest(value, after):
    assert one(value) == {"at": AT} | value | after


def test_a_torn_line_goes_only_if_it_names_what_goes():
    assert list(buried(['{"kind": "x\n', '{"session": "s-gone\n'], LOST)) == ['{"kind": "x\n']


def test_what_was_forgotten_is_known_again_and_cannot_be_read():
    line = json.dumps({"kind": "session", "session": "s-gone", "turns": ["aaaa", "bbbb"]})
    found = names([line], LOST)
    assert found == {"s-gone", "aaaa", "bbbb"}
    text = json.dumps(record(AT, "salt", found))
    assert "s-gone" not in text
    history = fold([text])
    assert all(map(history.has_forgotten, found))
    assert not history.has_forgotten("s-kept")
    assert key("salt", "aaaa") != key("other", "aaaa")
