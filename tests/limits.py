"""The one limit of time that tests have: after it, what is waited for hangs.

It is no measure of speed: that is CPU time (`time.process_time`, and `spent` here for what a test
starts), which says nearly the same on a machine that is busy with other things.
"""

import os

# seconds; a hundred times what the slowest of them takes, so that no load of a machine comes near
HANGS = 300


def spent():
    """Give the CPU seconds of all children that were waited for."""
    times = os.times()
    return times.children_user + times.children_system
