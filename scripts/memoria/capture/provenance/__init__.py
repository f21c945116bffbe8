"""Who had the words of a line first, and what of it may be told again."""
