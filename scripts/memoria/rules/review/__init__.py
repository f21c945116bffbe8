"""The rules that wait, and a person's decisions about them."""

EFFECTS = frozenset({"decide"})
