"""What must not pass: secrets, private spans, orders in text; one gate for all of it."""
