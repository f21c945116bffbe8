"""`memoria report` from a clone: python scripts/report.py [options]."""

from run_verb import run_verb

run_verb("report")
