"""`memoria stats` from a clone: python scripts/stats.py [options]."""

from run_verb import run_verb

run_verb("stats")
