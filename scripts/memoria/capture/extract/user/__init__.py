"""What the user demanded, corrected and objected to."""
