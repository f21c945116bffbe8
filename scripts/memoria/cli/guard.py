"""Show and switch the checks of rules that stand guard on this machine (`memoria guard`).

A guard is a person's switch: nothing switches one on by itself, and to switch one off, to change
its mode or to set a wall (deny) takes a person, because an agent can run commands as well: what it
says is a proposal. What a check would have done in the sessions so far is `guard test`, where
checks come from `guard suggest`.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from memoria import refresh, terminal
from memoria.errors import UsageError
from memoria.rules.decisions import rulebook
from memoria.rules.guards import check as guard
from memoria.rules.guards import judge, switch_store, switches
from memoria.rules.propose import decides, propose_command
from memoria.text.unicode import strip_hidden

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from memoria.rules.decisions import Rulebook
    from memoria.rules.guards.switches import Switch
    from memoria.rules.model import Rule
    from memoria.workspace import Workspace

_WHAT = {
    "note": "the rule is told after the call, for the next time",
    "bump": "the call is refused once, with the rule; the same call again passes",
    "ask": "Claude Code asks the person; where nobody can be asked it is refused once",
    "deny": "the call is refused each time",
}
_NO_HOOKS = (
    "No hooks of this vault are in the settings: `memoria install` brings them, or the plugin has "
    "them."
)


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Do what the action says."""
    work.vault.require()
    action = arguments.action
    if action in {"test", "suggest"}:
        from memoria.cli import guard_rehearsal  # noqa: PLC0415 - it reads all transcripts

        doing = guard_rehearsal.test if action == "test" else guard_rehearsal.suggest
        return int(doing(arguments, work))
    book, known = rulebook(work), switch_store.switches(work)
    if action == "list":
        return _list(arguments, work, book, known)
    rule = book.find(arguments.id)
    if action == "explain":
        if arguments.json:
            terminal.data(_described(work, book, rule, known))
        else:
            for text in _explained(work, book, rule, known):
                terminal.line(strip_hidden(text))
        return 0
    return _switch(arguments, work, book, rule)


def _switch(arguments: argparse.Namespace, work: Workspace, book: Rulebook, rule: Rule) -> int:
    """Switch a guard on or off, or change its mode."""
    action, say = arguments.action, work.terminal.say
    old, mode = switch_store.switches(work).get(rule.id), ""
    if action == "off" and old is None:
        say(f"{rule.id} stands no guard; nothing to do.")
        return 0
    if action == "mode" and old is None:
        raise UsageError(f"{rule.id} stands no guard yet; `memoria guard on {rule.id}` first")
    if action != "off":
        mode = arguments.mode or (old.mode if old else guard.DEFAULT)
        switch_store.may_be_on(book.is_in_force(rule), rule)
    # what is switched on where nothing was is no wall that anybody put up
    if mode == "deny" or (old and mode != old.mode):
        driver = decides(arguments, work)
        if not driver.is_person:
            return propose_command(arguments, work, driver)
    switch_store.flip(work, rule, mode)
    refresh.refresh(work)
    where = switch_store.post(work)
    if not mode:
        say(f"{rule.id} stands no guard any more.")
        return 0
    say(f"{rule.id}: guard on ({mode}: {_WHAT[mode]}).")
    say(f"The hook is in {where}, from the next session on." if where else _NO_HOOKS)
    return 0


# -- Telling ---------------------------------------------------------------------------------------


def _list(
    arguments: argparse.Namespace, work: Workspace, book: Rulebook, known: Mapping[str, Switch]
) -> int:
    shown = [rule for rule in book.rules if rule.check or rule.check_error or rule.id in known]
    if arguments.json:
        terminal.data([_described(work, book, rule, known) for rule in shown])
        return 0
    for rule in shown:
        terminal.line(strip_hidden(_line(book, rule, known)))
    if not shown:
        work.terminal.say(
            "No rule has a check; `memoria guard suggest` looks for rules that can have one."
        )
    return 0


def _line(book: Rulebook, rule: Rule, known: Mapping[str, Switch]) -> str:
    """Give a rule's guard in one line."""
    now = switches.state(rule, known.get(rule.id), book.approvals)
    said = known[rule.id].mode if now == "on" else switches.MEANING[now]
    if now == "broken":
        said = f"off: {rule.check_error}"
    return f"{rule.id}  {rule.text}  ({said})"


def _explained(
    work: Workspace, book: Rulebook, rule: Rule, known: Mapping[str, Switch]
) -> Iterator[str]:
    yield _line(book, rule, known)
    if rule.check:
        yield from (f"  {told}" for told in switches.told(rule.check))
        why = judge.refused(rule.check)
        if why:
            yield f"  It cannot be switched on: {why}."
    elif not rule.check_error:
        yield f"  It has no check; `memoria guard suggest {rule.id}` looks for one."
    if rule.id in known:
        mode = known[rule.id].mode
        yield f"  {mode}: {_WHAT[mode]}."
    acts = _fired(work, rule.id)
    if acts:
        yield f"  So far: {', '.join(f'{count} {name}' for name, count in sorted(acts.items()))}."
    yield f"  It stands in knowledge/{rule.path}.md under `check:`."


def _fired(work: Workspace, identity: str) -> Counter[str]:
    """Count what a rule's guard has done in captured sessions, by decision."""
    records = work.vault.history().of("guard")
    return Counter(str(one.get("decision")) for one in records if one.get("id") == identity)


def _described(
    work: Workspace, book: Rulebook, rule: Rule, known: Mapping[str, Switch]
) -> dict[str, Any]:
    switch = known.get(rule.id)
    return {
        "id": rule.id,
        "rule": rule.text,
        "state": switches.state(rule, switch, book.approvals),
        "mode": switch.mode if switch else None,
        "check": guard.written(rule.check) if rule.check else None,
        "error": rule.check_error or None,
        "told": list(switches.told(rule.check)) if rule.check else [],
        "fired": dict(_fired(work, rule.id)),
        "path": f"knowledge/{rule.path}.md",
    }
