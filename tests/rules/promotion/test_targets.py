import json

import pytest
from cases import cased
from hypothesis import given, strategies as st

from memoria.errors import SettingsError, UsageError
from memoria.rules.model import Rule
from memoria.rules.promotion.targets import (
    TARGETS,
    file_path,
    find_part,
    rewrite,
    section_of,
    target,
)
from memoria.vault import regions

HERE = "/shop/file"
KINDS = tuple(TARGETS.values())
each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


def rule(text="Run the tests before a commit.", number=1, frequency=4):
    return Rule(f"wf-{number:010x}", text, "workflow", "active", frequency, "high", (), "")


@cased("a" * 65)
def test_names_that_no_skill_may_have(name):
    with pytest.raises(UsageError, match="lower-case letters"):
        file_path(target("skill"), name)


MINE = "---\nname: x\n---\n"


@each_kind
def test_what_a_person_adds_to_a_file_of_ours_stays(kind):
    text = rewrite(kind, None, section_of(kind, [rule()]), HERE)
    is_json = kind.name == "settings"
    more = text.replace("{", '{\n  "model": "opus",', 1) if is_json else f"{text}\n## Mine\n"
    left = rewrite(kind, more, "", HERE)
    assert ("opus" if is_json else "## Mine") in left
    assert "Run the tests" not in left
    again = rewrite(kind, left, section_of(kind, [rule()]), HERE)
    assert rewrite(kind, again, "", HERE) == left


@pytest.mark.parametrize("name", ["skill", "agents-skill"])
@pytest.mark.parametrize("text", ["", "# Mine\n", "\ufeff# Mine"])
def test_a_persons_file_that_its_tool_would_pass_over(name, text):
    with pytest.raises(UsageError, match="no frontmatter"):
        rewrite(target(name), text, "- x", HERE)


def test_damage_is_an_error_that_names_file_and_line():
    text = rewrite(target("claude-md"), "# Mine\n", "- x", HERE).replace("memoria:end", "x")
    with pytest.raises(UsageError, match=f"{HERE}, line 3: .* never ends; nothing was changed"):
        rewrite(target("claude-md"), text, "", HERE)
    hook = json.loads(rewrite(target("settings"), None, "- x", HERE))
    hook["hooks"]["SessionStart"][0]["hooks"][0]["args"][0] += "<!-- memoria:end -->\n"
    with pytest.raises(UsageError, match=f"{HERE}, lines 1, 5, 6: "):
        find_part(target("settings"), json.dumps(hook), HERE)
    with pytest.raises(SettingsError):
        find_part(target("settings"), "{", HERE)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("claude-md", "$1, $ARGUMENTS and ${CLAUDE_DIR}"),
        ("skill", "\\$1, \\$ARGUMENTS and $ {CLAUDE_DIR}"),
        ("settings", "$1, $ARGUMENTS and $ {CLAUDE_DIR}"),
    ],
)
def test_what_the_client_would_fill_in(name, shown):
    asked = rule("Quote $1, $ARGUMENTS and ${CLAUDE_DIR}, not $HOME or ${X}.")
    assert f"Quote {shown}, not $HOME or ${{X}}." in section_of(target(name), [asked])


PERSON = st.lists(st.sampled_from(["# A", "text", "", "- [ ] x", "\r", "é"]), max_size=4)
RULES = st.lists(st.integers(1, 9), max_size=3, unique=True)


@given(PERSON.map("\n".join), RULES, RULES, st.sampled_from(["claude-md", "rules", "agents-md"]))
def test_any_sequence_of_promotions_leaves_the_last_one(text, first, second, name):
    kind = target(name)
    sections = [section_of(kind, [rule(f"Rule {n}.", n) for n in some]) for some in (first, second)]
    once = rewrite(kind, text, sections[1], HERE)
    assert rewrite(kind, rewrite(kind, text, sections[0], HERE), sections[1], HERE) == once
    assert (regions.find_region(once) is None) == (not second)
