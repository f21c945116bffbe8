"""A session read once: who said what, what each call did and how it ended, what became of it."""
