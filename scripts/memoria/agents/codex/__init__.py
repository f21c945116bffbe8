"""Codex CLI: its session files as neutral values, and what the person approved of hooks."""
