"""Checks over one snapshot of the vault.

    service         the verb `lint`: read, fix, ask, report
    store           reads the files as one Snapshot, with a cache of notes
    note            what a check knows of one file
    checks          all checks that need no model; what links where, and the file that a link opens
    names           names of code that articles tell of, and which of them are gone
    code_search     which of them stand in a project's files, and stood there once
    contradictions  the question to an engine, and its answer
    finding         one result of a check; severities; the report
    audit           `doctor --audit`: secrets and modes

A note is any Markdown file under daily/ or knowledge/; an article is a note whose folder is one of
the schema's kinds; a finding is a fault at one place.
"""

EFFECTS = frozenset({"audit", "code_search"})
