"""A model call is a session too: four guards, each alone, keep it from being captured in turn."""

import pytest
from keeper import TALKS, Keeper
from loopback import task_of

ROOM = Keeper
A, B, C, D = TALKS
# What takes a guard away, in the flushes of a room; the budget is the fourth.
GUARDS = {
    "name": """
limits = Claude._build_limits
def without_name(self, request):
    return {key: value for key, value in limits(self, request).items() if "INVOKED" not in key}
Claude._build_limits = without_name
""",
    "settings": """
options = Claude._build_options
def with_settings(self, request):
    return replace(options(self, request), setting_sources=["user", "project"], extra_args={})
Claude._build_options = with_settings
""",
    "folder": """
made = Claude.__init__
def elsewhere(self, *, cwd, **more):
    made(self, cwd=cwd.parents[2] / "elsewhere", **more)
Claude.__init__ = elsewhere
""",
}
IMPORTS = "from dataclasses import replace\nfrom memoria.llm.claude import Claude\n"


def without(*names):
    return IMPORTS + "".join(GUARDS[name] for name in names)


def test_a_flush_captures_nothing_of_its_own(room, loop):
    room.ask(TALKS[A][0])
    room.kept()
    room.delivered_once(A, parts=1)
    assert [task_of(body) for body in loop.bodies] == ["", "flush"]
    assert len(room.transcripts()) == 1
    assert list((room.state / "worker").iterdir()) == []


@pytest.mark.parametrize("left", GUARDS)
def test_each_guard_alone_holds(room, loop, left):
    room.patched(without(*(name for name in GUARDS if name != left)))
    room.ask(TALKS[A][0])
    room.kept()
    room.delivered_once(A, parts=1)
    assert [task_of(body) for body in loop.bodies] == ["", "flush"]
    # the hooks took notice of the person's session alone: no second line of defence was needed
    (marker,) = (room.state / "seen").iterdir()
    assert marker.name.startswith(room.entries()[0].entry.session)


def test_a_call_whose_transcript_was_kept_is_not_swept_up_later(room, loop):
    room.patched(without("name", "settings"))
    room.ask(TALKS[A][0])
    room.kept()
    assert len(room.transcripts()) == 2
    room.idle()
    code, result = room.flush("--sweep")
    assert (code, result["entries"]) == (0, 0)
    assert len(room.texts()) == 1
