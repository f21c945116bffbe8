"""`memoria review` from a clone: python scripts/review.py [options]."""

from run_verb import run_verb

run_verb("review")
