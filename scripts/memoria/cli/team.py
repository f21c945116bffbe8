"""Join a team, say what is shared with it, exchange with it and leave it (`memoria team ACTION`).

What brings words of the vault to others is a person's decision; an agent's command leaves a
proposal. Nothing that is printed holds a password, but for the one of a new member, which is
printed once. What is shared comes from logs, fixes, rules and experiments; the rooms that know
these stand above the room of teams, so they are put together here. A log that cannot be read stops
it: what it holds would be taken for forgotten, and withdrawn for good.
"""

from __future__ import annotations

import getpass
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memoria import terminal
from memoria.errors import MemoriaError, UsageError
from memoria.evidence import service as evidence
from memoria.evidence.study import fact_of
from memoria.rules.model import holds_in
from memoria.rules.proposal_service import find_driver_and_settle, propose_command
from memoria.rules.rulebook import rulebook
from memoria.search.cures.from_ledger import build_cures
from memoria.team import membership_store, service as team
from memoria.text.numbers import format_count

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Mapping

    from memoria.team.fact import TeamFact
    from memoria.team.membership_store import Membership
    from memoria.team.service import ExchangeCounts
    from memoria.workspace import Workspace

    _Action = Callable[[argparse.Namespace, Workspace], None]

# where an address may be that is not typed: the person's own environment and configuration
ADDRESS = "MEMORIA_TEAM"


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Do what was asked; what shares or withdraws only for a person."""
    # whoever owns the database may have no vault of their own
    if arguments.action in _OWNERS and not work.vault.looks_like_one and work.driver().is_person:
        _OWNERS[arguments.action](arguments, work)
        return 0
    work.vault.require()
    # a proposal is kept and shown
    arguments.command_line = [*map(membership_store.strip_password, arguments.command_line)]
    if arguments.action not in {"status", "sync"}:
        driver = find_driver_and_settle(arguments, work)
        if not driver.is_person:
            if arguments.action == "join":
                _check_folder(_read_address(arguments, work))
            elif arguments.action not in _OWNERS:
                _require_membership(work)
            return propose_command(arguments, work, driver)
    _ACTIONS[arguments.action](arguments, work)
    return 0


def _require_membership(work: Workspace) -> Membership:
    member = membership_store.read_membership(work.vault.state)
    if member is None:
        raise UsageError("this machine belongs to no team: `memoria team join DSN|FOLDER`")
    return member


def _join(arguments: argparse.Namespace, work: Workspace) -> None:
    if membership_store.read_membership(work.vault.state):
        raise UsageError("this machine belongs to a team already: `memoria team leave` first")
    address = _read_address(arguments, work)
    name = arguments.name or getpass.getuser()
    member = membership_store.build_membership(work.vault.state, address, name)
    with closing(membership_store.open_exchange(member)) as exchange:
        exchange.pull("")
        member = replace(member, author=exchange.author)
    membership_store.write_membership(work.vault.state, member)
    counts = _exchange(work, member)
    work.terminal.say(
        f"Joined {member.shown} as {member.author}; {format_count(counts.pulled, 'line')} came. "
        "Nothing of yours is shared yet: `memoria team share` shares the project of this folder."
    )


def _read_address(arguments: argparse.Namespace, work: Workspace) -> str:
    address: str = arguments.where or work.settings.environment.get(ADDRESS, "")
    if not address:
        raise UsageError(
            f"join what? `memoria team join FOLDER` or a database's address, or set {ADDRESS}"
        )
    return address


def _check_folder(address: str) -> None:
    """Refuse to propose a folder that is not there; a database is asked when a person joins."""
    if not membership_store.is_address(address) and not Path(address).expanduser().is_dir():
        raise UsageError(f"there is no folder {address}")


def _share(arguments: argparse.Namespace, work: Workspace) -> None:
    project, member = _find_project(arguments, work), _require_membership(work)
    shared = member.with_project(project, with_facts=arguments.with_facts)
    work.terminal.say(f"Shared from now on: {project}. Every flush exchanges in the background.")
    # where the exchange fails, the next flush does it
    membership_store.write_membership(work.vault.state, shared)
    _sync(arguments, work)


def _unshare(arguments: argparse.Namespace, work: Workspace) -> None:
    project, member = _find_project(arguments, work), _require_membership(work)
    if project not in member.projects:
        shared = ", ".join(member.projects) or "nothing"
        raise UsageError(f"{project} is not shared; shared: {shared}")
    work.terminal.say(f"No longer shared: {project}. What was shared of it is withdrawn.")
    membership_store.write_membership(work.vault.state, member.without_project(project))
    _sync(arguments, work)


def _find_project(arguments: argparse.Namespace, work: Workspace) -> str:
    """Give the project that is meant: by its key or a part of it, else that of this folder."""
    sessions = work.vault.history().sessions.values()
    projects = {session.project for session in sessions if session.project}
    name = arguments.project or work.project
    matches = [name] if name in projects else sorted(key for key in projects if name in key)
    if len(matches) != 1:
        fault = f"fits several: {', '.join(matches[:5])}" if matches else "has no captured session"
        raise UsageError(f"the project {name!r} {fault}")
    return matches[0]


def _sync(_: argparse.Namespace, work: Workspace) -> None:
    counts = _exchange(work, _require_membership(work))
    received, sent = format_count(counts.pulled, "line"), format_count(counts.pushed, "line")
    work.terminal.say(f"Exchanged with the team: {received} received, {sent} sent.")


def _leave(arguments: argparse.Namespace, work: Workspace) -> None:
    member = _require_membership(work)
    if arguments.withdraw:
        leaving = replace(member, projects=(), with_facts=())
        membership_store.write_membership(work.vault.state, leaving)
        lines = format_count(_exchange(work, leaving).pushed, "line")
        work.terminal.say(f"Taken back: {lines}; others lose them at their next exchange.")
    elif member.projects:
        work.terminal.say("What you shared stays: `--withdraw` would have taken it along.")
    team.open_mirror(work.vault.state).delete()
    membership_store.remove_membership(work.vault.state, member)
    work.vault.changed = True
    work.terminal.say(f"Left {member.shown}; what others said is gone from this machine.")


def _print_status(arguments: argparse.Namespace, work: Workspace) -> None:
    member = membership_store.read_membership(work.vault.state)
    facts = team.open_mirror(work.vault.state).facts() if member else []
    counts = Counter(fact.author for fact in facts)
    shared = list(member.projects) if member else []
    if arguments.json:
        team_name, author = (member.shown, member.author) if member else ("", "")
        terminal.print_json({"team": team_name, "name": author, "shared": shared, "facts": counts})
    elif member is None:
        work.terminal.say("This machine belongs to no team.")
    else:
        terminal.print_line(f"{member.shown}, as {member.author}")
        terminal.print_line(f"shared: {', '.join(shared) or 'nothing yet'}")
        if counts:
            rows = [(name, str(count)) for name, count in sorted(counts.items())]
            terminal.print_table(("author", "lines"), rows)
        else:
            terminal.print_line("nothing has come yet")


def _run_owner_action(arguments: argparse.Namespace, work: Workspace) -> None:
    """Do what takes the database's owner: make the schema, and who may log in and see what."""
    from memoria.team.postgres_store import Members  # noqa: PLC0415 - needs the extra `postgres`

    typed_address = arguments.where or work.settings.environment.get(ADDRESS, "")
    member = membership_store.read_membership(work.vault.state)
    address = typed_address or (member.where if member and member.is_database else "")
    if not membership_store.is_address(address):
        raise UsageError(f"only a database has members; name the owner's address ({ADDRESS})")
    say, name = work.terminal.say, getattr(arguments, "name", "")
    with closing(Members(address)) as owner:
        if arguments.action == "init":
            result = "The schema is there already." if owner.make() else "Made the team's schema."
            say(
                f"{result} Next: `memoria team invite NAME` and `memoria team admit PROJECT NAME` "
                "for each member, both with --dsn."
            )
        elif arguments.action == "invite":
            password = owner.invite(name)
            say(
                f"Made the role {name}. It sees no project until `memoria team admit PROJECT "
                f"{name}`, and joins with `memoria team join postgresql://{name}@HOST/DATABASE`. "
                "Its password, printed this once:"
            )
            terminal.print_document(f"{password}\n")
        elif arguments.action == "admit":
            owner.admit(arguments.project, name)
            say(f"{name} may read and share {arguments.project}.")
        else:
            owner.remove(name)
            say(f"{name} cannot log in any more. What they shared stays with who has it.")


