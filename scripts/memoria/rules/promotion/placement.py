"""Write the rules of a tool's file: the file and the ledger's record of it, in a safe order.

The ledger never says less than the files hold, so that a rejected rule leaves each of them: what is
added is recorded before the file is written, what is taken out after it. What a crash leaves, the
next write of the file puts right.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoria.agents.claude_code.settings import difference
from memoria.errors import MemoriaError, UsageError, VaultError
from memoria.privacy import clean as gate
from memoria.rules.model import aged
from memoria.rules.promotion import file_store as files
from memoria.rules.promotion import targets as target
from memoria.rules.rulebook import rulebook
from memoria.vault.regions import digest
from memoria.vault.storage import clock
from memoria.vault.storage.history import PROMOTE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from memoria.rules.model import Rule
    from memoria.rules.promotion.file_store import Held
    from memoria.rules.rulebook import Rulebook
    from memoria.vault.regions import Region
    from memoria.workspace import Workspace

# the name of the lock that whoever writes such files holds
LOCK = "promote"
_OVER = frozenset({"rejected", "retired"})


@dataclass(frozen=True, slots=True)
class Promotion:
    """The rules (by id) in a file: `path` is absolute and without links, `target` says its kind.

    `root` is the folder that was named: the project's, or the client's. `project` is the key of the
    project that the file serves, "" for all projects, `sha` the hash of the section as it was
    written: another one in the file is another machine's.
    """

    target: str
    path: str
    root: str
    project: str
    ids: tuple[str, ...] = ()
    sha: str = ""


@dataclass(frozen=True, slots=True)
class Placement:
    """What is to change: `text` is the file's next one, None for no file; `before` says what is in.

    `rules` are those that the file holds then, `sha` is the hash of their section. `approve` are
    the rules that naming them brings in force, `aside` is the part as it was, where it is not
    Memoria's of this machine alone.
    """

    held: Held
    before: Promotion
    rules: tuple[Rule, ...]
    text: str | None
    sha: str = ""
    approve: tuple[Rule, ...] = ()
    aside: str = ""

    @property
    def after(self) -> Promotion:
        """What the ledger is to say."""
        ids = tuple(rule.id for rule in self.rules)
        return replace(self.before, ids=ids, sha=self.sha if ids else "")

    @property
    def changes(self) -> bool:
        """Whether the file will be another one."""
        return self.text != self.held.text

    @property
    def diff(self) -> str:
        """The change of the file."""
        return difference(self.held.text or "", self.text or "", str(self.held.path))


def promoted(work: Workspace) -> dict[str, Promotion]:
    """Read from the ledger which rules stand where, by path; what is no such record is left."""
    known: dict[str, Promotion] = {}
    for record in work.vault.history().of(PROMOTE):
        words = [record.get(name) for name in ("target", "path", "root", "project")]
        ids = record.get("ids")
        if not isinstance(ids, list) or not all(isinstance(word, str) for word in words):
            continue
        kind, path, root, project = map(str, words)
        known.pop(path, None)
        names = tuple(name for name in ids if isinstance(name, str))
        if ids and path:
            known[path] = Promotion(kind, path, root, project, names, str(record.get("sha") or ""))
    return known


def current(book: Rulebook) -> dict[str, Rule]:
    """Give the rules by their ids, and by those that they have taken over."""
    heirs = {name: rule for rule in book.rules for name in rule.merged}
    return {rule.id: rule for rule in book.rules} | heirs


def holding(
    work: Workspace,
    book: Rulebook,
    ids: Iterable[str],
    chosen: Iterable[Rule] = (),
    without: Collection[str] = (),
) -> tuple[Rule, ...]:
    """Give the rules that a file is to hold: those of `ids` that are in force, and those chosen."""
    known = current(book)
    held = [known[name] for name in ids if name in known]
    held = [rule for rule in held if book.is_in_force(rule) and rule.id not in without]
    by_id = {rule.id: rule for rule in (*held, *chosen)}
    return tuple(shown(work, rule) for rule in by_id.values())


def wordings(rule: Rule) -> tuple[Rule, ...]:
    """Give a rule once for each wording that it has or had."""
    return tuple(replace(rule, text=text) for text in (rule.text, *rule.aliases))


def theirs(
    work: Workspace, book: Rulebook, before: Promotion, found: Region, section: str
) -> tuple[str, ...]:
    """Give the words of a part that would be lost and are no rules of this vault's.

    A teammate's machine has promoted them, or another vault. A rule of this vault that is over, or
    in force in other words, may go.
    """
    if found.sha == before.sha:
        return ()
    own = [
        shown(work, wording)
        for rule in book.rules
        if book.is_in_force(rule) or rule.status in _OVER or rule.superseded_by
        for wording in wordings(rule)
    ]
    return target.lost(target.target(before.target), found.body, section, own)


def shown(work: Workspace, rule: Rule) -> Rule:
    """Give a rule as it may leave the vault: without secrets, its confidence as of today."""
    today = clock.now(work.settings.zone).date()
    return replace(aged(rule, today), text=gate.clean(rule.text, work.settings.secrets))


def land(work: Workspace, placement: Placement) -> None:
    """Write file and ledger; on an error of the file the ledger is as it was."""
    before, after = placement.before, placement.after
    both = replace(after, ids=tuple(dict.fromkeys([*before.ids, *after.ids])))
    if not set(after.ids) - set(before.ids):
        # nothing is added, so the old record is no lie; on a disk that dies now it has to stand
        both = before
    try:
        record(work, both if both != before else None, placement if placement.changes else None)
        files.write(placement.held, placement.text, Path(after.root))
    except BaseException:
        if both != before and not _landed(placement):
            record(work, before)
        raise
    if both != after:
        record(work, after)


def _landed(placement: Placement) -> bool:
    """Whether the file holds its next text though writing it has failed (at its last flush)."""
    try:
        return files.read(placement.held.path).text == placement.text
    except UsageError:
        return True  # the ledger may say too much, never too little


def record(work: Workspace, what: Promotion | None, change_of: Placement | None = None) -> None:
    """Say in the ledger what a file holds, and keep how it changes, for `memoria undo`."""
    at = clock.now(work.settings.zone).isoformat(timespec="seconds")
    with work.vault.changing() as change:
        if what:
            value: dict[str, Any] = {"kind": PROMOTE, "at": at} | asdict(what)
            change.record(value | {"ids": list(what.ids)})
        if change_of:
            before, after = (
                None if text is None else text.encode("utf-8", "replace")
                for text in (change_of.held.text, change_of.text)
            )
            change.picture(change_of.held.path, before, after)


# -- Rules that are out of force, or have other words ----------------------------------------------


def withdraw(work: Workspace, ids: Iterable[str], *, strict: bool = False) -> list[str]:
    """Take rules out of every file that they were promoted to; give what could not be done.

    In a part that a person has edited, or that another machine wrote, only the rule's line goes.
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
    if not promoted(work):
        return problems
    try:
        with work.vault.state.lock(LOCK):
            book = rulebook(work)
            now = current(book)
            for one in promoted(work).values():
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
        record(work, replace(before, ids=()))
        work.terminal.say(f"{path} holds no rules of Memoria any more")
        return ""
    rules = holding(work, book, before.ids, without=without)
    section, sha = target.body(kind, rules), before.sha
    text: str | None = held.text
    if found.edited or theirs(work, book, before, found, section):
        gone = {*before.ids} - {rule.id for rule in rules}
        left = [rule for rule in book.rules if rule.id in gone]
        lines = [shown(work, one) for rule in left for one in wordings(rule)]
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
    land(work, Placement(held, before, rules, text, sha))
    return ""
