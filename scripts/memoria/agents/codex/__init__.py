"""Codex CLI: its session files as neutral values; nothing is hooked up to it yet."""
