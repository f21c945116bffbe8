"""`memoria list` from a clone: python scripts/list.py [options]."""

from run_verb import run_verb

run_verb("list")
