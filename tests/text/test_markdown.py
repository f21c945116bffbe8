import pytest
from hypothesis import given
from notes import MEANING, active, hostile, tokens

from memoria.text.markdown import find_wikilinks, make_inert, make_prose_inert, next_fence

KNOWN = {"concepts/known", "daily/2026-04-01"}
STRUCTURE = {"heading_open", "fence", "code_block", "hr", "blockquote_open"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # HTML, also in what looks like code and is none
        ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)>"),
        ("</script><!-- x --><?php", "&lt;/script>&lt;!-- x -->&lt;?php"),
        ("\\`<img src=x>\\`", "\\`&lt;img src=x>\\`"),
        ("``<img src=x>`", "\\`\\`&lt;img src=x>\\`"),
        ("a ` b <b>", "a \\` b &lt;b>"),
        ("````` <i>", "\\`\\`\\`\\`\\` &lt;i>"),
        ("<https://evil.example>", "&lt;https://evil.example>"),
        # images and links become words
        ("![chart](https://evil.example/?d=1)", "chart"),
        ("![](https://evil.example/x.png)", "(image)"),
        ("[click](https://a.example/x)", "click (https://a.example/x)"),
        ("[https://a.example](https://a.example)", "https://a.example"),
        ("[run](javascript:alert(1))", "[run]\\(javascript: alert(1))"),
        ("[run](obsidian://open)", "run"),
        ("![a [b] c](https://evil.example)", "![a [b] c]\\(https://evil.example)"),
        ("![`x`](https://evil.example)", "![`x`]\\(https://evil.example)"),
        ("[[a](b)](https://evil.example)", "[a]\\(https://evil.example)"),
        ("[x](<a b>)", "x"),
        ("[x](u 'it (is)')", "[x]\\(u 'it (is)')"),
        ("[evil]: https://evil.example", "\\[evil]: https://evil.example"),
        ("[evil]:https://evil.example", "\\[evil]:https://evil.example"),
        ("[^1]: a footnote", "\\[^1]: a footnote"),
        # links of Obsidian
        ("[[concepts/known.md]]", "[[concepts/known]]"),
        ("[[concepts/known#Part|x]]", "[[concepts/known|x]]"),
        ("[[unknown]] and [[unknown|words]]", "unknown and words"),
        ("![[concepts/known]]", "concepts/known"),
        ("[[[[unknown]]]]", "unknown"),
        ("[[concepts/known]](https://evil.example)", "[[concepts/known]]\\(https://evil.example)"),
        ("[[a|`b`]]", "[\\[a|`b`]]"),
        ("[[ ]]", "[]"),
        # comments, queries, templates
        ("%%hidden%% and %%%", "% %hidden% % and % % %"),
        ("`= this.file.name`", "'= this.file.name'"),
        ("`$= dv.el('b')`", "'$= dv.el('b')'"),
        ("`= <img src=x>`", "'= &lt;img src=x>'"),
        ("`` = a ` b ``", "' = a \\` b '"),
        ("<% tp.file %> `<% tp.x %>`", "&lt;% tp.file %> `< % tp.x %>`"),
        # what would change the structure around it
        ("# heading", "\\# heading"),
        ("#", "\\#"),
        ("> [!danger] x", "\\> [!danger] x"),
        ("- item", "\\- item"),
        ("+ item", "\\+ item"),
        ("1. item", "1\\. item"),
        ("2026) item", "2026\\) item"),
        ("2026.", "2026\\."),
        ("---", "\\---"),
        ("* * *", "\\* * *"),
        ("===", "\\==="),
        ("| a | b |", "\\| a | b |"),
        ("~~~js", "\\~~~js"),
        ("::: note", "\\::: note"),
        ("[ ] open", "\\[ ] open"),
        ("[x] done", "\\[x] done"),
        # one line
        ("  a\n\tb\r\nc\u2028d\x85e\xa0f  ", "a b c d e f"),
        ("", ""),
        ("\n", ""),
    ],
)
def test_what_could_act_is_rewritten(text, expected):
    assert make_inert(text, KNOWN) == expected


