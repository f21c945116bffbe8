"""Erase sessions from every file and index."""
