"""History replayed: what came back, and what was known by then."""
