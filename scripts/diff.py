"""`memoria diff` from a clone: python scripts/diff.py [options]."""

from run_verb import run_verb

run_verb("diff")
