"""`memoria install` from a clone: python scripts/install.py [options]."""

from run_verb import run_verb

run_verb("install")
