"""`memoria mcp` from a clone: python scripts/mcp_.py [options].

Not mcp.py: a script's folder comes first on the path, so that would hide the mcp package.
"""

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent)

from memoria.cli.main import main  # noqa: E402 - the path above comes first

sys.exit(main(["mcp", *sys.argv[1:]]))
