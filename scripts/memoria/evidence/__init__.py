"""Does it help: experiments, rates, e-values, intervals, verdict.

    experiment         what was set up, read from the ledger
    manual_service     sessions that a person tracks, and errors logged by hand
    study              how the sessions came to their arms, with a team's; verdict and notes
    service            for verbs: which experiment is meant, and its study
    verdict            all that the sessions allow to say, by rates, cluster_intervals, e_values
    experiment_report  an experiment as text and data
    vault_report       the note of `memoria report`: what goes wrong again, and does it help
    rule_observer      what a captured session says of its rules

RMR is the repeated mistake rate; a coin decides the arm of a session (treated, control); a repeat
is a mistake that an earlier session of the project had met within the look-back.
"""
