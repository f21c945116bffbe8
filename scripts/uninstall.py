"""`memoria uninstall` from a clone: python scripts/uninstall.py [options]."""

from run_verb import run_verb

run_verb("uninstall")
