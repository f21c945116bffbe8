"""PreCompact: what was said so far goes into the spool before the client sums it up.

The compaction waits for this hook, and whatever it printed would become instructions for the
summary: it prints nothing. The same capture as at the session's end; the watermark of the
transcript sees to it that nothing is taken twice.
"""

import os
import sys

if not __package__:  # started by path, under -S -E: the package is two folders up
    # behind the standard library, so that nothing that lies there is taken for a part of it
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    del sys.path[0]

from memoria.hooks.session_end import main

if __name__ == "__main__":
    main()
