"""Forgetting: no byte of it is left under the vault and the state, and what others said stays."""

import json
import os
import shutil
import signal
import sys

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from notes import concept
from place import debugging, state_of
from ruled import approvals
from scripted import ScriptedModel
from transcript_lines import call, say, user

from memoria.capture.service import CaptureService
from memoria.cli.forgetting import service as forgetting
from memoria.compile.service import Compiler
from memoria.llm.port import OfflineModel
from memoria.search.ask import Asker
from memoria.search.service import refresh_index
from memoria.vault.storage.journal import Conflict

CANARY = "quetzalnacht"
SECRET = "33333333-aaaa-4bbb-8ccc-dddddddddddd"
OTHER = "44444444-eeee-4fff-8aaa-bbbbbbbbbbbb"
RULE = f"Never deploy {CANARY} by hand."
KEPT = "Always run the tests before you commit, because CI is slow."
LINE = "The fix compares both in UTC."


def leaking(at=0, canary=CANARY):
    """Lines of a session whose canary stands wherever a session can have one."""
    rule, failure = RULE.replace(CANARY, canary), f"Exit code 1\nE   KeyError: '{canary}_region'"
    edit = {"file_path": f"/home/ana/shop/{canary}.py", "old_string": "region = None"}
    edit["new_string"] = f"region = '{canary}_region'"
    return (
        user(f"Why does {canary} fail at midnight? {rule}", at),
        *call(f"c1-{at}", at + 1, failure, error=True, command=f"pytest tests/test_{canary}.py"),
        *call(f"c2-{at}", at + 3, "The file was updated.", "Edit", **edit),
        *call(f"c3-{at}", at + 5, "3 passed", command=f"pytest tests/test_{canary}.py"),
        say(f"The root cause: {canary} read its region before it was set. It waits now.", at + 7),
    )


def captured(place, at=60):
    """Capture two sessions of one day; the first one is to be forgotten."""
    place.transcript(SECRET, *leaking(at))
    place.transcript(OTHER, *debugging(rule=KEPT, at=0))
    assert place.json("import")["entries"] == 2
    blocks = [one for day in place.work.vault.logs() for one in place.work.vault.log(day).blocks]
    found = {one.entry.session: one.entry.id for one in blocks}
    return found[SECRET], found[OTHER]


def fill(place):
    """Make the vault that `filled` gives, by a model that repeats all it saw, in titles, too."""
    theirs, other = captured(place)
    patch = {
        "articles": [
            concept(
                f"{CANARY}-region",
                (f"{CANARY} has one.", theirs),
                title=f"The {CANARY} region",
                aliases=[f"The {CANARY} region"],
                lead="It is.",
            ),
            concept(
                f"{CANARY}-and-expiry",
                (LINE, other),
                (f"It waits for {CANARY}.", theirs),
                title=f"{CANARY} and expiry",
                aliases=[f"{CANARY} and expiry"],
                lead=f"The {CANARY} waits. Expiry is compared in UTC.",
            ),
            concept("expiry", (LINE, other), aliases=["Expiry"], lead="Expiry is compared in UTC."),
        ],
        "rules": [
            {"category": "workflow", "text": text, "quote": text, "entry": entry}
            for text, entry in ((RULE, theirs), (KEPT, other))
        ],
    }
    Compiler(place.work, ScriptedModel([patch, patch])).compile()


def holding(place, *needles):
    """Name the files that hold one of the texts, in any case."""
    found = []
    for path in (*place.vault.rglob("*"), *state_of(place.vault).rglob("*")):
        if path.is_file():
            data = path.read_bytes().lower() + path.name.lower().encode()
            found += [path for one in needles if one.lower().encode() in data]
    return found


@pytest.fixture
def shop(tmp_path, monkeypatch):
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    monkeypatch.chdir(root)
    return root


def test_no_byte_of_a_session_is_left_and_what_another_said_stays(filled, shop):
    place = filled
    rules = {one["rule"]: one["id"] for one in place.json("status")["rules"]}
    assert RULE.rstrip(".") in {text.rstrip(".") for text in rules}
    place.run("promote", next(name for text, name in rules.items() if CANARY in text))
    assert CANARY in (shop / "CLAUDE.md").read_text()
    place.run("query", f"What is {CANARY}?", "--file-back")
    place.run("lint", "--structural-only")
    place.run("undo")
    refresh_index(place.work)
    assert len(holding(place, CANARY)) > 10
    err = place.err("forget", SECRET, "--yes")
    assert not holding(place, CANARY, SECRET)
    assert not (shop / "CLAUDE.md").exists()
    notes = {name: data.decode() for name, data in place.files().items()}
    assert sum(LINE in text for text in notes.values()) >= 2
    assert "root cause" in place.log()
    assert list(approvals(place)) == [rules[next(text for text in rules if CANARY not in text)]]
    assert f"{SECRET}.jsonl" in err
    for path in place.files():
        assert CANARY not in path
    assert place.run("lint", "--structural-only")[0] == 0


