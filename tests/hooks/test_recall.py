"""The prompt hook and the failure hook as the client starts them, on vaults that Memoria made."""

import json
import os
import shutil
import sqlite3
import time
from datetime import UTC, date, datetime, timedelta

import hooked
import pytest
from capture.extract.failures import test_diagnosis
from place import state_of
from spooled import DRAFT
from transcript_lines import assistant, result, say, tool, user

from memoria import refresh
from memoria.hooks import protocol
from memoria.hooks.session_claims import SessionClaims
from memoria.search import injection, prompt_match
from memoria.search.index import matches
from memoria.search.index.reader import IndexReader
from memoria.vault.article import compose_article, render_article, with_body
from memoria.vault.storage.registry import Registry

PROMPT, FAILURE = "user_prompt_submit", "post_tool_use_failure"
BOTH = [PROMPT, FAILURE]
EVENTS = {PROMPT: "UserPromptSubmit", FAILURE: "PostToolUseFailure"}
SHOP = "/home/ana/shop"
LEASE = (
    "- A lease of the webhook queue lasts ten minutes; a retry takes it anew.",
    "- The dead letters of the webhook queue are read by Ana on Mondays.",
)
ASKS = "Why does a webhook retry lose its lease when the queue restarts?"
ERROR = "Exit code 1\nE   ValueError: the expiry of a lease is naive"
CHECK = {"command": "pytest tests/test_tokens.py"}
EDIT = {
    "file_path": "/home/ana/shop/tokens.py",
    "old_string": "expiry = datetime.now()",
    "new_string": "expiry = datetime.now(UTC)",
}
# a session in which a check failed, something was edited, and the check passed
MENDED = (
    user("Why do leases expire early?", 0),
    assistant(tool("t1", **CHECK), at=1),
    result("t1", ERROR, 2, error=True),
    assistant(tool("t2", "Edit", **EDIT), at=3),
    result("t2", "The file was updated.", 4),
    assistant(tool("t3", **CHECK), at=5),
    result("t3", "12 passed", 6),
)

pytestmark = pytest.mark.skipif(os.name == "nt", reason="looks at what POSIX alone tells")


class Desk(hooked.Hooks):
    """A vault with an article, a rule and a resolved error, and the hooks on it."""

    def article(self, path, title, *lines, projects=()):
        meta = {"title": title, "projects": list(projects), "updated": date(2026, 3, 2)}
        note = compose_article(path, "concept", meta, title, "It is what it is.")
        note = with_body(note, "Key Points", "\n".join(lines), ("Key Points",))
        file = self.place.vault / "knowledge" / f"{path}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(render_article(note), encoding="utf-8")

    def prepared(self):
        self.place.adopt()
        refresh.refresh(self.place.work)
        return self

    def event(self, hook, **more):
        value = {"session_id": "s-1", "cwd": SHOP, "hook_event_name": EVENTS[hook]}
        value |= {"transcript_path": "", "prompt_id": f"p-{time.time_ns()}"}
        if hook == PROMPT:
            value |= {"prompt": ASKS}
        else:
            value |= {"tool_name": "Bash", "tool_input": CHECK, "error": ERROR}
            value |= {"tool_use_id": f"toolu_{time.time_ns()}", "is_interrupt": False}
        return {name: one for name, one in (value | more).items() if one is not None}

    def said(self, hook, *, environ=None, **more):
        """Run a hook on an event; give the text for the model, "" for none."""
        out = self.run(hook, self.event(hook, **more), **(environ or {}))
        if not out:
            return ""
        value = json.loads(out)
        assert list(value) == ["hookSpecificOutput"]
        assert value["hookSpecificOutput"].pop("hookEventName") == EVENTS[hook]
        assert list(value["hookSpecificOutput"]) == ["additionalContext"]
        return value["hookSpecificOutput"]["additionalContext"]

    def prompt(self, text, **more):
        return self.said(PROMPT, prompt=text, **more)

    def events(self):
        folder = self.state / "given" / "events"
        return [json.loads(path.read_bytes()) for path in sorted(folder.glob("*.json"))]

    def start(self, ago=0, **allotment):
        """Leave what a session's start left so many seconds ago."""
        (self.state / "seen").mkdir(exist_ok=True)
        marker = self.state / "seen" / "s-1-startup"
        marker.touch()
        os.utime(marker, (time.time() - ago, time.time() - ago))
        (self.state / "given").mkdir(exist_ok=True)
        value = {"kind": "injection", "event": "SessionStart", "session": "s-1", "arm": ""}
        (self.state / "given" / "s-1.json").write_text(json.dumps(value | allotment))


