"""`memoria guard`, and the guards in `memoria review`, `lint` and `doctor`."""

import json
import sys
from pathlib import Path

import pytest
from keyboard import memoria
from place import AGENT, state_of
from ruled import keep, made, notes

from memoria import refresh
from memoria.rules.guards import check as guard

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
CHECK = {
    "occasion": {"command": ["git push"]},
    "broken": {"with": ["--force"]},
    "instead": "git push --force-with-lease",
}
RULE = made("Never push with --force", status="active", scope=(), check=guard.parse_check(CHECK))
WALL = made(
    "Never call memoria",
    status="active",
    check=guard.parse_check({"occasion": {"command": ["memoria"]}}),
)
BARE = made("Be brief", status="active")


@pytest.fixture
def rule(place):
    (identity,) = keep(place, RULE, approve=True)
    return identity


@pytest.fixture
def person(place):
    """Start a verb on a terminal of its own."""
    if sys.platform == "win32":
        pytest.skip("a pseudo-terminal is POSIX's")

    def start(verb, *options):
        path = [str(SCRIPTS), *(part for part in sys.path if part.endswith("site"))]
        env = {"PYTHONPATH": ":".join(path), "NO_COLOR": "1"}
        return memoria(verb, place.vault, *options, env=env)

    return start


def settings(place):
    path = place.home / ".claude" / "settings.json"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def matchers(place):
    groups = json.loads(settings(place))["hooks"].get("PreToolUse", [])
    return [group["matcher"] for group in groups]


def note(place):
    (path,) = (place.vault / "knowledge" / "rules").glob("*.md")
    return path


def test_on_puts_the_hook_into_the_settings_and_off_takes_it_out(place, rule):
    before = settings(place)
    assert place.run("install")[0] == 0
    installed = settings(place)
    err = place.err("guard", "on", rule)
    assert "guard on (bump: the call is refused once" in err
    assert str(place.home / ".claude" / "settings.json") in err
    assert matchers(place) == ["Bash|PowerShell"]
    # an install after that leaves it there
    assert place.run("install")[0] == 0
    assert matchers(place) == ["Bash|PowerShell"]
    assert place.run("guard", "off", rule)[0] == 0
    assert settings(place) == installed
    assert not (state_of(place.vault) / "guards.compiled.json").exists()
    place.run("guard", "on", rule)
    assert place.run("uninstall")[0] == 0
    assert settings(place) == before


def test_the_matcher_follows_the_guards(place, rule):
    place.run("install")
    place.run("guard", "on", rule)
    edits = guard.parse_check({"occasion": {"path": ["*.lock"]}})
    (other,) = keep(place, made("Never edit a lock", status="active", check=edits), approve=True)
    place.run("guard", "on", other, "--mode", "note")
    assert matchers(place) == ["Bash|Edit|MultiEdit|NotebookEdit|PowerShell|Write"]
    place.run("guard", "off", rule)
    place.run("guard", "off", other)
    assert matchers(place) == []


def test_the_list_and_the_explanation(place, rule):
    assert place.run("guard", "list")[1] == f"{rule}  {RULE.text}  (off)\n"
    _, _, err = place.run("guard", "on", rule)
    assert "`memoria install` brings them" in err
    assert settings(place) == ""
    place.run("guard", "on", rule[:6], "--mode", "note")
    assert place.run("guard", "list")[1] == f"{rule}  {RULE.text}  (note)\n"
    _, out, _ = place.run("guard", "list", rule)
    for line in (
        '  occasion: {command: ["git push"]}',
        '  broken: {with: ["--force"]}',
        "for the next",
    ):
        assert line in out
    (found,) = place.json("guard", "list")
    assert (found["state"], found["mode"], found["check"]) == ("on", "note", CHECK)
    (found,) = place.json("guard", "list", rule)
    assert found["fired"] == {}
    # switches that cannot be read switch all off
    (state_of(place.vault) / "guards.json").write_text("{")
    code, out, err = place.run("guard", "list")
    assert (code, "(off)" in out, "not valid JSON" in err) == (0, True, True)


