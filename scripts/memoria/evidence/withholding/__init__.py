"""What rules are worth, by chance and by checks."""
