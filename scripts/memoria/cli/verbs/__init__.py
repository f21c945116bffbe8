"""The table of the verbs, a module for each group of `memoria --help`.

    verb                                            what a verb and its arguments are
    begin loop notebook rules evidence upkeep       the verbs of a group, in the order of the help
    table                                           all of them, by name and by group

A verb's own module is named as text and imported when the verb is called.
"""
