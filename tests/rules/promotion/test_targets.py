"""A tool's file as text: a person's words stay to the byte, ours come and go."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.errors import SettingsError, UsageError
from memoria.rules.model import Rule
from memoria.rules.promotion import settings_hook
from memoria.rules.promotion.targets import (
    TARGETS,
    body,
    lost,
    part,
    place,
    rewritten,
    saying,
    without,
)
from memoria.vault import regions as region

HERE = "/shop/file"
each_target = pytest.mark.parametrize("kind", TARGETS)


def rule(text="Run the tests before a commit.", number=1, frequency=4):
    return Rule(f"wf-{number:010x}", text, "workflow", "active", frequency, "high", (), "")


def said(kind, text):
    """Give what the file's tool reads of it."""
    return settings_hook.words(text, HERE) if kind == "settings" else text


def test_the_table_is_the_one_that_the_tools_know():
    assert {name: (place(name), place(name, everywhere=True)) for name in TARGETS} == {
        "claude-md": ("CLAUDE.md", "CLAUDE.md"),
        "agents-md": ("AGENTS.md", "AGENTS.md"),
        "settings": (".claude/settings.json", "settings.json"),
        "rules": (".claude/rules/memoria.md", "rules/memoria.md"),
    }
    with pytest.raises(UsageError, match="claude-md, agents-md, settings, rules"):
        place("windsurf")


@each_target
def test_a_file_from_nothing_and_back_to_nothing(kind):
    text = rewritten(kind, None, body(kind, [rule()]), HERE)
    assert "Run the tests before a commit." in said(kind, text)
    assert not part(kind, text, HERE).edited
    assert rewritten(kind, text, body(kind, [rule()]), HERE) == text
    other = rewritten(kind, text, body(kind, [rule("Rebase.")]), HERE)
    assert "Run the tests" not in other
    assert rewritten(kind, other, "", HERE) is None
    assert rewritten(kind, None, "", HERE) is None


@each_target
@pytest.mark.parametrize("ending", ["", "\n", "\r\n\r\n"])
def test_a_persons_file_comes_back_to_the_byte(kind, ending):
    text = ('{"model": "opus"}' if kind == "settings" else "# Mine") + ending
    new = rewritten(kind, text, body(kind, [rule()]), HERE)
    assert new != text
    assert rewritten(kind, new, "", HERE) == rewritten(kind, text, "", HERE) == text


@each_target
@pytest.mark.parametrize("text", ["", "\ufeff"])
def test_an_empty_file_of_a_person_stays_one(kind, text):
    new = rewritten(kind, text, body(kind, [rule()]), HERE)
    assert rewritten(kind, new, "", HERE) == text + "{}\n" * (kind == "settings")


@each_target
def test_what_a_person_adds_to_a_file_of_ours_stays(kind):
    text = rewritten(kind, None, body(kind, [rule()]), HERE)
    mine = '  "model": "opus",\n' if kind == "settings" else "## Mine\n"
    more = text.replace("{\n", "{\n" + mine, 1) if kind == "settings" else f"{text}\n{mine}"
    left = rewritten(kind, more, "", HERE)
    assert mine.strip(" ,\n") in left
    assert "Run the tests" not in left
    again = rewritten(kind, left, body(kind, [rule()]), HERE)
    assert rewritten(kind, again, "", HERE) == left


def test_damage_is_an_error_that_names_file_and_line():
    text = rewritten("claude-md", "# Mine\n", "- x", HERE).replace("memoria:end", "x")
    with pytest.raises(UsageError, match=f"{HERE}, line 3: .* never ends; nothing was changed"):
        rewritten("claude-md", text, "", HERE)
    hook = json.loads(rewritten("settings", None, "- x", HERE))
    hook["hooks"]["SessionStart"][0]["hooks"][0]["args"][0] += "<!-- memoria:end -->\n"
    with pytest.raises(UsageError, match=f"{HERE}, line 6: "):
        part("settings", json.dumps(hook), HERE)
    with pytest.raises(SettingsError):
        part("settings", "{", HERE)


@each_target
def test_one_line_leaves_a_part_that_a_person_edited(kind):
    rules = [rule(), rule("Never push with `$1` or ${CLAUDE_DIR} to main.", 2)]
    text = rewritten(kind, None, body(kind, rules), HERE)
    mine = text.replace("(seen 4x)", "(seen 4x), as agreed")
    seen_since = rule(rules[1].text, 2, frequency=9)
    assert not part(kind, without(kind, text, [seen_since], HERE), HERE).edited
    left = without(kind, mine, [seen_since], HERE)
    assert "Never push" not in left
    assert "before a commit.** (seen 4x), as agreed" in said(kind, left)
    assert part(kind, left, HERE).edited
    assert without(kind, left, [seen_since], HERE) == left
    assert without(kind, text, [], HERE) == text


def test_what_the_client_would_fill_in():
    words = "Quote $1 and ${CLAUDE_PROJECT_DIR}, not $HOME or ${X}."
    assert words in body("claude-md", [rule(words)])
    assert words.replace("${C", "$ {C") in body("settings", [rule(words)])


PERSON = st.lists(st.sampled_from(["# A", "text", "", "- [ ] x", "\r", "é"]), max_size=4)
RULES = st.lists(st.integers(1, 9), max_size=3, unique=True)


@given(PERSON.map("\n".join), RULES, RULES, st.sampled_from(["claude-md", "rules", "agents-md"]))
def test_any_sequence_of_promotions_leaves_the_last_one(text, first, second, kind):
    sections = [body(kind, [rule(f"Rule {n}.", n) for n in some]) for some in (first, second)]
    once = rewritten(kind, text, sections[1], HERE)
    assert rewritten(kind, rewritten(kind, text, sections[0], HERE), sections[1], HERE) == once
    assert (region.find(once) is None) == (not second)


@each_target
def test_whose_rules_stand_in_a_section(kind):
    ours, theirs = rule("Quote `$1` always."), rule("Deploy on Tuesdays (noon).", 2)
    section = body(kind, [ours, theirs])
    assert saying(kind, section, [ours, rule("Other.", 3)]) == (ours,)
    assert lost(kind, section, body(kind, [ours]), ()) == ("Deploy on Tuesdays (noon).",)
    assert lost(kind, section, "", [ours, theirs]) == lost(kind, section, section, ()) == ()
