"""`memoria import` from a clone: python scripts/import.py [options]."""

from run_verb import run_verb

run_verb("import")
