"""`memoria reject` from a clone: python scripts/reject.py [options]."""

from run_verb import run_verb

run_verb("reject")
