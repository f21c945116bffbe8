"""Rules in other tools' files: what is written, what stays, and what is taken out again."""

import json
import os
import subprocess
import sys

import pytest
from place import state_of

from memoria.errors import UsageError
from memoria.rules.model import Rule, rule_id
from memoria.rules.promotion import file_store as files
from memoria.rules.promotion import placement
from memoria.rules.promotion.placement import renew_files
from memoria.rules.promotion.targets import TARGETS, body, rewritten
from memoria.rules.promotion.targets import place as named
from memoria.rules.rulebook import decide
from memoria.rules.ruling import Ruling
from memoria.vault.regions import find

TESTS = "Always run the tests before a commit."
REBASE = "Rebase, never merge, feature branches."


def identity(text):
    return rule_id("workflow", text)


def note(place, text, *, frequency=4, confidence="high", scope="[]", **more):
    """Write the note of a rule that waits; give its id."""
    front = {
        "id": identity(text),
        "title": json.dumps(text),
        "category": "workflow",
        "status": "waiting",
        "frequency": frequency,
        "confidence": confidence,
        "scope": scope,
        "aliases": "[]",
        "tags": "[rule]",
        "sources": '["daily/2026-03-02.md"]',
        "created": "2026-03-02",
        "updated": "2999-03-02",  # seen of late, whenever this test runs
        **more,
    }
    lines = "".join(f"{key}: {value}\n" for key, value in front.items())
    path = place.vault / "knowledge" / "rules" / f"{front['id']}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"---\n{lines}---\n\n# {text}\n\n## Evidence\n", encoding="utf-8")
    return front["id"]


def approved(place, text, status="active", **more):
    """Write a rule's note and approve it here; give its id."""
    number = note(place, text, **more)
    decide(place.work, [Ruling(number, status, "review")])
    return number


def told(place, status, *ids):
    decide(place.work, [Ruling(number, status, "review") for number in ids])


@pytest.fixture
def shop(place, tmp_path, monkeypatch):
    """A repository, and this test's current folder in it."""
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (root / ".git" / "config").write_text(
        '[remote "origin"]\n\turl = git@github.com:ana/shop.git\n'
    )
    (root / "src").mkdir()
    monkeypatch.chdir(root / "src")
    return root


def tree(root):
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def state(place, root):
    """Give what must not change: the project, the vault's notes, the ledger and the approvals."""
    files = tree(state_of(place.vault))
    kept = {name: data for name, data in files.items() if name.endswith((".json", ".jsonl"))}
    return tree(root), place.files(), kept


def known(place):
    return placement.promoted(place.work)


def test_naming_a_rule_approves_it_and_writes_it_into_claude_md(place, shop):
    number = note(place, TESTS)
    (shop / "CLAUDE.md").write_bytes(b"# Shop\r\n\r\nMine.")
    code, out, err = place.run("promote", number)
    assert code == 0
    text = (shop / "CLAUDE.md").read_bytes().decode()
    assert text.startswith("# Shop\r\n\r\nMine.\r\n\r\n<!-- memoria:begin ")
    assert f"- \N{LARGE GREEN CIRCLE} **{TESTS}** (seen 4x)\r\n" in text
    assert f"+- \N{LARGE GREEN CIRCLE} **{TESTS}** (seen 4x)" in out
    assert f"active: {number}" in err
    assert "holds 1 rule now" in err
    (record,) = place.ledger("promote")
    assert record | {"at": "", "step": ""} == {
        "kind": "promote",
        "at": "",
        "step": "",
        "target": "claude-md",
        "path": str(shop / "CLAUDE.md"),
        "root": str(shop),
        "project": "github.com/ana/shop",
        "ids": [number],
        "sha": find(text).sha,
    }
    before = tree(shop), place.files()
    code, out, err = place.run("promote", number)
    assert (code, out) == (0, "")
    assert "holds these rules already" in err
    assert (tree(shop), place.files()) == before
    assert len(place.ledger("promote")) == 1


