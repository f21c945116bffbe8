"""What errors went away after, and what of that a failed call is told."""
