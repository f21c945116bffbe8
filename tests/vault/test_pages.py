import pytest

from memoria.errors import VaultError


def write(place, name, text="# A\n"):
    path = place.vault / "daily" / name
    path.write_text(text, encoding="utf-8")
    return path


def test_written_entries_are_told_from_logs_and_from_misnamed_files(place):
    names = ["2026-03-02.md", "2026-03-09-b.md", "2026-03-02-a.md", "_TEMPLATE.md", "_notes.md"]
    names += [
        "2026-13-45-x.md", "auth.md", "02-03-2026-x.md", ".hidden.md", "a.txt", "2026-03-02-.md",
    ]  # fmt: skip
    for name in names:
        write(place, name)
    found, misnamed = place.work.vault.pages()
    assert found == ["2026-03-02-a.md", "2026-03-09-b.md"]
    assert misnamed == ["02-03-2026-x.md", "2026-03-02-.md", "2026-13-45-x.md", "auth.md"]


def test_what_is_no_page_cannot_be_read_as_one(place):
    vault = place.work.vault
    write(place, "2026-03-02-b.md").write_bytes(b"\xff\xfe\x00")
    (place.vault / "daily" / "2026-03-02-c.md").mkdir()
    (place.vault / "daily" / "2026-03-02-d.md").symlink_to("/etc/hostname")
    write(place, "2026-03-02-e.md", "x" * (4 * 1024 * 1024 + 1))
    for name in "bcde":
        with pytest.raises(VaultError):
            vault.page(f"2026-03-02-{name}.md")
