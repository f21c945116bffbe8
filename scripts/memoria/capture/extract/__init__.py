"""What plain code finds in a session: work, mistakes, fixes, findings, the entry's lines."""
