"""`memoria team ACTION`: join a team, say what is shared with it, and leave it again.

What brings words of the vault to others is a person's decision; an agent's command leaves a
proposal. Nothing that is printed holds a password, but for the one of a new member, which is
printed once.
"""

from __future__ import annotations

import getpass
import os
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from memoria import terminal
from memoria.agents.claude_code.git import project_key
from memoria.cli.team.exchange import exchange
from memoria.errors import UsageError
from memoria.rules.propose import decides, propose_command
from memoria.team import membership_store
from memoria.team import service as team
from memoria.text.numbers import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Mapping

    from memoria.team.members_store import Members
    from memoria.team.membership_store import Membership
    from memoria.workspace import Workspace

    _Action = Callable[[argparse.Namespace, Workspace], int]

# where an address may be that is not typed: the person's own environment and configuration
ADDRESS = "MEMORIA_TEAM"


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Do what was asked; what shares or withdraws only for a person."""
    # whoever owns the database may have no vault of their own
    if arguments.action in _OWNERS and not work.vault.looks_like_one and work.driver().is_person:
        return _ACTIONS[arguments.action](arguments, work)
    work.vault.require()
    # a proposal is kept and shown
    typed = map(membership_store.without_password, arguments.command_line)
    arguments.command_line = list(typed)
    if arguments.action == "status":
        return _status(arguments, work)
    if arguments.action != "sync":
        driver = decides(arguments, work)
        if not driver.is_person:
            return propose_command(arguments, work, driver)
    return _ACTIONS[arguments.action](arguments, work)


def _joined(work: Workspace) -> Membership:
    member = membership_store.membership(work.vault.state)
    if member is None:
        raise UsageError("this machine belongs to no team: `memoria team join DSN|FOLDER`")
    return member


def _address(arguments: argparse.Namespace, work: Workspace) -> str:
    where = arguments.where or work.settings.environment.get(ADDRESS, "")
    if not where:
        raise UsageError(f"which database? Give its address, or set {ADDRESS} in your environment")
    return str(where)


def _join(arguments: argparse.Namespace, work: Workspace) -> int:
    if membership_store.membership(work.vault.state):
        raise UsageError("this machine belongs to a team already: `memoria team leave` first")
    member = membership_store.new_member(
        _address(arguments, work), arguments.name or getpass.getuser()
    )
    opened = membership_store.exchange(member)
    try:
        opened.pull("")
        member = replace(member, author=opened.author)
    finally:
        opened.close()
    membership_store.keep(work.vault.state, member)
    done = exchange(work, member)
    work.terminal.say(
        f"Joined {member.shown} as {member.author}; {counted(done.pulled, 'line')} came. Nothing "
        "of yours is shared yet: `memoria team share` shares the project of this folder."
    )
    return 0


def _share(arguments: argparse.Namespace, work: Workspace) -> int:
    project, member = _project(arguments, work), _joined(work)
    # whoever shares again after leaving on another machine means to
    times = team.times_left(team.mirror(work.vault.state), member.author)
    shared = replace(member, left=times).sharing(project, with_facts=arguments.with_facts)
    work.terminal.say(f"Shared from now on: {project}. Every flush exchanges in the background.")
    return _kept(work, shared)


def _unshare(arguments: argparse.Namespace, work: Workspace) -> int:
    project = _project(arguments, work)
    member = _joined(work)
    if project not in member.projects:
        raise UsageError(
            f"{project} is not shared; shared: {', '.join(member.projects) or 'nothing'}"
        )
    work.terminal.say(f"No longer shared: {project}. What was shared of it is withdrawn.")
    return _kept(work, member.unsharing(project))


def _kept(work: Workspace, member: Membership) -> int:
    """Write down what is shared, and exchange; where that fails the next flush does it."""
    membership_store.keep(work.vault.state, member)
    return _sync(None, work)


def _project(arguments: argparse.Namespace, work: Workspace) -> str:
    """Give the project that is meant: by its key or a part of it, else that of this folder."""
    stays = work.vault.history().stays.values()
    known = {stay.project for stay in stays if stay.project}
    named = arguments.project or project_key(os.getcwd())  # noqa: PTH109 - a key is made of text
    fitting = [named] if named in known else sorted(one for one in known if named in one)
    if len(fitting) != 1:
        what = f"fits several: {', '.join(fitting[:5])}" if fitting else "has no captured session"
        raise UsageError(f"the project {named!r} {what}")
    return fitting[0]


def _sync(_: argparse.Namespace | None, work: Workspace) -> int:
    member = _joined(work)
    done = exchange(work, member)
    came, went = counted(done.pulled, "line"), counted(done.pushed, "line")
    work.terminal.say(f"Exchanged with the team: {came} received, {went} sent.")
    if done.has_left:
        work.terminal.warn("You left this team on another machine: nothing is shared from here.")
    return 0


def _leave(arguments: argparse.Namespace, work: Workspace) -> int:
    member = _joined(work)
    if arguments.withdraw:
        leaving = replace(member.withdrawing(), leaving=True)
        membership_store.keep(work.vault.state, leaving)
        done = exchange(work, leaving)
        gone = counted(done.pushed, "line")
        work.terminal.say(f"Taken back: {gone}; others lose them at their next exchange.")
    elif member.projects:
        work.terminal.say("What you shared stays: `--withdraw` would have taken it along.")
    team.mirror(work.vault.state).delete()
    membership_store.drop(work.vault.state)
    work.vault.changed = True
    work.terminal.say(f"Left {member.shown}; what others said is gone from this machine.")
    return 0


def _status(arguments: argparse.Namespace, work: Workspace) -> int:
    member = membership_store.membership(work.vault.state)
    facts = team.mirror(work.vault.state).facts() if member else []
    counts: dict[str, int] = {}
    for fact in facts:
        counts[fact.author] = counts.get(fact.author, 0) + 1
    value = {
        "team": member.shown if member else "",
        "name": member.author if member else "",
        "shared": list(member.projects) if member else [],
        "facts": counts,
    }
    if arguments.json:
        terminal.data(value)
    elif member is None:
        work.terminal.say("This machine belongs to no team.")
    else:
        terminal.line(f"{member.shown}, as {member.author}")
        terminal.line(f"shared: {', '.join(member.projects) or 'nothing yet'}")
        if not counts:
            terminal.line("nothing has come yet")
            return 0
        terminal.table(("author", "lines"), [(name, str(n)) for name, n in sorted(counts.items())])
    return 0


@contextmanager
def _owner(arguments: argparse.Namespace, work: Workspace) -> Iterator[Members]:
    from memoria.team.members_store import Members  # noqa: PLC0415 - needs the extra `postgres`

    where = arguments.where or work.settings.environment.get(ADDRESS, "")
    member = membership_store.membership(work.vault.state)
    address = where or (member.where if member and member.is_database else "")
    if not membership_store.is_address(address):
        raise UsageError(f"only a database has members; name the owner's address ({ADDRESS})")
    found = Members(address)
    try:
        yield found
    finally:
        found.close()


def _init(arguments: argparse.Namespace, work: Workspace) -> int:
    with _owner(arguments, work) as owner:
        before = owner.make()
    made = "The schema is there already." if before else "Made the team's schema."
    work.terminal.say(
        f"{made} Next: `memoria team invite NAME` and `memoria team admit PROJECT NAME` for each "
        "member, both with --dsn."
    )
    return 0


def _invite(arguments: argparse.Namespace, work: Workspace) -> int:
    with _owner(arguments, work) as owner:
        password = owner.invite(arguments.name)
    name = arguments.name
    work.terminal.say(
        f"Made the role {name}. It sees no project until `memoria team admit PROJECT {name}`, and "
        f"joins with `memoria team join postgresql://{name}@HOST/DATABASE`. Its password, printed "
        "this once:"
    )
    terminal.document(f"{password}\n")
    return 0


def _admit(arguments: argparse.Namespace, work: Workspace) -> int:
    with _owner(arguments, work) as owner:
        owner.admit(arguments.project, arguments.name)
    work.terminal.say(f"{arguments.name} may read and share {arguments.project}.")
    return 0


def _remove(arguments: argparse.Namespace, work: Workspace) -> int:
    with _owner(arguments, work) as owner:
        owner.remove(arguments.name)
    work.terminal.say(
        f"{arguments.name} cannot log in any more. What they shared stays with who has it."
    )
    return 0


_OWNERS: Mapping[str, _Action] = {
    "init": _init,
    "invite": _invite,
    "admit": _admit,
    "remove": _remove,
}
_ACTIONS: Mapping[str, _Action] = {
    **_OWNERS,
    "join": _join,
    "share": _share,
    "unshare": _unshare,
    "sync": _sync,
    "leave": _leave,
}
