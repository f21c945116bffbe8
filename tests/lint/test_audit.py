"""Keys here are made of pieces: no literal of this file has the form of a key."""

import json
import random
import string

import pytest
from place import debugging, state_of

KEY = "gh" + "p_" + "".join(random.Random(1).choices(string.ascii_letters, k=36))
CHECKS = {"secret", "mode"}


@pytest.fixture
def filled(place):
    place.transcript("s-1", *debugging())
    place.run("import")
    place.run("compile")
    return place


def test_what_memoria_wrote_is_clean(filled):
    code, out, _ = filled.run("doctor", "--audit")
    assert (code, out) == (0, "no errors.\n")


def test_all_that_came_in_past_the_gates_is_told(filled):
    root = filled.vault
    notes = root / "knowledge/concepts"
    notes.mkdir(exist_ok=True)
    (notes / "key.md").write_text(f"# K\n\nthe key {KEY}\n")
    (notes / f"{KEY}.md").write_text("# K\n")
    (state_of(root) / "state.json").chmod(0o644)
    (state_of(root) / "logs/flush.log").write_text(f"token {KEY}\n")
    code, out, err = filled.run("doctor", "--audit")
    assert code == 1
    assert KEY not in out + err
    assert "  error: knowledge/concepts/key.md:3: github-token" in out
    assert f"  error: {state_of(root)}/logs/flush.log:1: github-token" in out
    assert f"  error: {state_of(root)}/state.json: its mode is 0644" in out
    assert "[REDACTED:github-token].md: github-token in its name" in out
    told = filled.json("doctor", "--audit")
    assert KEY not in json.dumps(told)
    assert {one["check"] for one in told["findings"]} == CHECKS
    assert told["counts"]["error"] == sum(o["severity"] == "error" for o in told["findings"])


def test_hashes_of_notes_are_no_secrets(filled):
    value = "40cac06e2815727c6eb303d6"
    log = state_of(filled.vault) / "logs/flush.log"
    log.write_text(f'{{"wrote":{{"concepts/refresh-token":"{value}"}}}}')
    assert filled.run("doctor", "--audit")[0] == 0
    log.write_text(f'{{"refresh-token":"{value}"}}')
    assert filled.run("doctor", "--audit")[0] == 1


def test_a_transcript_that_waits_is_the_client_s_own(filled):
    path = state_of(filled.vault) / "spool/new/1-1-s.jsonl"
    path.write_text(KEY)
    path.chmod(0o600)
    assert filled.run("doctor", "--audit")[0] == 0


def test_in_a_database_a_key_counts_and_columns_side_by_side_do_not(filled):
    path = state_of(filled.vault) / "search.sqlite"
    columns = b"\ntoken checkentry2026-03-022026-03-02T10:10:00/home/ana"
    path.write_bytes(path.read_bytes() + columns)
    assert filled.run("doctor", "--audit")[0] == 0
    path.write_bytes(path.read_bytes() + f"\n{KEY}".encode())
    assert "github-token" in filled.run("doctor", "--audit")[1]
