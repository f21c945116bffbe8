"""Leave a proposal where a verb that only a person decides is driven by no person.

Scripts run such a verb and look at the exit code, so a proposal is no error; it says what it is.
"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Any

from memoria import terminal
from memoria import terminal_keys as keys
from memoria.errors import UsageError
from memoria.privacy import clean as gate
from memoria.rules import proposal_records as suggestion
from memoria.rules.rulebook import proposals
from memoria.vault.storage import clock

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from memoria.rules.model import Rule
    from memoria.rules.proposal_records import Verb
    from memoria.terminal_driver import Driver
    from memoria.workspace import Workspace

# options that say how a verb tells what it did, which is another matter for a person
_HOW = ("--json", "--quiet")


def decides(arguments: argparse.Namespace, work: Workspace) -> Driver:
    """Say who drives a verb; a person who types what was proposed settles the proposal."""
    driver = work.driver()
    if driver.is_person:
        settle(work, [_typed(arguments, work)])
    return driver


def propose_rules(
    arguments: argparse.Namespace,
    work: Workspace,
    driver: Driver,
    verb: Verb,
    rules: Sequence[Rule],
) -> int:
    """Leave a proposal about rules, each of which waits for a review; give the exit code."""
    now = clock.now(work.settings.zone)
    leave(work, [suggestion.record(now, verb, one) for one in rules])
    what = ", ".join(f"{one.id} {suggestion.shown(one.text)}" for one in rules)
    value = {"verb": verb, "rules": [{"id": one.id, "rule": one.text} for one in rules]}
    return _tell(arguments, work, driver, f"{verb} {what}", value)


def propose_command(
    arguments: argparse.Namespace, work: Workspace, driver: Driver, command: str = ""
) -> int:
    """Leave a proposal to type a command, the one that was given by default; give the exit code."""
    text, folder = _typed(arguments, work)
    text = command or text
    leave(work, [suggestion.command(clock.now(work.settings.zone), text, folder)])
    return _tell(arguments, work, driver, text, {"command": text})


def leave(work: Workspace, records: Sequence[dict[str, Any]]) -> None:
    """Write down what waits for a person; what waits already is not written down twice."""
    with work.vault.changing() as change:
        rules, commands = proposals(work), _commands(work)
        known = {*rules.items(), *commands}
        new = {_key(record): record for record in records if _key(record) not in known}
        about = {record.get("id", key) for key, record in new.items()}
        if len({*rules, *commands, *about}) > suggestion.MOST_OPEN:
            count = len(rules) + len(commands)
            raise UsageError(
                f"{count} proposals wait already: tell the user to run `memoria review`"
            )
        for record in new.values():
            change.record(record)


def settle(work: Workspace, commands: Sequence[tuple[str, str]]) -> None:
    """Note that commands wait no more: the person has typed them, or will not."""
    waiting = _commands(work)
    done = [command for command in commands if command in waiting]
    if done:
        now = clock.now(work.settings.zone)
        with work.vault.changing() as change:
            for text, folder in done:
                change.record(suggestion.command(now, text, folder, suggestion.SETTLED))


def listed(work: Workspace) -> list[str]:
    """Give a line for each command that waits."""
    shown = suggestion.shown
    return [f"{shown(text)}  (in {shown(where)})" for text, where in _commands(work)]


def ask(work: Workspace) -> None:
    """Show the person the commands that wait, and let them drop those."""
    lines = listed(work)
    if not lines:
        return
    head = "Agents propose these commands; type what you want to be done:"
    with keys.Keys() as board:  # it drops what was typed before the question
        terminal.page([("", ""), ("yellow", head), *(("", f"  {line}") for line in lines)])
        board.drop()
        terminal.ask("[d]rop them, any other key keeps them ")
        is_dropped = board.key().lower() == "d"
    terminal.page([("", "dropped" if is_dropped else "kept")])
    if is_dropped:
        settle(work, _commands(work))


def _commands(work: Workspace) -> list[tuple[str, str]]:
    return suggestion.commands(work.vault.history().of(suggestion.KIND))


def _key(record: dict[str, Any]) -> tuple[str, str]:
    first, second = ("command", "folder") if "command" in record else ("id", "verb")
    return record[first], record[second]


def _typed(arguments: argparse.Namespace, work: Workspace) -> tuple[str, str]:
    """Give the command as it was typed, without a secret, and the folder."""
    words = [word for word in arguments.command_line if word not in _HOW]
    text = gate.clean(shlex.join(["memoria", *words]), work.settings.secrets)
    return " ".join(text.split()), os.getcwd()  # noqa: PTH109 - it is kept as text


def _tell(
    arguments: argparse.Namespace, work: Workspace, driver: Driver, what: str, value: dict[str, Any]
) -> int:
    if arguments.json:
        terminal.data({"proposed": True, "reason": driver.reason} | value)
    work.terminal.warn(
        f"Proposed, not done: {what}. You decide it in `memoria review` at a terminal of your own "
        f"({driver.reason})."
    )
    return 0
