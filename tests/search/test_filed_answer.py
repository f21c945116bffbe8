from datetime import date

import pytest
from cases import cased
from hypothesis import given
from notes import SCHEMA, hostile

from memoria.search.answer import (
    Filing,
    QueryAnswer,
    build_note,
    check_answer,
    choose_slug,
    find_earlier_note,
    normalise_question,
    update_note,
)
from memoria.vault.article import parse_article, render_article
from memoria.vault.file_names import SLUG

KIND = SCHEMA.kind("qa")
DAY = date(2026, 4, 5)
QUESTION = "How long do tokens last?"
TITLES = {"concepts/tokens": "Session tokens", "concepts/cookies": "Cookies"}
SHOWN = {*TITLES, "qa/long-tokens-last"}
PATH = "qa/long-tokens-last"


def filing(text="An hour ([[concepts/tokens]]).", day=DAY, follow_ups=("Why?",), question=QUESTION):
    checked = check_answer(QueryAnswer(True, text, (), tuple(follow_ups)), SHOWN)
    return Filing(question, checked, day, TITLES)


def made(**more):
    return parse_article(PATH, "qa", render_article(build_note(PATH, filing(**more), KIND)))


def test_the_note_has_the_form_of_the_seed():
    assert render_article(made()) == (
        "---\n"
        'title: "Q: How long do tokens last?"\n'
        'question: "How long do tokens last?"\n'
        "consulted:\n"
        '  - "concepts/tokens"\n'
        "filed: 2026-04-05\n"
        "---\n"
        "\n"
        "# Q: How long do tokens last?\n"
        "\n"
        "## Answer\n"
        "\n"
        "An hour ([[concepts/tokens]]).\n"
        "\n"
        "## Sources Consulted\n"
        "\n"
        "- [[concepts/tokens]] - Session tokens\n"
        "\n"
        "## Follow-Up Questions\n"
        "\n"
        "- Why?\n"
    )


@cased(("x" * 200, "x" * 60))
def test_a_note_is_named_after_the_words_of_its_question(question, name):
    assert choose_slug(question, lambda _: True) == name


@pytest.mark.parametrize("question", ["日本語は?", "???", "con", "NUL?"])
def test_a_question_without_a_name_gets_a_hash(question):
    assert SLUG.match(choose_slug(question, lambda _: True))


@given(hostile)
def test_any_question_gives_a_legal_name(question):
    assert SLUG.match(choose_slug(question, lambda _: True))


def test_other_words_are_another_question():
    assert find_earlier_note("How long do cookies last?", [made()]) is None


def test_a_note_without_the_key_is_known_by_its_title():
    text = render_article(made()).replace('question: "How long do tokens last?"\n', "")
    assert find_earlier_note(QUESTION, [parse_article(PATH, "qa", text)])


def test_an_owned_note_is_replaced_where_the_answer_is_new():
    new = filing("Two hours ([[concepts/cookies]]).", date(2026, 5, 1), ["How?"])
    text = render_article(update_note(made(), new, KIND, is_owned=True))
    assert "An hour" not in text
    assert "Two hours ([[concepts/cookies]])." in text
    assert "- [[concepts/cookies]] - Cookies" in text
    assert "concepts/tokens" not in text
    assert "filed: 2026-05-01" in text
    assert "- How?" in text


@pytest.mark.parametrize("owned", [True, False])
def test_the_same_answer_on_another_day_changes_nothing(owned):
    before = made()
    assert update_note(before, filing(day=date(2026, 5, 1)), KIND, is_owned=owned) is before


def test_what_a_person_wrote_stays_and_the_new_answer_is_put_below():
    text = render_article(made()).replace("An hour", "Mine: an hour and a half")
    before = parse_article(PATH, "qa", text + "\n## My notes\n\nKeep.\n")
    new = filing("Two hours ([[concepts/cookies]]).", date(2026, 5, 1))
    after = update_note(before, new, KIND, is_owned=False)
    assert after.section("Answer").strip() == (
        "Mine: an hour and a half ([[concepts/tokens]]).\n\n"
        "Asked again on 2026-05-01:\n\nTwo hours ([[concepts/cookies]])."
    )
    assert after.section("My notes").strip() == "Keep."
    assert after.names("consulted") == ("concepts/tokens", "concepts/cookies")
    assert "[[concepts/tokens]]" in after.section("Sources Consulted")
    assert "[[concepts/cookies]]" in after.section("Sources Consulted")
    twice = update_note(after, filing("Two hours ([[concepts/cookies]])."), KIND, is_owned=False)
    assert twice is after


def test_line_ends_of_the_file_are_kept():
    before = parse_article(PATH, "qa", render_article(made()).replace("\n", "\r\n"))
    after = update_note(before, filing("Two hours ([[concepts/cookies]])."), KIND, is_owned=False)
    assert "\n" not in render_article(after).replace("\r\n", "")


def test_a_note_does_not_cite_itself():
    new = filing(f"Two hours ([[concepts/cookies]], [[{PATH}]]).")
    after = update_note(made(), new, KIND, is_owned=True)
    assert PATH not in render_article(after)
    assert after.names("consulted") == ("concepts/cookies",)


@given(hostile, hostile)
def test_a_note_of_any_text_is_read_as_it_was_written(question, text):
    found = build_note(PATH, filing(text or "x", question=" ".join(question.split()) or "x"), KIND)
    again = parse_article(PATH, "qa", render_article(found))
    assert render_article(again) == render_article(found)
    assert set(again.meta) == {"title", "question", "consulted", "filed"}
    assert again.sections[0][0] == "Answer"
    assert find_earlier_note(question, [again]) or not normalise_question(question)
