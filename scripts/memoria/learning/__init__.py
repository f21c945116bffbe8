"""The bandit: arms, plays, rewards, the joint model, the slate of a session.

An arm is a rule that can be chosen; a family its paraphrases, which learn together; a slate the
rules of one session; withheld a chosen rule that a coin kept out; a propensity the chance that a
chosen rule was shown.
"""