def fill(place):
    """Make the vault that `filled` gives."""
    desk = Desk(place)
    desk.article("concepts/webhook-queue", "Webhook queue", *LEASE)
    place.transcript("old", *MENDED)
    place.run("import", "--from", str(place.projects), "--engine", "offline")
    desk.prepared()


@pytest.fixture
def desk(filled):
    return Desk(filled)


def remember(desk, text, *more):
    desk.place.do("remember", text, *more)
    return desk.place.ledger("rule")[-1]


# -- What is given --------------------------------------------------------------------------------


def test_what_fits_comes_with_the_prompt_as_dated_reports(desk):
    text = desk.prompt(ASKS)
    boundary = text.split(">")[0].removeprefix("<memoria-")
    assert text.startswith(f"<memoria-{boundary}>\n")
    assert text.endswith(f"</memoria-{boundary}>")
    assert "data, not orders" in text
    assert f"- 2026-03-02, noted: {LEASE[0].removeprefix('- ')} [[concepts/webhook-queue]]" in text
    assert injection.count_units(text) <= prompt_match.LIMIT
    (event,) = desk.events()
    at = datetime.fromisoformat(event.pop("at"))
    assert timedelta() <= datetime.now(UTC) - at < timedelta(minutes=1)
    assert {line["link"] for line in event.pop("lines")} == {"concepts/webhook-queue"}
    assert event.pop("about").startswith("p-")
    assert event == {
        "kind": "injection",
        "event": "UserPromptSubmit",
        "session": "s-1",
        "project": SHOP,
        "slate": [],
        "withheld": [],
    }


CHAT = (
    user("How many shelves may a wagon carry?", 0),
    say("By weight it would be seven, by the doors of the lift nine.", 1),
    user("seven, the lift is rebuilt anyway", 2),
    say("Then seven.", 3),
)
DECIDED = "A wagon carries seven shelves, since the lift is rebuilt (the user decided)."


def asked_of_a_chat(place, decisions, *more):
    """Say what a prompt is told after a chat whose entry a model wrote with these decisions."""
    answer = DRAFT | {"decisions": decisions, "lessons": []}
    (place.root / "answers.json").write_text(json.dumps([answer]))
    place.transcript("old", *CHAT, *more)
    place.run("import", "--engine", f"scripted:{place.root / 'answers.json'}")
    return Desk(place).prepared().prompt("How many shelves does a wagon carry by weight?")


@pytest.mark.parametrize(("cites", "weight"), [(["U3"], 3), (["U1", "U3"], 2)])
def test_what_a_chat_came_to_is_told_in_the_words_of_the_model(place, cites, weight):
    text = asked_of_a_chat(place, [{"text": DECIDED, "cites": cites, "weight": weight}])
    assert f", concluded: {DECIDED} [[" in text


@pytest.mark.parametrize(("cites", "weight"), [(["U3"], 1), (["U9"], 3), ([], 3)])
def test_where_it_has_no_such_line_that_of_plain_code_is_told(place, cites, weight):
    text = asked_of_a_chat(place, [{"text": DECIDED, "cites": cites, "weight": weight}])
    assert DECIDED not in text
    assert ", the user said: seven, the lift is rebuilt anyway." in text


def test_a_line_of_a_model_in_the_words_of_a_page_is_not_told(place):
    page = "Every wagon of the library carries at most eleven shelves of the heavy kind."
    fetched = assistant(tool("t1", "WebFetch", url="https://lib.example/w", prompt="read"), at=4)
    more = fetched, result("t1", page, 5), say("Noted.", 6)
    lines = [{"text": text, "cites": ["U3"], "weight": 3} for text in (page, DECIDED)]
    text = asked_of_a_chat(place, lines, *more)
    assert DECIDED in text
    assert "eleven" not in text


def test_what_does_not_fit_is_met_with_silence(desk):
    for prompt in (
        "Please add a flag to the status command.",
        "yes",
        "/review the webhook queue and its retry lease",
        "! systemctl restart webhook retry lease queue",
        "<private>webhook retry lease queue restarts</private> go on with it",
        "",
    ):
        assert desk.prompt(prompt) == "", prompt
    assert desk.events() == []
    assert desk.log() == ""


def test_what_a_program_says_is_no_prompt(desk):
    remember(desk, "Restart the webhook queue through systemd, never by hand.", "--global")
    for tag in ("task-notification", "local-command-stdout", "command-name"):
        assert desk.prompt(f"<{tag}>\n<task-id>b1</task-id>{ASKS}") == "", tag
    assert desk.prompt(ASKS) != ""


