"""Disk, journal, state and clock below the vault."""

EFFECTS = frozenset(
    {
        "child_environment",
        "clock",
        "disk",
        "file_list",
        "input_file",
        "journal",
        "program_check",
        "registry",
        "roll_forward",
        "sqlite",
        "state",
        "sync_services",
        "undo_images",
    }
)
