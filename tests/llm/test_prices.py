"""Estimates of what requests cost, by list prices."""

import pytest

from memoria.llm.budget import OVERHEAD, PRICES, estimate

# characters of the prompt, tokens read and written, and dollars that the client 2.1.330 reported
# for requests by which a reader was asked as the model for two long sessions and their two days
FLUSHES = [
    (20_319, 6_172, 665, 0.000950),
    (18_799, 5_784, 455, 0.000806),
    (18_119, 5_601, 439, 0.000780),
    (20_789, 6_303, 507, 0.000884),
]
COMPILES = [(9_706, 3_465, 723, 0.014160), (9_654, 3_452, 414, 0.011044)]


@pytest.mark.parametrize(
    ("task", "model", "calls"), [("flush", "haiku", FLUSHES), ("compile", "sonnet", COMPILES)]
)
def test_an_estimate_is_within_a_quarter_of_what_the_client_reported(task, model, calls):
    found = estimate(task, model, [call[0] for call in calls], 60)
    assert found.usd == pytest.approx(sum(call[3] for call in calls), rel=0.25)
    assert found.tokens == pytest.approx(sum(call[1] for call in calls), rel=0.25)


def test_requests_beyond_an_hour_take_more_runs():
    found = estimate("flush", "haiku", [400] * 70, 60) + estimate("compile", "opus", [400], 60)
    assert found.requests == 71
    assert found.tokens == 71 * (100 + OVERHEAD)
    assert "so it takes 2 runs" in str(found)


def test_a_model_that_is_not_listed_costs_what_the_dearest_does():
    dearest = max(PRICES, key=lambda name: PRICES[name].read)
    one, other = (estimate("flush", name, [400], 60) for name in ("unknown-1", dearest))
    assert one == other
