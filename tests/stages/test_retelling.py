import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.stages.outline import _PARSER, outline
from memoria.stages.retelling import blocks, retold, settled


@pytest.mark.parametrize(
    ("markdown", "told"),
    [
        ("one\ntwo\n\nthree", ["one two", "three"]),
        ("## A **bold** one** here\ntext", ["**A bold one here**", "text"]),
        ("## Heading\ntext", ["**Heading**", "text"]),
        ("**1. Bold**\n\ntext", ["**1. Bold**", "text"]),
        ("### 2. Why:\n", ["**2. Why**"]),
        ("- one\n- two\n\n- three", ["- one\n- two\n- three"]),
        ("1. one\n   - deep\n     more\n2. two", ["1. one\n   - deep more\n2. two"]),
        ("```python\nx = 1\n```", ["```python\nx = 1\n```"]),
        ("```dataviewjs\nrun()\n```", ["```text\nrun()\n```"]),
        ("- item:\n  ```sh\n  ls\n  ```\n- next", ["- item:", "```bash\nls\n```", "- next"]),
        ("```\nnever closed", ["```text\nnever closed\n```"]),
        ("> said\n> twice", ["> said\n> twice"]),
        ("---\n***\ntext", ["text"]),
        (
            "| a | b |\n|---|:-:|\n| 1 | x\\|y |\n| 2 |",
            ["| a | b |\n| --- | --- |\n| 1 | x\\|y |\n| 2 |  |"],
        ),
        ("", []),
    ],
)
def test_the_shape_is_kept(markdown, told):
    assert blocks(markdown) == told


@pytest.mark.parametrize(
    ("markdown", "told"),
    [
        ("<img src=x onerror=y>", "&lt;img src=x onerror=y>"),
        ("![pic](https://x.example/a.png)", "pic"),
        ("[[secret/note]] and ![[embed]]", "secret/note and embed"),
        ("- <script>x</script>", "- &lt;script>x&lt;/script>"),
        ("| <b>a</b> |\n|---|\n| [x](javascript:y) |", "| &lt;b>a&lt;/b> |\n| --- |\n| x |"),
        ("# <iframe src='//x'>\nx", "**&lt;iframe src='//x'>**\n\nx"),
        ("%% hidden %%", "% % hidden % %"),
    ],
)
def test_what_is_active_is_told_inertly(markdown, told):
    assert retold(markdown, 500) == told


def test_whole_blocks_are_told_until_the_room_is_used():
    text = "First.\n\n- one\n- two\n- three\n\nLast words of all."
    assert retold(text, 1000).endswith("Last words of all.")
    assert retold(text, 20) == "First.\n\n- one\n- two"
    assert retold("word " * 100, 120).endswith(" …")
    assert retold("```\n" + "x\n" * 50 + "```", 20) == ""


def test_a_label_over_nothing_is_left_out():
    assert retold("Done so far.\n\n**Changes:**\n\n" + "- " + "x" * 90, 60) == "Done so far."
    assert retold("Here it is:\n\n```\n" + "x" * 90 + "\n```", 60) == ""


def test_what_was_told_is_not_told_again():
    told = set()
    first = "**Fixes**\n\n- The cache is cleared after each write\n- The lock is taken first\n"
    assert retold(first, 900, told) == first.strip().replace("\n\n\n", "\n\n")
    again = (
        f"{first}- A third thing was found on the way\n\n**New**\n\nAll of it is measured now.\n"
    )
    assert retold(again, 900, told) == "**New**\n\nAll of it is measured now."


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("All tests pass. The cache is gone.", "The cache is gone."),
        ("Done! Here's a summary of the changes:\n\n- x", "- x"),
        ("Great question! It is the cache.", "It is the cache."),
        ("It works.\n\nWould you like me to commit?", "It works."),
        ("It works. Let me know if more is needed!", "It works."),
        ("The tests pass because of the lock.", "The tests pass because of the lock."),
        ("## Done.\n\nx", "## Done.\n\nx"),
    ],
)
def test_what_means_nothing_later_is_taken_off(text, rest):
    assert settled(text).strip() == rest


PIECES = (
    *("# a\n", "- b\n", "  - c\n", "1. d\n", "```\n", "~~~\n", "| e |\n", "|---|\n", "> f\n"),
    *("<div>", "![x](//y)", "[[z]]", "\n", "text", "***", "%%", "    ", "\t", "`", "\\", ":"),
)


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_no_text_becomes_active_or_a_heading(markdown):
    text = retold(markdown, 400)
    found = outline(f"## before\n\n{text}\n\nafter\n")
    assert found.images == ()
    assert found.links == ()
    assert found.headings == ("before",)
    kinds = {
        next(iter(event))
        for event, _ in _PARSER.events_with_range(text, merge_text=True)
        if isinstance(event, dict)
    }
    assert not kinds & {"Html", "InlineHtml"}
