"""The Markdown a person reads: logs, articles, entries, index, and the one way to write them."""

# the modules here that touch the disk, the clock or the environment (tests/test_architecture.py)
EFFECTS = frozenset({"package_files", "setup", "transaction"})
