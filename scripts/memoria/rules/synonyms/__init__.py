"""Word groups as data, and their lookup."""
