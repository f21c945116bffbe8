"""Checks over one snapshot of the vault.

    service         the verb `lint`: read, fix, ask, report
    store           reads the files as one Snapshot, with a cache of notes
    checks          runs all checks that need no model, those of daily logs among them
    finding         one result of a check; severities; the report
    note            what a check knows of one file
    link_graph      links: broken, without a link back, and the file that each opens
    index_rows      index.md against the articles
    contradictions  the question to an engine, and its answer
    fix             what code fixes in an article
    audit           `doctor --audit`: secrets, modes, active content
    audit_checks    the checks of the audit

A note is any Markdown file under daily/ or knowledge/; an article is a note whose folder is one of
the schema's kinds; a finding is a fault at one place.
"""

EFFECTS = frozenset({"audit"})
