import json

import pytest
from cases import cased
from hypothesis import given, strategies as st

from memoria.errors import SettingsError, UsageError
from memoria.rules.model import Rule
from memoria.rules.promotion.targets import (
    LONGEST,
    TARGETS,
    file_path,
    find_part,
    find_target,
    format_section_for,
    put_hook_text,
    read_hook_text,
    rewrite,
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
        file_path(find_target("skill"), name)


@each_kind
def test_what_a_person_adds_to_a_file_of_ours_stays(kind):
    text = rewrite(kind, None, format_section_for(kind, [rule()]), HERE)
    is_json = kind.name == "settings"
    more = text.replace("{", '{\n  "model": "opus",', 1) if is_json else f"{text}\n## Mine\n"
    left = rewrite(kind, more, "", HERE)
    assert ("opus" if is_json else "## Mine") in left
    assert "Run the tests" not in left
    again = rewrite(kind, left, format_section_for(kind, [rule()]), HERE)
    assert rewrite(kind, again, "", HERE) == left


@pytest.mark.parametrize("name", ["skill", "agents-skill"])
@pytest.mark.parametrize("text", ["", "# Mine\n", "\ufeff# Mine"])
def test_a_persons_file_that_its_tool_would_pass_over(name, text):
    with pytest.raises(UsageError, match="no frontmatter"):
        rewrite(find_target(name), text, "- x", HERE)


def test_damage_is_an_error_that_names_file_and_line():
    text = rewrite(find_target("claude-md"), "# Mine\n", "- x", HERE).replace("memoria:end", "x")
    with pytest.raises(UsageError, match=f"{HERE}, line 3: .* never ends; nothing was changed"):
        rewrite(find_target("claude-md"), text, "", HERE)
    hook = json.loads(rewrite(find_target("settings"), None, "- x", HERE))
    hook["hooks"]["SessionStart"][0]["hooks"][0]["args"][0] += "<!-- memoria:end -->\n"
    with pytest.raises(UsageError, match=f"{HERE}, lines 1, 5, 6: "):
        find_part(find_target("settings"), json.dumps(hook), HERE)
    with pytest.raises(SettingsError):
        find_part(find_target("settings"), "{", HERE)


@cased()
def test_what_the_client_would_fill_in(name, shown):
    asked = rule("Quote $1, $ARGUMENTS and ${CLAUDE_DIR}, not $HOME or ${X}.")
    assert f"Quote {shown}, not $HOME or ${{X}}." in format_section_for(find_target(name), [asked])


PERSON = st.lists(st.sampled_from(["# A", "text", "", "- [ ] x", "\r", "é"]), max_size=4)
RULES = st.lists(st.integers(1, 9), max_size=3, unique=True)


@given(PERSON.map("\n".join), RULES, RULES, st.sampled_from(["claude-md", "rules", "agents-md"]))
def test_any_sequence_of_promotions_leaves_the_last_one(text, first, second, name):
    kind = find_target(name)
    chosen = ([rule(f"Rule {n}.", n) for n in some] for some in (first, second))
    sections = [format_section_for(kind, rules) for rules in chosen]
    once = rewrite(kind, text, sections[1], HERE)
    assert rewrite(kind, rewrite(kind, text, sections[0], HERE), sections[1], HERE) == once
    assert (regions.find_region(once) is None) == (not second)


# -- In the settings ------------------------------------------------------------------------------

SAID = regions.put_region("", '- Say "yes" to `a\\b` - é')
OTHER = {"matcher": "startup", "hooks": [{"type": "command", "command": "echo hello"}]}
BAD = ("{", '{"a": 1,}', '{"a": NaN}', '{\n// x\n"a": 1}', "null", '"x"', "[" * 100_000)


@st.composite
def settings_texts(draw):
    groups = st.lists(st.sampled_from([OTHER, {}, None, {"hooks": {}}, "x"]), max_size=2)
    names = st.sampled_from(["SessionStart", "SessionEnd", "NewEvent"])
    value = st.fixed_dictionaries(
        {"model": st.text()}, optional={"hooks": st.dictionaries(names, groups)}
    )
    indent = draw(st.sampled_from([None, 2, 4, "\t", 0]))
    text = json.dumps(draw(value), indent=indent, ensure_ascii=draw(st.booleans()))
    text = draw(st.sampled_from(["", "\ufeff"])) + text + draw(st.sampled_from(["", "\n"]))
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


def load(text):
    return json.loads(text.removeprefix("\ufeff"))


def pruned(value):
    if not value["hooks"].get("SessionStart", True):
        del value["hooks"]["SessionStart"]
    if not value["hooks"]:
        del value["hooks"]
    return value


@given(settings_texts())
def test_all_else_keeps_every_byte(text):
    first, second = (regions.put_region("", body) for body in ("- a", "- b"))
    new = put_hook_text(text, first, HERE)
    assert read_hook_text(new, HERE) == first
    assert put_hook_text(new, first, HERE) == new
    other = put_hook_text(new, second, HERE)
    assert other == put_hook_text(text, second, HERE)
    left = put_hook_text(other, "", HERE)
    hooks = load(text).get("hooks", {"": None})
    if hooks and hooks.get("SessionStart", True):
        assert left == text
    else:  # brackets of a person's that held nothing go with ours
        assert load(left) == pruned(load(text))


@pytest.mark.parametrize(
    "handler",
    [
        {"command": "echo", "args": ["<!-- other:begin -->"]},
        {"command": "echo", "args": [SAID, "more"]},
        {"command": "echo", "args": [7]},
        {"command": "echo", "args": SAID},
        {"command": f"echo '{SAID}'"},
        "echo",
        None,
    ],
)
def test_what_is_somebody_elses(handler):
    text = json.dumps({"hooks": {"SessionStart": [{"hooks": [handler]}], "Stop": []}})
    assert read_hook_text(text, HERE) == ""
    assert put_hook_text(text, "", HERE) == text


@pytest.mark.parametrize("text", [*BAD, "[1]", '{"hooks": 7}', '{"hooks": {"SessionStart": {}}}'])
def test_settings_that_the_client_would_not_read(text):
    for change in (lambda: read_hook_text(text, HERE), lambda: put_hook_text(text, SAID, HERE)):
        with pytest.raises(SettingsError, match="nothing was changed"):
            change()


def test_more_than_the_client_takes_from_a_hook():
    emoji = "\N{LARGE GREEN CIRCLE}"  # two of the units that it counts
    assert put_hook_text("", emoji * (LONGEST // 2), HERE)
    with pytest.raises(UsageError, match="another target"):
        put_hook_text("", emoji * (LONGEST // 2 + 1), HERE)
