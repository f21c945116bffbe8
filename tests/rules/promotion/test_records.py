import pytest

from memoria.rules.promotion.records import Promotion, promoted, record

A = Promotion("/shop/CLAUDE.md", "claude-md", "/shop", "github.com/me/shop", ("wf-1", "wf-2"), "a1")
B = Promotion("/shop/AGENTS.md", "agents-md", "/shop", "github.com/me/shop", ("wf-1",))
NONE = Promotion("/shop/CLAUDE.md", "claude-md", "/shop", "", ())


def test_what_was_recorded_last_is_what_stands_in_a_file():
    assert promoted([]) == {}
    records = [record("2026-03-01", one) for one in (A, B)]
    assert promoted(records) == {A.path: A, B.path: B}
    fewer = Promotion(A.path, "claude-md", "/shop", "", ("wf-2",))
    assert promoted([*records, record("2026-03-02", fewer)]) == {A.path: fewer, B.path: B}
    assert promoted([*records, record("2026-03-02", NONE)]) == {B.path: B}
    assert promoted([record("2026-03-02", NONE), *records])[A.path] == A


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "rule"},
        {"path": ""},
        {"path": 7},
        {"target": None},
        {"ids": "wf-1"},
        {"root": ["x"]},
    ],
)
def test_what_is_no_promotion_is_passed_over(change):
    assert promoted([record("2026-03-01", A) | change]) == {}


def test_ids_of_another_version_are_left_out():
    assert promoted([record("", A) | {"ids": ["wf-1", 7, None]}])[A.path].ids == ("wf-1",)