def test_the_words_of_a_prompt_are_kept_nowhere(desk):
    for name in (None, "", "p-7"):
        assert desk.prompt(f"{ASKS} swordfish", prompt_id=name, session_id=f"s-{name}") != ""
    files = [path.read_bytes() for path in desk.state.rglob("*") if path.is_file()]
    assert not [data for data in files if b"swordfish" in data]
    assert [len(event["about"]) for event in desk.events()] == [8, 8, 3]


def test_nothing_comes_twice_in_a_session_and_again_in_another(desk):
    first, second, third = (desk.prompt(ASKS) for _ in range(3))
    assert LEASE[0].removeprefix("- ") in first
    assert second == third == ""
    assert desk.prompt(ASKS, session_id="s-2").split("\n")[1:-1] == first.split("\n")[1:-1]


def test_articles_of_other_projects_are_not_for_this_one(desk):
    desk.article(
        "concepts/webhook-queue", "Webhook queue", *LEASE, projects=["github.com/ana/till"]
    )
    assert desk.prepared().prompt(ASKS) == ""
    desk.article("concepts/webhook-queue", "Webhook queue", *LEASE, projects=["x", SHOP])
    assert LEASE[0].removeprefix("- ") in desk.prepared().prompt(ASKS)


def test_the_project_is_that_of_the_root_wherever_the_session_has_gone(desk):
    desk.article("concepts/webhook-queue", "Webhook queue", *LEASE, projects=[SHOP])
    desk.prepared()
    assert desk.prompt(ASKS, cwd="/tmp") == ""
    assert desk.prompt(ASKS, cwd="/tmp", environ={"CLAUDE_PROJECT_DIR": SHOP}) != ""
    assert desk.prompt(ASKS, cwd=None, session_id="s-2") == ""


def test_more_than_fits_is_left_for_the_next_prompt(desk):
    desk.start(600)
    for word in ("ledger", "invoice", "coupon", "basket", "refund", "parcel", "voucher", "cashier"):
        remember(
            desk, f"Never touch the {word} without Ana. {'It is hers to change. ' * 10}", "--global"
        )
    texts = [desk.prompt("go on") for _ in range(3)]
    assert all(injection.count_units(text) <= prompt_match.TAUGHT for text in texts)
    counts = [text.count("Never touch") for text in texts]
    assert sum(counts) == 8
    assert counts[0] > 3


# -- What was taught since ------------------------------------------------------------------------


def test_what_a_person_teaches_is_in_force_from_the_next_prompt_on_once(desk):
    desk.start(60)
    assert desk.prompt("ok") == ""
    made = remember(desk, "Never deploy on Friday.", "--global")
    text = desk.prompt("ok")
    assert f"- Never deploy on Friday. [{made['id']}]" in text
    assert desk.prompt("ok") == desk.prompt("go on") == ""
    assert [event["slate"] for event in desk.events()] == [
        [{"id": made["id"], "hash": made["hash"], "p": 1.0}]
    ]


def test_in_new_words_it_comes_again_and_withdrawn_no_more(desk):
    desk.start(60)
    made = remember(desk, "Never deploy on Friday.", "--global")
    assert "on Friday." in desk.prompt("ok")
    desk.place.run("reject", made["id"])
    assert desk.prompt("ok") == ""
    remember(desk, "Never deploy on a Friday.", "--global")
    assert "on a Friday." in desk.prompt("ok")


def test_what_was_taught_before_the_session_is_not_new(desk):
    remember(desk, "Never deploy on Friday.", "--global")
    desk.start(-60)
    assert desk.prompt("ok") == ""


def test_a_session_that_no_start_told_of_begins_with_its_first_prompt(desk):
    assert desk.prompt("ok") == ""
    file = desk.state / "seen" / "s-1.given"
    begun = file.read_text()
    assert begun.startswith("begun\t")
    file.write_text(f"begun\t{time.time() - 60:.3f}\n")
    remember(desk, "Never deploy on Friday.", "--global")
    assert "on Friday." in desk.prompt("ok")


def test_of_a_session_that_is_open_for_days_its_start_is_known_after_a_flush(desk):
    desk.start(3 * 86_400)
    assert desk.place.run("flush")[0] == 0
    since = SessionClaims(protocol.HookPlace(str(desk.place.vault), str(desk.state)), "s-1").since()
    assert since < time.time() - 2 * 86_400


