import json
from datetime import UTC, datetime, timedelta

import pytest
from cases import cased
from hypothesis import given, strategies as st

from memoria.llm.port import Cost, Reply
from memoria.vault.storage import ledger_records as ledger
from memoria.vault.storage.history import History, RecordedSession, fold_ledger
from memoria.vault.storage.ledger_records import NO_TURN, Capture, Mistake, Resolution, Watermark

AT = datetime(2026, 4, 1, 10, tzinfo=UTC)
MARK = Watermark("/t/a.jsonl", "1:2", 900, "ab12")
CAPTURE = Capture(
    "e-000000000001", "s-1", "github.com/ana/shop", "2026-04-01", "2026-04-01T10:00:00", "offline"
)


def mistake(minute=0, *, resolved=False):
    at = AT + timedelta(minutes=minute)
    how = Resolution("edit", "changed tokens.py", at) if resolved else None
    return Mistake("Bash:exit:x", "Bash", "exit", "x failed", "toolu_1", NO_TURN, at, how)


def captured(capture=CAPTURE, mark=MARK, turns=("u-1", "u-2")):
    return ledger.build_capture_record(at=AT, capture=capture, watermark=mark, turns=turns)


def compiled(log="daily/2026-04-01.md", digest="d1", cost=0.25, **more):
    values = {"entries": {"e-000000000001": "s1"}, "wrote": {"concepts/a": "w1"}, **more}
    return ledger.build_compile_record(at=AT, log=log, digest=digest, cost_usd=cost, **values)


def called(task="compile", usd=0.1):
    return ledger.build_call_record(AT, task, Reply({}, "claude", "claude-x", Cost(100, 20, usd)))


def folded(*records):
    return fold_ledger(ledger.format_line(record) for record in records)


def test_a_captured_part():
    history = folded(captured())
    assert history == History(
        watermarks={MARK.path: MARK},
        turns=frozenset({"u1", "u2"}),
        captures={CAPTURE.entry: CAPTURE},
        sessions={CAPTURE.session: RecordedSession(CAPTURE.session, CAPTURE.project, AT, AT)},
    )


@pytest.mark.parametrize("resolved", [True, False])
def test_a_mistake_comes_back(resolved):
    one = mistake(resolved=resolved)
    (seen,) = folded(ledger.build_mistake_record(one, "s-1", "p")).mistakes
    assert (seen.mistake, seen.session, seen.project) == (one, "s-1", "p")


def test_a_compile_says_what_was_compiled_and_written():
    history = folded(compiled(), compiled(digest="d2", cost=0.5, entries={}, wrote={"x": "y"}))
    assert history.compiled == {"e-000000000001": "s1"}
    assert history.written == {"concepts/a": "w1", "x": "y"}
    assert history.ingested == {
        "daily/2026-04-01.md": {"hash": "d2", "compiled_at": AT.isoformat(), "cost_usd": 0.75}
    }


def test_the_seed_s_state():
    lint = {"kind": "call", "at": "2026-04-02", "task": "lint", "cost_usd": 1}
    history = folded(compiled(), called(), called("query", 0.01), called("query", 0.02), lint)
    assert history.state() == {
        "ingested": history.ingested,
        "query_count": 2,
        "last_lint": "2026-04-02",
        "total_cost": 1.13,
        "operations": {
            "compile": {"calls": 1, "tokens": 120, "cost_usd": 0.1},
            "lint": {"calls": 1, "tokens": 0, "cost_usd": 1.0},
            "query": {"calls": 2, "tokens": 240, "cost_usd": 0.03},
        },
    }
    assert fold_ledger(()).state() == {
        "ingested": {},
        "query_count": 0,
        "last_lint": None,
        "total_cost": 0.0,
        "operations": {},
    }


@cased(("[" * 100_000, 1), ('{"kind": "call", "cost_usd": ' + "9" * 5_000 + "}", 1))
def test_a_line_that_is_no_record_spoils_itself_alone(line, damaged):
    good = [ledger.format_line(captured()), ledger.format_line(compiled())]
    history = fold_ledger([good[0], line, good[1]])
    assert history.damaged == damaged
    assert history.watermarks == {MARK.path: MARK}
    assert history.compiled == {"e-000000000001": "s1"}


