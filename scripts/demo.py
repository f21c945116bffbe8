"""The command for a first look: install what is needed into this clone, then `memoria demo`.

    python3 scripts/demo.py

Makes a vault of sample sessions in ~/memoria-demo; no session of yours is read, nothing is asked.
"""

import sys

from bootstrap import memoria

if __name__ == "__main__":
    sys.exit(memoria("demo", *sys.argv[1:]))
