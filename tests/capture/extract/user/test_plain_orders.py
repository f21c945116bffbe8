"""Plain lasting orders come in force; others' words, products, tasks and the moment do not."""

import pytest

from memoria.capture.extract.user.statements import FOUND, within


def active(text, following="", how="prompt"):
    """Give what comes in force by itself out of a message."""
    found = within(text, how, following)
    return [one.text for one in found if one.standing and one.score >= FOUND]


ORDERS = [
    "Always pin the base image by digest.",
    "From now on write commit messages in English.",
    "Please never use sed on YAML files again.",
    "You must never log patient names.",
    "Whenever you add a public function, add it to docs/api.md too.",
    "I want you to always show me the plan before you edit anything.",
    "We never rewrite history on shared branches.",
    "Don't ever commit notebooks with output cells.",
    "In this repo we write SQL migrations by hand.",
    "use british spelling in all docs from now on",
    "Never edit the lock file by hand, from now on: it is made by uv.",
    "When you commit, always put the ticket number in front.",
    "de ahora en adelante usa pnpm en lugar de npm",
    "Никогда не отправляй изменения прямо в main.",
    "for the future: no writes of any kind against the prod cluster",
    "from now on use tabs",
    "From now on use uv",
    "Never write comments in the code, I hate them",
]


@pytest.mark.parametrize("text", ORDERS)
def test_a_plain_order_comes_in_force(text):
    assert active(text)


@pytest.mark.parametrize(
    "text",
    [
        "以后提交信息都要用中文写。",
        "Immer auf Deutsch antworten",
        "We never mock the database.",
    ],
)
def test_of_what_is_said_in_other_ways_one_is_asked(text):
    assert list(within(text))
    assert active(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "until friday never push to main",
        "Just for this branch: always prefix the commits with [spike]",
        "always use the v2 schema in this migration",
        "coderabbit says:\n\nNever log the raw token in tests.",
        "Dear team, always lock the door. Never commit on fridays.",
        "can you summarize this?\n\nAlways sign your commits here.",
        "Please work like this in future too.",
        "we always deploy on thursdays, that's why the graph jumps",
        "From now on tell the customers about each release.",
        "Fix the cart. Always show the total in the header.",
        "Implement the queue. Never drop a message.",
        "Please change the upload: always check the mime type.",
        'Translate for the site: "Never share your PIN. Always log out."',
        "# DO NOT EDIT. ALWAYS REGENERATE WITH gen.pl. who wrote that?",
        "I always forget how rebase works, never got used to it.",
        "do you always run the tests before you commit?",
        "The bot must always greet the user by name and never ask for a password. Implement it.",
        "my boss keeps saying never commit on fridays, I don't agree",
    ],
)
def test_what_is_no_lasting_order_to_the_agent(text):
    assert active(text) == []


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("from now on use bun in this repo", "bun breaks it, go back to node please"),
        ("never touch the infra folder", "ok you can touch infra, I was wrong"),
        ("Never touch the Gemfile without asking me.", "oops, wrong window, ignore"),
        ("always add screenshots to the PR", "no need for the screenshots after all"),
    ],
)
def test_what_is_taken_back_in_the_next_message(text, after):
    assert active(text)
    assert active(text, after) == []
    assert active(text, "thanks, next one please") == active(text)


def test_what_is_taken_back_leaves_the_other_orders():
    text = "no sha in the health endpoint. Always run clippy before you tell me it's done."
    after = "I take back the sha in the health endpoint"
    assert active(text, after) == ["Always run clippy before you tell me it's done"]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Never delete cache/, refilling it takes a night.", "Never delete cache/, refilling it"),
        ("never force push, two other people work here", "Never force push"),
        ("Never commit to main, always open a branch first.", "Never commit to main, always open"),
        ("Please remember that we use spaces and not tabs.", "We use spaces and not tabs"),
    ],
)
def test_a_reason_of_its_own_is_no_part_of_the_rule(text, rule):
    (found,) = active(text)
    assert found.startswith(rule[: len(found)])
    assert len(found) <= len(text)
