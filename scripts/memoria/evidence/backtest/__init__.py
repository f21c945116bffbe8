"""What came back and what was known by then: replay, with rules from known_by_then; the verb."""
