"""The verbs that a person types in passing load no package that takes long to load."""

import subprocess
import sys

import pytest
from place import AGENT, debugging

# each takes from .03 to 1.7 s to load; what needs one is loaded where it is used
HEAVY = (*("claude_agent_sdk", "mcp", "numpy", "prompt_toolkit", "pydantic", "rich", "scipy"),)
PROGRAM = """
import sys
from memoria.cli.main import main
code = main(sys.argv[1:])
sys.stdout.write("\\n" + " ".join(sys.modules))
sys.exit(code)
"""


@pytest.fixture
def rule(place):
    """Teach a rule, have an agent propose another, capture a session; give the first one's id."""
    place.transcript("5e551017-0000-4000-8000-000000000001", *debugging())
    assert place.run("import")[0] == 0
    place.run("remember", "Always run the linter before you commit")
    place.driver = AGENT
    place.run("remember", "Never push to the main branch directly")
    taught, proposed = place.json("status")["rules"]
    assert (taught["status"], proposed["status"]) == ("active", "waiting")
    return taught["id"]


def test_a_short_verb_loads_nothing_heavy(place, rule):
    for verb in ("status", "review", "doctor", "why"):
        words = [verb, "--vault", str(place.vault), *([rule] if verb == "why" else [])]
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, *words],
            capture_output=True,
            text=True,
            check=False,
            cwd=place.root,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == (verb == "doctor"), done.stderr  # no hooks are installed
        shown, _, loaded = done.stdout.rpartition("\n")
        assert rule in shown or verb in {"review", "doctor"}
        assert [name for name in HEAVY if name in loaded.split()] == [], verb
