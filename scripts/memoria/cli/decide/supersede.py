"""`memoria supersede OLD NEW`: one rule closes another one, with its date.

What is closed stays where it was learned and says what overruled it; it is injected no more. NEW
is a rule's id, or in quotes the words of a rule that is then in force.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria import terminal
from memoria.cli.decide.remember import taught
from memoria.cli.decide.status import described
from memoria.errors import UsageError
from memoria.rules.decision import Ruling
from memoria.rules.decisions import decide, rulebook
from memoria.rules.guards.switch_store import guarded
from memoria.rules.model import ID
from memoria.rules.promotion.service import withdraw
from memoria.rules.propose import decides, propose_command

if TYPE_CHECKING:
    import argparse

    from memoria.rules.model import Rule
    from memoria.workspace import Workspace


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Close a rule."""
    work.vault.require()
    old = rulebook(work).find(arguments.old)
    if not _is_id(arguments.new) or guarded(work, [old]):
        driver = decides(arguments, work)
        if not driver.is_person:
            return propose_command(arguments, work, driver)
    with work.vault.step("supersede"):
        new = _new(arguments.new, old, work)
        if old.id == new.id:
            raise UsageError(f"{old.id} cannot overrule itself")
        (closed,) = decide(work, [Ruling(old.id, "retired", "supersede", superseded_by=new.id)])
        problems = withdraw(work, [closed.id])
    if arguments.json:
        terminal.data({"closed": described(rulebook(work), closed), "problems": problems})
    work.terminal.say(f"closed {closed.id} ({closed.text}): {new.id} ({new.text}) overrules it")
    for problem in problems:
        work.terminal.warn(f"  {problem}")
    return 1 if problems else 0


def _new(name: str, old: Rule, work: Workspace) -> Rule:
    if _is_id(name):
        return rulebook(work).find(name)
    return taught(work, name, category=old.category, scope=old.scope)


def _is_id(name: str) -> bool:
    return bool(ID.fullmatch(name.strip().lower())) or " " not in name.strip()
