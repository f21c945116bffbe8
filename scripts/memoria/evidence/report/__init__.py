"""The report's data and how it is shown as HTML, Markdown, JSON and text."""

EFFECTS = frozenset(
    {
        "render",
    }
)
