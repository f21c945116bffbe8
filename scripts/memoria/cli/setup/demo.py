"""Make a vault of the sample sessions, to look at and to throw away (`memoria demo [DIR]`).

What is in it is nobody's: hooks find no snapshot there, verbs that join a vault to sessions refuse
it, and each verb says what it is. The mark stands in the state, before anything else is made, so
that no vault is filled with samples and not known as a demo.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from memoria import terminal
from memoria.agents.claude_code.settings import EVENTS
from memoria.agents.port import CLAUDE_CODE
from memoria.cli.importing import sessions as import_
from memoria.cli.setup import start
from memoria.cli.setup.init import init
from memoria.cli.setup.sample_sessions import sample_sessions, write_sessions
from memoria.compile.service import Compiler
from memoria.errors import UsageError
from memoria.program import program
from memoria.vault import setup as outfit
from memoria.vault.storage.registry import Registry

if TYPE_CHECKING:
    import argparse

    from memoria.cli.flush import Outcome
    from memoria.compile.service import Outcome as Compiled
    from memoria.workspace import Workspace


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Make the demo vault and say what is in it, or remove it."""
    if arguments.remove:
        _remove(work)
        return 0
    _make(work)
    # no account and no cost, and the same vault on each machine
    model = work.model("offline")
    folder = work.vault.state.root / "samples"
    write_sessions(folder, sample_sessions())
    taken = import_.take(work, model, import_.Choice(((CLAUDE_CODE, folder),)))
    compiled = Compiler(work, model).compile()
    work.terminal.say(work.demo_notice)
    if arguments.json:
        terminal.data({**start.result(work, taken, compiled), "demo": True})
    else:
        _tell(work, taken, compiled)
    return 1 if taken.problems or compiled.skipped else 0


def _make(work: Workspace) -> None:
    """Make an empty demo vault, or find it made; UsageError for a folder that has other things."""
    root, state = work.vault.root, work.vault.state
    if work.settings.environment.get("MEMORIA_STATE_DIR"):
        raise UsageError("MEMORIA_STATE_DIR names another vault's state: unset it for the demo")
    if not work.is_demo:
        if root.exists() and (not root.is_dir() or any(root.iterdir())):
            raise UsageError(
                f"{root} is not empty and no demo: `memoria demo DIR` names another folder"
            )
        state.create()
        outfit.stamp(state, EVENTS, demo=True)
    init(work)


def _remove(work: Workspace) -> None:
    root, state = work.vault.root, work.vault.state.root
    if not work.is_demo:
        raise UsageError(f"{root} is no demo vault; nothing was removed")
    shutil.rmtree(root)
    if state.exists():
        shutil.rmtree(state)
    Registry().remove(root)
    work.terminal.say(f"Removed the demo vault {root}")


def _tell(work: Workspace, taken: Outcome, compiled: Compiled) -> None:
    terminal.paragraph(start.filled(work, taken, compiled, "sample sessions"))
    held, waiting = start.rule_counts(work)
    terminal.paragraph(
        f"{held + waiting} rules stated in them: {held} would be active from the next session on, "
        f"{waiting} {'waits' if waiting == 1 else 'wait'} for your decision."
    )
    for text in import_.recurring(work):
        terminal.line(text)
    start.tell_problems(work, taken, compiled)
    start.tell_places(work)
    terminal.line(f"Next:  {program()} start          makes a vault of your own sessions")
    terminal.line(f"       {program()} demo --remove  deletes this one")
