"""The one index of lines: its writer, its two readers, and what it is made of.

`passages` makes the rows of notes and sessions, `amendments` links what was replaced,
`store` writes, `ranking` answers a search, `reader` the hooks (by the standard library alone).
"""

EFFECTS = frozenset({"amendments", "ranking", "reader"})
