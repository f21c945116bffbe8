"""`memoria search` from a clone: python scripts/search.py [options]."""

from run_verb import run_verb

run_verb("search")
