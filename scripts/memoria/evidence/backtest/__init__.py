"""What came back and what was known by then: replay, and service, which is the verb."""
