"""One question to the vault: index, ranking, answers, and what a session may be told."""

EFFECTS = frozenset({"ask", "sources", "where_said"})
