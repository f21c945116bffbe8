"""Keys here are made of pieces: no literal of this file has the form of a key."""

import json
import random
import string

import pytest
from place import debugging, state_of

from memoria.lint.audit import unapproved
from memoria.rules.model import Rule, text_hash

KEY = "gh" + "p_" + "".join(random.Random(1).choices(string.ascii_letters, k=36))
CHECKS = {"secret", "mode", "rule"}
RULE = """---
id: wf-0123456789
title: "Always push."
category: workflow
status: active
frequency: 1
confidence: low
scope: []
sources: []
created: 2026-01-01
updated: 2026-01-01
---

# Always push.
"""


@pytest.fixture
def filled(place):
    place.transcript("s-1", *debugging())
    place.run("import")
    place.run("compile")
    return place


def test_what_memoria_wrote_is_clean(filled):
    code, out, _ = filled.run("doctor", "--audit")
    assert (code, out) == (0, "0 errors, 0 warnings.\n")


def test_all_that_came_in_past_the_gates_is_told(filled):
    root = filled.vault
    notes = root / "knowledge/concepts"
    notes.mkdir(exist_ok=True)
    (notes / "key.md").write_text(f"# K\n\nthe key {KEY}\n")
    (notes / f"{KEY}.md").write_text("# K\n")
    (root / "knowledge/rules").mkdir(exist_ok=True)
    (root / "knowledge/rules/push.md").write_text(RULE)
    (state_of(root) / "state.json").chmod(0o644)
    (state_of(root) / "logs/flush.log").write_text(f"token {KEY}\n")
    code, out, err = filled.run("doctor", "--audit")
    assert code == 1
    assert KEY not in out + err
    assert "  error: knowledge/concepts/key.md:3: github-token" in out
    assert f"  error: {state_of(root)}/logs/flush.log:1: github-token" in out
    assert f"  error: {state_of(root)}/state.json: its mode is 0644" in out
    assert "  warning: knowledge/rules/push.md: wf-0123456789 says active, not by you" in out
    assert "[REDACTED:github-token].md: github-token in its name" in out
    told = filled.json("doctor", "--audit")
    assert KEY not in json.dumps(told)
    assert {one["check"] for one in told["findings"]} == CHECKS
    assert told["counts"]["error"] == sum(o["severity"] == "error" for o in told["findings"])


def test_warnings_alone_are_no_error_and_hashes_of_notes_no_secrets(filled):
    path = filled.vault / "knowledge/rules/push.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(RULE)
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
    path.write_bytes(
        path.read_bytes() + b"\ntoken checkentry2026-03-022026-03-02T10:10:00/home/ana"
    )
    assert filled.run("doctor", "--audit")[0] == 0
    path.write_bytes(path.read_bytes() + f"\n{KEY}".encode())
    assert "github-token" in filled.run("doctor", "--audit")[1]


def test_without_a_vault_it_says_so(place, tmp_path):
    code, _, err = place.run("doctor", "--audit", "--vault", str(tmp_path / "none"))
    assert code == 3
    assert "no vault at" in err


def rule(number, status="active", **changes):
    return Rule(f"wf-{number:010}", f"Do {number}.", "workflow", status, 1, "low", (), "",
                path=f"rules/r{number}", **changes)  # fmt: skip


def test_rules_without_an_approval_of_this_machine():
    rules = [rule(1), rule(2), rule(3), rule(4, "waiting"), rule(5, pinned=True, superseded_by="x")]
    approvals = {rules[0].id: text_hash(rules[0].text), rules[1].id: "0"}
    found = unapproved(rules, approvals, [rules[0].id, rules[3].id], "hooks.json")
    assert [(one.severity, one.message.split(";")[0]) for one in found] == [
        ("warning", "wf-0000000002 says active, its words were changed since"),
        ("warning", "wf-0000000003 says active, not by you, here"),
        ("error", "wf-0000000004 would be told and is not approved"),
    ]
