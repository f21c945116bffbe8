"""When a prompt is told something, and in which words."""

from types import SimpleNamespace

import pytest

from memoria.search import prompt_match
from memoria.search.injection import units


def row(text, kind="conclusion", key="k", weight=3):
    link = "daily/2026-03-01#^e-0f3a12bc34de"
    return SimpleNamespace(
        key=key, kind=kind, weight=weight, text=text, day="2026-03-01", link=link
    )


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("yes please", []),
        ("/review the retry window", []),
        ("! grep the retry window", []),
        ("Please commit and push this", []),
        ("Fix mergeTags in tag_merge.py today", "mergetags merge tags tag py today"),
        ("See https://example.org/runs/17 why retries stall", "see retries stall"),
        ("<private>the retry window</private> and the lease there", "lease"),
    ],
)
def test_the_words_of_a_prompt_say_what_it_is_about(prompt, words):
    found = prompt_match.asked(prompt)
    assert set(words.split() if words else []) - {"merge"} <= set(found)
    assert bool(found) == bool(words)
    assert not set(found) & {"https", "the", "commit"}


def test_a_clear_lead_is_enough_where_the_score_alone_is_not():
    assert prompt_match.speaks(prompt_match.LEADING, 0.1)
    assert not prompt_match.speaks(prompt_match.LEADING, prompt_match.LEADING)
    assert prompt_match.speaks(prompt_match.ENOUGH, prompt_match.ENOUGH)
    assert not prompt_match.speaks(prompt_match.LEADING - 0.1, 0.0)


def test_a_report_has_its_day_who_said_it_and_its_source():
    link = "[[daily/2026-03-01#^e-0f3a12bc34de]]"
    assert prompt_match.report(row("Seven.")) == f"- 2026-03-01, concluded: Seven. {link}"
    said = prompt_match.report(row("User: Seven."))
    assert said == f"- 2026-03-01, the user said: Seven. {link}"
    amended = prompt_match.report(row("Nine."), [("2026-02-01", "daily/2026-02-01")])
    assert "It replaces what was decided on 2026-02-01, [[daily/2026-02-01]]." in amended


def test_three_lines_and_900_characters_are_the_most():
    reports = [f"- {number} {'x' * 200}" for number in range(9)]
    text, kept = prompt_match.composed(reports, "b")
    assert (kept, text.count("\n- ")) == ([0, 1, 2], 3)
    assert units(text) <= prompt_match.LIMIT
    # what is too long is passed over, and what fits behind it is told
    assert prompt_match.composed(["x" * 2000, "- short"], "b")[1] == [1]
    assert prompt_match.composed([], "b") == ("", [])


def test_of_an_amended_subject_the_recap_alone_is_told():
    rows = [row("The recap."), row("User: The old value.", key="o")]
    assert prompt_match.chosen(rows, ["old"], is_newer=True) == rows[:1]
    assert prompt_match.chosen(rows, ["old"], is_newer=False) == rows


def test_what_a_line_before_it_says_is_not_told_again():
    rows = [row("Seven fits. Eight trips it."), row("Eight trips it.", "lesson", "o")]
    assert prompt_match.chosen(rows, [], is_newer=False) == rows[:1]
