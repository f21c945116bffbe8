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


# what the test states on its own behalf, each as the verb `remember` would, and one refresh
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
