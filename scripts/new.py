"""`memoria new` from a clone: python scripts/new.py [options]."""

from run_verb import run_verb

run_verb("new")