def test_what_was_forgotten_is_not_captured_again(place):
    lines = leaking(60)
    place.transcript(SECRET, *lines)
    assert place.json("import")["entries"] == 1
    place.run("forget", SECRET[:8], "--yes")
    assert place.json("import")["entries"] == 0
    # resumed, and forked under another id
    place.transcript(SECRET, *lines, user(f"And {CANARY} again?", 90), say("Yes.", 91))
    place.transcript("fork-1", *lines)
    place.run("import")
    assert place.run("flush", "--sweep")[0] == 0
    assert not holding(place, CANARY, SECRET)


def test_no_byte_is_left_in_what_guards_keep(filled):
    place = filled
    rules = {one["rule"]: one["id"] for one in place.json("status")["rules"]}
    theirs, other = (
        next(name for text, name in rules.items() if (CANARY in text) == mine)
        for mine in (True, False)
    )
    at = "2026-03-02T10:00:00+00:00"
    said = {"context": f"with {CANARY}", "outcome": "fine", "project": "/home/ana/shop"}
    with place.work.vault.open_transaction() as change:
        for one in (
            {"kind": "proposal", "id": theirs, "verb": "promote", "hash": "1"},
            {"kind": "opinion", "id": theirs, "reward": 1} | said,
            {"kind": "opinion", "id": other, "reward": 1} | said,
            {"kind": "reward", "id": other, "reward": 1} | said,
            {"kind": "guard", "id": theirs, "session": OTHER, "about": CANARY},
            {"kind": "adherence", "session": SECRET, "rules": {other: {"kept": 1}}},
            {"kind": "session", "session": SECRET, "context": {"task": CANARY}},
            {"kind": "hand", "action": "mistake", "session": "mine", "description": CANARY},
        ):
            change.record({"at": at} | one)
    state = state_of(place.vault)
    on = {name: {"mode": "bump", "hash": name, "at": at} for name in (theirs, other)}
    for name, text in {
        "guards.json": json.dumps(on),
        "guards.compiled.json": json.dumps({"rules": [RULE]}),
        f"seen/{SECRET}.guards": f"seen\t{other}\t{CANARY}.py\n",
        f"seen/{OTHER}.guards": f"fired\t{other}\n",
        f"given/{SECRET}.json": "{}",
        "logs/flush.log": CANARY,
    }.items():
        path = state / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    place.run("lint", "--structural-only")
    place.run("report")
    assert place.run("forget", SECRET, "--yes")[0] == 0
    assert not holding(place, CANARY, SECRET, theirs)
    assert list(json.loads((state / "guards.json").read_bytes())) == [other]
    assert (state / f"seen/{OTHER}.guards").exists()
    assert {one["reward"] for one in place.ledger("opinion") if "id" in one} == {1}
    assert CANARY not in (place.vault / "HOME.md").read_text()
    assert place.run("doctor", "--audit")[0] == 0


def test_other_files_of_the_vault_that_have_words_of_it_are_named(place):
    """What `skills -o` and the like have written, or a person, is theirs to delete."""
    captured(place)
    named = [".obsidian/workspace.json", "HOME.md", "plan.txt", "reports/sk.yaml"]
    for name in (*named, "reports/other.yaml"):
        path = place.vault / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"rules: {CANARY if 'other' not in name else 'keep the ledger'}\n")
    (place.vault / "picture.png").write_bytes(b"\x89PNG\0\xff")
    (place.vault / "link.md").symlink_to(place.vault / "reports/sk.yaml")
    code, out, err = place.run("forget", SECRET, "--yes", "--json")
    left = sorted(name.removeprefix(f"{place.vault}/") for name in json.loads(out)["left"])
    assert (code, left) == (1, named)
    assert "HOME.md still holds it" in err


@pytest.mark.parametrize("words", [(SECRET,), (SECRET[:6],), ("--match", f"{CANARY} Fail")])
def test_a_waiting_session_goes_with_its_link(place, words):
    place.run("init")
    path = place.transcript(SECRET, *leaking())
    place.work.spool.add(path, SECRET, "SessionEnd")
    assert holding(place, CANARY)
    assert place.run("forget", *words, "--yes")[0] == 0
    assert not holding(place, CANARY, SECRET)
    assert path.exists()
    assert place.json("import")["entries"] == 0


