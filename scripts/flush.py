"""`memoria flush` from a clone: python scripts/flush.py [options]."""

from run_verb import run_verb

run_verb("flush")
