"""What a session is told at its start beside the rules: lines prepared, and those that fit."""