@pytest.mark.parametrize(
    ("rule_", "approve", "said", "explained"),
    [
        (BARE, True, "write one under `check:`", "It has no check"),
        (RULE, False, "memoria promote {}", "occasion: {command:"),
        (WALL, True, "must leave a way on", "It cannot be switched on"),
        (made("Be calm"), False, "{} waits for your decision: `memoria review` first", "no check"),
    ],
    ids=["no-check", "not-approved", "no-way-on", "waiting"],
)
def test_a_rule_that_cannot_stand_guard(place, rule_, approve, said, explained):
    (identity,) = keep(place, rule_, approve=approve)
    assert said.format(identity) in place.err("guard", "on", identity, code=2)
    assert explained in place.do("guard", "list", identity)
    assert ("No rule has a check" in place.err("guard", "list")) == (not rule_.check)


def test_a_broken_check_is_told_in_a_line_and_breaks_nothing(place, rule):
    place.run("guard", "on", rule)
    path = note(place)
    path.write_text(path.read_text().replace("occasion:", "occurs:"), encoding="utf-8")
    assert "(off: check: there is no 'occurs'" in place.run("guard", "list")[1]
    assert place.run("guard", "on", rule)[0] == 2
    assert "there is no 'occurs'" in place.run("guard", "list", rule)[1]
    assert "check cannot be used: there is no 'occurs'" in place.run("lint", "--structural-only")[1]
    assert place.run("status")[0] == 0
    refresh.refresh(place.work)
    assert not (state_of(place.vault) / "guards.compiled.json").exists()


def test_a_check_that_was_changed_is_off_until_it_is_looked_at(place, rule):
    place.run("guard", "on", rule)
    path = note(place)
    path.write_text(path.read_text().replace("git push", "git pull", 1), encoding="utf-8")
    assert "was changed since" in place.run("guard", "list")[1]
    place.run("guard", "on", rule)
    assert place.run("guard", "list")[1].endswith("(bump)\n")


def test_a_wall_is_set_and_lifted_in_a_terminal_alone(place, rule, person):
    place.run("guard", "on", rule)
    place.driver = AGENT
    assert "Proposed, not done" in place.err("guard", "on", rule, "--mode", "deny")
    assert place.run("guard", "list")[1].endswith("(bump)\n")
    assert person("guard", "on", rule, "--mode", "deny").end() == 0
    assert place.run("guard", "list")[1].endswith("(deny)\n")
    place.run("guard", "off", rule)
    place.run("guard", "on", rule, "--mode", "note")
    assert place.run("guard", "list")[1].endswith("(deny)\n")
    assert person("guard", "off", rule).end() == 0
    assert place.run("guard", "list")[1].endswith("(off)\n")


def test_review_shows_the_check_of_a_rule_that_waits_and_how_it_acts(place):
    keep(place, made("Never push with --all", check=guard.parse_check(CHECK)))
    shown = " ".join(place.run("review")[1].split())
    assert "check: occasion: {command:" in shown
    assert "`memoria guard on` makes the check act" in shown


# -- Where a check comes from ---------------------------------------------------------------------


def test_a_rule_that_is_taught_gets_the_check_of_its_words_and_it_is_off(place):
    assert place.run("remember", "Never push with --force, because `main` is shared")[0] == 0
    ((identity, rule),) = notes(place).items()
    assert guard.check_to_json(rule.check)["broken"] == {"with": ["--force", "-f", "+*"]}
    assert not (state_of(place.vault) / "guards.json").exists()
    (row,) = place.json("guard", "list")
    assert (row["id"], row["state"]) == (identity, "off")
    place.run("remember", "Be brief")
    assert [one.check for one in notes(place).values() if one.text == "Be brief"] == [None]
