"""The command line: what each verb does at the terminal, or which room does it.

    main                     read the arguments, run a verb, give its exit code
    verbs/                   the table: summary, example and arguments of each verb
    setup/  importing  buildlog      make and join a vault; bring in what was before it
    decide/  guard           decisions about rules, and the checks that guard them
    flush  hook_records  new  rewrite                       what comes into the daily logs
    evidence/  doctor                          whether it helps, and whether it works
    undo  undo_files  forgetting/  team      upkeep

Data goes to stdout, talk to stderr; the exit codes stand in `memoria --help`.
"""
