import json
from dataclasses import asdict

import pytest
from cases import cased
from hypothesis import given, strategies as st

from memoria.compile.form import COMPILE_SCHEMA, parse_patch
from memoria.compile.patch import (
    ArticleChange,
    Patch,
    PatchLine,
    RelatedArticle,
    RuleProposal,
    Section,
)
from memoria.errors import BadReply
from memoria.llm.flush_form import (
    FLUSH_SCHEMA,
    JUDGING_SCHEMA,
    MOST_STATEMENTS,
    NOTHING,
    DraftLine as Cited,
    FlushAnswer,
    UserClaim,
    amend_answer,
    number_draft_lines,
    parse_answer,
)
from memoria.llm.forms import LINE, MOST_LINES
from memoria.vault.entry import Draft

ENTRY = {
    "worth_keeping": True,
    "title": "Rounding of tax",
    "context": "The checkout failed.",
    "exchanges": ["Why did it fail? -> The table had changed."],
    "decisions": [
        {"text": "Round half up, because the tax office does.", "cites": ["U1", "A4"], "weight": 3}
    ],
    "lessons": ["`round` rounds half to even."],
    "actions": ["Check the invoices."],
    "statements": [
        {"text": "Use decimals for money.", "cite": "U1", "lasts": "always", "category": "workflow"}
    ],
}
DAY = {
    "articles": [
        {
            "kind": "concept",
            "slug": "tax-rounding",
            "title": "Tax rounding",
            "lead": "How tax is rounded.",
            "sections": [
                {
                    "heading": "Key Points",
                    "prose": "First.\n\nSecond.",
                    "lines": [{"text": "Half up.", "entry": "e-1"}],
                }
            ],
            "entries": ["e-1"],
            "aliases": ["rounding"],
            "tags": ["tax"],
            "related": [{"target": "concepts/money", "why": "uses it"}],
            "connects": [],
        }
    ],
    "rules": [
        {
            "text": "Use decimals for money.",
            "category": "domain_knowledge",
            "quote": "always use decimals",
            "entry": "e-1",
        }
    ],
}


def copy(value):
    return json.loads(json.dumps(value))


def changed(value, path, new):
    value = copy(value)
    *way, last = path
    place = value
    for step in way:
        place = place[step]
    if new is ...:
        del place[last]
    else:
        place[last] = new
    return value


def test_the_entry_of_a_session():
    found = parse_answer(ENTRY)
    assert found.draft() == Draft(
        "Rounding of tax",
        "The checkout failed.",
        ("Why did it fail? -> The table had changed.",),
        ("Round half up, because the tax office does.",),
        ("`round` rounds half to even.",),
        ("Check the invoices.",),
    )
    assert found.decisions == (
        Cited("Round half up, because the tax office does.", ("U1", "A4"), 3),
    )
    assert found.claims == (UserClaim("Use decimals for money.", "U1", "workflow"),)


def test_the_offline_engines_answer_reads_the_same():
    found = parse_answer(ENTRY).draft()
    assert parse_answer(asdict(found) | {"statements": []}).draft() == found


def test_the_only_thing_a_model_can_do_to_a_rule_is_to_say_that_it_was_for_the_moment():
    value = copy(ENTRY)
    value["statements"][0] |= {"standing": True, "score": 99.0}
    assert parse_answer(value).claims == parse_answer(ENTRY).claims
    (claim,) = parse_answer(changed(ENTRY, ["statements", 0, "lasts"], "now")).claims
    assert claim.passing


def test_the_changes_of_a_day():
    assert parse_patch(DAY) == Patch(
        (
            ArticleChange(
                "concept",
                "tax-rounding",
                "Tax rounding",
                "How tax is rounded.",
                (Section("Key Points", "First.\n\nSecond.", (PatchLine("Half up.", "e-1"),)),),
                ("e-1",),
                ("rounding",),
                ("tax",),
                (RelatedArticle("concepts/money", "uses it"),),
            ),
        ),
        (
            RuleProposal(
                "Use decimals for money.", "domain_knowledge", "always use decimals", "e-1"
            ),
        ),
    )
    assert parse_patch({"articles": [], "rules": []}) == Patch()


def test_worth_keeping_without_a_line_is_no_answer():
    empty = {"exchanges": [], "decisions": [], "lessons": [], "actions": ["  "], "statements": []}
    with pytest.raises(BadReply, match="no line"):
        parse_answer(ENTRY | empty | {"context": " "})


@cased(
    ("entry", [], [ENTRY], "the answer: a list instead of an object"),
    ("entry", ["title"], "x" * 1_201, "title: 1201 characters, at most 1200"),
    ("entry", ["lessons"], ["x"] * 121, "lessons: 121 items, at most 120"),
    ("entry", ["lessons"], ["x" * 4_001], r"lessons\[0\]: 4001 characters, at most 4000"),
    ("day", ["articles", 0, "lead"], "x" * 200_001, "lead: 200001 characters"),
)
def test_what_has_the_wrong_shape_is_refused_with_its_place(form, path, new, reason):
    read, value = (parse_answer, ENTRY) if form == "entry" else (parse_patch, DAY)
    with pytest.raises(BadReply, match=reason) as caught:
        read(changed(value, path, new) if path else new)
    assert len(str(caught.value)) < 1_500


