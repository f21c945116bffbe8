"""`memoria forget` from a clone: python scripts/forget.py [options]."""

from run_verb import run_verb

run_verb("forget")
