"""Samples are never the person's: a vault of their own, told of in each output, active nowhere."""

import json
import os

import hooked
import pytest
from place import Place, debugging, state_of

from memoria.cli.main import VERBS, main

NOTICE = "This is the demo vault, made from sample sessions; no session of yours is told anything"
OWN = sorted(name for name, verb in VERBS.items() if not verb.on_demo)


@pytest.fixture
def shown(demo_place):
    """The home of a demo and of a vault of the person's own, which is the one that verbs take."""
    return Place(demo_place.root, demo_place.capsys)


@pytest.fixture
def demo(demo_place):
    """The demo in its default folder."""
    return demo_place.vault


def on_demo(place, demo, *words):
    """Run a verb on the demo; give exit code, stdout, stderr."""
    verb, *rest = words
    return place.run(verb, "--vault", str(demo), *rest)


def test_it_lies_in_a_folder_of_its_own_and_says_where(place, capsys):
    before = place.files()
    place.transcript("s-1", *debugging())
    assert main(["demo", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    folder = place.home / "memoria-demo"
    assert (result["vault"], result["demo"]) == (str(folder), True)
    counts = [result[name] for name in ("sessions", "entries", "articles", "rules")]
    assert [least for least, n in zip((10, 8, 5, 3), counts, strict=True) if n < least] == []
    assert 0 < result["errors_met_before"] < result["errors"]
    assert result["problems"] == []
    assert place.files() == before
    assert "s-1" not in (state_of(folder) / "ledger.jsonl").read_text()


def test_a_folder_with_something_in_it_is_neither_made_a_demo_nor_removed(place, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.md").write_text("Mine.\n")
    full = "is not empty and no demo: `memoria demo DIR` names another folder"
    other = "is no demo vault; nothing was removed"
    for folder in (place.vault, tmp_path / "mine", tmp_path / "nowhere"):
        before = sorted(tmp_path.rglob("*"))
        err = place.err("demo", str(folder), "--remove", code=2)
        assert err == f"memoria: {folder} {other}\n"
        if folder.exists():
            assert place.err("demo", str(folder), code=2) == f"memoria: {folder} {full}\n"
        assert sorted(tmp_path.rglob("*")) == before


def test_the_state_of_another_vault_is_never_taken_for_it(place, tmp_path, monkeypatch):
    monkeypatch.setenv("MEMORIA_STATE_DIR", str(state_of(place.vault)))
    before = {path: path.read_bytes() for path in place.vault.rglob("*") if path.is_file()}
    assert "MEMORIA_STATE_DIR" in place.err("demo", str(tmp_path / "shown"), code=2)
    assert {path: path.read_bytes() for path in place.vault.rglob("*") if path.is_file()} == before
    assert not (tmp_path / "shown").exists()


def test_a_verb_that_decides_says_that_it_is_the_demo(shown, demo):
    for words in (("review",), ("remember", "Use tabs")):
        code, _, err = on_demo(shown, demo, *words)
        assert code == 0
        assert err.splitlines()[0].startswith(NOTICE)
        assert err.count(NOTICE) == 1
        assert NOTICE not in on_demo(shown, demo, *words, "--quiet")[2]
        assert NOTICE not in shown.run(*words)[2]
    assert NOTICE not in on_demo(shown, demo, "search", "webhook")[2]


def test_a_verb_that_joins_a_vault_to_sessions_refuses_it(shown, demo):
    shown.transcript("s-1", *debugging())
    before = (state_of(demo) / "ledger.jsonl").read_bytes()
    for verb in OWN:
        words = {"experiment": ["start"], "team": ["status"]}.get(verb, [])
        code, out, err = on_demo(shown, demo, verb, *words)
        assert (code, out) == (2, ""), verb
        assert err == (
            f"memoria: {demo} is the demo vault, made from sample sessions: {verb} needs a vault "
            "of your own; `memoria start` makes one\n"
        )
        assert (state_of(demo) / "ledger.jsonl").read_bytes() == before, verb
        assert not (shown.home / ".claude" / "settings.json").exists(), verb


def test_no_rule_of_it_is_written_into_a_project(shown, demo, tmp_path, monkeypatch):
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    for words in ((), ("--global",)):
        code, _, err = on_demo(shown, demo, "promote", *words)
        assert (code, "a vault of your own" in err) == (2, True)
    code, out, _ = on_demo(shown, demo, "promote", "--global", "--dry-run")
    assert code == 0
    assert "Never commit to main directly" in out
    assert list(project.iterdir()) == []


def test_hooks_never_use_it(shown, demo):
    """Whoever names the demo in a hook's line: nothing is told, nothing is captured."""
    on_demo(shown, demo, "remember", "--global", "--pin", "Always run the linter first")
    path = shown.transcript("s-1", *debugging(rule="Always run the tests before you commit."))
    event = {
        "hook_event_name": "x",
        "session_id": "s-1",
        "transcript_path": str(path),
        "cwd": "/home/robin/code/shop-api",
        "source": "startup",
        "prompt": "Why was a customer charged twice? Which idempotency key?",
    }
    environ = os.environ | {"MEMORIA_VAULT": str(demo)}
    for script in ("session_start", "user_prompt_submit", "session_end"):
        for extra in ((), ("--state", state_of(demo))):
            line = hooked.command(script, "--vault", demo, *extra)
            assert hooked.run(line, event, environ) == (0, b"", b""), (script, extra)
    assert list((state_of(demo) / "spool").rglob("*.json*")) == []


def test_a_summary_counts_the_person_s_sessions_alone_and_removing_leaves_nothing(shown, demo):
    shown.transcript("s-1", *debugging())
    result = shown.json("start")
    assert (result["sessions"], result["entries"]) == (1, 1)
    before = shown.files()
    code, _, err = on_demo(shown, demo, "demo", "--remove")
    assert (code, err) == (0, f"Removed the demo vault {demo}\n")
    assert not demo.exists()
    assert shown.files() == before
