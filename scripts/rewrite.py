"""`memoria rewrite` from a clone: python scripts/rewrite.py [options]."""

from run_verb import run_verb

run_verb("rewrite")