@pytest.mark.parametrize(
    "cost", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 400, '"1"', "null", "[1]", "{}"]
)
def test_a_cost_that_is_no_number_is_none(cost):
    line = f'{{"kind": "call", "task": "query", "cost_usd": {cost}, "input": {cost}}}'
    log = f'{{"kind": "compile", "log": "l", "cost_usd": {cost}}}'
    found = fold_ledger([line, log, ledger.format_line(called())]).state()
    assert found["total_cost"] == 0.1
    assert found["operations"]["query"]["tokens"] == 0
    assert found["ingested"]["l"]["cost_usd"] == 0.0
    json.dumps(found, allow_nan=False)


names = st.sampled_from([
    "kind", "at", "entry", "session", "path", "end", "turns", "log", "hash", "entries", "wrote",
    "cost_usd", "task", "input", "output", "resolved", "how", "signature", "call", "day",
])  # fmt: skip
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["2026-04-01T10:00:00+00:00", "2026-04-01", "0001-01-01T00:00:00+14:00"])
)
values = scalars | st.lists(scalars, max_size=3) | st.dictionaries(names, scalars, max_size=3)
records = st.fixed_dictionaries(
    {"kind": st.sampled_from(["session", "mistake", "compile", "wrote", "call"]) | values},
    optional=dict.fromkeys(("at", "path", "end", "turns", "log", "entries", "wrote"), values)
    | dict.fromkeys(("cost_usd", "task", "input", "resolved", "entry", "how"), values),
)


@given(
    st.lists(records.map(json.dumps) | values.map(json.dumps) | st.text(max_size=20), max_size=6)
)
def test_no_line_whatever_its_types_stops_the_fold(lines):
    history = fold_ledger(lines)
    assert 0 <= history.damaged <= len(lines)
    json.dumps(history.state(), allow_nan=False)
    for mark in history.watermarks.values():
        assert mark.end >= 0
        assert all(isinstance(part, str) for part in (mark.path, mark.identity, mark.tail))
    for capture in history.captures.values():
        assert all(isinstance(getattr(capture, name), str) for name in Capture.__slots__)
    assert fold_ledger(lines) == history


def test_records_carry_the_version_of_the_detector_that_saw_them():
    first = {"kind": "mistake", "at": "2026-03-02T10:00:00+00:00", "session": "a", "signature": "m"}
    visit = {
        "kind": "session",
        "session": "a",
        "began": "2026-03-02T10:00:00+00:00",
        "ended": "2026-03-02T11:00:00+00:00",
    }
    rows = [first, visit, first | {"session": "b", "detector": 2}]
    rows += [visit | {"session": "b", "detector": 2}, visit | {"session": "c"}]
    rows += [visit | {"session": "c", "detector": 2}]
    found = fold_ledger(json.dumps(row) for row in rows)
    assert {name: stay.detector for name, stay in found.sessions.items()} == {
        "a": 0,
        "b": 2,
        "c": 0,
    }
    assert list(found.latest.sessions) == ["b"]
    assert len(found.latest.mistakes) == 1


def test_the_fold_passes_over_what_is_taken_back_but_not_over_money():
    records = [
        {"kind": "compile", "at": "", "log": "daily/x.md", "entries": {"e-1": "1"}, "step": "a"},
        {"kind": "call", "at": "", "task": "compile", "cost_usd": 2.0, "step": "a"},
        {"kind": "rule", "at": "", "id": "wf-1", "step": "a"},
        {"kind": "rule", "at": "", "id": "wf-2"},
        ledger.build_undo_record("2026-03-02T10:00:00+00:00", "a", "compile", {}) | {"step": "b"},
    ]
    history = fold_ledger(json.dumps(one) for one in records)
    assert not history.compiled
    assert not history.ingested
    assert history.cost == 2.0
    assert [one["id"] for one in history.records_of("rule")] == ["wf-2"]
    assert history.undone == {"a"}
