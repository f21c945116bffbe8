"""The table of the verbs, by the groups of `memoria --help`.

    verb            what a verb and its arguments are
    vault rules     the verbs: on a vault; on rules, evidence and the team
    table           all of them, by name and by group

A verb's own module is named as text and imported when the verb is called.
"""
