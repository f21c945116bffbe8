"""`memoria lint` from a clone: python scripts/lint.py [options]."""

from run_verb import run_verb

run_verb("lint")
