import re

from cases import cased
from hypothesis import given, strategies as st
from markdown_it import MarkdownIt

from memoria.rules.model import Rule
from memoria.rules.promotion.section import format_bold_text, format_section, plain

GREEN, YELLOW = "\N{LARGE GREEN CIRCLE}", "\N{LARGE YELLOW CIRCLE}"
WHITE = "\N{MEDIUM WHITE CIRCLE}"


def rule(text="Run the tests.", number=1, category="workflow", **more):
    known = {"frequency": 4, "confidence": "high", "status": "active", "scope": (), "updated": ""}
    return Rule(f"wf-{number:010x}", text, category, **(known | more))


def test_rules_by_category_with_markers_and_counts():
    rules = [
        rule("Use `ruff` for formatting.", 1, "tool_usage", frequency=1, confidence="low"),
        rule("Run the tests before a commit.", 2, sources=("daily/a.md", "daily/b.md")),
        rule("Rebase, never merge.", 3, frequency=2, confidence="medium", sources=("daily/a.md",)),
        rule(
            "Check input at the border.",
            4,
            "architectural",
            status="active",
            pinned=True,
            frequency=1,
        ),
        rule("Squash on main.", 5, frequency=5),
    ]
    assert format_section(rules).split("\n") == [
        "## Learned Skills",
        "",
        "5 rules learned from 2 entries on earlier sessions. Follow them.",
        "",
        "### Architectural (1 rule)",
        "",
        f"- {GREEN} **Check input at the border.** (seen once, pinned)",
        "",
        "### Workflow (3 rules)",
        "",
        f"- {GREEN} **Squash on main.** (seen 5x)",
        f"- {GREEN} **Run the tests before a commit.** (seen 4x)",
        f"- {YELLOW} **Rebase, never merge.** (seen 2x)",
        "",
        "### Tool Usage (1 rule)",
        "",
        f"- {WHITE} **Use `ruff` for formatting.** (seen once)",
    ]
    assert format_section(rules[::-1]) == format_section(rules)


@cased()
def test_a_rules_text_is_one_line_that_does_nothing(text, expected):
    assert plain(text) == expected


MARKDOWN = MarkdownIt("commonmark")
# what the real client looks for, as its own text has it
IMPORTS = re.compile(r"(?:^|\s)@((?:[^\s\\]|\\ )+)")
# in a skill, of the whole text
MENTIONS = re.compile(r"(?:^|\s)@[A-Za-z0-9._~/-]")
RUN = re.compile(r"(?:^|(?<=\s))!`[^`]+`|```!\s*\n?[\s\S]*?\n?```", re.MULTILINE)
CODE = ("`", "``", "```", "~~~", "!", "$1", "\\")
WORDS = ("@a/b", " @./x", "@", "word", "é", " ", "\n", "# ", "- ", "1. ", ".", "_w_@c", "+")
MARKUP = ("**", "*", "_", "<!--", "-->", "<b>", "[x](y)", "![", "](", "[[n]]")
TEXTS = st.lists(st.sampled_from(CODE + WORDS + MARKUP), max_size=12).map("".join)


def texts(tokens):
    """Give the texts that are no code, each as its own, as the client's parser has them."""
    for token in tokens:
        if token.type == "text":
            yield token.content
        yield from texts(token.children or ())


@given(TEXTS)
def test_no_text_makes_a_program_do_anything(text):
    line = format_bold_text(rule(text))
    if not plain(text):
        return
    assert "\n" not in line
    assert not RUN.search(f"- {line}")
    tokens = MARKDOWN.parse(f"- x {line} (seen 4x)\n\nAfter `code`.\n")
    kinds = [token.type for token in tokens]
    assert kinds.count("bullet_list_open") == kinds.count("list_item_open") == 1
    assert not {"fence", "heading_open", "html_block", "code_block", "hr"} & set(kinds)
    inline = [child.type for token in tokens for child in token.children or ()]
    assert not {"html_inline", "link_open", "image"} & set(inline)
    # the paragraph after it is what it was: nothing was left open
    assert tokens[-2].content == "After `code`."
    assert not MENTIONS.search(f"- {line}")
    loaded = [match for part in texts(tokens) for match in IMPORTS.findall(part)]
    assert [path for path in loaded if re.match(r"[A-Za-z0-9._~/-]", path)] == []


@given(TEXTS)
def test_making_it_inert_twice_finds_the_same_words(text):
    assert re.findall(r"\w+", plain(plain(text))) == re.findall(r"\w+", plain(text))
