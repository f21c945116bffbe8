"""What a session is called: the surest name first, and clauses that can be read alone."""
