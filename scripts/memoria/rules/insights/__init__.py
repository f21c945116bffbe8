"""The insights of all entries, by category, with counts."""

EFFECTS = frozenset({"distill", "stats"})
