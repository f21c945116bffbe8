from dataclasses import replace

import pytest
from cases import cased
from hypothesis import given, strategies as st
from notes import active, hostile

from memoria.errors import VaultError
from memoria.text.markdown import make_inert, make_prose_inert
from memoria.vault.article import (
    compose_article,
    normalise_line,
    parse_article,
    render_article,
    summary,
    with_body,
    with_lead,
    with_lines,
    with_meta,
)

ORDER = ("Key Points", "Details", "Sources")
TEXT = """\
---
title: "Session tokens"
aliases: [tokens]
sources:
  - daily/2026-04-01.md
updated: 2026-04-01
---

# Session tokens

They expire. See [[concepts/clocks]].

## Key Points

- One. ([[daily/2026-04-01]])
- Two.

## Sources

- [[daily/2026-04-01]] - Login
"""
# articles as people leave them
headers = st.builds(
    lambda opening, lines, closing: opening + "".join(lines) + closing,
    st.sampled_from(["---\n", "--- \n", "---\r\n", "\ufeff---\n"]),
    st.lists(
        st.sampled_from(
            [
                *("title: x\n", "tags: [a, b]\n", "# a comment\n", '"a key": z\n', "n: no\n"),
                *("sources:\n  - daily/2026-04-01.md\n", "text: |\n  ## no section\n", "\n"),
            ]
        ),
        max_size=4,
    ),
    st.sampled_from(["---\n", "---\r\n", "---  \n", "---"]),
)
bodies = st.lists(
    st.sampled_from(
        [
            *("# T\n", "## Key Points\n", "## Details \n", "## Details\n", "## Details", "## \n"),
            *("## Sources\n", "## Mine\n", "### c\n", "##no\n", "\n", "\n\n", "- one\n", "* two\n"),
            *("  goes on\n", "text\n", "text", "```\n", "~~~\n", "````md\n", "  ", "\r\n", "\r"),
            *("\u2028", "\x0c", "- a ([[daily/2026-04-01]])\n", "<!-- ## Details\n-->\n"),
        ]
    ),
    max_size=14,
).map("".join)


@st.composite
def notes_(draw):
    text = draw(headers) + draw(bodies)
    if draw(st.booleans()):
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    return text


def read(text):
    return parse_article("concepts/session-tokens", "concept", text)


def parsed(text):
    try:
        return read(text)
    except VaultError:
        return None


articles = notes_().map(parsed).filter(bool)


def lines_of(text):
    return [line.rstrip("\r") for line in text.split("\n") if line.strip()]


def is_within(few, many):
    rest = iter(many)
    return all(line in rest for line in few)


@given(notes_())
def test_what_is_read_is_written_to_the_same_bytes(text):
    article = parsed(text)
    if article:
        assert render_article(article) == text


@given(hostile)
def test_any_text_is_read_to_the_byte_or_refused_by_name(text):
    for candidate in (text, f"---\n{text}\n---\n{text}", f"---\na: 1\n---\n{text}"):
        try:
            article = read(candidate)
        except VaultError as error:
            told = str(error)
        else:
            told = ""
            assert render_article(article) == candidate
        assert told.startswith("knowledge/concepts/session-tokens.md" if told else "")
        assert "\n" not in told


@cased(
    ("---\n" + "a: 1\n" * 20_000 + "---\n", "over 64 KB"),
    ("---\n" + "a: " + "[" * 60_000 + "\n---\n", "bad frontmatter"),
)
def test_a_note_that_cannot_be_read_is_named_with_the_reason(text, told):
    with pytest.raises(VaultError, match="session-tokens") as caught:
        read(text)
    assert told in str(caught.value)


@cased()
def test_title_and_lead(text, title, lead):
    article = read(text)
    assert (article.title, article.lead) == (title, lead)


@cased()
def test_which_lines_are_sections(body, headings):
    assert [name for name, _ in read("---\n---\n" + body).sections] == headings


@given(
    st.dictionaries(
        st.sampled_from(["title", "aliases", "tags", "sources", "key", "created"]),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
        | st.dates()
        | st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), max_size=3),
    ),
    hostile,
    hostile,
)
def test_a_new_article_is_read_as_it_was_made(meta, title, lead):
    title, lead = make_inert(title) or "Title", make_prose_inert(lead)
    article = compose_article("concepts/session-tokens", "concept", meta, title, lead)
    assert read(render_article(article)) == article


@given(
    articles,
    st.sampled_from(ORDER),
    st.sampled_from(["- new", "Words.\n\n- new", "x"]),
    st.sampled_from([ORDER, ()]),
)
def test_setting_a_section_changes_that_section_alone(article, heading, body, order):
    text = render_article(article)
    new = with_body(article, heading, body, order)
    assert new.front == article.front
    assert new.section(heading).replace("\r\n", "\n").strip("\n") == body
    # it is there at the next reading, too
    again = read(render_article(new))
    assert again == new
    assert with_body(again, heading, body, order) == again

    def others(one):
        bodies = [(name.strip(), lines_of(text)) for name, text in one.sections]
        at = next((i for i, (name, _) in enumerate(bodies) if name == heading), None)
        return bodies if at is None else bodies[:at] + bodies[at + 1 :]

    whole = read(text if text.endswith("\n") else text + article.line_end)
    assert others(new) == others(whole)
    assert new.preamble.rstrip() == whole.preamble.rstrip()


