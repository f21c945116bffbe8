"""`memoria undo` from a clone: python scripts/undo.py [options]."""

from run_verb import run_verb

run_verb("undo")
