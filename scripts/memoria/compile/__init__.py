"""Entries become articles: patch, apply, propose; the offline topics."""

EFFECTS = frozenset(
    {
        "propose",
    }
)