_OWNERS: Mapping[str, _Action] = dict.fromkeys(
    ("init", "invite", "admit", "remove"), _run_owner_action
)
_ACTIONS: Mapping[str, _Action] = {
    "join": _join,
    "share": _share,
    "unshare": _unshare,
    "sync": _sync,
    "status": _print_status,
    "leave": _leave,
    **_OWNERS,
}


def _exchange(work: Workspace, member: Membership) -> ExchangeCounts:
    """Pull and push; one process at a time. What came changes what hooks read."""
    with work.vault.state.lock("team"):
        counts = team.exchange_facts(work.vault.state, member, collect_shared(work, member))
    if counts.pulled or counts.pushed:
        work.vault.changed = True
    return counts


def exchange_after_flush(work: Workspace) -> list[str]:
    """Exchange with the team if there is one; give what went wrong."""
    state = work.vault.state
    try:
        member = membership_store.read_membership(state)
        if member:
            _exchange(work, member)
    except MemoriaError as error:
        return [f"team: {error}"]
    return []


def collect_shared(work: Workspace, member: Membership) -> list[TeamFact]:
    """Give all that is shared with the team, redacted."""
    facts = list(_collect_facts(work, member)) if member.projects else []
    return list(team.redact_facts(facts, work.settings.secrets))


def _collect_facts(work: Workspace, member: Membership) -> Iterator[TeamFact]:
    """Give all that is shared, before it is redacted."""
    keys, author, history = work.vault.lines.sayable, member.author, work.vault.history()
    for day in work.vault.logs():
        for block in work.vault.log(day).blocks:
            project = block.entry.project
            if project in member.projects:
                with_all = project in member.with_facts
                yield from team.build_entry_facts(author, block.entry, keys, everything=with_all)
    for cure in build_cures(history.mistakes, history.captures):
        # what a linter or a program printed is not the person's: with the rest alone
        if cure.project in member.with_facts and cure.change:
            yield team.build_fix_fact(author, cure)
    yield from _collect_rule_facts(work, member)
    for experiment in evidence.read_experiments(work, history):
        if experiment.design == "chance":
            study = evidence.read_study(work, experiment, history)
            for unit in study.units:
                if unit.is_randomised and unit.project in member.projects:
                    yield fact_of(author, unit, study.detector)


def _collect_rule_facts(work: Workspace, member: Membership) -> Iterator[TeamFact]:
    book = rulebook(work)
    for rule in filter(book.is_in_force, book.rules):
        for project in member.projects:
            if holds_in(rule, project):
                details = {"category": rule.category, "sessions": rule.frequency}
                day = rule.created or rule.updated
                yield team.build_rule_fact(member.author, project, day, rule.text, details)
