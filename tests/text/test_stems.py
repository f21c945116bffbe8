import pytest

from memoria.text.stems import stem


@pytest.mark.parametrize(
    "forms",
    [
        "commit commits committed committing",
        "validate validates validated validating validation",
        "query queries queried querying",
        "class classes",
        "write writes wrote written writing",
        "deploy deploys deployed deploying",
        "migrate migration migrations",
        "dependency dependencies",
        "add adds added adding",
        "control controls controlled controlling",
        "index indexes indices",
        "log logs logged logging",
        "automatic automatically",
        "exception exceptions",
    ],
)
def test_forms_of_a_word_share_their_stem(forms):
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("import", "important"),
        ("test", "tester"),
        ("universal", "universe"),
        ("exception", "except"),
        ("commit", "committee"),
        ("less", "le"),
        ("string", "str"),
        ("add", "ad"),
    ],
)
def test_other_words_do_not(one, other):
    assert stem(one) != stem(other)
