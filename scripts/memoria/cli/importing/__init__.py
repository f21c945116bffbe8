"""Bring in sessions and other tools' memory."""
