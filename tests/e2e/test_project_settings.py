"""A project's settings set the environment of hooks: the flush that they start has none of it."""

import json
import sys

from keeper import TALKS

(A, *_) = TALKS
# variables that decide which program runs, whom a model is asked through, and which vault it is
STEERING = (
    *("MEMORIA_VAULT", "MEMORIA_STATE_DIR", "MEMORIA_ENGINE", "MEMORIA_MODEL_FLUSH"),
    *("ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS", "HTTPS_PROXY"),
    *("CLAUDE_CONFIG_DIR", "PYTHONPATH", "PYTHONSTARTUP", "NODE_OPTIONS", "XDG_STATE_HOME"),
    "XDG_CONFIG_HOME",
)
# notes the environment of each Python that starts without -E and -S
NOTING = """
import json, os, sys
with open({told!r} + "/" + str(os.getpid()), "w") as file:
    json.dump([sys.orig_argv, dict(os.environ)], file)
"""


def test_what_a_project_sets_reaches_hooks_and_no_flush(room, tmp_path):
    told = tmp_path / "told"
    told.mkdir()
    room.patched(NOTING.format(told=str(told)))
    planted = tmp_path / "planted"
    planted.mkdir()
    (planted / "sitecustomize.py").write_text(f"open({str(planted / 'ran')!r}, 'w').close()\n")
    values = dict.fromkeys(STEERING, str(planted))
    # the session itself has to go on
    values |= {"ANTHROPIC_BASE_URL": room.url, "HTTPS_PROXY": room.url, "NODE_OPTIONS": ""}
    values |= {"CLAUDE_CONFIG_DIR": str(room.config) + "/"}
    # where its own settings would be looked for
    values |= {"CLAUDE_PROJECT_DIR": str(planted)}
    room.record("SessionEnd")
    path = room.settings("project")
    path.parent.mkdir()
    path.write_text(json.dumps({"env": values}))
    room.ask(TALKS[A][0])
    room.kept()
    (event,) = room.events("SessionEnd")
    # or the test could not fail: the client does hand them to its hooks
    seen = {name for name in STEERING if event["env"].get(name) == values[name]}
    assert {"MEMORIA_VAULT", "MEMORIA_STATE_DIR", "MEMORIA_ENGINE", "PYTHONPATH"} <= seen
    notes = [json.loads(one.read_text()) for one in told.iterdir()]
    flushes = [environ for words, environ in notes if "flush" in words]
    assert flushes
    for environ in flushes:
        mine = {name: environ.get(name) for name in STEERING}
        assert not {name for name, value in mine.items() if value == values[name]} - {
            "PYTHONPATH"  # of the wrapper that notes
        }
        assert environ["CLAUDE_CONFIG_DIR"] == str(room.config)  # as the install noted it
    assert not (planted / "ran").exists()
    assert len(room.texts()) == 1
    assert not list(planted.glob("*/"))


def test_a_repository_with_a_planted_state_is_a_session_like_others(room):
    """The session runs in a folder that looks like a vault and brings a state of its own."""
    folder = room.project
    for name in ("daily", "knowledge", ".memoria/inject", ".memoria/spool/new"):
        (folder / name).mkdir(parents=True)
    marker = room.root / "ran"
    code = f"open({str(marker)!r}, 'w').close()"
    (folder / ".memoria/hooks.json").write_text(
        json.dumps({"vault": str(folder), "command": [sys.executable, "-c", code]})
    )
    (folder / ".memoria/inject/default.json").write_text(json.dumps({"offer": "swordfish"}))
    room.ask(TALKS[A][0])
    room.kept()
    room.delivered_once(A, parts=1)
    assert not marker.exists()
    assert "swordfish" not in json.dumps(room.loop.bodies)
    assert list((folder / ".memoria/spool/new").iterdir()) == []