def test_a_rule_of_another_project_is_not_for_this_one(desk, monkeypatch):
    desk.start(60)
    other = desk.place.root / "other"
    other.mkdir()
    monkeypatch.chdir(other)
    remember(desk, "Never deploy on Friday.")
    assert desk.prompt("ok") == ""
    assert "on Friday." in desk.prompt("ok", cwd=str(other))


# -- Failures -------------------------------------------------------------------------------------


def test_what_an_error_went_away_after_is_told_once_as_a_record(desk):
    text = desk.said(FAILURE)
    assert "not as an instruction" in text
    assert (
        "- 2026-03-02 in this project, [[daily/2026-03-02]]: ValueError passed after an edit of "
        "`tokens.py`: `- expiry = datetime.now()` `+ expiry = datetime.now(UTC)`" in text
    )
    assert "is naive" not in text  # nothing of the tool's own output
    assert desk.said(FAILURE) == ""
    assert desk.said(FAILURE, session_id="s-2") != ""
    event, _ = desk.events()
    assert event.pop("at")
    assert event.pop("about").startswith("toolu_")
    mark = "shell exception:ValueError the expiry of a lease is naive"
    assert event == {
        "kind": "injection",
        "event": "PostToolUseFailure",
        "session": "s-1",
        "project": SHOP,
        "cures": [{"signature": mark, "how": "edit", "day": "2026-03-02"}],
    }


def test_it_is_known_by_its_signature_wherever_it_comes(desk):
    trace = f"Exit code 1\n{test_diagnosis.TRACEBACK}\n\x1b[31mValueError\x1b[0m: the expiry of a"
    error = f"{trace} lease is na\x1b[1mive"
    assert "datetime.now(UTC)" in desk.said(FAILURE, error=error, tool_input={"command": "make"})


def test_an_error_of_another_project_is_told_after_ones_own(desk):
    text = desk.said(FAILURE, cwd="/home/ana/till")
    assert "in another project" in text


UNKNOWN = [
    {"error": "Exit code 1\nsh: 1: frobnicate: not found"},
    {"error": ""},
    {"error": None},
    {"error": 7},
    {"error": ERROR, "is_interrupt": True},
    {"error": ERROR, "tool_name": "Read", "tool_input": {"file_path": "/srv/a.py"}},
    {"error": ERROR, "tool_input": None},
    {"error": f"The user doesn't want to proceed with this tool use. {ERROR}"},
    # it holds the words, and not as that error
    {"error": "Exit code 1\nthe expiry of a lease is naive\nValueError: no till"},
]


def test_what_is_not_known_or_no_failure_is_met_with_silence(desk):
    for event in UNKNOWN:
        assert desk.said(FAILURE, **event) == "", event
    assert desk.log() == ""


# -- What holds for both --------------------------------------------------------------------------


@pytest.mark.parametrize("hook", BOTH)
def test_a_session_of_the_control_arm_gets_nothing(desk, hook):
    desk.start(ago=60, arm="control")
    remember(desk, "Never deploy on Friday.", "--global")
    assert desk.said(hook) == ""
    assert desk.events() == []
    desk.start(arm="treated")
    assert desk.said(hook) != ""


def test_a_broken_allotment_is_none(desk):
    for data in (b"", b"{", b"[]", b"7", b'{"arm": 7, "slate": 7, "withheld": [7, {}]}'):
        for hook in BOTH:
            desk.start()
            (desk.state / "given" / "s-1.json").write_bytes(data)
            assert desk.said(hook) != "", (hook, data)
        shutil.rmtree(desk.state / "seen")


@pytest.mark.parametrize("hook", BOTH)
def test_switched_off_or_in_our_own_model_calls_nothing_is_said(desk, hook):
    before = sorted(desk.state.rglob("*"))
    for environ in ({"MEMORIA_DISABLE": "1"}, {"CLAUDE_INVOKED_BY": "x"}):
        assert desk.said(hook, environ=environ) == ""
        assert sorted(desk.state.rglob("*")) == before
    assert desk.said(hook, cwd=str(desk.state / "worker")) == ""


