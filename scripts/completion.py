"""`memoria completion` from a clone: python scripts/completion.py [options]."""

from run_verb import run_verb

run_verb("completion")
