"""The backtest: what came back, what was known then, and that it claims no more."""

from studies import seen

from memoria.evidence.backtest import backtest


def test_a_mistake_comes_back_from_an_earlier_session_only():
    found = backtest([seen("x", "a", 0), seen("x", "a", 1), seen("x", "b", 60), seen("y", "b", 61)])
    assert found.mistakes == 4
    assert found.sessions == 2
    (back,) = found.comebacks
    assert back.seen.session == "b"
    assert not back.fix


def test_a_session_that_met_it_later_knew_nothing():
    found = backtest([seen("y", "a", 0), seen("x", "b", 10), seen("x", "a", 20)])
    assert found.comebacks == ()


def test_the_order_of_the_ledger_does_not_matter():
    history = [
        seen("x", "a", 0, fix="+ z", mended=3),
        seen("x", "b", 60),
        seen("y", "b", 61),
        seen("y", "c", 90),
        seen("x", "c", 95, project="shop"),
    ]
    assert backtest(history) == backtest(history[::-1])
