"""The programs that Claude Code starts: standard library alone, silent, always exit 0."""
