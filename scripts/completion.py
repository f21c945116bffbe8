"""`memoria completion` from a clone: python scripts/completion.py [options]."""

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent)

from memoria.cli.main import main  # noqa: E402 - the path above comes first

sys.exit(main(["completion", *sys.argv[1:]]))
