"""Claude Code sessions -> a Markdown vault and the rules that help, with the evidence for it.

    transcript -> mistake -> entry -> patch -> article, rule -> selection -> injection -> reward
      (JSONL)    (signature) (daily/) (checked)  (knowledge/)    (bandit)     (hook)      (ledger)

A session's Transcript shows its Mistakes and becomes an Entry in the day's log. The compiler turns
entries into a Patch; the vault applies it, leaving Articles and Rules. At the next start a
Selection of rules becomes an Injection. What does or does not go wrong then is a Reward.

    stages/    pure: one noun a module, in that order; a stage imports only those before it
    edges/     effects: vault, journal, spool, ledger, search index, model port, client, processes
    commands/  wiring: one verb a file; read through an edge, think in stages, write through an edge
    hooks/     the programs that Claude Code starts: standard library alone, always exit 0

This file imports nothing: the hooks load it at every session start.
"""

__version__ = "0.1.0"
