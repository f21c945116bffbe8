import time

import pytest
from cases import cased
from reviewed import review, reviews

from memoria.rules.from_review.advice import advice, comments, remarks
from memoria.text.prose import strip_markdown


def rules(text):
    return [one.text for one in advice([text])]


@cased()
def test_what_holds_in_general(text, rule):
    assert rules(text) == [rule]


@cased("Always " + "very " * 200 + "long.")
def test_what_mends_one_place_or_nothing(text):
    assert rules(text) == []


def test_a_rule_that_is_said_twice_is_one():
    assert len(advice(["Never log bodies at all.", "Never log bodies at all!"])) == 1


def measured(folder):
    """Give precision, recall and the number of rules found over a folder of reviews."""
    hits = misses = found = 0
    for text, wanted in reviews(folder).values():
        quotes = [one.quote.lower() for one in advice(remarks(text))]
        words = [strip_markdown(one).lower() for one in wanted]
        found += len(quotes)
        hits += sum(any(one in quote for one in words) for quote in quotes)
        misses += sum(not any(one in quote for quote in quotes) for one in words)
    return hits / found, hits / (hits + misses), found


def test_precision_and_recall_on_the_reviews_that_the_weights_were_set_on():
    precision, recall, found = measured("seen")
    assert precision >= 0.97
    assert recall >= 0.5
    assert found > 30


def test_precision_and_recall_on_reviews_that_were_kept_apart():
    precision, recall, _ = measured("unseen")
    assert precision >= 0.9
    assert recall >= 0.4


# -- Remarks ---------------------------------------------------------------------------------------


@cased()
def test_places_and_labels_are_no_part_of_a_remark(text):
    assert remarks(text) == ("Use one.",)


@pytest.mark.parametrize(
    "text",
    [
        '[{"body": "Thanks.\\nTests must never sleep.\\n"}]',
        '{"notes": [{"note": "Tests must never sleep.", "author": {"name": "ana"}}]}',
    ],
)
def test_the_json_of_an_interface_is_read_by_its_lines(text):
    assert [one.text for one in advice(remarks(text))] == ["Tests must never sleep"]


@cased()
def test_what_no_reviewer_asked_for_is_no_remark(text):
    assert remarks(f"{text}\n\nThe end.") == ("The end.",)


def test_a_robot_s_orders_for_other_robots_stand_in_a_fence():
    said = " ".join(comments(review("seen/bot")[0]))
    assert "rethrow the exception" not in said
    assert "Secrets and signatures" in said


@pytest.mark.parametrize(
    "text",
    ["a/" * 100_000, "aaaa." * 50_000, "# " + "#" * 200_000, "**" * 100_000, "`" * 200_000,
     "x" * 400_000, "- " * 100_000, "[" * 200_000, "a b " * 60_000, "line 1: " * 30_000,
     "a.py:1 " * 30_000, "> " * 100_000, "word, " * 50_000 + ".", "@@ " * 60_000],
)  # fmt: skip
def test_a_hostile_line_takes_no_time(text):
    before = time.process_time()
    advice(remarks(text))
    assert time.process_time() - before < 5
