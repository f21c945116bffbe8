"""The command for your own sessions: install what is needed, then `memoria start`.

    python3 scripts/start.py

Needs Python 3.11 and the package index, nothing else; asks no question and needs no account.
"""

import sys

from bootstrap import memoria

if __name__ == "__main__":
    sys.exit(memoria("start", *sys.argv[1:]))
