"""The client's queue: which operations give a prompt to the running turn."""

import pytest

from memoria.agents.pieces import Queued, Steered
from memoria.agents.prompt_queue import PromptQueue


def op(name, text="", key="", *, discarded=False):
    return Queued(name, text, key, discarded)


def follow(*operations):
    queue = PromptQueue()
    return [words for one in operations if (words := queue.follow(one))]


@pytest.mark.parametrize(
    ("operations", "steered"),
    [
        ([op("enqueue", "a")], []),
        ([op("enqueue", "a"), op("remove")], [Steered("a")]),
        ([op("enqueue", "a"), op("dequeue"), op("remove")], []),
        ([op("enqueue", "a"), op("enqueue", "b"), op("dequeue"), op("remove")], [Steered("b")]),
        ([op("enqueue", "a"), op("enqueue", "b", "k"), op("remove", key="k")], [Steered("b", "k")]),
        (
            [op("enqueue", "a"), op("enqueue", "b"), op("remove", "b"), op("remove")],
            [Steered("b"), Steered("a")],
        ),
        ([op("enqueue", "a"), op("remove", "other")], [Steered("other")]),
        ([op("enqueue", "a"), op("remove", "a", discarded=True)], []),
        ([op("enqueue", "a", discarded=True), op("remove")], []),
        ([op("enqueue", "a"), op("enqueue", "b"), op("popAll"), op("remove")], []),
        ([op("enqueue", "a"), op("enqueue", "b"), op("popAll", "a"), op("remove")], [Steered("b")]),
        ([op("enqueue", "a"), op("something new"), op("remove")], [Steered("a")]),
    ],
)
def test_only_what_is_removed_undisturbed_steers(operations, steered):
    assert follow(*operations) == steered


def test_a_queue_that_only_grows_is_bounded():
    entered = [op("enqueue", str(number)) for number in range(1000)]
    assert follow(*entered, *[op("remove")] * 1000) == [Steered(str(n)) for n in range(980, 1000)]
