"""What is said of each candidate of a session by numbers, and what these are worth."""

import pytest
from talk import commit, edit, say, transcript, turn

from memoria.capture.extract.candidates import gather_candidates
from memoria.capture.extract.features import DIRECTIONS, describe_candidates
from memoria.capture.extract.observed import observe
from memoria.capture.extract.weights import FITTED, FittedWeights, estimate_worth

NEVER = "The worker never renews the lease in its loop."
PLAN = (
    "Implement the following plan:\n\n# Leases\n\n## Problem\n\nThe worker holds `renew_lease` for"
    " 60 seconds.\n\n## Steps\n\n- Cut the lease: the worker needs it only once in a night"
)
SESSION = (
    turn("what helps?", say("Use a fencing token in the lease of the broker of the shop.")),
    turn(
        PLAN,
        say("Found that we probably keep the lease because nobody asks for it."),
        edit("/home/ana/shop/worker.py", "renew_lease()", "timer()"),
        commit(f"Renew the lease early\n\n{NEVER}"),
        say(f"{NEVER} The token of the broker is enough for all of us"),
    ),
)


def described():
    seen = observe(transcript(*SESSION))
    gathered = gather_candidates(seen)
    rows = zip(gathered, describe_candidates(gathered, seen), strict=True)
    return [
        f"{one.source}: " + " ".join(f"{name} {value:.2f}" for name, value in sorted(each.items()))
        for one, each in rows
    ]


TABLE = """
closing: amended 0.20 calls_after 1.00 central 0.60 edits_after 1.00 length 4.08 passage 4.08 retold
  0.40 sentence 1.00 texts_after 1.10
plan: amended 0.50 calls_after 1.00 central 0.62 digits 1.00 edited 1.00 edits_after 1.00 length
  3.83 names 0.25 of_reason 1.00 passage 3.83 retold 0.50 sentence 1.00 texts_after 0.69 touched
  1.00
narration: amended 0.14 calls_after 1.00 cause 1.00 central 0.14 choice 1.00 edits_after 1.00 hedges
  1.00 length 4.17 narrates 1.00 passage 4.17 retold 0.14 sentence 1.00 texts_after 0.69
plan: amended 0.33 calls_after 1.00 central 0.55 depth 0.50 edits_after 1.00 item 1.00 labelled 1.00
  length 4.01 limits 1.00 passage 4.01 retold 0.33 texts_after 0.69
subject: central 0.72 length 3.04 passage 3.04 result 1.00 retold 0.67 texts_after 0.69
body: central 0.66 denies 1.00 length 3.83 passage 3.83 result 1.00 retold 1.00 sentence 1.00
  texts_after 0.69
closing: central 0.66 denies 1.00 length 3.83 passage 3.83 result 1.00 said_in_commit 1.00 sentence
  1.00
closing: central 0.50 depth 0.50 length 3.85 passage 4.54 result 1.00
"""


def test_a_session_is_described_sentence_by_sentence():
    assert " ".join(described()) == " ".join(TABLE.split())
    assert all(f" {name} " in TABLE.replace("\n", " ") for name in DIRECTIONS)


def test_each_feature_has_a_weight_on_its_side():
    assert set(FITTED.weights) == set(DIRECTIONS)
    assert all(side * FITTED.weights[name] >= 0 for name, side in DIRECTIONS.items())
    assert 20 <= len(DIRECTIONS) <= 40


def test_worth_is_a_chance():
    table = FittedWeights("", "", "", (), 0.0, {"cause": 1.0})
    assert estimate_worth({}, table) == 0.5
    assert estimate_worth({"cause": 1.0, "unknown": 9.0}, table) == pytest.approx(0.731, abs=0.001)
    assert 0 < estimate_worth({"cause": 1e9}, table) <= 1
