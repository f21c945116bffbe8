"""The Markdown a person reads: logs, articles, entries, index, and the one way to write them."""
