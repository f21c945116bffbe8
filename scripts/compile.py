"""`memoria compile` from a clone: python scripts/compile.py [options]."""

from run_verb import run_verb

run_verb("compile")
