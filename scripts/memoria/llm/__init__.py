"""The port to language models, its engines, prompts, forms, budget and login."""

EFFECTS = frozenset(
    {
        "budget",
        "claude",
        "embedding",
        "login",
        "offline",
        "port",
    }
)
