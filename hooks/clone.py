"""Run a hook of the package in this clone, for the clone as the vault."""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# behind the standard library, so that nothing that lies there is taken for a part of it
sys.path.append(os.path.join(ROOT, "scripts"))
del sys.path[0]

from memoria.hooks import run  # noqa: E402 - the path above comes first


def main(event: str) -> None:
    """Run the hook of an event and end the program."""
    run.main(event, ROOT)
