"""Which sentences are rules: tables of what people say to an agent, and how they are cleaned."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.capture.extract.user.demands import demand
from memoria.capture.extract.user.statements import FOUND

# said in a prompt: (sentence, its rule, whether the words themselves say that it lasts)
RULES = [
    ("always run the linter before you commit", "Always run the linter before you commit", True),
    ("Never force-push to a shared branch.", "Never force-push to a shared branch", True),
    ("from now on answer in Danish", "Answer in Danish", True),
    ("From now on, use pnpm instead of npm!", "Use pnpm instead of npm", True),
    (
        "going forward please write commit messages in English",
        "Write commit messages in English",
        True,
    ),
    ("I told you to use uv, not pip", "Use uv, not pip", True),
    ("I told you not to touch the generated files", "Do not touch the generated files", True),
    ("as I said, no emojis in commit messages", "No emojis in commit messages", True),
    ("we use Conventional Commits in this repo", "We use Conventional Commits in this repo", True),
    ("we never mock the database in tests", "We never mock the database in tests", True),
    ("ok but please never commit straight to main", "Never commit straight to main", True),
    ("you should always ask before deleting a branch", "Always ask before deleting a branch", True),
    (
        "can you always show me the plan before writing code?",
        "Always show me the plan before writing code",
        True,
    ),
    (
        "Remember that I prefer short lines over long ones.",
        "I prefer short lines over long ones",
        True,
    ),
    (
        "remember: migrations are never run by hand on production",
        "Migrations are never run by hand on production",
        True,
    ),
    (
        "save this as a rule: log lines must carry the request id",
        "Log lines must carry the request id",
        True,
    ),
    (
        "every time you add a flag, update the docs",
        "Every time you add a flag, update the docs",
        True,
    ),
    (
        "by default write tests with table-driven style",
        "By default write tests with table-driven style",
        True,
    ),
    (
        "As a rule, don't add dependencies without asking me",
        "Don't add dependencies without asking me",
        True,
    ),
    (
        "don't ever run migrations on the production server",
        "Don't ever run migrations on the production server",
        True,
    ),
    ("Always ask me before dropping a table.", "Always ask me before dropping a table", True),
    (
        "don't hard-wrap Markdown, it ruins the rendering",
        "Don't hard-wrap Markdown, it ruins the rendering",
        False,
    ),
    (
        "Do not run the e2e tests locally because they are too slow",
        "Do not run the e2e tests locally because they are too slow",
        False,
    ),
    (
        "all public functions must have a type annotation",
        "All public functions must have a type annotation",
        False,
    ),
    ("every new package needs a README", "Every new package needs a README", False),
    (
        "don't add comments unless the code is surprising",
        "Don't add comments unless the code is surprising",
        False,
    ),
    (
        "make sure every new module has a test file",
        "Make sure every new module has a test file",
        False,
    ),
    (
        "I don't want tokens in log messages, ever",
        "I don't want tokens in log messages, ever",
        False,
    ),
    ("tests must never touch the network", "Tests must never touch the network", True),
    (
        "prefer small commits, because they are easier to review",
        "Prefer small commits, because they are easier to review",
        False,
    ),
    (
        "Use strict types everywhere instead of any",
        "Use strict types everywhere instead of any",
        False,
    ),
    ("only commit when I ask for it", "Only commit when I ask for it", False),
    ("we always squash before merging", "We always squash before merging", True),
    ("How many times do I have to tell you: no default exports.", "", True),
    (
        "never push without running the tests first",
        "Never push without running the tests first",
        True,
    ),
    ("in this project we keep all SQL in migrations, so that reviews see it", "", True),
    ("stop adding comments that only repeat the code, it wastes tokens", "", False),
    ("whenever you touch the schema, regenerate the client", "", True),
    (
        "our convention is kebab-case for file names",
        "Our convention is kebab-case for file names",
        True,
    ),
    ("the staging database is shared, never drop tables there", "", False),
    ("don't edit files under gen by hand, they get overwritten", "", False),
    ("commit messages: imperative mood, no trailing period, always", "", False),
    ("we don't do inheritance here, composition only", "", False),
    ("avoid adding new dependencies to packages", "", False),
    ("I’d rather have small PRs, because reviews are too slow otherwise", "", False),  # noqa: RUF001 - typed so
    ("我们以后都用 pnpm，不要用 npm", "我们以后都用 pnpm，不要用 npm", True),  # noqa: RUF001 - Chinese
    ("Ab jetzt bitte immer erst die Tests laufen lassen", "", True),
    ("à partir de maintenant, toujours lancer les tests avant un commit", "", True),
    ("nunca hagas push sin correr los tests", "Nunca hagas push sin correr los tests", True),
]

# said in a prompt and no lasting rule
ORDERS = [
    "use port 3001 for now",
    "don't create a PR this time",
    "Don't create a PR, just a commit.",
    "don't push yet",
    "don't commit",
    "commit this and push",
    "fix all lint errors",
    "run all tests again",
    "make sure the tests pass",
    "always use 3001 for now",
    "add a test for the new flag",
    "let's use a map instead of a slice here",
    "can you use the helper instead?",
    "should we always close the file?",
    "why do you never close the file?",
    "why is it always failing on CI?",
    "the callback is never called when the queue is empty",
    "this function never returns an error",
    "it never actually worked",
    "I always get a timeout when I run the tests",
    "we never got an answer from the server",
    "when a user logs in, the token must be refreshed",
    "if a user has no account we should show the signup page",
    "the button should always be blue",
    "the sidebar must never cover the content",
    "I think we should use a queue instead of polling",
    "maybe we should always retry, what do you think",
    "we should add this to the next release",
    "it should work now",
    "you should have seen the error by now",
    "never mind, continue",
    "remove the first two tests",
    "only the second test fails",
    "parse.py:33 must not return None",
    "the tests are failing because the fixture is missing",
    "do not change this file in this PR",
    "let's first fix the bug in the parser",
    "I don't understand why we need the lock at all",
    "delete all the files in build",
    "rename getUser to loadUser everywhere in this file",
    "commit 3f2a91bc77d0 always comes before the merge",
    "we need to fix the merge conflicts",
    "you need to rebase on main first",
    "the docs folder is the external documentation",
    "please update the changelog and the docs",
    "stop, the branch is wrong",
    "do we use tabs or spaces?",
    "I have never seen that error before",
    "always the same error...",
    "the docs say it should never be null",
    "please don't forget the semicolon in line 4",
    "just use the existing function",
    "ok use option 2 instead of 3",
    "no need to run the tests",
    "we have to merge this today",
    "all tests are green now",
    "don't delete the branch, I still need it",
    "we use a map here, so the order is random",
    "the api always returns 200 so we need to check the body",
    "only show the warning when the flag is set",
    "never show this dialog on mobile",
    "do not return early here because the lock is still held",
    "every commit shows up twice in the log",
    "before you continue, show me the diff",
    "when you are done, run the tests and fix what fails",
    "the script must be run from the root, otherwise it fails",
    "remember the bug from yesterday?",
    "this always breaks when I rebase",
    "no, the other file",
    "I prefer option A",
    "write a file about birds in docs",
    'the message says "never commit secrets" but I did not',
    "is there any way to not repeat the whole error?",
]


@pytest.mark.parametrize(("sentence", "text", "standing"), RULES, ids=[row[0] for row in RULES])
def test_a_rule_is_found(sentence, text, standing):
    found = demand(sentence)
    assert found.score >= FOUND
    assert found.standing == standing
    if text:
        assert found.text == text


@pytest.mark.parametrize("sentence", ORDERS)
def test_an_order_for_the_moment_is_no_rule(sentence):
    assert demand(sentence).score < FOUND


@pytest.mark.parametrize(
    ("sentence", "category"),
    [
        ("always run the tests before you push", "workflow"),
        ("use pnpm instead of npm", "tool_usage"),
        ("all modules must be free of import cycles", "architectural"),
        ("a customer is somebody with a contract", "domain_knowledge"),
    ],
)
def test_the_category_follows_the_words(sentence, category):
    assert demand(sentence).category == category


def test_what_is_quoted_is_named_and_not_said():
    assert (
        demand('always log "never" before you commit').score
        == demand('always log "ever" before you commit').score
    )


@given(st.text(max_size=400))
def test_any_text_is_read(sentence):
    found = demand(sentence)
    assert "\n" not in found.text
    assert len(found.text) <= len(sentence) + len("do ")
