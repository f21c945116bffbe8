"""Rules in the files of other tools, and out of them again."""

EFFECTS = frozenset({"placement"})
