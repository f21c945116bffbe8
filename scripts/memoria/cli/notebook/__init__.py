"""What a person at a terminal sees of `memoria skills` and `memoria distill`."""
