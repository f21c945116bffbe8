"""Tool calls as a guard sees them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.rules.guards.act import act, relative


def test_an_edit_has_its_file_and_both_texts():
    edit = {"file_path": "/p/src/a.py", "old_string": "one", "new_string": "two"}
    found = act("Edit", edit, "/p")
    assert (found.paths, found.added, found.removed) == (("src/a.py",), "two", "one")
    assert (found.commands, found.reads, found.path) == ((), (), "src/a.py")


def test_every_edit_of_several_counts():
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d"}]
    found = act("MultiEdit", {"file_path": "/p/a", "edits": edits}, "/p")
    assert (found.added, found.removed) == ("b\nd", "a\nc")


def test_a_file_that_is_written_and_a_notebook():
    assert act("Write", {"file_path": "/p/a.md", "content": "x"}, "/p").added == "x"
    cell = {"notebook_path": "/p/a.ipynb", "new_source": "x"}
    assert act("NotebookEdit", cell, "/p").paths == ("a.ipynb",)


def test_what_is_read():
    found = act("Read", {"file_path": "/p/a.md"}, "/p")
    assert (found.paths, found.reads, found.path) == ((), ("a.md",), "a.md")
    assert act("Bash", {"command": "cat -n ./x/.env | head"}, "/p").reads == ("x/.env",)


def test_a_shell_call_writes_files_too():
    text = "cat <<'EOF' > src/a.py\nprint(1)\nEOF\nls | tee -a log.txt"
    found = act("Bash", {"command": text}, "/p")
    assert found.paths == ("src/a.py", "log.txt")
    assert found.added == "print(1)"
    assert [one.name for one in found.commands] == ["cat", "ls", "tee"]


@pytest.mark.parametrize(
    ("path", "root", "plain"),
    [
        ("/p/a/b.py", "/p", "a/b.py"),
        ("/p/a/../b.py", "/p/", "b.py"),
        ("/px/b.py", "/p", "/px/b.py"),
        ("./b.py", "/p", "b.py"),
        ("C:\\p\\a.py", "C:\\p", "a.py"),
        ("/p/a.py", "", "/p/a.py"),
        ("../a.py", "/p", "../a.py"),
    ],
)
def test_paths_are_relative_to_the_project(path, root, plain):
    assert relative(path, root) == plain


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)
NAMES = st.sampled_from(["command", "file_path", "edits", "content", "old_string", "x"])


@given(st.sampled_from(["Bash", "Edit", "Read", "mcp__x", ""]), st.dictionaries(NAMES, ANY) | ANY)
def test_whatever_a_call_holds_is_an_act(tool, given_):
    assert act(tool, given_, "/p").tool == tool
