"""Claude Code: its transcripts, its settings, what its user typed."""

EFFECTS = frozenset(
    {
        "claude_md",
        "git",
    }
)
