"""Rules in other tools' files: what is written, what stays, and what is taken out again."""

import os
import subprocess
import sys

import pytest
from cases import cased
from place import state_of
from ruled import keep, made
from transcript_lines import say, user

from memoria.errors import UsageError
from memoria.rules.promotion import file_store as files, placement
from memoria.rules.promotion.placement import renew_files
from memoria.rules.promotion.targets import TARGETS, file_path as named, format_section_for, rewrite
from memoria.rules.rulebook import Ruling, decide
from memoria.vault.regions import find_region
from memoria.vault.storage import foreign_file

TESTS = "Always run the tests before a commit."
REBASE = "Rebase, never merge, feature branches."


def note(place, text, *, approve=False, **more):
    """Write the note of a rule that waits, or is approved here; give its id."""
    known = {"frequency": 4, "confidence": "high", "scope": (), "updated": "2999-03-02"}
    known |= {"status": "active" if approve else "waiting"} | more
    (identity,) = keep(place, made(text, **known), approve=approve)
    return identity


def approved(place, text, **more):
    return note(place, text, approve=True, **more)


def over(place, number, status="rejected", **more):
    """Take a rule out of force, and out of every file; give what could not be done."""
    decide(place.work, [Ruling(number, status, "review", **more)])
    return renew_files(place.work, [number])


@pytest.mark.parametrize("is_edited", [False, True])
def test_a_rule_that_a_session_overruled_leaves_its_files(place, shop, is_edited):
    place.run("init")
    place.do("remember", "Always run the linter before you commit")
    place.do("promote", place.json("rules")["rules"][0]["id"])
    path = shop / "CLAUDE.md"
    assert "linter" in path.read_text()
    if is_edited:
        path.write_text(path.read_text().replace("Always run", "Do always run"))
    said = user("From now on never run the linter before you commit.")
    lines = [row | {"cwd": str(shop)} for row in (said, user("Fix the parser.", 2), say("Ok.", 3))]
    place.transcript("s-1", *(row | {"timestamp": "2999-01-01T00:00:00Z"} for row in lines))
    *_, told = place.run("import", "--from", str(place.projects))
    assert (path.exists(), "edited by hand" in told) == (is_edited, is_edited)
    assert "edited by hand" not in str(place.run("remember", "Use pnpm for packages"))


@pytest.fixture
def shop(place, tmp_path, monkeypatch):
    """A repository, and this test's current folder in it."""
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    config = '[remote "origin"]\n\turl = git@github.com:ana/shop.git\n'
    (root / ".git" / "config").write_text(config)
    (root / "src").mkdir()
    monkeypatch.chdir(root / "src")
    return root


def tree(root):
    files = (path for path in sorted(root.rglob("*")) if path.is_file() and not path.is_symlink())
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


def state(place, root):
    """Give what must not change: the project, the vault's notes, the ledger and the approvals."""
    held = tree(state_of(place.vault))
    kept = {name: data for name, data in held.items() if name.endswith((".json", ".jsonl"))}
    return tree(root), place.files(), kept


def known(place):
    return [promotion.ids for promotion in placement.read_promotions(place.work).values()]


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
        "sha": find_region(text).sha,
    }
    before = state(place, shop)
    code, out, err = place.run("promote", number)
    assert (code, out) == (0, "")
    assert "holds these rules already" in err
    assert state(place, shop) == before


def test_without_ids_what_is_in_force_here_and_was_seen_more_than_once(place, shop):
    ids = {
        name: approved(place, f"Rule {name}.", **more)
        for name, more in {
            "high": {},
            "medium": {"confidence": "medium", "frequency": 2},
            "low": {"confidence": "low", "frequency": 1},
            "here": {"scope": ("github.com/ana/shop",)},
            "elsewhere": {"scope": ("github.com/ana/blog",)},
            "pinned": {"pinned": True, "confidence": "low", "frequency": 1},
            "old": {"updated": "2025-01-01"},  # high, and as `status` has it medium by now
        }.items()
    }
    note(place, "Rule waiting.")
    done = place.json("promote", "--confidence", "high")
    assert {rule["id"] for rule in done["rules"]} == {ids[at] for at in ("high", "here", "pinned")}
    done = place.json("promote")
    assert set(done["added"]) == {ids["medium"], ids["old"]}
    assert done["project"] == "github.com/ana/shop"
    assert done["approved"] == []
    # a named one joins those that are there, and stays when the rest is written anew
    done = place.json("promote", ids["low"])
    assert done["added"] == [ids["low"]]
    assert len(place.json("promote")["rules"]) == 6


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
    assert over(place, number) == []
    assert tree(shop) == before
    assert not (shop / ".claude").exists()
    assert known(place) == []


