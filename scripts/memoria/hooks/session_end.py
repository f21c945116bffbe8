"""Capture a session at its end, or at Stop, after a turn of agents that may tell no end."""

import os
import sys

if not __package__:  # started by path, under -S -E: the package is two folders up
    # behind the standard library, so that nothing that lies there is taken for a part of it
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    del sys.path[0]

from memoria.hooks.session_spool import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
