"""Which topic holds what, and what may still come in."""

import pytest
from vaulted import entry, extract, fact

from memoria.compile.points import points
from memoria.compile.topic_points import MOST_PLACES, Shelf, is_sound, merge_aliases
from memoria.vault.article import compose, with_lines

LINE = "The retry budget leaks because probes spend it."


def article(path, title, kind="concept", lines=(), **meta):
    made = compose(path, kind, {"aliases": [], "projects": [], **meta}, title, "")
    return with_lines(made, "Key Points", lines)


def point(text, kind="lesson", number=0, project="p"):
    (made,) = points(entry(number, project=project), extract(fact(text, kind)))
    return made


def test_a_line_of_an_article_is_known_with_its_source():
    held = article("concepts/x", "X", lines=[f"{LINE} ([[daily/2026-03-02]])"], key="term:x y")
    shelf = Shelf([held])
    (topic,) = shelf.places(point(LINE))
    assert topic.slug == "x"
    assert not shelf.place(point(LINE), topic)


def test_links_and_sources_are_no_lines():
    held = with_lines(article("concepts/x", "X", key="term:x y"), "Sources", [LINE])
    assert Shelf([held]).places(point(LINE)) == []


def test_a_line_gets_no_more_places_than_allowed():
    shelf = Shelf([])
    topics = [shelf.open(f"term:{name} budget", name, "p") for name in ("a", "b", "c")]
    assert [shelf.place(point(LINE), topic) for topic in topics] == [True] * MOST_PLACES + [False]


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("The retry budget leaks since probes spend it all.", False),
        ("Probes are free of charge when the pool is idle.", True),
        ("`Pool.refill()` never runs for probes, so the budget stays low.", True),
        ("Root cause: probes spend it. `Pool.spend_all()` is called without a check.", True),
    ],
)
def test_what_says_the_same_does_not_come_in_again(text, fits):
    shelf = Shelf([])
    topic = shelf.open("term:retry budget", "Retry budget", "p")
    shelf.place(point(LINE), topic)
    assert shelf.place(point(text), topic) is fits


def test_two_lines_with_the_same_names_say_the_same_sooner():
    shelf = Shelf([])
    topic = shelf.open("branch:b", "B", "p")
    first = "Branches stayed there because `Refs.remove()` does not work with packed refs."
    again = "Root cause: `Store.Refs.remove()` does not delete what is packed, so branches stayed."
    assert shelf.place(point(first), topic)
    assert not shelf.place(point(again), topic)


def test_a_title_is_not_repeated_as_a_line():
    shelf = Shelf([])
    topic = shelf.open("branch:b", "Move the queue to a file", "p")
    assert not shelf.place(point("Move queue to file", "lesson"), topic)


@pytest.mark.parametrize("kind", ["definition", "fix"])
def test_a_term_takes_no_errors_and_no_definitions(kind):
    shelf = Shelf([])
    topic = shelf.open("term:retry budget", "Retry budget", "p")
    assert not shelf.place(point("The retry budget is a share of calls.", kind), topic)


@pytest.mark.parametrize(
    ("title", "known"),
    [("Retry budget", ["retry budget"]), ("Budget", []), ("Error message", [])],
)
def test_somebody_elses_article_is_known_by_a_telling_title(title, known):
    shelf = Shelf([article("concepts/x", title)])
    names = ["retry budget", "budget", "error message"]
    assert [name for name in names if shelf.named(name, "p")] == known


def test_a_name_counts_within_its_projects():
    shelf = Shelf([article("concepts/x", "X", key="term:retry budget", projects=["q"])])
    assert shelf.named("retry budget", "q")
    assert not shelf.named("retry budget", "p")
    assert shelf.find("term:retry budget", "p") is None
    assert shelf.open("term:retry budget", "X", "p").key == "term:retry budget @ p"


def test_a_slug_that_is_taken_gets_a_number():
    shelf = Shelf([article("people/retry-budget", "Somebody", "person")])
    assert shelf.open("term:retry budget", "Retry budget", "p").slug == "retry-budget-2"


def test_of_a_name_within_a_name_the_longer_counts():
    shelf = Shelf([])
    for name in ("retry budget", "retry budget pool"):
        shelf.open(f"term:{name}", name, "p")
    spoken = shelf.spoken_of(point("the retry budget pool is shared"))
    assert [topic.title for topic in spoken] == ["retry budget pool"]


@pytest.mark.parametrize(
    ("kinds", "sound"),
    [
        (["lesson"] * 4, True),
        (["lesson", "decision", "answer", "answer"], True),
        (["lesson"] * 3, False),
        (["lesson", "answer", "answer", "answer"], False),
        (["lesson"] * 3 + ["context"], False),
    ],
)
def test_the_floor_of_an_article(kinds, sound):
    found = [point(f"Line {n} because of {n}.", kind, number=n) for n, kind in enumerate(kinds)]
    assert is_sound(found) is sound


def test_aliases_of_one_thing_are_one():
    merged = merge_aliases(["Retry budget", "spend"], ["RetryBudgets", "retry-budget", "Pool"])
    assert merged == ("Retry budget", "spend", "Pool")
