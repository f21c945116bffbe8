"""`memoria learn` from a clone: python scripts/learn.py [options]."""

from run_verb import run_verb

run_verb("learn")
