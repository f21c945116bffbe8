"""Codex CLI: its session files as neutral values, and what keeps hooks from running."""
