"""`memoria remember` from a clone: python scripts/remember.py [options]."""

from run_verb import run_verb

run_verb("remember")