@given(hostile)
def test_nothing_in_an_inert_line_acts_wherever_it_is_put(text):
    line = make_inert(text, KNOWN)
    assert "\n" not in line
    assert line == line.strip()
    for place in (line, f"- {line}", f"- [ ] {line}", f"Words before.\n\n{line}\n", f"## {line}"):
        found = tokens(place) - ({"heading_open"} if place.startswith("## ") else set())
        assert not active(place), place
        assert not found & (STRUCTURE | {"ordered_list_open"}), place
    assert set(find_wikilinks(line)) <= KNOWN


@given(hostile)
def test_an_inert_line_stays_as_it_is(text):
    line = make_inert(text, KNOWN)
    assert make_inert(line, KNOWN) == line


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One.\nTwo.\n\nThree.", "One. Two.\n\nThree."),
        ("- a\n- b", "- a\n- b"),
        ("* a\n+ b\n\n- c", "- a\n- b\n- c"),
        ("- [ ] a\n- [x] b", "- a\n- b"),
        ("Steps:\n1. one\n2. two", "Steps:\n\n1. one\n2. two"),
        ("- a\n  goes on\nlazily", "- a goes on lazily"),
        ("In\n2026. was the year", "In 2026. was the year"),
        ("2026. was", "2026. was"),
        ("before\n```js\nalert(1)\n```\nafter", "before\n\nalert(1)\n\nafter"),
        ("~~~dataviewjs\ndv.el('b', 'x')\n~~~", "dv.el('b', 'x')"),
        ("```inline``` code", "`inline` code"),
        ("# Heading\ntext", "\\# Heading text"),
        ("<div>\n\n![x](y)\n\n</div>", "&lt;div>\n\nx\n\n&lt;/div>"),
        ("- \n- x", "- x"),
        ("a\r\n\r\nb", "a\n\nb"),
        ("  \n \n", ""),
    ],
)
def test_prose_keeps_paragraphs_and_lists(text, expected):
    assert make_prose_inert(text) == expected


@given(hostile)
def test_prose_does_nothing_and_stays_as_it_is(text):
    prose = make_prose_inert(text, KNOWN)
    assert not active(prose)
    assert not tokens(prose) & STRUCTURE
    assert set(find_wikilinks(prose)) <= KNOWN
    assert make_prose_inert(prose, KNOWN) == prose


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[a]] and [[b/c|words]], [[d#part]] ![[e]]", ("a", "b/c", "d", "e")),
        ("`[[a]]` [[b]]", ("b",)),
        ("[`x`[a]]", ()),
        ("[[a\nb]] [[ c ]]", ("c",)),
        ("``[[a]]` [[b]]", ("a", "b")),
    ],
)
def test_targets_of_wikilinks(text, expected):
    assert find_wikilinks(text) == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["```", "x", "```"], ["```", "```", ""]),
        (["```js", "```py", "````", "a"], ["```", "```", "", ""]),
        (["````", "```", "````"], ["````", "````", ""]),
        (["```inline```", "x"], ["", ""]),
        (["~~~ `a`", "```", "~~~"], ["~~~", "~~~", ""]),
        (["   ```", "    ```"], ["```", "```"]),
    ],
)
def test_fences_open_and_close_as_in_markdown(lines, expected):
    fence, found = "", []
    for line in lines:
        fence = next_fence(fence, line)
        found.append(fence)
    assert found == expected


@pytest.mark.parametrize("piece", [*MEANING, "[a](", "[[a|", "` `` "])
def test_long_runs_stay_fast(piece):
    # a pattern that backtracks over 5,000 pieces would not return at all
    text = piece * 5_000 + "x"
    assert make_inert(make_inert(text)) == make_inert(text)
    prose = make_prose_inert(f"a\n\n{text}")
    assert prose.startswith("a")
