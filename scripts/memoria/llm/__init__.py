"""The port to language models, its engines, prompts, forms, budget and login."""
