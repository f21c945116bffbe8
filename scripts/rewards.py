"""`memoria rewards` from a clone: python scripts/rewards.py [options]."""

from run_verb import run_verb

run_verb("rewards")
