"""A file of lines that several hooks append to at once."""

import multiprocessing

from memoria.hooks import session_file as lines


def test_what_was_appended_is_read(tmp_path):
    path = str(tmp_path / "seen" / "s-1.given")
    assert lines.read(path) == []
    lines.append(path, [("rule\twf-1", "12\n3"), ("", "x")])
    lines.append(path, [("half \ud83d",)])
    assert lines.read(path) == ["rule wf-1\t12 3", "\tx", "half ?"]


def test_a_line_without_its_end_counts_for_nothing(tmp_path):
    path = tmp_path / "s-1.given"
    path.write_bytes(b"whole\t1\nto")
    assert lines.read(str(path)) == ["whole\t1"]


def test_the_lines_of_two_processes_do_not_mix(tmp_path):
    path = str(tmp_path / "s-1.given")
    rows = [(word * 2_000, "owner") for word in "ab"]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        pool.starmap(lines.append, [(path, [row] * 20) for row in rows])
    assert sorted(lines.read(path)) == sorted(["\t".join(row) for row in rows] * 20)
