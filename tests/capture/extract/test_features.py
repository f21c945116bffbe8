"""What is said of a candidate by numbers: a table of examples, one for each feature."""

import pytest
from talk import commit, edit, say, transcript, turn

from memoria.capture.extract.candidates import candidates
from memoria.capture.extract.features import DIRECTIONS, features
from memoria.capture.extract.observed import observe
from memoria.capture.extract.weights import FITTED, Table, worth

LEASE = "The worker of the shop holds the lease of the queue for a minute."
FILE = "/home/ana/shop/worker.py"


def described(*turns):
    seen = observe(transcript(*turns))
    gathered = candidates(seen)
    found = {}
    for one, each in zip(gathered, features(gathered, seen), strict=True):
        found.setdefault(one.text, each)  # of copies the first
    return found


def of_text(text):
    return described(turn("why?", say(text)))[text]


WORDS = {
    "narrates": "Found that the worker of the shop holds its lease too long.",
    "denies": "The worker of the shop has no lease in the queue at night.",
    "sentence": LEASE,
    "first_person": "The worker of the shop holds what we call the lease of it",
    "hedges": "The worker of the shop probably holds the lease of the queue.",
    "limits": "The worker of the shop holds the lease only for one minute.",
    "cause": "The worker stops because the lease of the queue ran out.",
    "choice": "The worker of the shop asks for a token instead of a lease.",
    "digits": "The worker of the shop holds the lease for 60 of the seconds.",
    "labelled": "The worker: it holds the lease of the queue for one minute.",
    "names": "The worker calls `renew_lease` before the lease of it ends.",
}


@pytest.mark.parametrize("name", WORDS)
def test_words_tell(name):
    assert of_text(WORDS[name]).get(name, 0) > 0
    if name != "sentence":
        assert name not in of_text(LEASE)


def test_the_place_tells():
    assert described(turn("why?", say(LEASE)))[LEASE]["closing"] == 1
    assert described(turn("why?", say(f"- {LEASE}")))[LEASE]["item"] == 1
    made = described(turn("x", commit("Hold the lease of the queue")))
    assert made["Hold the lease of the queue"]["subject"] == 1
    found = described(turn("why?", say(LEASE), say("It is so."), say("Done.")))[LEASE]
    assert "closing" not in found
    second = f"{LEASE} The broker of the shop gives out the tokens of all workers."
    assert list(described(turn("why?", say(second))).values())[1]["depth"] > 0


def test_what_is_said_when_the_work_is_done_is_a_result():
    assert described(turn("x", edit(FILE), say(LEASE)))[LEASE]["result"] == 1
    earlier = described(turn("x", edit(FILE), say(LEASE)), turn("y", edit(FILE)))[LEASE]
    assert "result" not in earlier


def test_what_a_commit_says_again_counts_more():
    found = described(turn("x", say(LEASE), commit(f"Keep it\n\n{LEASE}")))
    assert found[LEASE]["said_in_commit"] == 1
    assert "said_in_commit" not in described(turn("x", say(LEASE)))[LEASE]


def test_what_an_edit_overtakes_counts_less():
    state = "The `renew_lease` call currently was put behind the loop of the worker."
    before = described(turn("x", say(state), edit(FILE, "renew_lease()", "timer()")))[state]
    after = described(turn("x", edit(FILE, "renew_lease()", "timer()"), say(state)))[state]
    for name in ("edits_after", "edited"):
        assert before[name] > 0
        assert name not in after


def test_words_of_answers_are_central():
    other = "The broker of the town gives out numbers to whom it may concern."
    found = described(
        turn("x", say(LEASE)), turn("y", say(f"{LEASE} {other}")), turn("z", say(LEASE))
    )
    assert found[LEASE]["central"] > found[other]["central"]


# -- Weights --------------------------------------------------------------------------------------


def test_each_feature_has_a_weight_on_its_side():
    assert set(FITTED.weights) == set(DIRECTIONS)
    assert all(side * FITTED.weights[name] >= 0 for name, side in DIRECTIONS.items())
    assert 20 <= len(DIRECTIONS) <= 40


def test_worth_is_a_chance():
    table = Table("", "", "", (), 0.0, {"cause": 1.0})
    assert worth({}, table) == 0.5
    assert worth({"cause": 1.0, "unknown": 9.0}, table) == pytest.approx(0.731, abs=0.001)
    assert 0 < worth({"cause": 1e9}, table) <= 1


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("The worker stops because `renew()` is never called after midnight.", LEASE),
        (LEASE, "All good now, the worker of the shop passes its checks."),
        (LEASE, "I think we should probably keep the worker of the shop."),
        (LEASE, "Update the worker of the shop to hold its lease longer"),
    ],
)
def test_causes_are_worth_more_than_states_and_these_more_than_chatter(better, worse):
    assert worth(of_text(better)) > worth(of_text(worse))
