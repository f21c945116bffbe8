"""`memoria install` from a clone: python scripts/install.py [options]."""

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent)

from memoria.cli.main import main  # noqa: E402 - the path above comes first

sys.exit(main(["install", *sys.argv[1:]]))
