"""PostToolUseFailure: what an error went away after the last times, before the model's next move.

Its text stands in the very next request, so it is the direct way to fewer repeated mistakes. Most
failures are new or need no help. The trap: the failing tool's output may have been written by
anybody, so nothing of it is ever said again here.
"""

import os
import sys

if not __package__:  # started by path, under -S -E: the package is two folders up
    # behind the standard library, so that nothing that lies there is taken for a part of it
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    del sys.path[0]

from memoria.hooks.failure_answer import main

if __name__ == "__main__":
    main()
