import json
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.compile.form import COMPILE_SCHEMA, patch
from memoria.compile.patch import ArticleChange, Line, Link, Patch, RuleProposal, Section
from memoria.errors import BadReply
from memoria.llm.forms import (
    FLUSH_SCHEMA,
    LINE,
    MOST_LINES,
    MOST_STATEMENTS,
    draft,
    merge_drafts,
)
from memoria.vault.entry import Draft, Statement

ENTRY = {
    "worth_keeping": True,
    "title": "Rounding of tax",
    "context": "The checkout failed.",
    "exchanges": ["Why did it fail? -> The table had changed."],
    "decisions": ["Round half up, because the tax office does."],
    "lessons": ["`round` rounds half to even."],
    "actions": ["Check the invoices."],
    "statements": [
        {"text": "Use decimals for money.", "quote": "always use decimals", "category": "workflow"}
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
    if new is KeyError:
        del place[last]
    else:
        place[last] = new
    return value


def test_the_entry_of_a_session():
    found, said = draft(ENTRY)
    assert found == Draft(
        "Rounding of tax",
        "The checkout failed.",
        ("Why did it fail? -> The table had changed.",),
        ("Round half up, because the tax office does.",),
        ("`round` rounds half to even.",),
        ("Check the invoices.",),
    )
    assert said == (
        Statement(
            "Use decimals for money.", "always use decimals", "workflow", standing=False, score=0.0
        ),
    )


def test_the_offline_engines_answer_reads_the_same():
    found, said = draft(ENTRY)
    again = asdict(found) | {"statements": [asdict(one) for one in said]}
    assert draft(again) == (found, said)


def test_no_field_makes_a_statement_a_standing_one():
    value = copy(ENTRY)
    value["statements"][0] |= {"standing": True, "score": 99.0}
    (said,) = draft(value)[1]
    assert (said.standing, said.score) == (False, 0.0)


def test_the_changes_of_a_day():
    assert patch(DAY) == Patch(
        (
            ArticleChange(
                "concept",
                "tax-rounding",
                "Tax rounding",
                "How tax is rounded.",
                (Section("Key Points", "First.\n\nSecond.", (Line("Half up.", "e-1"),)),),
                ("e-1",),
                ("rounding",),
                ("tax",),
                (Link("concepts/money", "uses it"),),
            ),
        ),
        (
            RuleProposal(
                "Use decimals for money.", "domain_knowledge", "always use decimals", "e-1"
            ),
        ),
    )
    assert patch({"articles": [], "rules": []}) == Patch()


def test_a_patch_reads_the_same_from_its_own_fields():
    found = patch(DAY)
    assert patch(asdict(found)) == found
    keyed = changed(DAY, ["articles", 0, "key"], "branch:tax")
    assert patch(keyed).articles[0].key == "branch:tax"


def test_nothing_worth_keeping_is_a_field():
    empty = {name: type(value)() for name, value in ENTRY.items()}
    assert draft(empty) == (Draft("", "", worth_keeping=False), ())
    talk = empty | {"title": "Small talk", "context": "FLUSH_OK"}
    assert draft(talk) == (Draft("", "", worth_keeping=False), ())


def test_a_flag_alone_does_not_erase_what_was_written():
    found, said = draft(ENTRY | {"worth_keeping": False})
    assert found.worth_keeping
    assert found.lessons
    assert said


def test_a_word_in_a_text_erases_nothing():
    found, _ = draft(ENTRY | {"lessons": ["FLUSH_OK is what the page said."]})
    assert found.worth_keeping


def test_worth_keeping_without_a_line_is_no_answer():
    empty = {"exchanges": [], "decisions": [], "lessons": [], "actions": ["  "], "statements": []}
    with pytest.raises(BadReply, match="no line"):
        draft(ENTRY | empty | {"context": " "})


def test_a_context_alone_is_an_entry():
    empty = {"exchanges": [], "decisions": [], "lessons": [], "actions": ["  "], "statements": []}
    found, _ = draft(ENTRY | empty)
    assert found.worth_keeping
    assert found.context == ENTRY["context"]


def test_a_title_is_found_where_none_was_given():
    found, _ = draft(ENTRY | {"title": " ", "exchanges": []})
    assert found.title == "Round half up, because the tax office does."
    none = {"exchanges": [], "decisions": [], "lessons": [], "actions": [], "title": ""}
    assert draft(ENTRY | none)[0].title == "Use decimals for money."


WRONG = [
    (ENTRY, [], "x", "the answer: text instead of an object"),
    (ENTRY, [], None, "the answer: nothing instead of an object"),
    (ENTRY, [], [ENTRY], "the answer: a list instead of an object"),
    (ENTRY, ["title"], KeyError, "title: is missing"),
    (ENTRY, ["title"], None, "title: nothing instead of text"),
    (ENTRY, ["title"], 3, "title: a number instead of text"),
    (ENTRY, ["title"], ["x"], "title: a list instead of text"),
    (ENTRY, ["title"], "x" * 1_201, "title: 1201 characters, at most 1200"),
    (ENTRY, ["worth_keeping"], "yes", "worth_keeping: text instead of true or false"),
    (ENTRY, ["worth_keeping"], 1, "worth_keeping: a number instead of true or false"),
    (ENTRY, ["lessons"], "a lesson", "lessons: text instead of a list"),
    (ENTRY, ["lessons"], {"0": "x"}, "lessons: an object instead of a list"),
    (ENTRY, ["lessons"], ["x", 3], r"lessons\[1\]: a number instead of text"),
    (ENTRY, ["lessons"], [["x"]], r"lessons\[0\]: a list instead of text"),
    (ENTRY, ["lessons"], ["x"] * 121, "lessons: 121 items, at most 120"),
    (ENTRY, ["lessons"], ["x" * 4_001], r"lessons\[0\]: 4001 characters, at most 4000"),
    (ENTRY, ["statements"], ["always"], r"statements\[0\]: text instead of an object"),
    (ENTRY, ["statements", 0, "quote"], KeyError, r"statements\[0\].quote: is missing"),
    (ENTRY, ["statements", 0, "category"], "style", r"\.category: 'style' is none of arch"),
    (ENTRY, ["statements", 0, "category"], None, r"\.category: nothing instead of text"),
    (DAY, ["articles"], {}, "articles: an object instead of a list"),
    (DAY, ["articles", 0, "slug"], 7, r"articles\[0\].slug: a number instead of text"),
    (
        DAY,
        ["articles", 0, "sections", 0, "lines", 0],
        "x",
        r"lines\[0\]: text instead of an object",
    ),
    (DAY, ["articles", 0, "sections", 0, "lines", 0, "entry"], None, r"lines\[0\].entry: nothing"),
    (DAY, ["articles", 0, "related", 0, "why"], True, "why: true or false instead of text"),
    (DAY, ["articles", 0, "entries"], [1.5], r"entries\[0\]: a number instead of text"),
    (DAY, ["articles", 0, "lead"], "x" * 200_001, "lead: 200001 characters"),
    (DAY, ["rules", 0, "category"], "", "category: '' is none of"),
    (DAY, ["rules"], KeyError, "rules: is missing"),
]


@pytest.mark.parametrize(("value", "path", "new", "reason"), WRONG)
def test_what_has_the_wrong_shape_is_refused_with_its_place(value, path, new, reason):
    read = draft if value is ENTRY else patch
    with pytest.raises(BadReply, match=reason) as caught:
        read(changed(value, path, new) if path else new)
    assert len(str(caught.value)) < 1_500


def test_a_little_too_much_is_cut_to_size():
    lines = [f"Lesson {number} " + "word " * 200 for number in range(30)]
    said = ENTRY["statements"] * 20
    found, statements = draft(ENTRY | {"lessons": lines, "statements": said})
    assert len(found.lessons) == MOST_LINES
    assert len(statements) == MOST_STATEMENTS
    assert all(len(line) <= LINE and line.endswith("word…") for line in found.lessons)


def test_lines_are_single_plain_and_each_there_once():
    messy = ["- [ ] Check\n\n## Sessions\nthe invoices", "* a", "a", "", " \n", "- [x] b"]
    found, _ = draft(ENTRY | {"actions": messy})
    assert found.actions == ("Check ## Sessions the invoices", "a", "b")


def test_a_category_may_be_spelled_in_words():
    value = changed(DAY, ["rules", 0, "category"], "Tool usage")
    assert patch(value).rules[0].category == "tool_usage"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*ENTRY, *DAY, *DAY["articles"][0], "text", "quote"]), inner, max_size=6
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_json_is_read_or_refused(value):
    for read in (draft, patch):
        try:
            read(value)
        except BadReply as error:
            assert str(error)  # noqa: PT017 - either outcome is right, a crash is not


