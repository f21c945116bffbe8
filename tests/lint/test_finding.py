"""Findings -> their order, their counts, the report."""

from datetime import UTC, datetime

from memoria.lint.finding import Finding, format_report, sort_findings

NOW = datetime(2026, 4, 1, 12, tzinfo=UTC)
FLAWS = (
    Finding("sparse-articles", "suggestion", "knowledge/concepts/a.md", 1, "12 words"),
    Finding("orphan-pages", "warning", "knowledge/concepts/b.md", 1, "no link"),
    Finding("broken-links", "error", "knowledge/concepts/b.md", 9, "[[x]] <img src=y> `z`"),
    Finding("broken-links", "error", "knowledge/concepts/a.md", 3, "gone"),
)


def test_the_report_is_inert_and_links_to_nothing():
    text = format_report(NOW, FLAWS, 7, ["No model."])
    assert text.startswith("# Lint Report: 2026-04-01\n")
    assert "7 notes looked at 2026-04-01T12:00:00: 2 errors, 1 warning, 1 suggestion." in text
    assert "No model." in text
    assert "- `knowledge/concepts/a.md:3` gone" in text
    assert "[[" not in text
    assert "<img" not in text


def test_a_report_of_thousands_stays_readable():
    many = [Finding("broken-links", "error", "knowledge/a.md", n, "gone") for n in range(5000)]
    text = format_report(NOW, many, 1)
    assert len(text.splitlines()) < 130
    assert "and 4900 more" in text


def test_errors_come_first():
    ordered = [f"{one.check} {one.path[-4]}" for one in sort_findings(FLAWS)]
    assert ordered == ["broken-links a", "broken-links b", "orphan-pages b", "sparse-articles a"]
