"""Checks over one snapshot of the vault."""

EFFECTS = frozenset(
    {
        "audit",
    }
)
