"""`memoria cost` from a clone: python scripts/cost.py [options]."""

from run_verb import run_verb

run_verb("cost")
