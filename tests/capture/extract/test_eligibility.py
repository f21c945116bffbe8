"""Which candidates may stand in an entry at all."""

import pytest
from talk import commit, edit, say, transcript, turn

from memoria.capture.extract.candidates import candidates
from memoria.capture.extract.features import features
from memoria.capture.extract.observed import observe
from memoria.capture.extract.selection import eligible, is_early, shown

FILE = "/home/ana/shop/worker.py"
STATE = "The worker of the shop reads the clock of the broker in each of its loops."
CAUSE = "The worker of the shop loses its lease because the clock of the broker jumps."


def told(*turns):
    seen = observe(transcript(*turns))
    gathered = candidates(seen)
    numbers = eligible(gathered, features(gathered, seen))
    return [gathered[number].text for number in numbers]


def test_before_later_edits_only_a_cause_stands():
    edits = turn("fix it", *(edit(f"/home/ana/shop/{name}.py") for name in "abcdef"))
    assert told(turn("why?", say(f"{STATE} {CAUSE}")), edits) == [CAUSE]
    assert told(edits, turn("why?", say(f"{STATE} {CAUSE}"))) == [STATE, CAUSE]


def test_what_a_commit_says_again_stands():
    edits = turn("fix it", edit(FILE), commit(f"Worker\n\n{STATE}"))
    assert told(turn("why?", say(STATE)), edits) == [STATE, STATE]


@pytest.mark.parametrize(
    "said",
    [
        "The lease is short.",
        "I think that the worker of the shop reads the clock of the broker.",
        "Added a fencing token to the worker and to the broker of the shop.",
        "- worker.py of the shop and broker.py of the shop and the rest of them",
        "Committed as 5457fb4 on the branch of the worker and pushed to the origin.",
    ],
)
def test_labels_chatter_and_inventories_do_not_stand(said):
    assert told(turn("do it", edit(FILE), say(said))) == []


def test_a_guess_stands_only_where_nothing_followed():
    guess = "The worker of the shop probably loses its lease when the clock jumps."
    assert told(turn("why?", edit(FILE), say(guess))) == [guess]
    assert told(turn("why?", say(guess)), turn("fix it", edit(FILE))) == []


def test_a_missing_part_of_a_plan_is_built_by_the_edits_after_it():
    lacks = "The worker has no lease and the broker of the shop was never asked for one."
    plan = f"Implement the following plan:\n\n# Leases\n\n{lacks}"
    said = commit(f"Leases\n\n{lacks}")
    assert told(turn(plan, edit(FILE), said)) == [lacks]  # by the commit
    assert lacks in told(turn(plan, say("Planned.")))


def test_a_fault_in_what_was_edited_later_is_early():
    fault = "`renewLease` is never called because `pop` returns early in the loop of the worker."
    change = edit(FILE, "def pop(): return", "def pop(): renewLease()")
    seen = observe(transcript(turn("why?", say(fault)), turn("fix it", change)))
    gathered = candidates(seen)
    assert [
        is_early(one, each) for one, each in zip(gathered, features(gathered, seen), strict=True)
    ] == [True]


def test_the_reason_of_a_plan_stands_after_its_edits():
    plan = "Implement the following plan:\n\n# Leases\n\n## {}\n\n" + STATE
    assert told(turn(plan.format("Context"), edit(FILE))) == [STATE]
    assert told(turn(plan.format("Files to modify"), edit(FILE))) == []


def test_advice_that_nobody_took_does_not_stand():
    advice = "Add a fencing token to the lease of the shop because the clock of the broker jumps."
    assert told(turn("what would help?", say(advice))) == []
    assert told(turn("do it", edit(FILE), say(advice))) == [advice]


@pytest.mark.parametrize(
    "asked", ["can you look at the broker instead?", "perhaps we need only one broker here"]
)
def test_what_the_user_asks_or_wonders_decides_nothing(asked):
    assert told(turn(f"the lease is short - {asked}", edit(FILE))) == []


def test_a_step_an_intention_and_a_part_of_a_list_are_shown_only_for_want_of_others():
    plan = "Implement the following plan:\n\n# Leases\n\n## Context\n\n"
    step = "Add a fencing token to the lease of the shop because the clock of it jumps."
    intent = "The worker of the shop is going to renew its lease because the clock jumps."
    part = "There are three ways in which the worker may keep the lease:\n\n- " + STATE
    seen = observe(transcript(turn(f"{plan}{CAUSE}\n\n{step}\n\n{intent}\n\n{part}", edit(FILE))))
    gathered = candidates(seen)
    numbers = eligible(gathered, features(gathered, seen))
    assert [gathered[number].text for number in numbers] == [CAUSE, step, intent, STATE]
    assert [gathered[number].text for number in shown(gathered, numbers)] == [CAUSE]
    # a part of a list points at what it is a list of
    assert list(shown(gathered, numbers[1:])) == list(numbers[1:3])
