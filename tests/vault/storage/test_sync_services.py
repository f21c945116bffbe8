from pathlib import Path

import pytest

from memoria.vault.storage.sync_services import copies, is_placeholder, service

HOME = "/home/ana"

NAMES = [
    ("/Users/ana/Library/Mobile Documents/iCloud~md~obsidian/Documents/v", "iCloud"),
    ("/Users/ana/Library/Mobile Documents/com~apple~CloudDocs/v", "iCloud"),
    ("/Users/ana/Library/CloudStorage/GoogleDrive-a@b.c/My Drive/v", "Google Drive"),
    ("/Users/ana/Library/CloudStorage/Box-Box/v", "Box-Box"),
    ("C:/Users/ana/iCloudDrive/v", "iCloud"),
    ("C:/Users/ana/OneDrive - Contoso/v", "OneDrive"),
    ("/home/ana/OneDrive/notes/v", "OneDrive"),
    ("/home/ana/Dropbox/v", "Dropbox"),
    ("/home/ana/Dropbox (Personal)/v", "Dropbox"),
    ("G:/My Drive/v", "Google Drive"),
    ("/home/ana/Nextcloud/v", "Nextcloud"),
    ("/home/ana/memoria", ""),
    ("/home/ana/dropboxes/v", ""),
    ("/home/ana/code/onedriver/v", ""),
    ("/home/ana/code/my drivers/v", ""),
]


@pytest.mark.parametrize(("path", "wanted"), NAMES)
def test_known_names(path, wanted):
    assert service(Path("/", path), {}, Path(HOME)) == wanted


@pytest.mark.parametrize(
    ("mark", "wanted"), [(".stfolder", "Syncthing"), (".dropbox.cache", "Dropbox")]
)
def test_marks_of_a_client_in_a_folder_above(tmp_path, mark, wanted):
    (tmp_path / "shared" / mark).mkdir(parents=True)
    assert service(tmp_path / "shared" / "notes" / "vault", {}, tmp_path) == wanted
    assert service(tmp_path / "vault", {}, tmp_path) == ""


def test_what_dropbox_keeps_in_the_home_marks_no_home(tmp_path):
    (tmp_path / ".dropbox").mkdir()
    assert service(tmp_path / "memoria", {}, tmp_path) == ""


def test_dropbox_says_itself_where_it_syncs(tmp_path):
    (tmp_path / ".dropbox").mkdir()
    told = tmp_path / ".dropbox" / "info.json"
    told.write_text(f'{{"personal": {{"path": "{tmp_path}/box"}}, "business": {{}}}}')
    assert service(tmp_path / "box" / "vault", {}, tmp_path) == "Dropbox"
    for broken in ("", "[]", '{"a": 1}', '{"a": {"path": 1}}'):
        told.write_text(broken)
        assert service(tmp_path / "box" / "vault", {}, tmp_path) == ""


def test_onedrive_says_so_in_the_environment(tmp_path):
    environment = {"OneDriveCommercial": str(tmp_path / "work"), "OneDrive": ""}
    assert service(tmp_path / "work" / "vault", environment, tmp_path) == "OneDrive"


@pytest.mark.parametrize(
    ("name", "of"),
    [
        ("a/plan (Ana's conflicted copy 2026-03-02).md", "a/plan.md"),
        ("a/plan conflicted copy.md", "a/plan.md"),
        ("a/plan.sync-conflict-20260302-101010-ABCDEFG.md", "a/plan.md"),
        ("daily/2026-03-02.sync-conflict-20260303-080000-ABCDEFG.md", "daily/2026-03-02.md"),
        ("a/plan 2.md", "a/plan.md"),
        ("a/plan (1).md", "a/plan.md"),
    ],
)
def test_what_a_sync_client_calls_another_state_of_a_note(name, of):
    assert copies([name, "a/plan.md", "daily/2026-03-02.md"]) == {name: of}


@pytest.mark.parametrize("name", ["a/plan 2.md", "a/synced.md", "a/phase 2.md", "a/Sync notes.md"])
def test_a_note_of_its_own_is_none(name):
    assert copies([name]) == {}


@pytest.mark.parametrize(
    ("name", "expected"), [(".plan.md.icloud", True), ("plan.icloud", False), (".plan.md", False)]
)
def test_a_file_whose_content_is_elsewhere(name, expected):
    assert is_placeholder(name) is expected
