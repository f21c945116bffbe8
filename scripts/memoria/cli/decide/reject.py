"""`memoria reject ID...` and `memoria retire ID...`: rules that are to be injected no more.

Rejected means it never was one (it is not suggested again), retired that it was one and has had its
time. Both take it out of force at once, and out of every file that it was promoted to. Where that
lifts a guard it takes a person.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria import terminal
from memoria.cli.decide.status import described
from memoria.rules.decision import Ruling
from memoria.rules.decisions import decide, rulebook
from memoria.rules.guards.switch_store import guarded
from memoria.rules.promotion.service import withdraw
from memoria.rules.propose import decides, propose_command

if TYPE_CHECKING:
    import argparse

    from memoria.workspace import Workspace


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Take rules out of force."""
    work.vault.require()
    verb, status = ("reject", "rejected") if arguments.verb == "reject" else ("retire", "retired")
    book = rulebook(work)
    if guarded(work, [book.find(name) for name in arguments.ids]):
        driver = decides(arguments, work)
        if not driver.is_person:
            return propose_command(arguments, work, driver)
    rulings = [Ruling(name, status, verb) for name in arguments.ids]  # type: ignore[arg-type]  # two literals
    with work.vault.step(verb):
        rules = decide(work, rulings)
        problems = withdraw(work, [one.id for one in rules])
    if arguments.json:
        book = rulebook(work)
        terminal.data({"rules": [described(book, one) for one in rules], "problems": problems})
    for one in rules:
        work.terminal.say(f"{status}: {one.id} {one.text}")
    for problem in problems:
        work.terminal.warn(f"  {problem}")
    return 1 if problems else 0
