"""`memoria distill` from a clone: python scripts/distill.py [options]."""

from run_verb import run_verb

run_verb("distill")
