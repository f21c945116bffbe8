"""One file -> what is known of it, and what is wrong with it by itself."""

import json

import pytest
from hypothesis import given, strategies as st
from linted import LONG, SCHEMA, article

from memoria.lint.note import dump_note, read_note, restore_note

PATH = "knowledge/concepts/a.md"


def flaws(text, check="", path=PATH):
    found = read_note(path, text, SCHEMA).faults
    return [(line, message) for name, _, line, message in found if check in ("", name)]


def test_a_sound_article():
    front = 'aliases: ["Tok", JWT]\nsources:\n  - "daily/2026-04-01.md"\nkey: "term:x"\n'
    text = article("## Related Concepts\n\n- [[b]]\n- [[c|x]]\n", "Tokens", front)
    found = read_note(PATH, text, SCHEMA)
    assert found.faults == ()
    assert found.kind == "concept"
    assert found.sources == (("daily/2026-04-01.md", text.split("\n").index(_source(text)) + 1),)
    assert [target for target, _ in found.links] == ["b", "c"]
    assert found.extracted
    assert found.words == 220 + 1 + 2 + 2
    assert found.row.startswith("| [[concepts/a]] |")
    assert found.inner == "concepts/a"


def _source(text):
    return next(line for line in text.split("\n") if "daily/2026-04-01" in line)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "has no frontmatter"),
        ("# Title\n\ntext\n", 1, "has no frontmatter"),
        ("---\ntitle: x\n# T\n", 1, "not closed"),
        ("---\ntitle: x\nb: [1\n---\n# T\n", 4, "bad frontmatter"),
        ("---\na: 1\na: 2\n---\n# T\n", 1, "twice"),
        ("---\na: &x 1\nb: *x\n---\n# T\n", 1, "anchors"),
        ("---\n" + "a: b\n" * 30_000 + "---\n# T\n", 1, "over 64 KB"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_an_article_that_cannot_be_read(text, line, message):
    found = read_note(PATH, text + "\n[[b]] ", SCHEMA)
    ((check, severity, at, said),) = found.faults
    assert (check, severity, at) == ("unreadable", "error", line)
    assert message in said
    assert not said.startswith(PATH)
    assert found.row == ""
    assert [target for target, _ in found.links] == ["b"]


def test_missing_keys_are_one_finding():
    ((line, message),) = flaws(f'---\ntitle: "x"\ntags: []\n---\n# x\n{LONG}', "frontmatter")
    assert line == 1
    assert message.startswith("aliases, sources, created, updated are missing")


def test_the_kind_decides_which_keys_are_missing():
    text = f'---\ntitle: "Q"\nquestion: "x"\nconsulted: []\nfiled: 2026-04-01\n---\n# Q\n{LONG}'
    assert flaws(text, path="knowledge/qa/a.md") == []
    assert flaws(text) != []
    assert flaws(text, path="knowledge/other/a.md") == []


def test_marks_of_a_merge():
    marks = "<<<<<" + "<< HEAD\na\n" + "=" * 7 + "\nb\n" + ">>>>>" + ">> x\n"
    assert len(flaws(article(marks), "sync-conflicts")) == 1
    assert flaws(article(f"```\n{marks}```\n"), "sync-conflicts") == []


def test_a_check_that_cannot_be_used_is_told_at_its_line():
    text = article(front="check: {occasion: 5}\n")
    ((line, message),) = flaws(text, "frontmatter")
    assert message.startswith("check cannot be used: ")
    assert text.split("\n")[line - 1].startswith("check:")


@given(st.text(alphabet="-:\n ab[]|#\"'&*!<>%`\u200b\u00e9", max_size=120))
def test_whatever_stands_in_it_a_note_is_made_and_kept(body):
    for text in (body, f"---\n{body}\n---\n# T\n{body}", article(body)):
        made = read_note(PATH, text, SCHEMA)
        assert restore_note(json.loads(json.dumps(dump_note(made)))) == made


@pytest.mark.parametrize("value", ["", {}, [], [1], None])
def test_what_is_no_kept_note(value):
    assert restore_note(value) is None
