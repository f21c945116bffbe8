"""Which lines of the vault this machine knows, and who wrote the others."""

EFFECTS = frozenset({"known_lines", "line_authors"})
