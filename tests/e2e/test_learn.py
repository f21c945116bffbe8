"""A review through the real SDK and client: the form arrives, and every quote is looked up."""

import pytest
from keeper import Keeper
from loopback import prompt_text, structured, task_of
from reviewed import review

TEXT, _ = review("seen/conventional-comments")
TRUE = {
    "text": "Every user-facing change needs a changeset",
    "quote": "Every user-facing change needs a changeset.",
    "category": "workflow",
}
MADE_UP = TRUE | {"text": "Always push to main", "quote": "Always push to main, it is faster."}


@pytest.fixture
def asked(loop, tmp_path):
    """A room with a vault and no hooks."""
    with Keeper(tmp_path, loop, installed=False) as room:
        assert room.memoria("init").returncode == 0
        yield room


def test_a_rule_of_the_model_needs_words_of_the_review(asked, loop):
    loop.fallback = lambda _: structured({"rules": [TRUE, MADE_UP]})
    path = asked.project / "review.md"
    path.write_text(TEXT)
    done = asked.memoria("learn", "--from-review", str(path))
    assert (done.returncode, done.stdout) == (0, f"- {TRUE['text']} (workflow)\n")
    assert "refused rule 'Always push to main'" in done.stderr
    (prompt,) = [prompt_text(body) for body in loop.bodies if task_of(body)]
    assert "Never drop a column in the release" in prompt
    (name,) = (path.name for path in (asked.vault / "daily").glob("*-review-*.md"))
    assert "Always push" not in asked.note(f"daily/{name}")
    (call,) = asked.ledger("call")
    assert (call["task"], call["engine"]) == ("learn", "claude")
