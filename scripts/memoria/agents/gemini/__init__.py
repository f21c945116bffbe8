"""Gemini CLI: its session files as neutral values."""
