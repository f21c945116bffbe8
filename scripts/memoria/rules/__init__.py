"""Rules: the model, how they are learned, decided, rated and handed on."""

EFFECTS = frozenset({"decisions", "learn", "learn_from_pages", "propose", "skills"})
