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


def test_what_memoria_wrote_a_waiting_transcript_hashes_and_columns_of_a_database_are_clean(filled):
    state, value = state_of(filled.vault), "40cac06e2815727c6eb303d6"
    waits, base, log = (
        state / "spool/new/1-1-s.jsonl",
        state / "search.sqlite",
        state / "logs/flush.log",
    )
    assert filled.run("doctor", "--audit")[:2] == (0, "no errors.\n")
    waits.write_text(KEY)  # it is the client's own
    waits.chmod(0o600)
    log.write_text(f'{{"wrote":{{"concepts/refresh-token":"{value}"}}}}')
    columns = b"\ntoken checkentry2026-03-022026-03-02T10:10:00/home/ana"
    base.write_bytes(base.read_bytes() + columns)
    assert filled.run("doctor", "--audit")[0] == 0
    log.write_text(f'{{"refresh-token":"{value}"}}')
    base.write_bytes(base.read_bytes() + f"\n{KEY}".encode())
    told = filled.do("doctor", "--audit", code=1)
    assert ("flush.log" in told, "github-token" in told) == (True, True)
