"""General rules out of a code review."""
