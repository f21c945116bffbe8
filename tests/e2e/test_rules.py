"""A rule that was stated in one session is told in the next, at each start, while all have room."""

import json
import re
import sys

import pytest
from client import SCRIPTS
from keeper import INJECTED, TALKS, Keeper, answers
from loopback import prompt_text

A, B, *_ = TALKS
RULE = "Always run the linter before you commit, because CI is slow."
TITLE = "## Standing rules of the user for this project"
ID = re.compile(r"\((?:wf|arch|tool|dk)-[0-9a-f]{10}")
STARTS = 60
# what the test states on its own behalf, each as the verb `remember` would, and one refresh
TEACH = """
from memoria.rules.ruling import Ruling
from memoria.rules.rulebook import decide
from memoria.rules.model import Rule, rule_id
from memoria import refresh, settings
from memoria.workspace import workspace
work = workspace(settings.load(sys.argv[1]), quiet=True)
names = "alpha bravo delta hotel india kilo lima mike oscar papa romeo tango".split()
rules = []
for at in range(int(sys.argv[2])):
    one, other = names[at % 12], names[at // 12]
    text = f"Run the {one}-{other} script in {other}/{one}{at}.sh after each {one} change"
    day = "2026-04-01"
    rules.append(Rule(rule_id("workflow", text), text, "workflow", "waiting", 1, "low", (), day,
                      created=day))
decide(work, [Ruling(rule.id, "active", "remember") for rule in rules], new=rules)
refresh.refresh(work)
"""


@pytest.fixture
def kept(loop, tmp_path):
    loop.fallback = answers
    with Keeper(tmp_path, loop, "offline") as room:
        yield room


def told(text):
    return [line for line in text.splitlines() if ID.search(line) and line.startswith("- ")]


def start(room, number):
    """Run the session-start hook as a program, as the client does, and give what it says."""
    event = {
        "hook_event_name": "SessionStart",
        "source": "startup",
        "session_id": f"start-{number}",
        "cwd": str(room.project),
        "transcript_path": "",
    }
    hook = SCRIPTS / "memoria" / "hooks" / "session_start.py"
    words = ["--vault", room.vault, "--state", room.state]
    done = room.run(sys.executable, "-S", "-E", hook, *words, stdin=json.dumps(event))
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]


def test_stated_in_one_session_and_told_in_the_next_with_no_compile_between(kept, loop):
    kept.ask(f"{TALKS[A][0]} {RULE}")
    kept.kept()
    (rule,) = json.loads(kept.memoria("status", "--json").stdout)["rules"]
    assert rule["in_force"]
    assert json.loads(kept.memoria("review", "--json").stdout) == []
    kept.ask("ping")
    (text,) = (match[0] for match in INJECTED.finditer(prompt_text(loop.bodies[-1])))
    assert TITLE in text
    assert "run the linter before you commit" in text
    assert "follow" not in text
    kept.settle()
    (kept.project / "CLAUDE.md").write_text(f"# Ours\n\n- {rule['rule']}\n")
    kept.ask("ping")
    texts = [match[0] for match in INJECTED.finditer(prompt_text(loop.bodies[-1]))]
    assert not any(TITLE in text for text in texts)


@pytest.mark.parametrize(("count", "shown"), [(1, 1), (8, 8), (40, 40), (41, 40)])
def test_each_start_tells_each_rule_while_they_fit_and_names_what_does_not(
    kept, loop, count, shown
):
    done = kept.python(TEACH, str(kept.vault), str(count))
    assert done.returncode == 0, done.stderr
    kept.ask("ping")
    assert len(told(prompt_text(loop.bodies[-1]))) == shown
    kept.settle()
    # hooks start detached flushes, which would only slow the starts down
    (kept.state / "hooks.json").write_text(
        json.dumps(json.loads((kept.state / "hooks.json").read_text()) | {"command": ["/bin/true"]})
    )
    for number in range(STARTS):
        assert len(told(start(kept, number))) == shown
        given = json.loads((kept.state / "given" / f"start-{number}.json").read_text())
        assert (len(given["slate"]), len(given["left_out"])) == (shown, count - shown)
        assert {row["p"] for row in given["slate"]} == {1.0}
        assert given["withheld"] == []
    status = json.loads(kept.memoria("status", "--json").stdout)
    assert len(status["left_out"]) == count - shown
