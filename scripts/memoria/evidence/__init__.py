"""Does it help: experiments, rates, e-values, intervals, verdict.

- experiment, manual_service: what was set up, and logged by hand, from the ledger; study says what
  was drawn and puts it together with a team's sessions, service reads it for verbs.
- verdict: all that a study's sessions allow to say, by rates (effect sizes and the seed's tests,
  too), cluster_intervals and e_values, and the conclusion in one sentence.
- rule_observer: what a captured session says of its rules; backtest: what was known when a mistake
  came back.
- study_report: a study as text and as data; report: the note of `memoria report`.

Terms: RMR is the repeated mistake rate; a coin decides the arm of a session (treated, control); a
repeat is a mistake that an earlier session of the project had met within the look-back.
"""
