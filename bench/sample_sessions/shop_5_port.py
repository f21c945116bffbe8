"""A question of one line: a line of the day and no entry."""

from bench.sample_sessions.script import Session, ask, bash, say

SESSION = Session(
    project="shop-api",
    began="2026-10-09T13:20:00",
    version="2.1.324",
    steps=(
        ask("which port was the dev server on again?", after=6),
        bash("rg -n 'uvicorn' Makefile", "18:\tuv run uvicorn app.main:app --reload --port 8080"),
        say("8080."),
        ask("thanks", after=9),
        say("You're welcome."),
    ),
)
