"""What a prompt or a failed call may be answered with."""
