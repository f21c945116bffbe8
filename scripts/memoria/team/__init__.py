"""What several people share: their lines, fixes, proposed rules and counted sessions.

A tombstone withdraws a fact of its own author; the generation of a fact counts how often it was
withdrawn before. Hooks never touch the network: the index reads the mirror.
"""

EFFECTS: frozenset[str] = frozenset()
