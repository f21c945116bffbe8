"""Keys here are made of pieces: no literal of this file has the form of a key."""

import random
import string

import pytest

from memoria.lint import audit_checks as audit
from memoria.rules.model import Rule, text_hash

KEY = "gh" + "p_" + "".join(random.Random(1).choices(string.ascii_letters, k=36))


def messages(issues):
    return [(one.line, one.message) for one in issues]


def test_a_secret_is_told_by_place_and_kind_alone():
    (issue,) = audit.secrets("a.md", f"one\ntwo {KEY}\n")
    assert (issue.path, issue.line, issue.message) == ("a.md", 2, "github-token")
    assert KEY not in repr(issue)
    (issue,) = audit.secrets("a.md", "my swordfish", ["swordfish"])
    assert issue.message == "known-value"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("x <script>alert(1)</script>", "HTML: <script>"),
        ("<IFRAME src=x>", "HTML: <iframe>"),
        ("<b onclick='x()'>y</b>", "HTML with an event handler"),
        ("![a](https://x.example/p.png)", "an image of another machine"),
        ("![](//x.example/p.png)", "an image of another machine"),
        ("[a](javascript:alert(1))", "a link to javascript:"),
        ("[a]( <file:///etc/passwd>)", "a link to file:"),
        ("[a]: obsidian://open?vault=x", "a link to obsidian:"),
        ("<obsidian://x>", "a link to obsidian:"),
        ("`$= dv.pages()`", "code that a plugin runs"),
        ("<% tp.system.prompt() %>", "code that a plugin runs"),
        ("```dataviewjs", "a block that a plugin runs: dataviewjs"),
        ("~~~ Templater", "a block that a plugin runs: Templater"),
    ],
)
def test_active_content_is_found(line, message):
    found = messages(audit.active("a.md", f"# A\n\n{line}\n"))
    assert [number for number, _ in found] == [3]
    assert found[0][1].startswith(message)


@pytest.mark.parametrize(
    "text",
    [
        "a < b and c > d", "`<script>` is a tag", "``a ` <script>`` b", "x<br>y <kbd>Ctrl</kbd>",
        "[a](https://x.example)", "![[picture.png]]", "[[javascript]] and file: it is said",
        "```html\n<script>x</script>\n```", "````\n```\n<iframe>\n````",
        '<!-- memoria {"entry": "e-1"} -->', "`=this.file.name` <T> vector<int>",
    ],
)  # fmt: skip
def test_what_only_shows_code_is_none(text):
    assert not list(audit.active("a.md", text))


def test_after_a_fence_the_text_is_looked_at_again():
    assert messages(audit.active("a.md", "```\nx\n```\n<img src=y>\n")) == [(4, "HTML: <img>")]


def test_disguises_are_found_and_scripts_left_alone():
    text = "plain\nzero\u200bwidth\n"
    text += "\u06af\u0641\u062a\u200c\u0648\u06af\u0648 \U0001f469\u200d\U0001f4bb\nbidi \u202e\n"
    assert [one.line for one in audit.disguises("a.md", text)] == [2, 4]


def test_modes_plugins_and_copies():
    assert [one.message for one in audit.mode("x", 0o644)] == ["its mode is 0644"]
    assert not list(audit.mode("x", 0o600))
    paths = [".obsidian/plugins/dv/main.js", ".obsidian/plugins/dv/x.json", ".obsidian/app.json",
             ".obsidian/snippets/a.js", "knowledge/a.md"]  # fmt: skip
    assert [one.path for one in audit.plugins(paths)] == [
        ".obsidian/plugins/dv",
        ".obsidian/snippets/a.js",
    ]
    copy = "knowledge/a (Ann's conflicted copy 2026-01-01).md"
    (found,) = audit.conflicts([copy, "knowledge/a.md"])
    assert (found.path, found.message) == (copy, "a copy of knowledge/a.md")


def rule(number, status="active", **changes):
    return Rule(f"wf-{number:010}", f"Do {number}.", "workflow", status, 1, "low", (), "",
                 path=f"rules/r{number}", **changes)  # fmt: skip


def test_rules_without_an_approval_of_this_machine():
    rules = [rule(1), rule(2), rule(3), rule(4, "waiting"), rule(5, pinned=True, superseded_by="x")]
    approvals = {rules[0].id: text_hash(rules[0].text), rules[1].id: "0"}
    injected = [rules[0].id, rules[3].id]
    found = [
        (one.severity, one.message.split(";")[0])
        for one in audit.unapproved(rules, approvals, injected)
    ]
    assert found == [
        ("warning", "wf-0000000002 says active, its words were changed since"),
        ("warning", "wf-0000000003 says active, not by you, here"),
        ("error", "wf-0000000004 would be told and is not approved"),
    ]


def test_hashes_of_notes_are_no_secrets_and_keys_beside_them_are():
    value = "40cac06e2815727c6eb303d6"
    ours = f'{{"wrote":{{"concepts/refresh-token":"{value}"}}}}'
    theirs = f'{{"refresh-token":"{value}"}}'
    assert not list(audit.secrets("ledger.jsonl", audit.unhashed(ours)))
    assert list(audit.secrets("ledger.jsonl", audit.unhashed(theirs)))