OWN = {
    "claude-md": ".claude/CLAUDE.md",
    "agents-md": ".codex/AGENTS.md",
    "settings": ".claude/settings.json",
    "skill": ".claude/skills/memoria-rules/SKILL.md",
    "rules": ".claude/rules/memoria.md",
    "agents-skill": ".agents/skills/memoria-rules/SKILL.md",
}


@pytest.mark.parametrize("kind", TARGETS)
def test_for_all_projects(place, shop, kind):
    number = approved(place, TESTS, scope=("github.com/ana/blog",))
    approved(place, REBASE)
    done = place.json("promote", "--target", kind, "--global")
    assert done["path"] == str(place.home / OWN[kind])
    assert done["project"] is None
    assert [rule["rule"] for rule in done["rules"]] == [REBASE]
    # named, a rule of one project goes as well
    assert place.json("promote", number, "--target", kind, "--global")["added"] == [number]


def test_rules_that_are_taken_back_leave_every_file(place, shop):
    first, second = approved(place, TESTS), approved(place, REBASE)
    for kind in ("claude-md", "rules"):
        place.run("promote", "--target", kind)
    (shop / "CLAUDE.md").write_text("# Mine\n\n" + (shop / "CLAUDE.md").read_text() + "\nMore.\n")
    assert over(place, first, "retired", superseded_by=second) == []
    for path in (shop / "CLAUDE.md", shop / ".claude/rules/memoria.md"):
        assert TESTS not in path.read_text()
        assert REBASE in path.read_text()
    assert known(place) == [(second,)] * 2
    assert f"overruled by {second}" in place.run("promote", first)[2]
    assert over(place, second) == []
    assert (shop / "CLAUDE.md").read_text() == "# Mine\n\n\nMore.\n"
    assert not (shop / ".claude").exists()
    assert f"{second} is rejected" in place.run("promote", second)[2]


def test_words_and_a_status_that_change_follow(place, shop):
    number = approved(place, TESTS)
    place.run("promote")
    decide(place.work, [Ruling(number, "active", "review", text="Run the whole suite first.")])
    assert renew_files(place.work, [number]) == []
    text = (shop / "CLAUDE.md").read_text()
    assert "**Run the whole suite first.**" in text
    assert TESTS not in text
    path = next((place.vault / "knowledge" / "rules").glob("*.md"))
    path.write_text(path.read_text().replace("status: active", "status: rejected"))
    done = place.json("promote")
    assert (done["removed"], done["rules"]) == ([number], [])
    assert not (shop / "CLAUDE.md").exists()


def test_dry_run_shows_the_change_and_writes_nothing(place, shop):
    number = note(place, TESTS)
    assert renew_files(place.work, [number]) == []
    assert "Nothing to promote" in place.run("promote")[2]
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
    first, second = approved(place, TESTS), approved(place, REBASE)
    place.run("promote")
    path = shop / "CLAUDE.md"
    mine = path.read_text().replace(TESTS, f"{TESTS} I mean it.") + "\nBelow.\n"
    path.write_text(mine)
    code, _, err = place.run("promote")
    assert code == 2
    assert "lines 1 to " in err
    assert path.read_text() == mine
    # a rule that goes takes its own line along, and no other
    assert over(place, second) == []
    rows = mine.splitlines(keepends=True)
    assert path.read_text() == "".join(row for row in rows if REBASE not in row)
    # the line of this one is no longer as it was written
    (problem,) = over(place, first)
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
    kind, old = TARGETS["claude-md"], path.read_text() if path.exists() else None
    rules = [made(text, status="active", frequency=2) for text in texts]
    path.write_text(rewrite(kind, old, format_section_for(kind, rules), str(path)))


def test_rules_of_a_teammates_machine_are_not_written_over_unasked(place, shop):
    number, path = note(place, TESTS), shop / "CLAUDE.md"
    path.write_text("# Mine\n")
    elsewhere(path, "Deploy on Tuesdays.", "Never on Fridays.")
    before = state(place, shop)
    code, _, err = place.run("promote", number)
    assert code == 2
    assert "2 rules that were promoted from another machine" in err
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
    over(place, note(place, "Never again."))
    tests = note(place, TESTS)
    done = place.json("promote", tests)
    assert {rule["id"] for rule in done["rules"]} == {low, rebase, tests}
    assert "Never again" not in path.read_text()


def test_a_rule_leaves_a_part_that_a_teammate_has_added_to(place, shop):
    number, path = approved(place, TESTS), shop / "CLAUDE.md"
    place.run("promote")
    path.unlink()
    elsewhere(path, TESTS, "Deploy on Tuesdays.")
    assert over(place, number) == []
    text = path.read_text()
    assert TESTS not in text
    assert "Deploy on Tuesdays." in text
    assert not find_region(text).edited


