"""Leave out of a text what the user marked `<private>`.

What is doubtful is kept out: an opening without an end hides the rest, an end without an opening
(the text was cut) hides all before it.
"""

import re

# "<private>", "</private>", "< Private lang=de>"; compiled where a text may hold one: a hook that
# meets none need not wait for it
_MARK = r"(?i)<\s{0,9}(/?)\s{0,9}private\b[^<>]{0,200}>"


def strip_private(text: str) -> str:
    """Cut out private spans."""
    if "vate" not in text.casefold():  # the letters that have no odd capitals
        return text
    parts, depth, at = [""], 0, 0
    for tag in re.finditer(_MARK, text):
        if depth == 0:
            parts.append(text[at : tag.start()])
        if not tag[1]:
            depth += 1
        elif depth == 0:
            parts.clear()
        else:
            depth -= 1
        at = tag.end()
    return "".join([*parts, "" if depth else text[at:]])
