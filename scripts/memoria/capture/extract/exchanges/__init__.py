"""What was asked and answered, one line each."""
