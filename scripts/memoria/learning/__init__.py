"""The bandit: which rules a session gets, by what became of earlier sessions that had them.

    session_rules    draws them at a session's start; policy prepares what it draws from
    play, rewards    what each session was shown, and what came of it, out of the ledger
    arms             rules as the learner knows them, and what gathers around each context
    joint, logistic  the model of what helps, and its arithmetic
    sparse           weights of words as a matrix

An arm is a rule that can be chosen; a family its paraphrases, which learn together; a slate the
rules of one session; withheld a chosen rule that a coin kept out; a propensity the chance that a
chosen rule was shown.
"""
