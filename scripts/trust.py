"""`memoria trust` from a clone: python scripts/trust.py [options]."""

from run_verb import run_verb

run_verb("trust")
