"""Run a verb of the package in this clone, for the scripts beside this module.

An interpreter that has what the verbs need, such as that of `uv run`, runs it itself; for any other
the clone's own environment is used, which is made where there is none.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

# whatever way leads to the script, the package is found by its own place
sys.path[0] = str(Path(__file__).resolve().parent)

from bootstrap import memoria  # noqa: E402 - the path above comes first


def run_verb(verb: str) -> None:
    """Run the verb with the words of the command line and end the program."""
    words = [verb, *sys.argv[1:]]
    if find_spec("platformdirs") is None:  # each verb loads it
        sys.exit(memoria(*words, folder=Path.cwd()))
    from memoria.cli.main import main  # noqa: PLC0415 - an interpreter without it cannot

    sys.exit(main(words))
