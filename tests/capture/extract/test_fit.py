"""The weights are fitted so that they keep to the side that each feature has."""

from bench.extract.fit import fit
from bench.extract.gold import Judged

from memoria.capture.extract.features import DIRECTIONS
from memoria.capture.extract.weights import estimate_worth


def judged(rows):
    described, labels = zip(*rows, strict=True)
    return Judged("a team", "s-1", (), described, labels, (), (), twice=False)


def test_what_tells_gets_a_weight_and_what_misleads_none():
    # "cause" is found with what was kept; "hedges" too, and may only hurt
    kept = [({"cause": 1.0, "hedges": 1.0, "length": 4.0}, "keep")] * 60
    rest = [({"length": 4.0}, "noise")] * 200 + [({"cause": 1.0, "length": 4.0}, "weak")] * 20
    table = fit([judged(kept + rest)], "the command")
    assert table.weights["cause"] > 0
    assert table.weights["hedges"] == 0
    assert set(table.weights) == set(DIRECTIONS)
    assert (table.command, table.teams) == ("the command", ("a team",))
    assert estimate_worth({"cause": 1.0, "length": 4.0}, table) > estimate_worth(
        {"length": 4.0}, table
    )


def test_the_same_sessions_give_the_same_weights():
    rows = [({"cause": 1.0}, "keep"), ({"status": 1.0}, "noise"), ({"names": 0.5}, "false")] * 9
    assert fit([judged(rows)]).weights == fit([judged(rows)]).weights
