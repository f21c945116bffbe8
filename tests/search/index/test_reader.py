"""What the hooks read of the index, with the standard library alone."""

import sqlite3
import threading
from dataclasses import replace

import pytest

from memoria.search.index import matches
from memoria.search.index.passages import Document, HeardSubject, IndexedLine
from memoria.search.index.reader import IndexReader
from memoria.search.index.store import FreshRule, SearchIndex

SHOP = "github.com/ana/shop"
PATIENCE = "memoria.search.index.reader._PATIENCE_SECONDS"
TALK = "The retrier of the upstream blocks us with 429s. Seven attempts fit the measured window."


def document(name, words, *lines, day="2026-03-01", amends=False, project=SHOP):
    lines = lines or (line("What it came to."),)
    path, link = f"daily/{day}.md", f"daily/{day}#^e-{name}"
    heard = (HeardSubject(0, words, lines, amends),)
    shown = ("s", f"Title of {name}", "entry", day, (project,), (), "shown")
    return Document(f"{path}-{name}", *shown, link=link, session=f"s-{name}", heard=heard)


def line(text, key="told"):
    return IndexedLine("conclusion", 3, key, text)


OTHERS = [document(str(number), f"Word{number} of something else {number}") for number in range(9)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "search.sqlite"


def fill(path, *documents):
    SearchIndex(path).sync_documents([*documents, *OTHERS], {"told"})
    return IndexReader(str(path), SHOP)


def asked(*words):
    return [[word] for word in words]


NAMED = ("upstreamretrier",)


def best(reader, text="retrier attempts upstream window"):
    fitting = matches.Prompt(reader, asked(*text.split())).fitting
    return fitting[0] if fitting else None


def test_what_fits_best_has_its_told_lines_with_day_and_source(path):
    held = line("A held line.", "unknown")
    reader = fill(path, document("a", TALK, line("Seven attempts."), held))
    rows = reader.lines(best(reader).number)
    assert [(row.key, row.weight, row.text, row.day, row.link) for row in rows] == [
        ("told", 3, "Seven attempts.", "2026-03-01", "daily/2026-03-01#^e-a")
    ]


@pytest.mark.parametrize("is_let_go", [True, False])
def test_a_writer_that_is_soon_done_is_waited_for(path, monkeypatch, is_let_go):
    fill(path, document("a", TALK))
    monkeypatch.setattr(PATIENCE, 60.0 if is_let_go else 0.0)
    writer = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    writer.execute("BEGIN EXCLUSIVE")
    soon = threading.Timer(0.05, writer.execute, ["ROLLBACK"])
    if is_let_go:
        soon.start()
    reader = IndexReader(str(path), SHOP)
    assert bool(reader.rows("SELECT rows FROM measure")) is is_let_go
    if is_let_go:
        soon.join()
    else:
        writer.execute("ROLLBACK")
    # what was given up once is not waited for again
    assert bool(reader.rows("SELECT rows FROM measure")) is is_let_go
    writer.close()


def test_more_shared_words_fit_better(path):
    reader = fill(path, document("a", TALK), document("b", "The upstream is elsewhere."))
    first, second = matches.Prompt(reader, asked("retrier", "upstream", "window")).fitting
    assert first.score > second.score


def test_what_has_nothing_to_tell_is_not_compared(path):
    held = IndexedLine("conclusion", 3, "unknown", "A held line.")
    slight = IndexedLine("lesson", 1, "told", "A slight line.")
    reader = fill(path, document("a", TALK, held, slight), document("b", "The upstream is slow."))
    (only,) = matches.Prompt(reader, asked("retrier", "upstream", "window")).fitting
    assert [row.text for row in reader.lines(only.number)] == ["What it came to."]


def test_a_name_that_both_have_counts_beside_the_words(path):
    named = f"{TALK} retry.py maxAttempts"
    reader = fill(path, document("a", TALK), document("b", named), document("c", "retry.py is old"))
    words = asked("retrier", "upstream", "window")
    plain, with_name, with_both = (
        matches.Prompt(reader, words, names).fitting[0].score
        for names in ([], ["maxattempts"], ["maxattempts", "retry"])
    )
    assert with_both == with_name  # two names of one subject are no two reasons
    assert with_name > plain
    # a name that many texts have is at home everywhere
    many = [
        document(f"n{at}", f"The upstream of retry.py {at}", day=f"2026-02-0{at}")
        for at in range(1, 5)
    ]
    crowd = fill(path, document("b", named), *many)
    assert matches.Prompt(crowd, words, ["retry"]).fitting[0].named < 1.0


def test_of_a_name_that_both_have_the_parts_count_no_more():
    weights = matches.weigh_terms({"github": 1, "git": 1, "hub": 1}, 9)
    mass = matches.PromptWeights([["github", "git", "hub"]], weights, 9)
    assert mass.of({"github", "git", "hub"}) == mass.of({"github"}) < mass.of({"git", "hub"})


def test_of_a_long_prompt_the_share_counts():
    weights = matches.weigh_terms({"lease": 1}, 9)
    few, many = ([["lease"], *([f"other{at}"] for at in range(more))] for more in (19, 39))
    masses = [matches.PromptWeights(groups, weights, 9).of({"lease"}) for groups in (few, many)]
    assert masses[0] == pytest.approx(2 * masses[1])


def test_words_of_any_program_count_less_than_others_as_rare():
    weights = matches.weigh_terms({"lease": 2, "time": 2}, 30)
    assert weights["time"] < 0.6 * weights["lease"]


def test_of_two_with_the_same_words_the_one_that_has_them_in_what_it_came_to_is_likelier():
    plain, opened, concluded = (
        matches.PassageMatch((at, at, at, 1, "", 1), (2.0, opening, came_to), 0.0, "text")
        for at, opening, came_to in ((1, 0.0, 0.0), (2, 1.0, 0.0), (3, 0.0, 2.0))
    )
    assert matches.rank_matches([plain, opened, concluded]) == [concluded, opened, plain]


def test_the_lead_is_over_another_subject():
    one, same, newer, other = (
        matches.PassageMatch((number, newest, document, 1, "", 1), (mass, 0.0, 0.0), 0.0, "text")
        for number, newest, document, mass in (
            (1, 1, 1, 2.0),
            (2, 2, 1, 1.9),
            (3, 1, 2, 1.8),
            (4, 4, 3, 0.5),
        )
    )
    assert matches.rank_matches([other, newer, same, one])[0] is one
    assert one.lead == 1.5
    assert other.lead == -1.5


def test_another_project_and_the_session_itself_are_not_looked_at(path):
    fill(path, document("a", TALK))
    assert best(IndexReader(str(path), "github.com/ana/till")) is None
    assert best(IndexReader(str(path), SHOP, "s-a")) is None
    assert best(IndexReader(str(path), SHOP, "s-b")) is not None


def test_what_was_replaced_leads_to_what_replaced_it(path):
    later = f"Amended: {TALK} Now nine attempts of the retrier fit the window of the upstream."
    reader = fill(
        path,
        document("old", TALK, line("Seven.")),
        document("new", later, line("Nine."), day="2026-04-01", amends=True),
    )
    fitting = matches.Prompt(reader, asked("retrier", "window")).fitting
    (number,) = {match.newest for match in fitting}
    assert [row.text for row in reader.lines(number)] == ["Nine."]
    assert reader.find_replaced(number) == [("2026-03-01", "daily/2026-03-01#^e-old")]
    found = {hit.link: hit for hit in SearchIndex(path).find("retrier window upstream")}
    old, new = (found[f"daily/{name}"] for name in ("2026-03-01#^e-old", "2026-04-01#^e-new"))
    assert (old.status, old.replaced_by, old.replaced_on) == ("replaced", new.link, "2026-04-01")
    assert (new.status, new.replaces) == ("current", old.link)
    assert list(found)[:2] == [new.link, old.link]


@pytest.mark.parametrize("known", [True, False])
def test_a_line_of_an_article_is_told_where_its_path_is_known(path, known):
    name = IndexedLine(
        "name", 0, "told" if known else "pulled", "concepts/retrier", "concepts/retrier"
    )
    fact = IndexedLine("fact", 2, "told", "The window fits seven attempts of the retrier.")
    about = ("s", "Retrier", "concept", "2026-03-01", (), (), f"{TALK} {fact.text}")
    note = Document(
        "knowledge/concepts/retrier.md", *about, link="concepts/retrier", lines=(name, fact)
    )
    reader = fill(path, note)
    assert [row.text for row in reader.lines(best(reader).number)] == [fact.text] * known


def test_a_line_that_comes_to_be_known_is_told(path):
    documents = [document("a", TALK, line("Seven.", "later"))]
    reader = fill(path, *documents)
    assert best(reader) is None
    SearchIndex(path).sync_documents([*documents, *OTHERS], {"later"})
    reader = IndexReader(str(path), SHOP)
    assert [row.text for row in reader.lines(best(reader).number)] == ["Seven."]


def test_rules_that_a_person_taught_are_there_from_that_moment_on(path):
    fill(path)
    SearchIndex(path).sync_rules_and_cures([FreshRule("wf-1", "h", "Never.", "", 100.0)], ())
    assert IndexReader(str(path), SHOP).fresh(90.0) == [("wf-1", "h", "Never.")]
    assert IndexReader(str(path), SHOP).fresh(200.0) == []


def test_without_an_index_nothing_fits(tmp_path):
    assert matches.Prompt(IndexReader(str(tmp_path / "none"), SHOP), asked("retrier")).fitting == []


ASKS = asked("retrier", "upstream", "window", "attempts")


@pytest.mark.parametrize(
    ("text", "kind", "names", "is_told"),
    [
        ("The retrier makes its attempts on the upstream in a window.", "lesson", (), True),
        # what came to a decision is told as a whole; a few words are chance, but beside a name
        ("The retrier makes its attempts on the upstream in a window.", "conclusion", (), False),
        ("The retrier waits for the window of the upstream.", "lesson", (), False),
        ("`UpstreamRetrier`: its attempts on the upstream, a window.", "lesson", NAMED, True),
        ("The `retrier`: attempts on the upstream in a window.", "lesson", ("till",), False),
    ],
)
def test_of_work_the_line_that_bears_on_a_prompt_is_told(path, text, kind, names, is_told):
    work = IndexedLine(kind, 3 if kind == "conclusion" else 2, "told", text)
    reader = fill(path, document("a", TALK, work))
    bearing = matches.Prompt(reader, ASKS, names).choose_bearing_line()
    assert [line.text for line in bearing] == [text] * is_told


def told_of(reader):
    numbers = matches.Prompt(reader, ASKS, NAMED).subjects()
    return [row.link.rpartition("-")[2] for number in numbers for row in reader.lines(number)]


NAMED_TALK = f"{TALK} That is UpstreamRetrier."
OTHER_TALK = f"UpstreamRetrier {' '.join(map(str, range(100, 300)))}"


@pytest.mark.parametrize(
    "more", [(), (HeardSubject(9, "They spoke of a red shed.", (line("Red."),)),)]
)
def test_a_talk_is_told_where_its_session_was_about_nothing_else(path, more):
    talk = document("a", NAMED_TALK)
    assert told_of(fill(path, replace(talk, heard=talk.heard + more))) == ["a"] * (not more)


@pytest.mark.parametrize("text", ["It is so.", "The retrier of the upstream has a window."])
def test_a_talk_is_not_told_where_work_has_far_more_of_the_prompt(path, text):
    talk = document("a", "We spoke of the attempts of UpstreamRetrier.", line(text))
    work = IndexedLine("lesson", 2, "told", "It passes.")
    assert told_of(fill(path, talk, document("b", TALK, work))) == ["a"] * ("window" in text)


@pytest.mark.parametrize("words", [NAMED_TALK, OTHER_TALK])
def test_of_two_talks_that_are_alike_the_later_is_told_first(path, words):
    documents = [document("a", NAMED_TALK), document("b", words, day="2026-04-01")]
    assert told_of(fill(path, *documents)) == ["b"] * (words == NAMED_TALK) + ["a"]