CLAUDE, SETTINGS = "CLAUDE.md", ".claude/settings.json"
BAD = [
    (CLAUDE, lambda path: path.write_text("# Mine\n") and path.chmod(0o444), "read-only"),
    (CLAUDE, lambda path: path.mkdir(), "is a folder"),
    (CLAUDE, lambda path: path.symlink_to("../../outside.md"), "leads out of"),
    (CLAUDE, lambda path: path.symlink_to("deploy.sh"), "another kind of file"),
    (CLAUDE, b"caf\xe9\n", "not UTF-8"),
    (CLAUDE, b" " * (foreign_file.MAX_BYTES + 1), "over 4 MB"),
    (CLAUDE, b"<!-- memoria:begin -->\n", "line 1"),
    (CLAUDE, os.mkfifo, "no regular file"),  # opening it would wait for ever
    (SETTINGS, b"{,}", "line 1, column 2"),
    (SETTINGS, b"[]", "not an object"),
    (SETTINGS, b'{"hooks": []}', '"hooks" is not an object'),
    (SETTINGS, b'{\n  // mine\n  "a": 1}', "comments"),
    (SETTINGS, b"\xff", "not UTF-8"),
]


@pytest.mark.parametrize(("name", "bad", "reason"), BAD)
def test_a_file_that_cannot_be_written_leaves_everything_as_it_was(place, shop, name, bad, reason):
    number, path = note(place, TESTS), shop / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(bad) if isinstance(bad, bytes) else bad(path)
    before = state(place, shop)
    target = "claude-md" if name == CLAUDE else "settings"
    code, out, err = place.run("promote", number, "--target", target)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert reason in err
    assert state(place, shop) == before
    assert not (place.root / "outside.md").exists()


@cased()
def test_wrong_use_is_one_line_that_says_what_to_do(place, shop, arguments, reason):
    note(place, TESTS)
    before = place.files(), tree(shop)
    code, out, err = place.run("promote", *(word.format(vault=place.vault) for word in arguments))
    assert (code, out) == (2, "")
    assert reason in err
    assert (place.files(), tree(shop)) == before


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
    problems = over(place, number)
    places = [problem.split("/CLAUDE.md")[0].rsplit("/", 1)[1] for problem in problems]
    assert places == ["gone", "locked", "link"]
    assert not (folders["last"] / "CLAUDE.md").exists()
    assert TESTS in (tmp_path / "other.md").read_text()
    # what could not be reached is still known, and goes when it can
    assert len(known(place)) == 3
    (folders["locked"] / "CLAUDE.md").chmod(0o644)
    assert len(renew_files(place.work, [number])) == 2
    assert not (folders["locked"] / "CLAUDE.md").exists()


def test_secrets_stay_in_the_vault(place, shop):
    secret = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    approved(place, f"Never print {secret} again.")
    place.run("promote")
    text = (shop / "CLAUDE.md").read_text()
    assert "Never print [REDACTED:" in text
    assert secret not in text


def test_a_write_that_fails_gives_the_ledger_its_old_record_back(place, shop, monkeypatch):
    first, second = approved(place, TESTS), note(place, REBASE)
    place.run("promote", first)
    before = (shop / "CLAUDE.md").read_bytes()

    def full(*_):
        raise UsageError("no space left; nothing was changed")

    monkeypatch.setattr(files, "write", full)
    code, _, err = place.run("promote", second)
    assert (code, "no space left" in err) == (2, True)
    assert (shop / "CLAUDE.md").read_bytes() == before
    assert known(place) == [(first,)]
    assert place.json("status")["counts"]["active"] == 1


def test_what_a_crash_leaves_is_mended_by_the_next_one(place, shop, monkeypatch):
    first, second = approved(place, TESTS), approved(place, REBASE)
    place.run("promote", first)
    text = (shop / "CLAUDE.md").read_text()
    with monkeypatch.context() as patch:
        patch.setattr(files, "write", lambda *_: os._exit(9))
        child = os.fork()
        if not child:
            place.run("promote", second)  # the process ends between ledger and file
        assert os.waitpid(child, 0)[1] >> 8 == 9
    assert known(place) == [(first, second)]
    assert (shop / "CLAUDE.md").read_text() == text
    assert place.json("promote")["changed"] is True
    assert REBASE in (shop / "CLAUDE.md").read_text()


def test_two_at_once_both_land(place, shop):
    ids = [approved(place, f"Rule number {n} of the house.") for n in range(4)]
    code = (
        "import sys; from memoria.cli.main import main\n"
        "from memoria.terminal_driver import Driver\n"
        "sys.exit(main(['promote', '--vault', sys.argv[1], sys.argv[2]], driver=Driver()))"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code, str(place.vault)]
    quiet = {"env": env, "stdout": subprocess.DEVNULL}
    running = [subprocess.Popen([*command, number], **quiet) for number in ids]
    assert [process.wait() for process in running] == [0] * 4
    assert find_region((shop / "CLAUDE.md").read_text()).body.count("Rule number") == 4
    assert set(known(place)[0]) == set(ids)
