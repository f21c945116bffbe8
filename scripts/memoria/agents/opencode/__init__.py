"""OpenCode: the sessions in its SQLite database as neutral values."""
