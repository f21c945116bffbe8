"""`memoria reward` from a clone: python scripts/reward.py [options]."""

from run_verb import run_verb

run_verb("reward")
