"""What several people share: their lines, fixes, proposed rules and counted sessions.

A fact (fact.py) is one of these with its author. An exchange carries facts between machines: files
in a shared folder (membership_store.py, which also keeps the team that this machine belongs to) or
PostgreSQL (postgres_store.py). All that an exchange has lies in the mirror (mirror_store.py), which
the search index reads; hooks never touch the network. reports.py decides what of it a hook may say,
and tells of it; service.py what of this vault is shared, and pulls and pushes.

Glossary: a tombstone withdraws a fact of its own author; the generation of a fact counts how often
it was withdrawn before.
"""
