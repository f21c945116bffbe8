"""Rules: the model, how they are learned, decided, rated and handed on."""

EFFECTS = frozenset({"learn", "rulebook", "skills"})
