"""Experiments from the ledger's records: what was decided at the start, and when it ran."""

import json
from datetime import timedelta

from cases import cased
from hypothesis import given, strategies as st
from ledgers import EXPERIMENT, SHOP, START, ended, started

from memoria.evidence import experiment as records
from memoria.evidence.experiment import (
    build_experiment_record,
    find_running,
    fold_experiments,
    format_error_class,
    list_coins,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=3,
)
FIELDS = ("action", "at", "id", "project", "design", "p", "outside")


def only(*rows):
    (found,) = fold_experiments(rows)
    return found


def test_a_start_and_its_end():
    one = only(started(error_class="lint", p=0.3, outside=["wf-0123456789"]))
    assert (one.id, one.project) == (EXPERIMENT, SHOP)
    assert (one.design, one.error_class) == ("chance", "lint")
    assert (one.p, one.outside) == (0.3, ("wf-0123456789",))
    assert one.is_running
    over = only(started(), ended(5, outside=["dk-0123456789"]))
    assert (over.ended, over.is_running) == (START + timedelta(hours=5), False)
    assert over.outside == ("dk-0123456789",)


def test_a_record_says_what_was_made_of_it():
    one = only(started(p=0.25))
    again = json.loads(json.dumps(build_experiment_record(one.started, "start", one)))
    assert only(again) == one


@cased()
def test_which_two_would_reach_the_same_sessions(project, other, meets):
    assert only(started(project=project)).overlaps(other) is meets


def test_a_hook_is_told_of_a_project_s_own_first():
    rows = [
        started(project="", id="x-all"),
        started(1, id="x-shop"),
        started(1, id="x-over", project="other"),
        ended(2, id="x-over"),
    ]
    assert list_coins(rows) == [
        {"id": "x-shop", "project": SHOP, "p": 0.5},
        {"id": "x-all", "project": "", "p": 0.5},
    ]
    assert [one.id for one in find_running(fold_experiments(rows))] == ["x-shop", "x-all"]


@cased(("x" * 99, "x" * 64))
def test_a_class_is_one_word(text, kept):
    assert format_error_class(text) == kept


@cased()
def test_what_is_no_start_is_passed_over(changes):
    assert fold_experiments([started(**changes)]) == ()


@given(st.lists(st.dictionaries(st.sampled_from(FIELDS), JSON), max_size=2))
def test_no_record_stops_the_fold(rows):
    for one in records.fold_experiments([started(), *rows]):
        assert 0 <= one.p <= 1
