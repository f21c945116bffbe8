"""A session comes in: spool, digest, extract, provenance, and the service that writes its entry."""

EFFECTS = frozenset({"coverage", "spool"})
