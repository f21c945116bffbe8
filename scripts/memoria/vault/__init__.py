"""The Markdown a person reads: logs, articles, entries, index, and the one way to write them."""

EFFECTS = frozenset({"package_files", "setup", "transaction"})
