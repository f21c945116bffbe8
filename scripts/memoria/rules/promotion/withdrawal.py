"""Rules that are out of force, or have other words -> every file that they were promoted to.

What is rejected, retired or overruled has to leave those files at once, not with the next promote.
A file that is gone, read-only or damaged is told of and stops nothing. The trap: in a part that a
person has edited, or that another machine wrote, only that rule's own line goes; all others are not
this machine's to rewrite.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memoria.errors import MemoriaError, VaultError
from memoria.rules.decisions import rulebook
from memoria.rules.promotion import file_store as files
from memoria.rules.promotion import placement
from memoria.rules.promotion import targets as target
from memoria.rules.promotion.placement import Placement
from memoria.vault.regions import digest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from memoria.rules.decisions import Rulebook
    from memoria.rules.model import Rule
    from memoria.rules.promotion.records import Promotion
    from memoria.vault.regions import Region
    from memoria.workspace import Workspace


def withdraw(work: Workspace, ids: Iterable[str], *, strict: bool = False) -> list[str]:
    """Take rules out of every file that they were promoted to; give what could not be done.

    To be called after the decision: what is no longer in force goes as well. Nothing is raised for
    a file that is gone, read-only or damaged, but with `strict`: VaultError for one that is there
    and cannot be written.
    """
    names = frozenset(ids)
    return _renew(work, names, names, strict=strict)


def refresh(work: Workspace, ids: Iterable[str]) -> list[str]:
    """Write the files anew that hold these rules, whose words have changed, or which were merged.

    Gives what could not be done, as `withdraw` does.
    """
    return _renew(work, frozenset(ids), frozenset())


def _renew(
    work: Workspace, touched: Collection[str], without: Collection[str], *, strict: bool = False
) -> list[str]:
    if not placement.promoted(work):
        return []
    try:
        with work.vault.state.lock(placement.LOCK):
            return _each(work, touched, without, strict=strict)
    except MemoriaError as error:
        if strict:
            raise
        return [str(error)]


def _each(
    work: Workspace, touched: Collection[str], without: Collection[str], *, strict: bool
) -> list[str]:
    book = rulebook(work)
    now = placement.current(book)
    problems = []
    for one in placement.promoted(work).values():
        ids = {*one.ids, *(now[name].id for name in one.ids if name in now)}
        if ids.isdisjoint(touched):
            continue
        try:
            problem = _renew_file(work, book, one, without)
        except (MemoriaError, OSError) as error:
            problem = f"{one.path} could not be written anew: {error}"
            if strict:
                raise VaultError(problem) from error
        problems += [problem] if problem else []
    return problems


def _renew_file(
    work: Workspace, book: Rulebook, before: Promotion, without: Collection[str]
) -> str:
    """Write one file anew; give the problem, "" for none."""
    kind = target.target(before.target)
    held = files.read(Path(before.path))
    if held.text is None and not Path(before.root).is_dir():
        return f"{before.path} cannot be reached: promote to it again when it is back"
    found = target.part(kind, held.text or "", before.path)
    if held.text is None or not found:
        placement.record(work, replace(before, ids=()))
        work.terminal.say(f"{before.path} holds no rules of Memoria any more")
        return ""
    rules = placement.holding(work, book, before.ids, without=without)
    section, sha = target.body(kind, rules), before.sha
    text: str | None = held.text
    if found.edited or placement.theirs(work, book, before, found, section):
        text = target.without(kind, held.text, _gone(work, book, before, rules), before.path)
        if text == held.text:
            return _left(before.path, found)
    else:
        text = target.rewritten(kind, held.text, section, before.path)
        sha = digest(section)
    if text != held.text:
        work.terminal.say(f"{before.path} was written anew")
    placement.land(work, Placement(held, before, rules, text, sha))
    return ""


def _left(path: str, found: Region) -> str:
    return (
        f"{path}: lines {found.line} to {found.last} were edited by hand or on another machine and "
        "were left alone: change the rule there by hand, or promote with --force"
    )


def _gone(work: Workspace, book: Rulebook, before: Promotion, rules: Sequence[Rule]) -> list[Rule]:
    """Give the rules that leave a file, once for each wording that they have had."""
    kept, own = {one.id for one in rules}, {one.id: one for one in book.rules}
    gone = [own[name] for name in before.ids if name in own and name not in kept]
    return [placement.shown(work, one) for found in gone for one in placement.wordings(found)]
