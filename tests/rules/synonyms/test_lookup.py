import pytest

from memoria.rules.synonyms import rivals as lexicon_rivals
from memoria.rules.synonyms.acronyms import ACRONYMS
from memoria.rules.synonyms.actions import ACTIONS
from memoria.rules.synonyms.lookup import _groups, lexicon, stems
from memoria.rules.synonyms.qualities import QUALITIES
from memoria.rules.synonyms.rivals import implied, names, rivals
from memoria.rules.synonyms.things import THINGS

TABLES = (ACTIONS, THINGS, QUALITIES, ACRONYMS)


def test_a_concept_has_one_group():
    heads = [head for table in TABLES for head, _, _ in _groups(table)]
    assert len(heads) == len(set(heads))


def test_a_group_has_no_word_of_its_own_opposite():
    for table in TABLES:
        for head, _, entries in _groups(table):
            sides = {
                pole: {stems(each) for end, each in entries if end == pole} for pole in (1, -1)
            }
            assert not sides[1] & sides[-1], head


@pytest.mark.parametrize(
    ("word", "concept", "pole"),
    [
        ("execut", "run", 1),
        ("verificat", "check", 1),
        ("stop", "start", -1),
        ("huge", "small", -1),
        ("immutabl", "mutable", -1),
        ("db", "database", 1),
        ("k8s", "kubernetes", 1),
    ],
)
def test_words_of_one_meaning(word, concept, pole):
    assert lexicon().words[stems(word)[0]] == (concept, pole)


def test_a_negation_exchanges_the_ends_of_some_concepts_only():
    assert {"small", "mutable", "explicit"} <= lexicon().complements
    assert not {"new", "start", "public"} & lexicon().complements


def test_rivals_are_no_synonyms():
    """Two of a kind must stay two concepts, or nobody can keep them apart."""
    for line in f"{lexicon_rivals.NAMED}".replace("\n  ", " ").strip().splitlines():
        entries = [entry.strip() for entry in line.split(",")]
        concepts = {lexicon_rivals._concept(entry) for entry in entries}
        # postgres and postgresql, mongo and mongodb are one
        assert len(concepts) >= len(entries) - 2, line


def test_rivals_know_their_kinds():
    assert rivals()["mypy"] & rivals()["pyright"]
    assert rivals()["unit test"] & rivals()["integration test"]
    assert not rivals()["mypy"] & rivals()["redis"]


def test_no_ordinary_word_is_a_name():
    assert {"mypy", "redis", "monday"} <= names()
    assert not {"go", "make", "start", "test", "use", "space", "error"} & (names() - {"go"})


def test_what_implies_a_name():
    assert "f-string" in implied()["python"]
    assert implied().keys() <= names() | {"java", "openapi", "node", "sql", "html", "bash", "git"}