@given(st.sampled_from(sorted(ENTRY)), JSON)
def test_any_field_is_read_or_refused(name, value):
    try:
        found, said = draft(ENTRY | {name: value})
    except BadReply:
        return
    assert len(found.title) <= 120
    assert all("\n" not in line for line in found.lessons)
    assert len(said) <= MOST_STATEMENTS


def lines(draft):
    return [*draft.exchanges, *draft.decisions, *draft.lessons, *draft.actions]


def test_drafts_of_one_session_become_one():
    first = Draft("A", "was a", ("x",), ("d1",), ("l1", "l2"))
    second = Draft("B", "was b", ("y", "X"), (), ("l2", "l3"), ("todo",))
    none = Draft("", "", worth_keeping=False)
    assert merge_drafts([none, first, second]) == Draft(
        "A", "was a", ("x", "y"), ("d1",), ("l1", "l2", "l3"), ("todo",)
    )
    assert merge_drafts([first]) == first
    assert merge_drafts([none, none]) == merge_drafts([]) == none


def test_no_chunk_crowds_out_another():
    chunks = [
        Draft(str(chunk), "", (), (), tuple(f"{chunk}.{rank}" for rank in range(12)))
        for chunk in range(6)
    ]
    merged = merge_drafts(chunks)
    assert merged.lessons == tuple(f"{chunk}.{rank}" for chunk in range(6) for rank in range(2))


DRAFTS = st.lists(
    st.builds(
        Draft,
        st.text(max_size=3),
        st.text(max_size=3),
        *[st.lists(st.sampled_from("abcdefghijklmnopqrstuvwxyz")).map(tuple)] * 4,
        st.booleans(),
    ),
    max_size=5,
)


@given(DRAFTS)
def test_merging_invents_nothing_and_is_bounded(drafts):
    merged = merge_drafts(drafts)
    kept = [one for one in drafts if one.worth_keeping]
    assert merged.worth_keeping == bool(kept)
    for name in ("exchanges", "decisions", "lessons", "actions"):
        given_lines = [line for one in kept for line in getattr(one, name)]
        found = getattr(merged, name)
        assert set(found) <= set(given_lines)
        assert len(found) == min(MOST_LINES, len(set(given_lines)))


def test_schemas_close_every_object():
    def objects(schema):
        if schema.get("type") == "object":
            yield schema
            for inner in schema["properties"].values():
                yield from objects(inner)
        elif schema.get("type") == "array":
            yield from objects(schema["items"])

    for schema in (FLUSH_SCHEMA, COMPILE_SCHEMA):
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
        (found,) = patch({"articles": [], "rules": [rule | {"check": value}]}).rules
        assert found.check == kept
    assert patch({"articles": [], "rules": [rule]}).rules[0].check == ""
