"""Run a verb of the package in this clone, for the scripts beside this module."""

import sys
from pathlib import Path

# whatever way leads to the script, the package is found by its own place
sys.path[0] = str(Path(__file__).resolve().parent)

from memoria.cli.main import main  # noqa: E402 - the path above comes first


def run_verb(verb: str) -> None:
    """Run the verb with the words of the command line and end the program."""
    sys.exit(main([verb, *sys.argv[1:]]))
