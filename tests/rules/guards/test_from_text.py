import json

import pytest
from cases import cased
from hypothesis import given, strategies as st

from memoria.rules.guards.act import build_act
from memoria.rules.guards.check import check_to_json, parse_check
from memoria.rules.guards.from_text import derive_check, read_proposed
from memoria.rules.guards.judge import find_refusal, judge_act

ROOT = "/home/ana/shop"


def run(text):
    return build_act("Bash", {"command": text}, ROOT)


def edit(path):
    given = {"file_path": f"{ROOT}/{path}", "old_string": "", "new_string": "x = 1"}
    return build_act("Edit", given, ROOT)


# rule, what keeps it, what breaks it, what is none of its business


@cased()
def test_rules_that_name_commands(rule, kept, broken, other):
    found = derive_check(rule)
    assert judge_act(found, run(kept)) in {"kept", ""}
    assert judge_act(found, run(broken)) == "broken"
    if other:
        assert judge_act(found, run(other)) == ""


@cased()
def test_rules_that_name_files(rule, kind, text):
    check = derive_check(rule)
    assert judge_act(check, {"edit": edit, "run": run}[kind](text)) == "broken"
    assert judge_act(check, edit("src/a.py")) == "kept"


@cased()
def test_what_gives_no_check(rule):
    assert derive_check(rule) is None


def test_a_reason_and_politeness_change_nothing():
    plain = derive_check("never push with --force")
    for text in (
        "Please never push with --force, because others work on the branch.",
        "IMPORTANT: Never push with `--force`; it rewrites history",
        "- **Never push with --force!**",
        "From now on never push with --force in this repo",
    ):
        assert derive_check(text) == plain


WORDS = ["never", "use", "always", "run", "before", "commit", "not", "`git push --force`", "pip",
         "uv", "instead of", "--force", "vendor/", "`any`", "tests", "unless", "with", ",", ".",
         "`", "{0}", "{", "}", "a file", "read", "edit", "`rm -rf /`", "`*`", "don't"]  # fmt: skip


@given(st.one_of(st.text(max_size=80), st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)))
def test_whatever_is_derived_is_a_sound_check(text):
    found = derive_check(text)
    if found is None:
        return
    assert parse_check(json.loads(json.dumps(check_to_json(found)))) == found
    assert not find_refusal(found)
    assert derive_check(text) == found
    assert "unless" not in text


def test_what_an_engine_proposed():
    own = {"occasion": {"command": ["git push"]}, "broken": {"with": ["--mirror"]}}
    check, why = read_proposed(json.dumps(own))
    assert (check_to_json(check), why) == (own, "")
    check, why = read_proposed(json.dumps({"occasion": {"tools": ["Bash"]}}))
    assert check is None
    assert "refuse nearly every call" in why
    for bad in ("{", "[]", "1", '{"occasion": {"command": "git push", "regex": ["("]}}'):
        check, why = read_proposed(bad)
        assert check is None
        assert why
    assert read_proposed("") == (None, "")


@pytest.mark.parametrize("part", ["x", "x ", "a, ", "tests and ", "`a`, ", "-", "x/", "npm "])
@pytest.mark.parametrize("head", ["Use pnpm ", "Never edit ", "No ", "Never use npm "])
def test_a_text_without_an_end_is_read_all_the_same(head, part):
    # a pattern that can part the same words in many ways would not come back within a lifetime
    assert derive_check((head + part * 300)[:299] + "y instead of") is None
