"""A session comes in: spool, digest, history and the service that writes its entry."""

EFFECTS = frozenset({"coverage", "spool"})