def test_without_ids_what_is_in_force_here_and_was_seen_more_than_once(place, shop):
    ids = {
        name: approved(place, f"Rule {name}.", **more)
        for name, more in {
            "high": {},
            "medium": {"confidence": "medium", "frequency": 2},
            "low": {"confidence": "low", "frequency": 1},
            "here": {"scope": '["github.com/ana/shop"]'},
            "elsewhere": {"scope": '["github.com/ana/blog"]'},
            "pinned": {"pinned": "true", "confidence": "low", "frequency": 1},
        }.items()
    }
    note(place, "Rule waiting.")
    done = place.json("promote")
    assert {one["id"] for one in done["rules"]} == {
        ids[name] for name in ("high", "medium", "here", "pinned")
    }
    assert done["project"] == "github.com/ana/shop"
    assert done["approved"] == []
    # a named one joins those that are there, and stays when the rest is written anew
    done = place.json("promote", ids["low"])
    assert done["added"] == [ids["low"]]
    assert len(place.json("promote")["rules"]) == 5


@pytest.mark.parametrize("kind", TARGETS)
def test_each_target_from_nothing_and_back(place, shop, kind):
    number = approved(place, TESTS)
    before = tree(shop)
    done = place.json("promote", "--target", kind)
    path = shop / named(TARGETS[kind])
    assert done["path"] == str(path)
    assert (done["written"], done["added"]) == (True, [number])
    assert TESTS in path.read_text(encoding="utf-8")
    assert place.json("promote", "--target", kind)["changed"] is False
    told(place, "rejected", number)
    assert renew_files(place.work, [number]) == []
    assert tree(shop) == before
    assert not (shop / ".claude").exists()
    assert known(place) == {}


@pytest.mark.parametrize(
    ("kind", "folder"),
    [
        ("claude-md", ".claude"),
        ("settings", ".claude"),
        ("skill", ".claude"),
        ("rules", ".claude"),
        ("agents-md", ".codex"),
        ("agents-skill", "."),
    ],
)
def test_for_all_projects(place, shop, kind, folder):
    number = approved(place, TESTS, scope='["github.com/ana/blog"]')
    approved(place, REBASE)
    done = place.json("promote", "--target", kind, "--global")
    path = place.home / folder / named(TARGETS[kind], everywhere=True)
    assert done["path"] == str(path)
    assert done["project"] is None
    assert [one["rule"] for one in done["rules"]] == [REBASE]
    # named, a rule of one project goes as well
    assert place.json("promote", number, "--target", kind, "--global")["added"] == [number]


def test_rules_that_are_taken_back_leave_every_file(place, shop):
    one, two = approved(place, TESTS), approved(place, REBASE)
    for kind in ("claude-md", "rules"):
        place.run("promote", "--target", kind)
    (shop / "CLAUDE.md").write_text("# Mine\n\n" + (shop / "CLAUDE.md").read_text() + "\nMore.\n")
    told(place, "retired", one)
    assert renew_files(place.work, [one]) == []
    for path in (shop / "CLAUDE.md", shop / ".claude/rules/memoria.md"):
        assert TESTS not in path.read_text()
        assert REBASE in path.read_text()
    assert {found.ids for found in known(place).values()} == {(two,)}
    told(place, "rejected", two)
    assert renew_files(place.work, [two]) == []
    assert (shop / "CLAUDE.md").read_text() == "# Mine\n\n\nMore.\n"
    assert not (shop / ".claude").exists()


def test_a_rule_that_was_rejected_in_its_note_goes_with_the_next_promote(place, shop):
    number = approved(place, TESTS)
    place.run("promote")
    path = place.vault / "knowledge" / "rules" / f"{number}.md"
    path.write_text(path.read_text().replace("status: active", "status: rejected"))
    done = place.json("promote")
    assert (done["removed"], done["rules"]) == ([number], [])
    assert not (shop / "CLAUDE.md").exists()


def test_words_that_change_follow(place, shop):
    number = approved(place, TESTS)
    place.run("promote")
    decide(place.work, [Ruling(number, "active", "review", text="Run the whole suite first.")])
    assert renew_files(place.work, [number]) == []
    text = (shop / "CLAUDE.md").read_text()
    assert "**Run the whole suite first.**" in text
    assert TESTS not in text


