import json

import pytest
from hypothesis import given, strategies as st

from memoria.errors import SettingsError, UsageError
from memoria.rules.promotion.targets import LONGEST, hook_words, put_hook_words
from memoria.vault.regions import put_region

HERE = "/home/me/shop/.claude/settings.json"
SAID = put_region("", '- Say "yes" to `a\\b` - é')
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
    first, second = (put_region("", body) for body in ("- a", "- b"))
    new = put_hook_words(text, first, HERE)
    assert hook_words(new, HERE) == first
    assert put_hook_words(new, first, HERE) == new
    other = put_hook_words(new, second, HERE)
    assert other == put_hook_words(text, second, HERE)
    left = put_hook_words(other, "", HERE)
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
    assert hook_words(text, HERE) == ""
    assert put_hook_words(text, "", HERE) == text


@pytest.mark.parametrize("text", [*BAD, "[1]", '{"hooks": 7}', '{"hooks": {"SessionStart": {}}}'])
def test_settings_that_the_client_would_not_read(text):
    for change in (lambda: hook_words(text, HERE), lambda: put_hook_words(text, SAID, HERE)):
        with pytest.raises(SettingsError, match="nothing was changed"):
            change()


def test_more_than_the_client_takes_from_a_hook():
    emoji = "\N{LARGE GREEN CIRCLE}"  # two of the units that it counts
    assert put_hook_words("", emoji * (LONGEST // 2), HERE)
    with pytest.raises(UsageError, match="another target"):
        put_hook_words("", emoji * (LONGEST // 2 + 1), HERE)
