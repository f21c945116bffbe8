"""UserPromptSubmit: the rules and passages that fit a prompt, beside it in the same request.

The client waits for this hook before each prompt, and shows nothing of it to the person; so it
looks a few words up in a prepared database, and most prompts get nothing. What a person has taught
since the session began comes with the next prompt, whatever that says. The trap: the client submits
the notifications of its background tasks as prompts, too.
"""

import os
import sys

if not __package__:  # started by path, under -S -E: the package is two folders up
    # behind the standard library, so that nothing that lies there is taken for a part of it
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    del sys.path[0]

from memoria.hooks.prompt_answer import main

if __name__ == "__main__":
    main()