@pytest.mark.parametrize("words", [("nacht",), (SECRET,)])
def test_a_project_goes_with_all_its_sessions(place, words):
    (place.vault / ".git").mkdir()
    for session, folder, lines in (
        (SECRET, "/home/ana/nacht", leaking(3 * 24 * 60)),
        (OTHER, "/home/ana/shop", debugging(rule=KEPT)),
    ):
        place.transcript(session, *(one | {"cwd": folder} for one in lines))
    assert place.json("import")["entries"] == 2
    place.run("compile")
    before = len(place.ledger())
    result = place.json("forget", *words, "--yes")
    assert result["done"]
    assert (result["sessions"], result["left"]) == ([SECRET], [])
    assert not holding(place, CANARY, SECRET, "/home/ana/nacht")
    assert holding(place, OTHER)
    # no step before can be taken back
    assert place.json("undo", "--list") == []
    # the ledger keeps tombstones without content
    stones = [one for one in place.ledger() if one.get("tombstone")]
    assert {tuple(one) for one in stones} == {("kind", "at", "tombstone")}
    assert {"session", "mistake"} <= {one["kind"] for one in stones}
    assert len(place.ledger()) >= before
    assert place.work.vault.history().damaged == 0
    assert "git history" in place.run("forget", OTHER, "--yes")[2]


def test_a_text_goes_with_the_sessions_that_hold_it(place):
    place.transcript(SECRET, *leaking(3 * 24 * 60))
    place.transcript(OTHER, *debugging(at=4 * 24 * 60))
    place.run("import")
    place.run("compile")
    assert place.run("forget", "--match", CANARY.upper(), "--yes")[0] == 0
    assert not holding(place, CANARY, SECRET)
    assert "root cause" in place.log("2026-03-06")
    assert place.json("import")["entries"] == 0


def test_a_persons_own_words_are_left_and_named(place):
    captured(place)
    (place.vault / "daily/2026-03-02-mine.md").write_text(f"# Mine\n\n{CANARY} is my cat.\n")
    block = f"### Session (09:05) - Rows\n\n- The {CANARY}\n  rows are mine.\n- Others are not.\n"
    (place.vault / "daily/2026-03-05.md").write_text(f"# Daily Log: 2026-03-05\n\n{block}")
    home = place.vault / "HOME.md"
    home.write_text(f"{home.read_text()}\nRead of {CANARY} first.\n")
    assert place.json("forget", "--match", CANARY, "--dry-run")["yours"] == [
        {"path": "HOME.md", "line": f"Read of {CANARY} first."},
        {"path": "daily/2026-03-02-mine.md", "line": f"{CANARY} is my cat."},
        {"path": "daily/2026-03-05.md", "line": f"- The {CANARY} rows are mine."},
    ]
    assert "2026-03-02-mine.md still holds it" in place.err(
        "forget", "--match", CANARY, "--yes", code=1
    )
    assert "daily/2026-03-05.md: - The" in place.err("forget", "--match", CANARY, "--dry-run")
    found = {path.name for path in holding(place, CANARY)}
    assert found == {"2026-03-02-mine.md", "2026-03-05.md", "HOME.md", "search.sqlite"}


def test_it_says_first_what_goes_and_a_persons_lines_stay_or_are_put_aside(filled):
    place = filled
    before = place.files()
    err = place.err("forget", SECRET, code=2)
    assert "say --yes" in err
    assert f"remove knowledge/concepts/{CANARY}-region.md" in err
    assert place.run("forget", SECRET, "--dry-run")[0] == 0
    assert place.json("forget", SECRET, "--dry-run")["entries"] == 1
    assert place.files() == before
    (path,) = (place.vault / "knowledge/rules").glob(f"*{CANARY}*.md")
    path.write_text(path.read_text().rstrip("\n") + "\n- My own line.\n")
    assert place.run("forget", SECRET, "--yes")[0] == 0
    assert not holding(place, CANARY, SECRET)
    # it is no sighting, so it does not become the rule's words
    assert not any("my-own" in name for name in place.files())
    (aside,) = place.work.vault.journal.conflicts()
    assert aside.read_text() == "- My own line.\n"
    # and a line in an article stays there
    path = place.vault / "knowledge/concepts/expiry.md"
    path.write_text(path.read_text().replace("## Key Points\n", "## Key Points\n\n- Another one."))
    assert place.run("forget", OTHER, "--yes")[0] == 0
    notes = [one.read_text() for one in (place.vault / "knowledge/concepts").glob("*.md")]
    (text,) = (one for one in notes if "- Another one." in one)
    assert "UTC" not in text


