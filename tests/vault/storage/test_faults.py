"""Every call to the disk that a verb makes fails once: the short form of bench.torture.faults."""

import re

import pytest
import steps

pytestmark = steps.forking


@pytest.mark.parametrize("more", [(), ("--all-after",)])
def test_a_verb_whose_disk_fails_leaves_the_old_or_the_new(more):
    done = steps.bench("faults", "--every", "211" if more else "199", *more)
    assert done.returncode == 0, done.stdout + done.stderr
    found = dict(re.findall(r"(\S+): (\d+) changes", done.stdout))
    assert {"flush", "compile", "file-back", "promote", "reward", "undo", "forget"} <= found.keys()
    assert all(int(count) > 20 for count in found.values())
