"""PreToolUse: a rule that is present at the moment of the act, for the guards that are on.

The client waits for this hook before each call of the tools that a guard needs; it is installed
only while one is on. Whatever goes wrong in it, the call is made as if it were not there.
"""

import os
import sys

if not __package__:  # started by path, under -S -E: the package is two folders up
    # behind the standard library, so that nothing that lies there is taken for a part of it
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    del sys.path[0]

from memoria.hooks.call_answer import main

if __name__ == "__main__":
    main()
