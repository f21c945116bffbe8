import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from memoria.errors import SettingsError, UsageError
from memoria.rules.model import Rule
from memoria.rules.promotion.targets import (
    SKILL,
    TARGETS,
    body,
    hook_words,
    lost,
    part,
    place,
    rewritten,
    saying,
    target,
    without,
)
from memoria.vault import regions as region

HERE = "/shop/file"
KINDS = tuple(TARGETS.values())
each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
NAMES = {
    "claude-md": ("CLAUDE.md", "CLAUDE.md"),
    "agents-md": ("AGENTS.md", "AGENTS.md"),
    "settings": (".claude/settings.json", "settings.json"),
    "skill": (".claude/skills/memoria-rules/SKILL.md", "skills/memoria-rules/SKILL.md"),
    "rules": (".claude/rules/memoria.md", "rules/memoria.md"),
    "agents-skill": (".agents/skills/memoria-rules/SKILL.md",) * 2,
}


def rule(text="Run the tests before a commit.", number=1, frequency=4):
    return Rule(f"wf-{number:010x}", text, "workflow", "active", frequency, "high", (), "")


def front(text):
    assert text.startswith("---\n")
    return yaml.safe_load(text[4 : text.index("\n---\n") + 1])


def said(kind, text):
    """Give what the file's tool reads of it."""
    return hook_words(text, HERE) if kind.name == "settings" else text


def test_the_table_is_the_one_that_the_tools_know():
    assert {one.name: (place(one), place(one, everywhere=True)) for one in KINDS} == NAMES
    assert target("claude-md") is TARGETS["claude-md"]
    with pytest.raises(UsageError, match="claude-md, agents-md, settings, skill"):
        target("windsurf")


@pytest.mark.parametrize(
    "name", ["", "A", "a b", "-a", "a-", "a--b", "a_b", "../x", "a/b", "é", "a" * 65, "a\n"]
)
def test_names_that_no_skill_may_have(name):
    with pytest.raises(UsageError, match="lower-case letters"):
        place(target("skill"), name)


@pytest.mark.parametrize("name", ["a", "a1-b2", "a" * 64, SKILL])
def test_names_of_skills(name):
    assert place(target("skill"), name) == f".claude/skills/{name}/SKILL.md"
    meta = front(rewritten(target("skill"), None, "- x", HERE, name))
    assert meta.keys() == {"name", "description"}
    assert meta["name"] == name
    assert "Use when" in meta["description"][:1024]


@each_kind
def test_a_file_from_nothing_and_back_to_nothing(kind):
    section = body(kind, [rule()])
    text = rewritten(kind, None, section, HERE)
    assert "Run the tests before a commit." in said(kind, text)
    assert not part(kind, text, HERE).edited
    assert rewritten(kind, text, section, HERE) == text
    other = rewritten(kind, text, body(kind, [rule("Rebase.")]), HERE)
    assert "Run the tests" not in other
    assert rewritten(kind, other, "", HERE) is None
    assert rewritten(kind, None, "", HERE) is None


MINE = "---\nname: x\n---\n"
OWN = {"settings": '{"model": "opus"}', "skill": MINE, "agents-skill": MINE}


@each_kind
@pytest.mark.parametrize("ending", ["", "\n", "\r\n\r\n"])
def test_a_persons_file_comes_back_to_the_byte(kind, ending):
    text = OWN.get(kind.name, "# Mine") + ending
    new = rewritten(kind, text, body(kind, [rule()]), HERE)
    assert new != text
    assert rewritten(kind, new, "", HERE) == text
    assert rewritten(kind, text, "", HERE) == text


@each_kind
def test_an_empty_file_of_a_person_stays_one(kind):
    for text in () if kind.head else ("", "\ufeff"):
        new = rewritten(kind, text, body(kind, [rule()]), HERE)
        assert rewritten(kind, new, "", HERE) == text + "{}\n" * (kind.name == "settings")


@each_kind
def test_what_a_person_adds_to_a_file_of_ours_stays(kind):
    text = rewritten(kind, None, body(kind, [rule()]), HERE)
    is_json = kind.name == "settings"
    more = text.replace("{", '{\n  "model": "opus",', 1) if is_json else f"{text}\n## Mine\n"
    left = rewritten(kind, more, "", HERE)
    assert ("opus" if is_json else "## Mine") in left
    assert "Run the tests" not in left
    again = rewritten(kind, left, body(kind, [rule()]), HERE)
    assert rewritten(kind, again, "", HERE) == left


