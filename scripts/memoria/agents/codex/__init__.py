"""Codex CLI: its session files as neutral values, and the file of its hooks."""
