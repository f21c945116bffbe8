"""Which lines of the vault this machine knows, and who wrote the others."""

# the modules here that touch the disk or start git (tests/test_architecture.py)
EFFECTS = frozenset({"known_lines", "line_authors"})
