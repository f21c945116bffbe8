"""`memoria team` from a clone: python scripts/team.py [options]."""

from run_verb import run_verb

run_verb("team")
