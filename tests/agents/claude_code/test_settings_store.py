import os
import stat
import sys
from pathlib import Path

import pytest

from memoria.agents.claude_code import settings as client_settings, settings_store
from memoria.errors import UsageError

SESSION = "0b7d9a52-1c3e-4f60-8a9b-2d4c6e8f0a1b"
posix = pytest.mark.skipif(os.name == "nt", reason="POSIX modes and files")


def transcript(projects: Path, folder: str, name: str, text: str = "{}\n") -> Path:
    path = projects / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_transcripts_are_the_sessions_files_and_nothing_else(tmp_path):
    projects = settings_store.projects_dir(tmp_path)
    second = transcript(projects, "-b", "x_1.jsonl", "12345")
    first = transcript(projects, "-a", f"{SESSION}.jsonl")
    transcript(projects, "-a", "agent-0123.jsonl")
    transcript(projects, "-a", "notes.txt")
    transcript(projects, "-a", ".jsonl")
    transcript(projects, "-a", "no name.jsonl")
    transcript(projects, f"-a/{SESSION}/subagents", "deep.jsonl")
    transcript(projects, ".", "top.jsonl")
    (projects / "-a" / "folder.jsonl").mkdir()
    os.utime(second, (1_700_000_000, 1_700_000_000.5))
    found = list(settings_store.list_transcripts(projects))
    assert [(item.path, item.session) for item in found] == [(first, SESSION), (second, "x_1")]
    assert (found[1].mtime, found[1].size) == (1_700_000_000.5, 5)


@posix
def test_no_link_or_pipe_leads_out_of_the_folder(tmp_path):
    projects = settings_store.projects_dir(tmp_path)
    outside = transcript(tmp_path / "outside", "-x", "secret.jsonl")
    inside = transcript(projects, "-a", "mine.jsonl")
    (projects / "-a" / "link.jsonl").symlink_to(outside)
    (projects / "-linked").symlink_to(outside.parent)
    os.mkfifo(projects / "-a" / "pipe.jsonl")
    assert [found.path for found in settings_store.list_transcripts(projects)] == [inside]
    for session in ("link", "pipe", "secret"):
        assert settings_store.find_transcript(projects, session) is None


@pytest.mark.parametrize("session", ["", "../-a/x", "a/b", "x" * 65, "x\x00", "caf\u00e9"])
def test_a_session_id_cannot_be_a_path(tmp_path, session):
    transcript(settings_store.projects_dir(tmp_path), "-a", "x.jsonl")
    assert settings_store.find_transcript(settings_store.projects_dir(tmp_path), session) is None


@pytest.mark.parametrize("data", [b"\xef\xbb\xbf{}\r\n", b"", b'{"a": "\xc3\xa9\xe2\x80\xa8"}\n\n'])
def test_settings_are_read_and_written_to_the_byte(tmp_path, data):
    path = tmp_path / "settings.json"
    path.write_bytes(data)
    text = settings_store.read_settings(tmp_path)
    assert text is not None
    settings_store.write_settings(tmp_path, text, expected=text)
    assert path.read_bytes() == data
    assert names(tmp_path) == {"settings.json"}


@posix
def test_new_settings_are_private(tmp_path):
    settings_store.write_settings(tmp_path, "{}", expected=None)
    assert [stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()] == [0o600]


@posix
def test_a_link_is_written_through(tmp_path):
    dotfiles, config = tmp_path / "dotfiles", tmp_path / ".claude"
    dotfiles.mkdir()
    config.mkdir()
    (dotfiles / "claude.json").write_text("{}")
    (config / "settings.json").symlink_to("../dotfiles/claude.json")
    settings_store.write_settings(config, '{"a": 1}', expected="{}")
    assert (config / "settings.json").is_symlink()
    assert (dotfiles / "claude.json").read_text() == '{"a": 1}'
    # nor is what somebody has written meanwhile written over
    with pytest.raises(UsageError, match="run this again"):
        settings_store.write_settings(config, None, expected="{}")
    assert names(dotfiles) == {"claude.json"}


def test_the_doctor_sees_hooks_whose_programs_are_gone(tmp_path):
    assert settings_store.read_installed_hooks(tmp_path) == ()
    script = transcript(tmp_path, "memoria/hooks", "session_start.py")
    here = client_settings.build_hook("SessionStart", sys.executable, str(script), "/v", "/s")
    gone = client_settings.build_hook("SessionEnd", "/gone/python", str(script), "/v", "/s")
    text = client_settings.merge_hooks("", (here, gone), "s")
    settings_store.write_settings(tmp_path, text, expected=None)
    found = settings_store.read_installed_hooks(tmp_path)
    assert [(hook.event, hook.vault, hook.gone) for hook in found] == [
        ("SessionStart", "/v", ""),
        ("SessionEnd", "/v", "/gone/python"),
    ]
    assert found[0].args == here.args
    script.unlink()
    assert settings_store.read_installed_hooks(tmp_path)[0].gone == str(script)
