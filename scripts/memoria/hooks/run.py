"""Run the hook of an event, for the programs beside this, a clone's hooks and the plugin.

Installed lines name those programs by path, one for each event of the client. Each hook costs what
it imports, so an event loads its own module and nothing else.
"""

from __future__ import annotations

import os
import sys

if not __package__:  # found by a program beside it, under -S -E: the package is two folders up
    # behind the standard library, so that nothing that lies there is taken for a part of it
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    del sys.path[0]

from memoria.hooks import protocol

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from types import ModuleType
    from typing import NoReturn

# as in pyproject.toml; what stands in for a Python that is gone may be older
OLDEST = (3, 11)


def main(event: str, vault: str = "", place: protocol.HookPlace | None = None) -> NoReturn:
    """Run the hook of an event and end the program; whatever happens, the exit code is 0.

    `vault` counts where the command line has no --vault, `place` instead of the command line.
    """
    if sys.version_info < OLDEST:
        os._exit(1)  # nothing is read yet: the installed line goes on to the next Python
    program = load_module(event)
    try:
        if not protocol.is_off():
            os.umask(0o077)
            if place:
                protocol.answer_event(program.handle, place)
            else:
                _handle_event(program, vault)
    finally:
        # without Python's own end: that takes longer than the work, and can fail (a closed pipe)
        os._exit(0)


def _handle_event(program: ModuleType, vault: str) -> None:
    """Handle the event; `handle_lost_state` does where the state that a line names is unreadable.

    Where the command line has no --state, the registry says it; the environment never does, as a
    project's settings can set that.
    """
    option_vault, state = (protocol.read_option(sys.argv, name) for name in ("--vault", "--state"))
    if state:
        place = protocol.HookPlace(option_vault, state)
    else:
        from memoria.hooks import plugin  # noqa: PLC0415 - an install's hooks name all

        registry = plugin.read_registry(os.environ)
        place = plugin.build_place(registry, option_vault or vault, os.environ)
    place.agent = protocol.read_option(sys.argv, "--agent")
    is_named = bool(option_vault and state)
    handle_lost_state = getattr(program, "handle_lost_state", None) if is_named else None
    protocol.answer_event(program.handle, place, handle_lost_state)


def load_module(event: str) -> ModuleType:
    """Load the module of an event; SessionEnd, PreCompact and Stop capture."""
    program: ModuleType
    # as imports, not by name: importlib costs as much as the hook
    if event == "SessionStart":
        from memoria.hooks import start_answer as program  # noqa: PLC0415 - see above
    elif event == "UserPromptSubmit":
        from memoria.hooks import prompt_answer as program  # noqa: PLC0415 - see above
    elif event == "PreToolUse":
        from memoria.hooks import call_answer as program  # noqa: PLC0415 - see above
    elif event == "PostToolUseFailure":
        from memoria.hooks import failure_answer as program  # noqa: PLC0415 - see above
    else:
        from memoria.hooks import session_spool as program  # noqa: PLC0415 - see above
    return program
