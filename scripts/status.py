"""`memoria status` from a clone: python scripts/status.py [options]."""

from run_verb import run_verb

run_verb("status")
