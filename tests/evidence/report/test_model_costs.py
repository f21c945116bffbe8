import pytest

from memoria.evidence.report.model_costs import expenses


def call(task="flush", read=10, written=2, usd=0.5):
    return {"kind": "call", "task": task, "input": read, "output": written, "cost_usd": usd}


def test_calls_are_summed_by_operation_dearest_first():
    found = expenses([call(), call(), call("compile", 100, 20, 3.0), call("other", 1, 1, 0)])
    rows = [(one.task, one.calls, one.read, one.written, one.usd) for one in found.rows]
    assert rows == [("compile", 1, 100, 20, 3.0), ("flush", 2, 20, 4, 1.0), ("other", 1, 1, 1, 0)]
    assert found.usd == 4.0
    assert found.rows[0].price == "$3.00"
    (figure,) = found.figures
    assert [row[1] for row in figure.rows] == ["$3.00", "$1.00"]


def test_what_no_model_answered_is_counted_apart():
    found = expenses([call(read=0, written=0, usd=0), {"kind": "call", "task": "lint"}])
    assert (found.rows, found.free, found.usd, found.figures) == ((), 2, 0.0, ())


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -3, "12", None, 10**400, [], {}])
def test_what_is_no_number_costs_nothing(value):
    assert expenses([call(read=value, written=value, usd=value)]).rows == ()


def test_tokens_without_dollars_are_told_and_not_pictured():
    found = expenses([call(usd=0)])
    assert found.rows[0].read == 10
    assert found.figures == ()
