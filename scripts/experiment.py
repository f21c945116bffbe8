"""`memoria experiment` from a clone: python scripts/experiment.py [options]."""

from run_verb import run_verb

run_verb("experiment")
