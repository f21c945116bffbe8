"""Claude Code sessions -> a Markdown vault and the rules that help, with the evidence for it.

    transcript -> mistake -> entry -> patch -> article, rule -> selection -> injection -> reward
      (JSONL)    (signature) (daily/) (checked)  (knowledge/)    (bandit)     (hook)      (ledger)

A session's Transcript shows its Mistakes and becomes an Entry in the day's log. The compiler turns
entries into a Patch; the vault applies it, leaving Articles and Rules. At the next start a
Selection of rules becomes an Injection. What does or does not go wrong then is a Reward.

    text vault agents privacy llm capture rules search compile lint learning evidence
               rooms, each one domain; a room's `__init__` says which and lists its modules with
               side effects (EFFECTS); docs/contributing/words.md has the terms
    mcp cli    the server; the verbs
    hooks      the programs that Claude Code starts: standard library alone, always exit 0

This file imports nothing: the hooks load it at every session start.
"""

__version__ = "0.1.0"
