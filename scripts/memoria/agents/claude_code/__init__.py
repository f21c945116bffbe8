"""Claude Code: its transcripts, its settings, what its user typed."""

EFFECTS = frozenset({"git"})
