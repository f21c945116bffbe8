import os

from memoria.vault.storage import file_list as inventory


def test_everything_but_links_is_found(tmp_path):
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/c.md").write_text("x")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/config").write_text("x")
    (tmp_path / "link").symlink_to("/etc/hosts")
    (tmp_path / "round").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    found = list(inventory.items(tmp_path, {".git"}))
    assert [one.path for one in found] == ["a", "a/b", "a/b/c.md"]
    (tmp_path / "a/b/c.md").chmod(0o640)
    assert next(one for one in inventory.items(tmp_path / "a/b")).bits == 0o640


def test_what_is_printable_is_read_of_any_file(tmp_path):
    path = tmp_path / "x.sqlite"
    path.write_bytes(b"SQLite\0\1\2 a text of twelve \xc3\xa9\0\0short\0")
    assert inventory.text(path).strip() == "a text of twelve \u00e9"
    assert inventory.text(tmp_path / "gone") == ""
