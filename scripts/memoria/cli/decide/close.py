"""End rules: `memoria reject ID...`, `memoria retire ID...`, `memoria supersede OLD NEW`.

Rejected means it never was one (it is not suggested again), retired that it was one and has had its
time, superseded that another one overrules it: by its id, or in quotes by words that are then in
force. All three take a rule out of force at once, and out of every file that it was promoted to; it
stays where it was learned. What lifts a guard or brings words in force takes a person.
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

    from memoria.rules.model import Rule, Status
    from memoria.workspace import Workspace

_STATUS: dict[str, Status] = {"reject": "rejected", "retire": "retired", "supersede": "retired"}


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Take rules out of force; 1 where a file that holds them could not be changed."""
    work.vault.require()
    verb, book = arguments.verb, rulebook(work)
    supersedes = verb == "supersede"
    rules = [book.find(name) for name in ([arguments.old] if supersedes else arguments.ids)]
    if guarded(work, rules) or (supersedes and not _is_id(arguments.new)):
        driver = decides(arguments, work)
        if not driver.is_person:
            return propose_command(arguments, work, driver)
    with work.vault.step(verb):
        heir = _heir(arguments.new, rules[0], work) if supersedes else None
        over = heir.id if heir else ""
        rulings = [Ruling(rule.id, _STATUS[verb], verb, superseded_by=over) for rule in rules]
        closed = decide(work, rulings)
        problems = withdraw(work, [rule.id for rule in closed])
    if arguments.json:
        book = rulebook(work)
        rows = [described(book, rule) for rule in closed]
        terminal.data(({"closed": rows[0]} if heir else {"rules": rows}) | {"problems": problems})
    for rule in closed:
        ended = f"{rule.status}: {rule.id} {rule.text}"
        if heir:
            ended = f"closed {rule.id} ({rule.text}): {heir.id} ({heir.text}) overrules it"
        work.terminal.say(ended)
    for problem in problems:
        work.terminal.warn(f"  {problem}")
    return 1 if problems else 0


def _heir(name: str, old: Rule, work: Workspace) -> Rule:
    """Give the rule that overrules another one; words become one."""
    if _is_id(name):
        rule = rulebook(work).find(name)
    else:
        rule = taught(work, name, category=old.category, scope=old.scope)
    if rule.id == old.id:
        raise UsageError(f"{old.id} cannot overrule itself")
    return rule


def _is_id(name: str) -> bool:
    return bool(ID.fullmatch(name.strip().lower())) or " " not in name.strip()