@pytest.mark.parametrize("name", ["skill", "rules", "agents-skill"])
def test_frontmatter_that_a_person_changed_stays(name):
    kind = target(name)
    text = rewritten(kind, None, "- x", HERE)
    mine = f'---\npaths:\n  - "src/**"\n---\n\n{text}'
    if kind.head:
        mine = text.replace("---\n", "---\nallowed-tools: Read\n", 1)
    left = rewritten(kind, rewritten(kind, mine, "- y", HERE), "", HERE)
    assert left is not None
    assert mine.startswith(left.rstrip("\n"))


@pytest.mark.parametrize("name", ["skill", "agents-skill"])
@pytest.mark.parametrize("text", ["", "# Mine\n", "\ufeff# Mine"])
def test_a_persons_file_that_its_tool_would_pass_over(name, text):
    with pytest.raises(UsageError, match="no frontmatter"):
        rewritten(target(name), text, "- x", HERE)


def test_damage_is_an_error_that_names_file_and_line():
    text = rewritten(target("claude-md"), "# Mine\n", "- x", HERE).replace("memoria:end", "x")
    with pytest.raises(UsageError, match=f"{HERE}, line 3: .* never ends; nothing was changed"):
        rewritten(target("claude-md"), text, "", HERE)
    hook = json.loads(rewritten(target("settings"), None, "- x", HERE))
    hook["hooks"]["SessionStart"][0]["hooks"][0]["args"][0] += "<!-- memoria:end -->\n"
    with pytest.raises(UsageError, match=f"{HERE}, lines 1, 5, 6: "):
        part(target("settings"), json.dumps(hook), HERE)
    with pytest.raises(SettingsError):
        part(target("settings"), "{", HERE)


@each_kind
def test_one_line_leaves_a_part_that_a_person_edited(kind):
    rules = [rule(), rule("Never push with `$1` or ${CLAUDE_DIR} to main.", 2)]
    text = rewritten(kind, None, body(kind, rules), HERE)
    mine = text.replace("(seen 4x)", "(seen 4x), as agreed")
    seen_since = rule(rules[1].text, 2, frequency=9)
    bare = without(kind, text, [seen_since], HERE)
    assert not part(kind, bare, HERE).edited
    left = without(kind, mine, [seen_since], HERE)
    assert "Never push" not in left
    assert "before a commit.** (seen 4x), as agreed" in said(kind, left)
    assert part(kind, left, HERE).edited
    assert without(kind, left, [seen_since], HERE) == left
    assert without(kind, text, [], HERE) == text


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
    assert f"Quote {shown}, not $HOME or ${{X}}." in body(target(name), [asked])


PERSON = st.lists(st.sampled_from(["# A", "text", "", "- [ ] x", "\r", "é"]), max_size=4)
RULES = st.lists(st.integers(1, 9), max_size=3, unique=True)


@given(PERSON.map("\n".join), RULES, RULES, st.sampled_from(["claude-md", "rules", "agents-md"]))
def test_any_sequence_of_promotions_leaves_the_last_one(text, first, second, name):
    kind = target(name)
    sections = [body(kind, [rule(f"Rule {n}.", n) for n in some]) for some in (first, second)]
    once = rewritten(kind, text, sections[1], HERE)
    assert rewritten(kind, rewritten(kind, text, sections[0], HERE), sections[1], HERE) == once
    assert (region.find(once) is None) == (not second)


@each_kind
def test_whose_rules_stand_in_a_section(kind):
    ours, theirs = rule("Quote `$1` always."), rule("Deploy on Tuesdays (noon).", 2)
    section = body(kind, [ours, theirs])
    assert saying(kind, section, [ours, rule("Other.", 3)]) == (ours,)
    assert lost(kind, section, body(kind, [ours]), ()) == ("Deploy on Tuesdays (noon).",)
    assert lost(kind, section, "", [ours, theirs]) == lost(kind, section, section, ()) == ()
