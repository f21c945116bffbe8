"""`memoria init` from a clone: python scripts/init.py [options]."""

from run_verb import run_verb

run_verb("init")
