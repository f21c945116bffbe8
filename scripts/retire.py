"""`memoria retire` from a clone: python scripts/retire.py [options]."""

from run_verb import run_verb

run_verb("retire")
