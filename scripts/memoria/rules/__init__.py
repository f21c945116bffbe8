"""Rules: the model, how they are learned, decided, rated and handed on."""

EFFECTS = frozenset({"decisions", "learn", "propose", "skills"})