def test_a_little_too_much_is_cut_to_size():
    lines = [f"Lesson {number} " + "word " * 200 for number in range(30)]
    said = ENTRY["statements"] * 20
    found = parse_answer(ENTRY | {"lessons": lines, "statements": said})
    assert len(found.lessons) == MOST_LINES
    assert len(found.claims) == MOST_STATEMENTS
    cut = [line.text for line in found.lessons]
    assert all(len(line) <= LINE and line.endswith("word…") for line in cut)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*ENTRY, *DAY, *DAY["articles"][0], "text", "cites"]), inner, max_size=6
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_json_is_read_or_refused(value):
    for read in (parse_answer, parse_patch):
        try:
            read(value)
        except BadReply as error:
            assert str(error)  # noqa: PT017 - either outcome is right, a crash is not


def cited(*texts, weight=2):
    return tuple(Cited(text, (), weight) for text in texts)


def test_a_later_part_amends_the_draft_so_far():
    first = FlushAnswer(
        True, "A", "was a", cited("x"), cited("d1"), cited("l1", "l2"), cited("todo")
    )
    ids = {line.text: name for name, line in number_draft_lines(first)}
    assert ids == {"x": "D1", "d1": "D2", "l1": "D3", "l2": "D4", "todo": "D5"}
    later = FlushAnswer(
        True, "B", "", cited("X"), (), cited("l3"), cited("more"), drop=("D3", "D9")
    )
    found = amend_answer(first, later)
    assert found.draft() == Draft("B", "was a", ("x",), ("d1",), ("l2", "l3"), ("more",))
    assert amend_answer(NOTHING, first) == first
    assert amend_answer(first, NOTHING) == first


def test_of_too_many_lines_the_lightest_go():
    light, heavy = cited(*"abcdefghijkl", weight=1), cited("m", "n", weight=3)
    before = FlushAnswer(True, "t", "c", lessons=light)
    found = amend_answer(before, FlushAnswer(True, "t", "c", lessons=heavy))
    assert [line.text for line in found.lessons] == [*"abcdefghijmn"]
    assert found.draft().lessons[:2] == ("m", "n")


LINES = st.lists(
    st.builds(Cited, st.sampled_from("abcdefghijklmnopqrstuvwxyz"), st.just(()), st.integers(1, 3)),
    max_size=MOST_LINES,
    unique_by=lambda line: line.text,
).map(tuple)
ANSWERS = st.builds(
    FlushAnswer,
    st.just(True),
    st.text(max_size=3),
    st.text(max_size=3),
    LINES,
    LINES,
    LINES,
    LINES,
    st.lists(st.sampled_from(["D1", "D2", "D30", "U1"]), max_size=2).map(tuple),
)


@given(ANSWERS, ANSWERS)
def test_nothing_is_lost_that_was_not_dropped_or_outweighed(before, after):
    found = amend_answer(before, after)
    dropped = {line for name, line in number_draft_lines(before) if name in after.drop}
    for name in ("exchanges", "decisions", "lessons"):
        there = {line.text for line in getattr(found, name)}
        given_lines = (*getattr(before, name), *getattr(after, name))
        assert there <= {line.text for line in given_lines}
        if len(there) < MOST_LINES:
            assert {line.text for line in getattr(before, name) if line not in dropped} <= there
            assert {line.text for line in getattr(after, name)} <= there
    assert found.actions == after.actions


def test_schemas_close_every_object():
    def objects(schema):
        if schema.get("type") == "object":
            yield schema
            for inner in schema["properties"].values():
                yield from objects(inner)
        elif schema.get("type") == "array":
            yield from objects(schema["items"])

    for schema in (FLUSH_SCHEMA, JUDGING_SCHEMA, COMPILE_SCHEMA):
        json.dumps(schema)
        for one in objects(schema):
            assert one["additionalProperties"] is False
            # a rule needs no check
            assert one["required"] == [name for name in one["properties"] if name != "check"]


def test_a_check_is_json_as_text_or_as_it_is():
    rule = {"text": "t", "category": "workflow", "quote": "q", "entry": "e"}
    for value, kept in (
        ('{"occasion": {}}', '{"occasion": {}}'),
        ({"occasion": {}}, '{"occasion": {}}'),
        ({}, ""),
        ("{}", ""),
        (None, ""),
        (7, ""),
        ("x" * 5_000, ""),
    ):
        (found,) = parse_patch({"articles": [], "rules": [rule | {"check": value}]}).rules
        assert found.check == kept
    assert parse_patch({"articles": [], "rules": [rule]}).rules[0].check == ""