def test_wrong_use(place):
    captured(place)
    before = place.files()
    for words in ((), ("no-such-thing",), ("--match", "x"), (SECRET, "--match", CANARY)):
        assert place.err("forget", *words, "--yes", code=2).count("\n") == 1, words
        assert place.files() == before, words


@settings(
    max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    days=st.lists(st.integers(0, 2), min_size=2, max_size=5),
    chosen=st.integers(0, 4),
    branches=st.lists(st.booleans(), min_size=5, max_size=5),
)
def test_whatever_the_history_the_chosen_session_goes_and_the_lines_of_others_stay(
    place, days, chosen, branches
):
    shutil.rmtree(place.vault, ignore_errors=True)
    shutil.rmtree(state_of(place.vault), ignore_errors=True)
    shutil.rmtree(place.projects, ignore_errors=True)
    place.run("init")
    names = ["quetzal", "axolotl", "pangolin", "capybara", "narwhal"][: len(days)]
    for number, (name, day) in enumerate(zip(names, days, strict=True)):
        branch = "ana/regions" if branches[number] else f"ana/{name}"
        lines = leaking(day * 24 * 60 + number * 10, f"{name}nacht")
        place.transcript(name, *(one | {"gitBranch": branch} for one in lines))
    place.run("import")
    place.run("compile")
    gone = names[chosen % len(names)]
    others = {line for line in said(place) if f"{gone}nacht" not in line and "nacht" in line}
    assert place.run("forget", gone, "--yes")[0] == 0
    assert not holding(place, f"{gone}nacht")
    assert others <= said(place)
    assert place.json("import")["entries"] == 0


def said(place):
    """Give the lines of logs, articles and rules that say something; not what is derived."""
    notes = [
        data.decode()
        for name, data in place.files().items()
        if "/index" not in name and "/projects/" not in name
    ]
    lines = {line for text in notes for line in text.splitlines()}
    return {line for line in lines if line.startswith("- ") and not line.startswith("- [[")}


@pytest.mark.skipif(sys.platform == "win32", reason="forks")
@pytest.mark.parametrize("step", ["renew_files", "erase_notes", "clean_state", "rebuild_derived"])
def test_killed_at_a_step_it_finishes_when_it_is_run_again(filled, step, monkeypatch):
    place = filled
    pid = os.fork()
    if pid == 0:
        try:
            owner = forgetting
            real = getattr(owner, step)

            def killed(*arguments, **names):
                real(*arguments, **names)
                os.kill(os.getpid(), signal.SIGKILL)

            monkeypatch.setattr(owner, step, killed)
            place.run("forget", SECRET, "--yes")
        finally:  # whatever goes wrong: a second pytest must not go on from here
            os._exit(1)
    _, status = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(status)
    assert "interrupted is finished first" in place.err("forget", "--yes")
    assert not holding(place, CANARY, SECRET)
    assert "root cause" in place.log()
    assert place.json("import")["entries"] == 0


class Meanwhile(ScriptedModel):
    """A model that takes so long that a person forgets the session while it answers."""

    def __init__(self, place, answers):
        super().__init__(answers)
        self._place = place

    def ask(self, request):
        if self._place:
            self._place.err("forget", SECRET, "--yes")
            self._place = None
        return super().ask(request)


def test_what_a_model_answers_from_something_forgotten_is_not_filed(place):
    captured(place)
    place.run("compile")
    answer = f"It reads {CANARY} too early ([[daily/2026-03-02]])."
    reply = {"known": True, "answer": answer, "citations": [], "follow_ups": []}
    asker = Asker(place.work, Meanwhile(place, [reply, reply]))
    found = asker.ask(f"Why does {CANARY} fail at midnight?")
    with pytest.raises(Conflict, match="forgotten in the meantime; try again"):
        asker.keep(found, file_back=True)
    assert not any(CANARY.encode() in data for data in place.files().values())


def test_an_entry_that_was_on_its_way_does_not_arrive(place):
    captured(place)
    place.transcript(SECRET, *leaking(60), user(f"And {CANARY} again? Look.", 90), say("Yes.", 91))
    work = place.work
    capture = CaptureService(work.vault, work.settings, OfflineModel(), work.spool)
    file = next(place.projects.rglob(f"{SECRET}.jsonl"))
    deliveries = [capture.entry(part) for part in capture.parts(file)]
    assert deliveries
    assert place.run("forget", SECRET, "--yes")[0] == 0
    assert capture.deliver(deliveries) == ()
    assert not any(CANARY.encode() in data for data in place.files().values())
