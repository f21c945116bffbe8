"""The turn around a rule is read from the transcript, and is nothing where that is gone."""

from place import debugging

from memoria.rules.review.decide import stated_turn
from memoria.rules.rulebook import rulebook

RULE = "Always run the tests before you commit, because CI is slow."


def test_the_turn_is_shown_while_the_client_has_it_and_without_secrets(place):
    secret = "ghp_" + "a1B2" * 9
    lines = debugging("the token check", 0, f"{RULE} My token is {secret}, and it expired.")
    place.transcript("s-0", *lines)
    assert place.json("import")["entries"] == 1
    (rule,) = rulebook(place.work).rules
    turn = stated_turn(place.work, rule)
    assert RULE in turn
    assert "and it expired" in turn
    assert secret not in turn
    for path in place.projects.rglob("*.jsonl"):
        path.unlink()
    assert stated_turn(place.work, rule) == ""
