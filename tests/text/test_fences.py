import re

from cases import cased
from hypothesis import given, strategies as st

from memoria.text.fences import format_code_block, format_inline_code, format_quote
from memoria.text.outline import _PARSER, parse_outline


def events(text):
    return [event for event, _ in _PARSER.events_with_range(text, merge_text=True)]


@given(st.text(alphabet="`~ ab\n<%>\t\u200b\r", max_size=60))
def test_no_text_leaves_the_fence(inner):
    text = f"before\n\n{format_code_block(inner)}\n\nafter\n"
    assert [block.text for block in parse_outline(text).blocks] == ["before", "after"]
    assert "<%" not in text


def test_long_lines_and_templates():
    assert format_code_block("x" * 500).split("\n")[1] == "x" * 159 + "…"
    assert format_code_block("<% tp.file %>") == "```text\n< % tp.file %>\n```"


@cased()
def test_inline_code(text, shown):
    assert format_inline_code(text) == shown


@given(st.text(alphabet="`a =$<%\\[]", min_size=1, max_size=20).filter(str.strip))
def test_inline_code_holds_all_of_it(text):
    shown = format_inline_code(text)
    if not re.match(r"\s*\$?=", text):
        (one,) = [
            event["Code"] for event in events(shown) if isinstance(event, dict) and "Code" in event
        ]
        assert " ".join(one.split()) == " ".join(text.replace("<%", "< %").split())


def test_a_quotation_is_inert_and_keeps_its_paragraphs():
    assert format_quote("Use <b>bold</b>\n\n- one\n- two\n\n```\n# x\n```") == (
        "> Use &lt;b>bold&lt;/b>\n>\n> - one\n> - two\n>\n> \\# x"
    )
