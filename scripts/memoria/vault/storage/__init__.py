"""Disk, journal, state and clock below the vault."""
