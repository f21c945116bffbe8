"""The insights of all entries, by category, with counts."""
