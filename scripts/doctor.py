"""`memoria doctor` from a clone: python scripts/doctor.py [options]."""

from run_verb import run_verb

run_verb("doctor")