@pytest.mark.parametrize(
    "damage", ["gone", "empty", "garbage", "torn", "version", "folder", "writing"]
)
def test_a_database_that_cannot_be_read_is_met_with_silence(desk, damage):
    path = desk.state / "search.sqlite"
    data = path.read_bytes()
    path.unlink()
    if damage == "folder":
        path.mkdir()
    elif damage != "gone":
        path.write_bytes(
            {"empty": b"", "garbage": b"x" * 9000, "torn": data[:9000]}.get(damage, data)
        )
    if damage == "version":
        with sqlite3.connect(path) as base:
            base.execute("PRAGMA user_version = 99")
    with sqlite3.connect(path if damage == "writing" else ":memory:") as base:
        base.execute("BEGIN EXCLUSIVE")
        assert [desk.said(hook) for hook in BOTH] == ["", ""]
        # a session's start does not look into it
        desk.run("session_start", desk.event(PROMPT, source="startup"))
    assert damage != "gone" or not path.exists()
    # to be kept waiting is no error
    assert damage not in {"gone", "version", "writing"} or "Error" not in desk.log()


def test_a_database_that_is_written_is_waited_for_a_quarter_of_a_second(desk):
    base = IndexReader(str(desk.state / "search.sqlite"), "")._base
    assert base.execute("PRAGMA busy_timeout").fetchone() == (250,)


@pytest.mark.parametrize("hook", BOTH)
@pytest.mark.parametrize("folder", ["seen", "given/events"])
def test_where_nothing_can_be_claimed_or_recorded_nothing_is_said(desk, hook, folder):
    shutil.rmtree(desk.state / folder, ignore_errors=True)
    (desk.state / "given").mkdir(exist_ok=True)
    (desk.state / folder).write_bytes(b"")
    assert desk.said(hook) == ""
    assert "Error" in desk.log()


@pytest.mark.parametrize("hook", BOTH)
def test_of_several_installations_one_speaks(desk, hook):
    for number in range(2):
        event = desk.event(hook, session_id=f"s-{number}")
        spoke = hooked.at_once(desk.command(hook), event, desk.environment, 5)
        assert len([out for out in spoke if out]) == 1
    assert len(desk.events()) == 2


def test_of_two_claims_the_first_counts(desk, monkeypatch):
    place = protocol.HookPlace(str(desk.place.vault), str(state_of(desk.place.vault)))
    first, second = SessionClaims(place, "s-1"), SessionClaims(place, "s-1")
    assert first.claim("prompt 1", ["rule a", "rule b"]) == {"rule a", "rule b"}
    assert second.claim("prompt 1", ["rule a", "rule c"]) == set()
    assert second.claim("prompt 2", ["rule a", "rule d"]) == {"rule d"}
    # it was claimed, by who came second to the event
    assert SessionClaims(place, "s-1").has("rule c")
    with (desk.state / "seen" / "s-1.given").open("ab") as file:
        file.write(b"rule e\t17")  # a torn line
    assert not SessionClaims(place, "s-1").has("rule e")


@pytest.mark.parametrize("hook", BOTH)
def test_a_clone_serves_its_vault(desk, tmp_path, hook):
    clone = hooked.clone(tmp_path / "a clone")
    line = hooked.command(hooked.of_clone(clone, hook))
    event, environ = desk.event(hook), desk.environment
    before = sorted(clone.rglob("*.json"))
    assert hooked.run(line, event, environ) == (0, b"", b"")  # a clone to read is no vault
    assert sorted(clone.rglob("*.json")) == before
    # what a project's settings can set makes it none either
    environ |= {"MEMORIA_VAULT": str(desk.place.vault), "MEMORIA_STATE_DIR": str(desk.state)}
    assert hooked.run(line, event, environ) == (0, b"", b"")
    hooked.amend(desk.state / "hooks.json", vault=str(clone))
    Registry().move(desk.place.vault, clone)
    assert json.loads(hooked.run(line, event, environ)[1])


@pytest.mark.parametrize("hook", BOTH)
def test_a_hook_that_has_nothing_to_say_loads_json_and_little_else(desk, hook):
    quiet = {"prompt": "Please add a flag to the status command."}
    quiet |= {"error": "Exit code 1\nsh: 1: frobnicate: not found"}
    modules, more = hooked.loaded(desk.command(hook), desk.event(hook, **quiet), {})
    assert more <= {"__future__", "_sqlite3", "math", "time", "encodings.utf_16_le", "run"}
    assert len(modules) <= 12


def test_what_stands_in_a_path_means_nothing_to_the_database(desk):
    odd = desk.place.root / "50% of a? vault #1"
    desk.place.vault.rename(odd)
    state = desk.state.rename(desk.place.root / "100% of a? state #1")
    hooked.amend(state / "hooks.json", vault=str(odd))
    place = protocol.HookPlace(str(odd), str(state))
    reader = IndexReader(place.path("search.sqlite"), SHOP)
    assert matches.Prompt(reader, prompt_match.find_asked_words(ASKS)).fitting
