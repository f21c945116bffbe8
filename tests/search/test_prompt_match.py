"""When a prompt is told something, and in which words."""

from types import SimpleNamespace

from cases import cased

from memoria.search import prompt_match
from memoria.search.injection import count_units


def row(text, kind="conclusion", key="k", weight=3):
    link = "daily/2026-03-01#^e-0f3a12bc34de"
    return SimpleNamespace(
        key=key, kind=kind, weight=weight, text=text, day="2026-03-01", link=link
    )


@cased()
def test_the_words_of_a_prompt_say_what_it_is_about(prompt, words):
    found = [part for parts in prompt_match.find_asked_words(prompt) for part in parts]
    assert set(words.split() if words else []) - {"merge"} <= set(found)
    assert bool(found) == bool(words)
    assert not set(found) & {"https", "the", "commit", "py"}


def test_the_beginning_of_a_long_prompt_says_what_it_is_about():
    plan = " ".join(f"step{number}" for number in range(100))
    assert prompt_match.find_asked_words(plan) == [[f"step{number}"] for number in range(40)]


def test_a_report_has_its_day_who_said_it_and_its_source():
    link = "[[daily/2026-03-01#^e-0f3a12bc34de]]"
    assert prompt_match.format_reports([[row("Seven.")]]) == [
        f"- 2026-03-01, concluded: Seven. {link}"
    ]
    (said,) = prompt_match.format_reports([[row("User: Seven."), row("User: Eight trips it.")]])
    assert said == f"- 2026-03-01, the user said: Seven. Eight trips it. {link}"
    (amended,) = prompt_match.format_reports([[row("Nine.")]], [("2026-02-01", "daily/2026-02-01")])
    assert "It replaces what was decided on 2026-02-01, [[daily/2026-02-01]]." in amended


def test_three_reports_and_900_characters_are_the_most():
    kinds = ("conclusion", "lesson", "decision") * 3
    rows = [row(f"{number} {'x' * 150}", kind) for number, kind in enumerate(kinds)]
    text, kept = prompt_match.compose_text(rows, "b")
    assert text.count("\n- ") == 3
    assert {row.kind for row in kept} == set(kinds)
    assert count_units(text) <= prompt_match.LIMIT
    # what is too long is passed over, and what fits behind it is told
    assert prompt_match.compose_text([row("x" * 2000), rows[0]], "b")[1] == rows[:1]
    assert prompt_match.compose_text([], "b") == ("", [])


def test_what_a_talk_came_to_is_one_report_in_which_the_users_words_are_marked():
    rows = [row("The recap."), row("Fact."), row("User: Seven."), row("User: Eight trips it.")]
    text, kept = prompt_match.compose_text(rows, "b", [("2026-02-01", "daily/2026-02-01")])
    assert kept == rows
    assert "concluded: The recap. Fact. User: Seven. Eight trips it. It replaces" in text
    assert text.count("\n- ") == text.count("It replaces") == 1


def test_of_two_talks_the_later_comes_first_and_each_is_a_report():
    old = row("User: Seven.")
    new, more = row("Nine."), row("User: Make it nine.")
    old.link, old.day = "daily/2026-02-01#^e-1f3a12bc34de", "2026-02-01"
    text, kept = prompt_match.compose_text([new, old, more, row("Aside.", "lesson")], "b")
    assert kept == [new, more, old]
    assert "- 2026-03-01, concluded: Nine. User: Make it nine. [[" in text
    assert "- 2026-02-01, previously the user said: Seven. [[daily/2026-02-01#" in text


def test_of_an_amended_subject_only_what_it_came_to_is_told():
    rows = [row("80 rows and 48 KiB."), row("User: Not the old 500."), row("Both.", "fix")]
    assert prompt_match.choose_lines(rows, ["old"], amends=True) == rows[:2]
    assert prompt_match.choose_lines(rows, ["old"]) == rows


def test_without_a_conclusion_a_line_has_to_bear_on_the_prompt():
    fact = row("The cache keys of the shop are lowered.", "lesson", "f", 3)
    prompt = prompt_match.find_words("Why are cache keys of the shop written twice?")
    assert prompt_match.choose_lines([fact], prompt) == [fact]
    assert prompt_match.choose_lines([fact], ["cache", "shop"]) == []


@cased()
def test_functions_classes_and_files_are_names(prompt, names):
    assert prompt_match.find_names(prompt) == names.split()


@cased()
def test_the_spellings_of_a_name_are_one(name, text, stands):
    (asked,) = prompt_match.find_names(f"please fix {name}")
    assert (asked in prompt_match.find_coded_names(text, [asked])) is stands


@cased()
def test_no_sentence_is_told_twice(texts, told):
    groups = {}
    for at, text in enumerate(texts):
        groups.setdefault(text.startswith("User: "), []).append(row(text, key=f"k{at}"))
    said = prompt_match.format_reports(list(groups.values()))
    assert [one.partition(": ")[2].partition(" [[")[0] for one in said] == told
