"""Notes of earlier sessions, beside what tools printed of their names."""

from dataclasses import replace
from datetime import date

import pytest
from talk import call, transcript, turn

from memoria.capture.day_logs import NotedLine
from memoria.capture.noted_lines import find_printed_notes

NOTE = "Folders of a checkpoint are numbered from 1 by `FolderOf`, in `layout.go`."
READ = 'func FolderOf(id string) string { return id + "/0/" }'


def printed(result, note=NOTE, tool="Read", **arguments):
    asked = turn("How are folders numbered?", call(tool, result, **arguments))
    return find_printed_notes([NotedLine(note, date(2026, 3, 1))], transcript(asked))


def test_a_note_stands_beside_the_latest_lines_that_have_its_names():
    assert printed(f"package layout\n{READ}\n", file_path="layout.go") == (
        f"(2026-03-01) {NOTE}\n  layout.go: {READ}"
    )


@pytest.mark.parametrize(
    ("result", "note"),
    [
        ("package layout", NOTE),  # none of its names
        ("see layout.go", NOTE),  # a file's name is printed by every search
        (f"- {NOTE}", NOTE),  # the note itself, out of the vault
        (f"-{READ}", NOTE),  # what a diff takes out
        ("the policy of retries", "A run has a `policy` and a `target`."),  # one plain word
        (READ + "x" * 2_000, NOTE),  # data has any name
    ],
)
def test_what_says_nothing_of_a_note_is_not_shown(result, note):
    assert not printed(result, note)


def test_a_line_that_was_read_on_another_branch_says_so():
    read = turn("Look", call("Read", READ, file_path="layout.go"), branch="lease")
    notes = [NotedLine(NOTE, date(2026, 3, 1))]
    text = find_printed_notes(notes, transcript(read, turn("Go on", branch="main")))
    assert text.endswith(f"  layout.go (on lease): {READ}")
    # a client that tells no branch
    text = find_printed_notes(notes, transcript(replace(read, branch=""), turn("Go on")))
    assert text.endswith(f"  layout.go: {READ}")


def test_two_plain_words_of_a_note_in_one_line_are_enough():
    note = "A run has a `policy` and a `target`."
    assert "not part of" in printed("top-level 'policy' is not part of a run, target is", note)


def test_what_a_page_says_is_not_put_beside_a_note():
    assert not printed(READ, tool="WebFetch", url="https://example.org")


def test_of_notes_with_the_same_names_the_latest_stands_and_all_of_them_have_a_bound():
    asked = turn(
        "Look", call("Read", READ + "\n" + "\n".join(f"name_{n} = {n}" for n in range(99)))
    )
    notes = [NotedLine(f"`FolderOf` counts from {n}.", date(2026, 3, 3 - n)) for n in range(2)]
    text = find_printed_notes(notes, transcript(asked))
    assert (notes[0].text in text, notes[1].text in text) == (True, False)
    many = [NotedLine(f"`name_{n}` is another.", date(2026, 3, 1)) for n in range(99)]
    assert 2_000 < len(find_printed_notes(many, transcript(asked))) <= 4_000