def test_dry_run_shows_the_change_and_writes_nothing(place, shop):
    number = note(place, TESTS)
    assert renew_files(place.work, [number]) == []
    assert "Nothing to promote" in place.run("promote")[2]
    assert tree(shop).keys() == {".git/HEAD", ".git/config"}
    (shop / "CLAUDE.md").write_text("# Mine\n")
    before = state(place, shop)
    code, out, err = place.run("promote", number, "--dry-run")
    assert code == 0
    assert out.startswith(f"--- {shop}/CLAUDE.md\n+++ {shop}/CLAUDE.md\n@@ ")
    assert f"would be active: {number}" in err
    assert "nothing was written" in err
    done = place.json("promote", number, "--dry-run")
    assert (done["changed"], done["written"]) == (True, False)
    assert state(place, shop) == before


def test_an_edit_inside_the_part_is_not_written_over_unasked(place, shop):
    one, two = approved(place, TESTS), approved(place, REBASE)
    place.run("promote")
    path = shop / "CLAUDE.md"
    mine = path.read_text().replace(TESTS, f"{TESTS} I mean it.") + "\nBelow.\n"
    path.write_text(mine)
    code, _, err = place.run("promote")
    assert code == 2
    assert "lines 1 to " in err
    assert "--force" in err
    assert path.read_text() == mine
    # a rule that goes takes its own line along, and no other
    told(place, "rejected", two)
    assert renew_files(place.work, [two]) == []
    assert path.read_text() == "".join(
        line for line in mine.splitlines(keepends=True) if REBASE not in line
    )
    # the line of this one is no longer as it was written
    told(place, "rejected", one)
    (problem,) = renew_files(place.work, [one])
    assert "edited by hand" in problem
    assert "I mean it" in path.read_text()
    code, _, err = place.run("promote", "--force")
    assert code == 0
    assert path.read_text() == "\nBelow.\n"
    (aside,) = place.work.vault.journal.aside.glob("promote-*.md")
    assert "I mean it" in aside.read_text()
    assert str(aside) in err


def elsewhere(path, *texts):
    """Write a file that another machine has promoted these rules to."""
    rules = [
        Rule(identity(text), text, "workflow", "active", 2, "medium", (), "") for text in texts
    ]
    kind = TARGETS["claude-md"]
    old = path.read_text() if path.exists() else None
    path.write_text(rewritten(kind, old, body(kind, rules), str(path)))


def test_rules_of_a_teammates_machine_are_not_written_over_unasked(place, shop):
    number = note(place, TESTS)
    path = shop / "CLAUDE.md"
    path.write_text("# Mine\n")
    elsewhere(path, "Deploy on Tuesdays.", REBASE)
    before = state(place, shop)
    code, _, err = place.run("promote", number)
    assert code == 2
    assert "2 rules that were promoted from another machine" in err
    assert "'Rebase, never merge, feature branches.'" in err or "'Deploy on Tuesdays.'" in err
    assert state(place, shop) == before
    assert place.run("promote", number, "--force")[0] == 0
    assert "Deploy" not in path.read_text()
    (aside,) = place.work.vault.journal.aside.glob("promote-*.md")
    assert "Deploy on Tuesdays." in aside.read_text()


def test_rules_of_ones_own_other_machine_stay(place, shop):
    path = shop / "CLAUDE.md"
    path.write_text("# Mine\n")
    elsewhere(path, "Low rule.", REBASE, "Never again.")
    low = approved(place, "Low rule.", confidence="low", frequency=1)
    rebase = approved(place, REBASE)
    told(place, "rejected", note(place, "Never again."))
    done = place.json("promote", note(place, TESTS))
    assert {one["id"] for one in done["rules"]} == {low, rebase, identity(TESTS)}
    assert "Never again" not in path.read_text()


