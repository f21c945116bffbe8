"""Take rules that are out of force, or have other words, out of the files they were promoted to.

A file that is gone, read-only or damaged is told of and stops nothing. In a part that a person has
edited, or that another machine wrote, only that rule's own line goes.
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
from memoria.vault.regions import digest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from memoria.rules.decisions import Rulebook
    from memoria.rules.promotion.placement import Promotion
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
    return _renew(work, frozenset(ids), frozenset(), strict=False)


def _renew(
    work: Workspace, touched: Collection[str], without: Collection[str], *, strict: bool
) -> list[str]:
    problems: list[str] = []
    if not placement.promoted(work):
        return problems
    try:
        with work.vault.state.lock(placement.LOCK):
            book = rulebook(work)
            now = placement.current(book)
            for one in placement.promoted(work).values():
                ids = {*one.ids, *(now[name].id for name in one.ids if name in now)}
                if not ids.isdisjoint(touched):
                    problems.append(_try(work, book, one, without, strict=strict))
    except MemoriaError as error:
        if strict:
            raise
        problems.append(str(error))
    return list(filter(None, problems))


def _try(
    work: Workspace, book: Rulebook, one: Promotion, without: Collection[str], *, strict: bool
) -> str:
    try:
        return _renew_file(work, book, one, without)
    except (MemoriaError, OSError) as error:
        problem = f"{one.path} could not be written anew: {error}"
        if strict:
            raise VaultError(problem) from error
        return problem


def _renew_file(
    work: Workspace, book: Rulebook, before: Promotion, without: Collection[str]
) -> str:
    """Write one file anew; give the problem, "" for none."""
    kind, path = target.target(before.target), before.path
    held = files.read(Path(path))
    if held.text is None and not Path(before.root).is_dir():
        return f"{path} cannot be reached: promote to it again when it is back"
    found = target.part(kind, held.text or "", path)
    if held.text is None or not found:
        placement.record(work, replace(before, ids=()))
        work.terminal.say(f"{path} holds no rules of Memoria any more")
        return ""
    rules = placement.holding(work, book, before.ids, without=without)
    section, sha = target.body(kind, rules), before.sha
    text: str | None = held.text
    if found.edited or placement.theirs(work, book, before, found, section):
        gone = {*before.ids} - {rule.id for rule in rules}
        left = [rule for rule in book.rules if rule.id in gone]
        lines = [placement.shown(work, one) for rule in left for one in placement.wordings(rule)]
        text = target.without(kind, held.text, lines, path)
        if text == held.text:
            return (
                f"{path}: lines {found.line} to {found.last} were edited by hand or on another "
                "machine and were left alone: change the rule there by hand, or promote with "
                "--force"
            )
    else:
        text, sha = target.rewritten(kind, held.text, section, path), digest(section)
    if text != held.text:
        work.terminal.say(f"{path} was written anew")
    placement.land(work, placement.Placement(held, before, rules, text, sha))
    return ""
