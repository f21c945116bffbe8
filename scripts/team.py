"""`memoria team` from a clone: python scripts/team.py [options]."""

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent)

from memoria.cli.main import main  # noqa: E402 - the path above comes first

sys.exit(main(["team", *sys.argv[1:]]))