@given(
    articles,
    st.sampled_from(ORDER),
    st.lists(
        st.sampled_from(["new", "one", "Two.", "a ([[daily/2026-04-02]])"]), min_size=1, max_size=3
    ),
    st.sampled_from([ORDER, ()]),
)
def test_adding_lines_keeps_every_line_and_adds_each_once(article, heading, lines, order):
    text = render_article(article)
    new = with_lines(article, heading, lines, order)
    assert is_within(lines_of(text), lines_of(render_article(new)))
    held = [normalise_line(line) for line in new.section(heading).split("\n")]
    assert all(normalise_line(line) in held for line in lines)
    again = read(render_article(new))
    assert again == new or again.sections == new.sections == article.sections
    assert with_lines(again, heading, lines, order) is again
    more = len(lines_of(render_article(new))) - len(lines_of(text))
    assert more <= len({normalise_line(line) for line in lines}) + 1  # a heading


@given(articles, st.sampled_from(["", "New lead.", "One.\n\nTwo."]))
def test_setting_the_lead_keeps_the_title_and_the_rest(article, lead):
    new = with_lead(article, lead)
    assert (new.sections, new.front, new.meta) == (article.sections, article.front, article.meta)
    head = [line.strip() for line in lines_of(new.preamble)][: -len(lines_of(lead)) or None]
    assert head in ([], [f"# {article.title}".strip()])
    again = read(render_article(new))
    assert again.lead.replace("\r\n", "\n") == lead
    assert again.title == article.title


@given(articles, st.dictionaries(st.sampled_from(["title", "tags", "new"]), st.just(["x"])))
def test_setting_keys_changes_nothing_but_the_frontmatter(article, changes):
    new = with_meta(article, changes)
    assert render_article(new).endswith(article.closing + article.preamble + "".join(
        f"## {name}\n{body}" for name, body in article.sections
    ))  # fmt: skip
    again = read(render_article(new))
    assert again.meta == {**article.meta, **changes}
    assert with_meta(again, changes) is again


def test_a_section_goes_where_the_schema_has_it():
    article = read("---\n---\n\n# T\n\nLead.")
    for heading in ("Sources", "Details", "Mine", "Key Points"):
        article = with_body(article, heading, f"- {heading}", ORDER)
    assert render_article(article) == (
        "---\n---\n\n# T\n\nLead.\n\n## Key Points\n\n- Key Points\n\n## Details\n\n- Details\n\n"
        "## Sources\n\n- Sources\n\n## Mine\n\n- Mine\n"
    )


@cased()
def test_where_a_line_is_added(body, expected):
    article = with_lines(read(f"---\n---\n## Key Points\n{body}"), "Key Points", ["new"])
    assert article.section("Key Points") == expected


def led(lead):
    return read(f"---\n---\n\n# T\n\n{lead}\n")


@cased(
    ("word " * 60, ("word " * 32).strip() + "…"),
    ("x" * 300, "x" * 160 + "…"),
    (
        "Code `<img src=x onerror=1> " + "x " * 90 + "` end.",
        "Code \\`&lt;img src=x onerror=1> " + "x " * 65 + "x…",
    ),
)
def test_the_summary_is_the_first_sentence(lead, expected):
    assert summary(led(lead)) == expected


@given(hostile, st.integers(1, 40))
def test_a_summary_is_one_inert_line_wherever_it_is_cut(lead, limit):
    found = summary(led(lead), limit)
    assert "\n" not in found
    assert not active(found)
    assert not active(summary(led(make_prose_inert(lead)), limit))


def test_windows_line_ends_stay_and_spread():
    article = read(TEXT.replace("\n", "\r\n"))
    article = with_lines(article, "Key Points", ["Three.", "two."], ORDER)
    article = with_body(article, "Details", "One.\n\nTwo.", ORDER)
    article = with_meta(with_lead(article, "A.\n\nB."), {"tags": ["x"]})
    text = render_article(article)
    assert text.count("\n") == text.count("\r\n")
    assert "- Two.\r\n- Three.\r\n" in text
    assert text.count("Two.") == 2
    assert read(text) == article


def test_the_hash_of_the_file_goes_with_every_change():
    article = replace(read(TEXT + "no line end"), sha="abc")
    for new in (
        with_meta(article, {"title": "x"}),
        with_lead(article, "x"),
        with_body(article, "Details", "x", ORDER),
        with_lines(article, "Sources", ["x"], ORDER),
    ):
        assert new != article
        assert new.sha == "abc"
