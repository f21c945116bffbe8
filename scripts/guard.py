"""`memoria guard` from a clone: python scripts/guard.py [options]."""

from run_verb import run_verb

run_verb("guard")
