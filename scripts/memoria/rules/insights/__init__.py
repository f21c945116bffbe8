"""The insights of all entries, by category, with counts."""

EFFECTS = frozenset({"distill", "list_entries", "stats"})
