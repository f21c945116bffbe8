"""SessionStart in this clone: the hook of the package, for the clone as the vault."""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = os.path.join(ROOT, "scripts")

from memoria.hooks.session_start import main  # noqa: E402 - the path above comes first

main(os.environ.get("MEMORIA_VAULT") or ROOT)
