"""Checks over one snapshot of the vault."""
