"""A decision is linked to the later one that replaces it, and to nothing else."""

import json

import pytest
from bench.delivery.amendments import links
from bench.delivery.vaults import HERE


@pytest.mark.parametrize(("file", "least"), [("amendments.jsonl", 18), ("changes.jsonl", 6)])
def test_amended_decisions_are_linked_and_near_misses_are_not(file, least):
    rows = [json.loads(line) for line in (HERE / file).read_text("utf-8").splitlines()]
    pairs = links(rows)
    right = [pair for pair in pairs if pair[1] == pair[0].replace("/earlier", "/amended")]
    assert len(right) >= least
    # a wrong replacement is worse than none
    assert len(right) >= 0.95 * len(pairs)
