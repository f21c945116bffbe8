"""`python -m memoria` and, for hooks that know this file's path alone, `python .../__main__.py`."""

import sys
from pathlib import Path

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from memoria.cli.main import main

sys.exit(main())
