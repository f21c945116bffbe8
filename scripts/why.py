"""`memoria why` from a clone: python scripts/why.py [options]."""

from run_verb import run_verb

run_verb("why")
