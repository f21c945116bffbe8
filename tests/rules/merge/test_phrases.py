import pytest

from memoria.rules.merge.phrases import spelled, words


def things(text):
    return [word.concept for word in words(text) if word.kind in {"thing", "name", "number"}]


@pytest.mark.parametrize(
    ("text", "concepts"),
    [
        ("Run the test suite", ["run", "test"]),
        ("Open a PR", ["open", "pull request"]),
        ("Use write-ahead logging", ["wal"]),
        ("Components should be functional", ["functional component"]),
        ("Queries should be parameterized", ["parameterized query"]),
        ("Test the unit", ["test", "unit"]),
        ("Keep functions under 50 lines", ["function", "limit", "#50", "lin"]),
        ("Run it under load", ["run", "load"]),
        ("Avoid `import *`", ["wildcard import"]),
        ("Avoid SELECT *", ["select", "column"]),
        ("Fix N + 1 queries", ["fix", "n+1"]),
    ],
)
def test_what_a_rule_speaks_of(text, concepts):
    assert things(text) == concepts


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("Stop using tabs", True),
        ("Stop the server", False),
        ("free of side effects", True),
        ("free memory", False),
    ],
)
def test_words_that_may_be_negations(text, denied):
    assert any(word.kind == "not" for word in words(text)) is denied


def test_the_longest_phrase_wins():
    assert things("the pull request description") == ["pull request description"]


def test_the_stems_of_phrases_are_given_one_by_one():
    assert spelled("Avoid wildcard imports") == {"avoid", "wildcard", "import"}
