"""A vault in memory for tests of lint: files by path, and what lint says of them."""

from pathlib import Path

from memoria.lint.checks import Snapshot, lint
from memoria.lint.note import read_note
from memoria.vault.schema import schema

SCHEMA = schema((Path(__file__).resolve().parents[1] / "AGENTS.md").read_text(encoding="utf-8"))
LONG = "word " * 220


def article(body="", title="T", front=""):
    """An article as the schema wants it; `front` are more lines of frontmatter."""
    known = {"aliases": "[]", "tags": "[]", "sources": "[]", "created": "2026-04-01"}
    known["updated"] = "2026-04-01"
    lines = [f"{key}: {value}\n" for key, value in known.items() if f"{key}:" not in front]
    return f'---\ntitle: "{title}"\n{"".join(lines)}{front}---\n\n# {title}\n\n{LONG}\n\n{body}\n'


def snapshot(files, sources=(), untouched=(), faults=()):
    """Read files (path under the vault -> text); the index lists all articles unless given."""
    notes = tuple(read_note(path, files[path], SCHEMA) for path in sorted(files) if _is_note(path))
    index = files.get("knowledge/index.md")
    if index is None:
        index = "".join(one.row for one in notes)
    names = tuple(sorted({*files, "knowledge/index.md"}))
    return Snapshot(
        names, notes, tuple(sources), SCHEMA, index, tuple(faults), frozenset(untouched)
    )


def result(files, **more):
    return lint(snapshot(files, **more))


def said(files, check, **more):
    """What one check says: (path, line, message) each."""
    flaws = result(files, **more).findings
    return [(one.path, one.line, one.message) for one in flaws if one.check == check]


def _is_note(path):
    return path.endswith(".md") and path not in {"knowledge/index.md", "knowledge/log.md"}
