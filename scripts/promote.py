"""`memoria promote` from a clone: python scripts/promote.py [options]."""

from run_verb import run_verb

run_verb("promote")