def test_a_rule_leaves_a_part_that_a_teammate_has_added_to(place, shop):
    number, path = approved(place, TESTS), shop / "CLAUDE.md"
    place.run("promote")
    path.unlink()
    elsewhere(path, TESTS, "Deploy on Tuesdays.")
    told(place, "rejected", number)
    assert renew_files(place.work, [number]) == []
    text = path.read_text()
    assert TESTS not in text
    assert "Deploy on Tuesdays." in text
    assert not find(text).edited


def damaged(path):
    path.write_text("<!-- memoria:begin -->\n")


def read_only(path):
    path.write_text("# Mine\n")
    path.chmod(0o444)


def fifo(path):
    os.mkfifo(path)  # opening it would wait for ever


BAD = {
    "read-only": (read_only, "read-only"),
    "a folder": (lambda path: path.mkdir(), "is a folder"),
    "a link": (lambda path: path.symlink_to("../../outside.md"), "leads out of"),
    "a script": (lambda path: path.symlink_to("deploy.sh"), "another kind of file"),
    "Latin-1": (lambda path: path.write_bytes(b"caf\xe9\n"), "not UTF-8"),
    "too large": (lambda path: path.write_bytes(b" " * (files.MAX_BYTES + 1)), "over 4 MB"),
    "damaged": (damaged, "line 1"),
    "FIFO": (fifo, "no regular file"),
}


@pytest.mark.parametrize("bad", BAD)
def test_a_file_that_cannot_be_written_leaves_everything_as_it_was(place, shop, bad):
    make, reason = BAD[bad]
    number = note(place, TESTS)
    make(shop / "CLAUDE.md")
    before = state(place, shop)
    code, out, err = place.run("promote", number)
    assert (code, out) == (2, "")
    assert reason in err
    assert err.count("\n") == 1
    assert state(place, shop) == before
    assert not (place.root / "outside.md").exists()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{,}", "line 1, column 2"),
        ("[]", "not an object"),
        ('{"hooks": []}', '"hooks" is not an object'),
        ('{\n  // mine\n  "a": 1}', "comments"),
        (b"\xff", "not UTF-8"),
    ],
)
def test_settings_that_are_not_valid(place, shop, text, reason):
    number = note(place, TESTS)
    path = shop / ".claude" / "settings.json"
    path.parent.mkdir()
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(data)
    code, _, err = place.run("promote", number, "--target", "settings")
    assert (code, err.count("\n")) == (2, 1)
    assert reason in err
    assert path.read_bytes() == data
    assert place.json("status")["counts"]["active"] == 0


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["wf-0000000000"], "there is no rule"),
        (["--dir", "nowhere"], "no such folder"),
        (["--dir", ".", "--global"], "two places"),
        (["--target", "windsurf"], "claude-md"),
        (["--target", "skill", "--name", "../x"], "lower-case letters"),
    ],
)
def test_wrong_use_is_one_line_that_says_what_to_do(place, shop, arguments, reason):
    note(place, TESTS)
    before = place.files(), tree(shop)
    code, out, err = place.run("promote", *arguments)
    assert (code, out) == (2, "")
    assert reason in err
    assert (place.files(), tree(shop)) == before


@pytest.mark.parametrize("status", ["rejected", "retired"])
def test_a_rule_that_was_taken_back_is_not_promoted_by_its_id(place, shop, status):
    number = note(place, TESTS)
    told(place, status, number)
    code, _, err = place.run("promote", number)
    assert code == 2
    assert f"{number} is {status}" in err
    assert not (shop / "CLAUDE.md").exists()


@pytest.mark.parametrize("folder", ["daily", "knowledge/rules"])
def test_never_among_the_vaults_own_notes(place, shop, folder):
    number = note(place, TESTS)
    code, _, err = place.run("promote", number, "--dir", str(place.vault / folder))
    assert code == 2
    assert "the vault's own notes" in err


