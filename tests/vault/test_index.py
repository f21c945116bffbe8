from datetime import datetime

from hypothesis import given
from markdown_it import MarkdownIt
from notes import SCHEMA, active, hostile, tokens

from memoria.vault.article import compose_article
from memoria.vault.index import format_log_entry, format_row, render_index

_TABLES = MarkdownIt("commonmark").enable("table")
NOW = datetime.fromisoformat("2026-04-01T14:30:05")


def note(path="concepts/tokens", lead="Tokens expire. They do.", **meta):
    kind = SCHEMA.kind_of(path)
    meta = {"sources": ["daily/2026-04-01.md"], "updated": "2026-04-01", **meta}
    return compose_article(path, kind.name if kind else "", meta, "Tokens", lead)


def cells(text):
    """Give the cells of the first row of a table, as a reader of Markdown sees them."""
    found = [
        token.content
        for token in _TABLES.parse(text)
        if token.type == "inline" and token.level == 4
    ]
    return found[4:]


def test_the_index():
    waits = note("rules/wf-9876543210", status="waiting")
    rule = note("rules/wf-0123456789", status="active")
    text = render_index([note("concepts/b"), waits, note("concepts/a"), rule], SCHEMA)
    assert (
        text
        == """\
# Knowledge Base Index

| Article | Summary | Compiled From | Updated |
|---------|---------|---------------|---------|
| [[concepts/a]] | Tokens expire. | daily/2026-04-01.md | 2026-04-01 |
| [[concepts/b]] | Tokens expire. | daily/2026-04-01.md | 2026-04-01 |
| [[rules/wf-0123456789]] | Tokens expire. | daily/2026-04-01.md | 2026-04-01 |
"""
    )
    assert render_index([], SCHEMA) == text[: text.index("| [[")]


@given(hostile, hostile)
def test_a_row_is_one_line_of_four_cells_that_does_nothing(lead, other):
    line = format_row(note(lead=lead, sources=[other], updated=other))
    assert line.count("\n") == 1
    text = render_index([note(lead=lead, sources=[other], updated=other)], SCHEMA)
    assert len(cells(text)) == 4
    assert not active(line)
    assert not active(text)


def test_an_entry_of_the_log():
    text = format_log_entry(
        NOW, "compile", "Daily Log 2026-04-01", ["Source: daily/2026-04-01.md", "x"]
    )
    assert (
        text
        == """
## [2026-04-01T14:30:05] compile | Daily Log 2026-04-01
- Source: daily/2026-04-01.md
- x
"""
    )


@given(hostile)
def test_what_a_model_proposed_does_nothing_in_the_log(text):
    entry = format_log_entry(NOW, "compile", text, [f"Refused: {text}: no", text])
    assert entry.count("\n") == 4
    assert not active(entry.split("\n", 2)[2])
    assert "fence" not in tokens(entry)
