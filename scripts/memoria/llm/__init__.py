"""The port to language models, its engines, prompts, forms, budget and login.

    port       requests, replies, the protocol of all engines, and Offline
    budget     makes the engine of a name, behind the governor on calls per hour; estimates costs
    claude     asks the real model through Claude Code, and judges what a call came to
    login      finds how the person is logged in
    prompts    fills the templates of prompts
    forms      JSON schemas of answers, and their readers
    embedding  vectors of texts, from the extras that bring a model

An engine answers requests; the material of a request is for plain code, its prompt for a model.
"""

EFFECTS = frozenset({"budget", "claude", "embedding", "login", "port"})
