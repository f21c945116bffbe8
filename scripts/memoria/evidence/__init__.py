"""Does it help: experiments, rates, e-values, intervals, verdict.

experiment and manual_service: what was set up and logged by hand; study: what was drawn, with a
team's sessions; service: for verbs. verdict: all that the sessions allow to say, by rates,
cluster_intervals and e_values. rule_observer: what a captured session says of its rules.
study_report and report: as text and data. RMR is the repeated mistake rate; a coin decides the arm
of a session (treated, control); a repeat is a mistake that an earlier session of the project had
met within the look-back.
"""
