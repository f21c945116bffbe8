"""Which lines an entry may show: what still holds at its end, and what was decided by words."""
