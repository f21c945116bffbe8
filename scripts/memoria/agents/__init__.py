"""Coding agents whose sessions come in: the values and the port that all of them share."""

EFFECTS = frozenset({"instruction_files", "port"})
