import pytest

from memoria.rules.merge.vetoes import veto

POLARITY = [
    ("Always force push", "Never force push"),
    ("Use globals", "Avoid globals"),
    ("Enable telemetry", "Disable telemetry"),
    ("Allow retries", "Forbid retries"),
    ("Prefer tabs over spaces", "Prefer spaces over tabs"),
    ("Use tabs, not spaces", "Use spaces, not tabs"),
    ("Deploy with downtime", "Deploy without downtime"),
    ("Keep functions small", "Keep functions large"),
    ("Increase the timeout", "Decrease the timeout"),
    ("Set the minimum size", "Set the maximum size"),
    ("Open the file", "Close the file"),
    ("Explain why in comments, not what", "Explain what in comments, not why"),
    ("Maintain compatibility", "Break compatibility"),
    ("Add emojis", "Remove emojis"),
    ("Retry reads but not writes", "Retry writes but not reads"),
    ("`ui` -> `core`: allowed", "`ui` -> `core`: forbidden"),
    ("Test before deploying", "Never test before deploying"),
    ("Sort keys ascending, please", "Do not ever sort keys ascending, please"),
]
ORDER = [
    ("Test before deploying", "Deploy before testing"),
    ("Review before merging", "Review after merging"),
    ("Ask before deleting files", "Delete files before asking"),
]
NUMBER = [
    ("Keep 7 backups", "Keep 9 backups"),
    ("Support Python 3.11", "Support Python 3.12"),
    ("Retry three times", "Retry five times"),
    ("Set a timeout", "Set a timeout of 30 seconds"),
]
NAME = [
    ("Check types with mypy", "Check types with pyright"),
    ("Cache in Redis", "Cache in Memcached"),
    ("Log to stdout", "Log to stderr"),
    ("Deploy on Mondays", "Deploy on Fridays"),
    ("Call start_worker() first", "Call stop_worker() first"),
    ("Update with PATCH", "Update with PUT"),
    ("Lint the code", "Lint the Kotlin code"),
    ("Use A instead of shutil", "Use A instead of glob"),
]
ROLE = [
    ("Validate on the client", "Validate on the server"),
    ("Write unit tests", "Write integration tests"),
    ("The worker calls the scheduler", "The scheduler calls the worker"),
    ("Grow moss instead of ferns", "Grow moss instead of grass"),
    ("Rotate keys daily", "Rotate keys weekly"),
]
NONE = [
    ("Run tests", "Execute tests"),
    ("Avoid large commits", "Keep commits small"),
    ("Avoid mutable data", "Prefer immutable data"),
    ("Tests must not depend on order", "Keep tests independent of order"),
    ("Never commit without running tests", "Run tests before committing"),
    ("Do not merge until CI passes", "Merge only when CI passes"),
    ("Never disable certificate checks", "Check certificates"),
    ("Use f-strings", "Use f-strings in Python"),
    ("Remove unused imports", "Avoid unused imports"),
    ("Retry 3 times", "Retry three times"),
]


@pytest.mark.parametrize(
    ("one", "other", "name"),
    [
        *((*pair, "polarity") for pair in POLARITY),
        *((*pair, "order") for pair in ORDER),
        *((*pair, "number") for pair in NUMBER),
        *((*pair, "name") for pair in NAME),
        *((*pair, "role") for pair in ROLE),
        *((*pair, "") for pair in NONE),
    ],
)
def test_what_keeps_rules_apart(one, other, name):
    assert veto(one, other) == name
    assert veto(other, one) == name
