"""A line, back to the entry, session and turn that it came from."""

EFFECTS = frozenset({"find"})
