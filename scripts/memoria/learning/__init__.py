"""The bandit: arms, plays, rewards, the joint model, the slate of a session.

    service           learns from the ledger; prepares the state of each project
    arms              a rule as the learner knows it
    play, plays       a session as the learner sees it; the ledger's plays
    rewards           what a rule was worth in a session
    occasions         whose occasion came up in a session, and how it went
    occasion_service  judges the rules that a session was given
    policy            the four policies, and the state that a hook draws from
    joint             the joint model; its parts are observations, neighbourhoods, text_prior
    logistic          the regression that the joint model is
    thompson          the seed's policy
    slate             draws the rules of a session (the session-start hook loads it)
    randomness        draws that can be repeated
    posterior         what is believed of each rule: bandit.json

An arm is a rule that can be chosen; a family its paraphrases, which learn together; a slate the
rules of one session; withheld a chosen rule that a coin kept out; a propensity the chance that a
chosen rule was shown.
"""
