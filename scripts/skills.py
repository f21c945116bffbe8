"""`memoria skills` from a clone: python scripts/skills.py [options]."""

from run_verb import run_verb

run_verb("skills")
