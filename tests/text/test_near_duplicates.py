"""Sketches of texts: what is nearly the same is found, without comparing each with each."""

import random
import time

import pytest

from memoria.text.near_duplicates import ALIKE, alike, sketch


def text(seed, length=300):
    rng = random.Random(seed)
    return [f"w{rng.randrange(2000)}" for _ in range(length)]


def changed(words, share, seed=0):
    """The same words, but for a stretch of them."""
    size = int(len(words) * share)
    return [*words[: len(words) - size], *text(f"other {seed}", size)]


def test_copies_and_near_copies_are_found_and_nothing_else():
    first, second = text(1), text(2)
    texts = [first, second, list(first), changed(second, 0.05), changed(first, 0.5), text(3)]
    found = alike([sketch(words) for words in texts])
    assert [(pair.one, pair.other) for pair in found] == [(0, 2), (1, 3)]
    assert found[0].share == 1.0


@pytest.mark.parametrize("share", [0.05, 0.1, 0.2])
def test_the_share_is_about_right(share):
    words = text(4, 2000)
    other = changed(words, share)
    runs = [{tuple(one[at : at + 4]) for at in range(1997)} for one in (words, other)]
    truth = len(runs[0] & runs[1]) / len(runs[0] | runs[1])
    (found,) = alike([sketch(words), sketch(other)], least=0.0)
    assert found.share == pytest.approx(truth, abs=0.2)


def test_short_texts_have_no_sketch_and_none_is_no_pair():
    assert sketch(["a", "b"] * 5) == ()
    assert sketch(["same"] * 500) == ()
    assert alike([]) == []
    assert alike([(), ()]) == []


def test_order_counts():
    words = text(5)
    assert alike([sketch(words), sketch(words[::-1])]) == []


def test_a_crowd_of_copies_is_found_in_linear_time():
    template = text(6, 60)
    sketches = [sketch(template)] * 3000
    began = time.process_time()
    found = alike(sketches)
    assert {pair.other for pair in found} == set(range(1, 3000))
    assert len(found) < 3000 * 4
    assert time.process_time() - began < 10  # each with each would take minutes


def test_a_template_alone_makes_no_pair():
    template = text(7, 120)
    sketches = [sketch([*template, *text(f"own {n}", 300)]) for n in range(200)]
    assert alike(sketches, ALIKE) == []
