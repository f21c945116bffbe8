"""`memoria update` from a clone: python scripts/update.py [options]."""

from run_verb import run_verb

run_verb("update")
