"""`memoria query` from a clone: python scripts/query.py "question"."""

from run_verb import run_verb

run_verb("query")