def test_files_that_cannot_be_reached_are_told_of_and_do_not_stop_the_rest(place, shop, tmp_path):
    number = approved(place, TESTS)
    folders = {name: tmp_path / name for name in ("gone", "deleted", "locked", "link", "last")}
    for folder in folders.values():
        folder.mkdir()
        place.run("promote", "--dir", str(folder))
    (folders["gone"] / "CLAUDE.md").rename(tmp_path / "kept.md")
    folders["gone"].rmdir()
    (folders["deleted"] / "CLAUDE.md").unlink()
    (folders["locked"] / "CLAUDE.md").chmod(0o444)
    (folders["link"] / "CLAUDE.md").rename(tmp_path / "other.md")
    (folders["link"] / "CLAUDE.md").symlink_to(tmp_path / "other.md")
    told(place, "rejected", number)
    problems = renew_files(place.work, [number])
    assert [problem.split("/CLAUDE.md")[0].rsplit("/", 1)[1] for problem in problems] == [
        "gone",
        "locked",
        "link",
    ]
    assert not (folders["last"] / "CLAUDE.md").exists()
    assert TESTS in (tmp_path / "other.md").read_text()
    # what could not be reached is still known, and goes when it can
    assert len(known(place)) == 3
    (folders["locked"] / "CLAUDE.md").chmod(0o644)
    assert len(renew_files(place.work, [number])) == 2
    assert not (folders["locked"] / "CLAUDE.md").exists()


def test_secrets_stay_in_the_vault(place, shop, monkeypatch):
    secret = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    approved(place, f"Never print {secret} again.")
    place.run("promote")
    text = (shop / "CLAUDE.md").read_text()
    assert "Never print [REDACTED:" in text
    assert secret not in text


def test_a_write_that_fails_gives_the_ledger_its_old_record_back(place, shop, monkeypatch):
    one, two = approved(place, TESTS), note(place, REBASE)
    place.run("promote", one)
    before = (shop / "CLAUDE.md").read_bytes()

    def full(*_):
        raise UsageError("no space left; nothing was changed")

    monkeypatch.setattr(files, "write", full)
    code, _, err = place.run("promote", two)
    assert (code, "no space left" in err) == (2, True)
    assert (shop / "CLAUDE.md").read_bytes() == before
    assert [found.ids for found in known(place).values()] == [(one,)]


def test_what_a_crash_leaves_is_mended_by_the_next_one(place, shop, monkeypatch):
    one, two = approved(place, TESTS), approved(place, REBASE)
    place.run("promote", one)
    text = (shop / "CLAUDE.md").read_text()
    with monkeypatch.context() as patch:
        patch.setattr(files, "write", lambda *_: os._exit(9))
        child = os.fork()
        if not child:
            place.run("promote", two)  # the process ends between ledger and file
        assert os.waitpid(child, 0)[1] >> 8 == 9
    assert [found.ids for found in known(place).values()] == [(one, two)]
    assert (shop / "CLAUDE.md").read_text() == text
    assert place.json("promote")["changed"] is True
    assert REBASE in (shop / "CLAUDE.md").read_text()


def test_two_at_once_both_land(place, shop, tmp_path):
    ids = [approved(place, f"Rule number {n} of the house.") for n in range(4)]
    code = (
        "import sys; from memoria.cli.main import main\n"
        "from memoria.terminal_driver import Driver\n"
        "sys.exit(main(['promote', '--vault', sys.argv[1], sys.argv[2]], driver=Driver()))"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(place.vault), number],
            env=env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for number in ids
    ]
    assert [one.wait() for one in running] == [0] * 4, [one.stderr.read() for one in running]
    for one in running:
        one.stderr.close()
    assert find((shop / "CLAUDE.md").read_text()).body.count("Rule number") == 4
    assert {number for found in known(place).values() for number in found.ids} == set(ids)


def test_a_rule_that_another_closed(place, shop):
    old, new = approved(place, TESTS), approved(place, REBASE)
    place.run("promote", old)
    decide(place.work, [Ruling(old, "retired", "supersede", superseded_by=new)])
    assert renew_files(place.work, [old]) == []
    assert not (shop / "CLAUDE.md").exists()
    _, _, err = place.run("promote", old)
    assert f"overruled by {new}" in err
