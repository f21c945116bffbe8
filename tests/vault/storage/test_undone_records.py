"""Which steps are taken back: undo, the undo of an undo, and so on."""

import json

import pytest

from memoria.vault.storage import history as ledger
from memoria.vault.storage.history import fold


def undo(step, of):
    return ledger.taken_back("2026-03-02T10:00:00+00:00", of, "compile", {}) | {"step": step}


@pytest.mark.parametrize(
    ("records", "gone"),
    [
        ([], set()),
        ([undo("b", "a")], {"a"}),
        ([undo("b", "a"), undo("c", "b")], {"b"}),
        ([undo("b", "a"), undo("c", "b"), undo("d", "c")], {"c", "a"}),
        ([undo("b", "a"), undo("c", "x")], {"a", "x"}),
    ],
)
def test_undone(records, gone):
    assert ledger.undone(records) == gone


def test_the_fold_passes_over_what_is_taken_back_but_not_over_money():
    records = [
        {"kind": "compile", "at": "", "log": "daily/x.md", "entries": {"e-1": "1"}, "step": "a"},
        {"kind": "call", "at": "", "task": "compile", "cost_usd": 2.0, "step": "a"},
        {"kind": "rule", "at": "", "id": "wf-1", "step": "a"},
        {"kind": "rule", "at": "", "id": "wf-2"},
        undo("b", "a"),
    ]
    history = fold(json.dumps(one) for one in records)
    assert not history.compiled
    assert not history.ingested
    assert history.cost == 2.0
    assert [one["id"] for one in history.of("rule")] == ["wf-2"]
    assert history.undone == {"a"}
