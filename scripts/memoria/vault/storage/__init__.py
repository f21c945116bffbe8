"""Disk, journal, ledger, state and clock below the vault."""

EFFECTS = frozenset({
    "child_environment", "clock", "disk", "foreign_file", "foreign_git", "journal", "registry",
    "roll_forward", "state",
})  # fmt: skip
