from datetime import date

import pytest
from hypothesis import given
from notes import SCHEMA, hostile

from memoria.search.answer import Answer, Filing, check, earlier, normal, note, slug, updated
from memoria.vault.article import parse, render
from memoria.vault.file_names import SLUG

KIND = SCHEMA.kind("qa")
DAY = date(2026, 4, 5)
QUESTION = "How long do tokens last?"
TITLES = {"concepts/tokens": "Session tokens", "concepts/cookies": "Cookies"}
SHOWN = {*TITLES, "qa/long-tokens-last"}
PATH = "qa/long-tokens-last"


def filing(text="An hour ([[concepts/tokens]]).", day=DAY, follow_ups=("Why?",), question=QUESTION):
    checked = check(Answer(True, text, (), tuple(follow_ups)), SHOWN)
    return Filing(question, checked, day, TITLES)


def made(**more):
    return parse(PATH, "qa", render(note(PATH, filing(**more), KIND)))


def test_the_note_has_the_form_of_the_seed():
    assert render(made()) == (
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


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("How do I handle auth redirects?", "handle-auth-redirects"),
        ("What's our error handling strategy?", "whats-error-handling-strategy"),
        ("Was ist mit den Löschfristen?", "ist-mit-den-loschfristen"),
        ("what is it", "what-is-it"),
        ("Which folders are not in git?", "folders-not-git"),
        ("How do I turn the cache off?", "turn-cache-off"),
        ("../../etc/passwd", "etc-passwd"),
        ("x" * 200, "x" * 60),
    ],
)
def test_a_note_is_named_after_the_words_of_its_question(question, name):
    assert slug(question, lambda _: True) == name


@pytest.mark.parametrize("question", ["日本語は?", "???", "con", "NUL?"])
def test_a_question_without_a_name_gets_a_hash(question):
    assert SLUG.match(slug(question, lambda _: True))


@given(hostile)
def test_any_question_gives_a_legal_name(question):
    assert SLUG.match(slug(question, lambda _: True))


def test_other_words_are_another_question():
    assert earlier("How long do cookies last?", [made()]) is None


def test_a_note_without_the_key_is_known_by_its_title():
    text = render(made()).replace('question: "How long do tokens last?"\n', "")
    assert earlier(QUESTION, [parse(PATH, "qa", text)])


def test_an_owned_note_is_replaced_where_the_answer_is_new():
    new = filing("Two hours ([[concepts/cookies]]).", date(2026, 5, 1), ["How?"])
    text = render(updated(made(), new, KIND, owned=True))
    assert "An hour" not in text
    assert "Two hours ([[concepts/cookies]])." in text
    assert "- [[concepts/cookies]] - Cookies" in text
    assert "concepts/tokens" not in text
    assert "filed: 2026-05-01" in text
    assert "- How?" in text


@pytest.mark.parametrize("owned", [True, False])
def test_the_same_answer_on_another_day_changes_nothing(owned):
    before = made()
    assert updated(before, filing(day=date(2026, 5, 1)), KIND, owned=owned) is before


def test_what_a_person_wrote_stays_and_the_new_answer_is_put_below():
    text = (
        render(made()).replace("An hour", "Mine: an hour and a half") + "\n## My notes\n\nKeep.\n"
    )
    before = parse(PATH, "qa", text)
    new = filing("Two hours ([[concepts/cookies]]).", date(2026, 5, 1))
    after = updated(before, new, KIND, owned=False)
    assert after.section("Answer").strip() == (
        "Mine: an hour and a half ([[concepts/tokens]]).\n\n"
        "Asked again on 2026-05-01:\n\nTwo hours ([[concepts/cookies]])."
    )
    assert after.section("My notes").strip() == "Keep."
    assert after.names("consulted") == ("concepts/tokens", "concepts/cookies")
    assert "[[concepts/tokens]]" in after.section("Sources Consulted")
    assert "[[concepts/cookies]]" in after.section("Sources Consulted")
    twice = updated(after, filing("Two hours ([[concepts/cookies]])."), KIND, owned=False)
    assert twice is after


def test_line_ends_of_the_file_are_kept():
    before = parse(PATH, "qa", render(made()).replace("\n", "\r\n"))
    after = updated(before, filing("Two hours ([[concepts/cookies]])."), KIND, owned=False)
    assert "\n" not in render(after).replace("\r\n", "")


def test_a_note_does_not_cite_itself():
    new = filing(f"Two hours ([[concepts/cookies]], [[{PATH}]]).")
    after = updated(made(), new, KIND, owned=True)
    assert PATH not in render(after)
    assert after.names("consulted") == ("concepts/cookies",)


@given(hostile, hostile)
def test_a_note_of_any_text_is_read_as_it_was_written(question, text):
    found = note(PATH, filing(text or "x", question=" ".join(question.split()) or "x"), KIND)
    again = parse(PATH, "qa", render(found))
    assert render(again) == render(found)
    assert set(again.meta) == {"title", "question", "consulted", "filed"}
    assert again.sections[0][0] == "Answer"
    assert earlier(question, [again]) or not normal(question)
