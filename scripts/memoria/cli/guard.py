"""Show and switch the checks of rules that stand guard on this machine (`memoria guard`).

A guard is a person's switch: nothing switches one on by itself, and to switch one off, to change
its mode or to set a wall (deny) takes a person, because an agent can run commands as well: what it
says is a proposal. A rule gets its check, off, when its note is made (rules/rulebook.py).
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from memoria import refresh, terminal
from memoria.rules.guards import check, judge, switch_store
from memoria.rules.guards.switch_store import Switch
from memoria.rules.model import Rule
from memoria.rules.proposal_service import propose_if_agent
from memoria.rules.review.waiting import format_check
from memoria.rules.rulebook import Rulebook, rulebook
from memoria.text.unicode import strip_hidden
from memoria.workspace import Workspace

_WHAT = {
    "note": "the rule is told after the call, for the next time",
    "bump": "the call is refused once, with the rule; the same call again passes",
    "ask": "Claude Code asks the person; where nobody can be asked it is refused once",
    "deny": "the call is refused each time",
}
_WRITTEN = (
    "A rule gets one where its words name a command, an option or a path; else write it into its "
    "note: the vault's AGENTS.md shows how."
)
_NO_HOOKS = (
    "No hooks of this vault are in the settings: `memoria install` brings them, or the plugin has "
    "them."
)


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Do what the action says."""
    return (_print_guards if arguments.action == "list" else _switch)(arguments, work)


def _switch(arguments: argparse.Namespace, work: Workspace) -> int:
    """Switch a guard on, in the mode that is given, or off."""
    book, say, mode = rulebook(work), work.terminal.say, ""
    rule = book.find(arguments.id)
    switch = switch_store.switches(work).get(rule.id)
    if arguments.action == "on":
        mode = arguments.mode or (switch.mode if switch else check.DEFAULT_MODE)
        switch_store.require_switchable(rule, book.approvals)
    elif switch is None:
        say(f"{rule.id} stands no guard; nothing to do.")
        return 0
    # what is switched on where nothing was is no wall that anybody put up
    if (mode == "deny" or (switch and mode != switch.mode)) and propose_if_agent(arguments, work):
        return 0
    switch_store.flip(work, rule, mode)
    refresh.refresh(work)
    settings = switch_store.post(work)
    if not mode:
        say(f"{rule.id} stands no guard any more.")
        return 0
    say(f"{rule.id}: guard on ({mode}: {_WHAT[mode]}).")
    say(f"The hook is in {settings}, from the next session on." if settings else _NO_HOOKS)
    return 0


# -- Telling ---------------------------------------------------------------------------------------


def _print_guards(arguments: argparse.Namespace, work: Workspace) -> int:
    """List the rules that have a check, or show the one that is named with what its check says."""
    book, switches = rulebook(work), switch_store.switches(work)
    if arguments.id:
        rules = [book.find(arguments.id)]
    else:
        rules = [rule for rule in book.rules if rule.check or rule.check_error]
    if arguments.json:
        terminal.print_json([_guard_json(work, book, rule, switches) for rule in rules])
        return 0
    for rule in rules:
        terminal.print_line(strip_hidden(_format_guard(book, rule, switches)))
        for text in _explain_guard(work, rule, switches) if arguments.id else ():
            terminal.print_line(strip_hidden(f"  {text}"))
    if not rules:
        work.terminal.say(f"No rule has a check. {_WRITTEN}")
    return 0


def _format_guard(book: Rulebook, rule: Rule, switches: Mapping[str, Switch]) -> str:
    """Give a rule's guard in one line."""
    state = switch_store.state(rule, switches.get(rule.id), book.approvals)
    text = switches[rule.id].mode if state == "on" else switch_store.MEANING[state]
    if state == "broken":
        text = f"off: {rule.check_error}"
    return f"{rule.id}  {rule.text}  ({text})"


def _explain_guard(work: Workspace, rule: Rule, switches: Mapping[str, Switch]) -> Iterator[str]:
    if rule.check:
        yield from format_check(rule.check)
        if reason := judge.find_refusal(rule.check):
            yield f"It cannot be switched on: {reason}."
        yield f"It stands in knowledge/{rule.path}.md under `check:`."
    elif not rule.check_error:
        yield f"It has no check. {_WRITTEN}"
    if rule.id in switches:
        mode = switches[rule.id].mode
        yield f"{mode}: {_WHAT[mode]}."
    if counts := _count_fired(work, rule.id):
        yield f"So far: {', '.join(f'{count} {name}' for name, count in sorted(counts.items()))}."


def _count_fired(work: Workspace, identity: str) -> Counter[str]:
    """Count what a rule's guard has done in captured sessions, by decision."""
    records = work.vault.history().records_of("guard")
    return Counter(str(row.get("decision")) for row in records if row.get("id") == identity)


def _guard_json(
    work: Workspace, book: Rulebook, rule: Rule, switches: Mapping[str, Switch]
) -> dict[str, Any]:
    switch = switches.get(rule.id)
    return {
        "id": rule.id,
        "rule": rule.text,
        "state": switch_store.state(rule, switch, book.approvals),
        "mode": switch.mode if switch else None,
        "check": check.check_to_json(rule.check) if rule.check else None,
        "error": rule.check_error or None,
        "fired": dict(_count_fired(work, rule.id)),
        "path": f"knowledge/{rule.path}.md",
    }
