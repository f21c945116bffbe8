"""What is to be forgotten -> logs, notes, index and ledger without it, in one transaction.

All is worked out first, so that it can be shown before anything is done, and worked out again under
the lock. The transaction has no label, so the journal keeps no image of what went. The trap: lines
of the ledger are rewritten here and nowhere else, and what is to be said in it anew (hashes of the
notes as they now are) has to be part of the same bytes.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memoria.cli.forgetting import evidence as witness
from memoria.cli.forgetting import note_without as purge
from memoria.cli.forgetting.note_without import Purged
from memoria.lint import index_rows as listing
from memoria.rules import model as rule
from memoria.rules.guards import switch_store as guarding
from memoria.vault import citations as trace
from memoria.vault import index as catalog
from memoria.vault.article import render, with_meta
from memoria.vault.short_sessions import HEADING, short_sessions, without
from memoria.vault.storage import clock, disk
from memoria.vault.storage import history as records
from memoria.vault.storage import tombstones as tombstone
from memoria.vault.storage.state import encode
from memoria.vault.transaction import INDEX
from memoria.vault.written.written_entry import written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memoria.cli.forgetting.selection import Aim
    from memoria.cli.forgetting.telling_words import Evidence
    from memoria.vault.article import Article
    from memoria.vault.daily import Block
    from memoria.vault.store import Log
    from memoria.vault.transaction import Transaction
    from memoria.workspace import Workspace

# characters of a session's id that a rule's note keeps
_SHORT = 8
_HEADINGS = ("# Daily Log:", "## Sessions", HEADING)


@dataclass
class Purge:
    """What will be gone: files as they will be, by what they are.

    `logs` are (log, text), the text None for a log of which nothing is left. `projects` are those
    that no entry is about any more. `articles` maps paths
    to what becomes of each (None: gone), `before` to what they were. `rules` are ids of rules that
    go, or whose words do. `left` are a person's lines, with their file, `aside` those of notes that
    go, which are put aside.
    """

    lost: Evidence
    projects: frozenset[str] = frozenset()
    logs: list[tuple[Log, str | None]] = field(default_factory=list)
    pages: list[tuple[str, str, str]] = field(default_factory=list)
    before: dict[str, Article] = field(default_factory=dict)
    articles: dict[str, Article | None] = field(default_factory=dict)
    rules: set[str] = field(default_factory=set)
    reworded: set[str] = field(default_factory=set)
    blocks: int = 0
    left: list[tuple[str, str]] = field(default_factory=list)
    aside: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def moves(self) -> dict[str, str]:
        """Where links to changed notes lead now: "" for nowhere."""
        found = {path: one.path if one else "" for path, one in self.articles.items()}
        for name, new, _ in self.pages:
            found[f"daily/{name[:-3]}"] = f"daily/{new[:-3]}"
        return {path: new for path, new in found.items() if path != new}


def worked_out(work: Workspace, aim: Aim) -> Purge:
    """Read the vault and say what will be gone."""
    logs = list(witness.logs(work))
    lost = witness.evidence(work, aim, logs)
    found = Purge(lost, witness.over(aim, logs))
    for log in logs:
        gone = [block for block in log.blocks if witness.is_meant(block, aim)]
        short = [one for one in short_sessions(log.text) if witness.is_short_meant(one, aim)]
        if gone or short:
            found.blocks += len(gone) + len(short)
            found.logs.append((log, _log_without(log, gone, aim)))
    found.pages = list(_pages(work, aim, lost))
    _articles(work, aim, found)
    return found


def carry_out(work: Workspace, aim: Aim) -> Purge:
    """Make it so: all of it or nothing, whatever instant the process dies."""
    with work.vault.changing() as change:
        work.vault.articles.refresh()
        found = worked_out(work, aim)
        for log, text in found.logs:
            path = work.vault.daily / f"{log.day}.md"
            change.put_file(path, text.encode() if text is not None else None, log.sha)
        for name, new, text in found.pages:
            path = work.vault.daily / name
            sha = disk.sha(disk.read(path) or b"")
            if new != name:
                change.put_file(path, None, sha)
            change.put_file(work.vault.daily / new, text.encode(), sha if new == name else "")
        wrote = _put_articles(work, found, change)
        _put_rest(work, aim, found, change, wrote)
    return found


# -- Working it out --------------------------------------------------------------------------------


def _log_without(log: Log, gone: Iterable[Block], aim: Aim) -> str | None:
    text = log.text
    for block in sorted(gone, key=lambda one: -one.start):
        text = text[: block.start] + text[block.end :]
    text = without(text, aim.entries, aim.sessions)
    rest = [line for line in text.splitlines() if line.strip()]
    return text if any(not line.startswith(_HEADINGS) for line in rest) else None


def _pages(work: Workspace, aim: Aim, lost: Evidence) -> Iterator[tuple[str, str, str]]:
    """Take out of entries that were drafted from a session what it said: name, new name, text."""
    for name in work.vault.pages()[0]:
        text = witness.read(work, name)
        found = written(text)
        if found.session and found.session in aim.sessions:
            drafts = {one.text for one in found.improvements if one.drafted}
            lines = [
                one for one in text.splitlines(keepends=True) if trace.words(one) not in drafts
            ]
            kept = [one for one in lines if _names(one, aim) or not lost.marks(one)]
            # the mark stays, or what is left of the draft would count as the person's own words
            yield name, _renamed(work, name, lost), _nameless("".join(kept), aim)


def _renamed(work: Workspace, name: str, lost: Evidence) -> str:
    """Give the file of an entry a name without their words."""
    if not lost.marks(name):
        return name
    day, taken, number = name[: len("2026-03-02")], work.vault.pages()[0], 1
    while f"{day}-draft-{number}.md" in taken:
        number += 1
    return f"{day}-draft-{number}.md"


def _names(line: str, aim: Aim) -> bool:
    return any(one in line for one in aim.sessions)


def _nameless(text: str, aim: Aim) -> str:
    for one in aim.sessions:
        text = text.replace(one, "forgotten")
    return text


def _articles(work: Workspace, aim: Aim, found: Purge) -> None:
    shelf, written_ = work.vault.articles, work.vault.history().written
    found.before = {path: shelf[path] for path in shelf}
    touched = {
        path
        for path, one in found.before.items()
        if found.lost.touches(name.removesuffix(".md") for name in one.names("sources"))
    }
    for path, one in found.before.items():
        owned = written_.get(path) == one.sha
        result = _purged(one, aim, found, touched, owned=owned)
        if result.article is None and result.left:
            found.aside[path] = result.left
        else:
            found.left += [(f"knowledge/{path}.md", line) for line in result.left]
        if result.article is None or render(result.article) != render(one):
            found.articles[path] = _placed(result.article, found)
    _connections(found, written_)
    _relink(found)


def _purged(one: Article, aim: Aim, found: Purge, touched: set[str], *, owned: bool) -> Purged:
    lost = found.lost
    if one.kind == "rule":
        return _purged_rule(one, aim, found)
    asked = one.names("consulted")
    of_touched = one.kind == "qa" and (lost.touches(asked) or not touched.isdisjoint(asked))
    if of_touched and lost.marks(f"{one.title}\n{one.meta.get('question')}"):
        return Purged(None)
    linked = lost.touches(trace.links(render(one)))
    if one.path not in touched and not of_touched and not linked and not lost.holds(render(one)):
        return Purged(one)
    days = tuple(lost.gone) if of_touched else ()
    result = purge.purged(one, lost, owned=owned, days=days)
    projects = one.names("projects")
    if result.article and not found.projects.isdisjoint(projects):
        left = [name for name in projects if name not in found.projects]
        result = replace(result, article=with_meta(result.article, {"projects": left}))
    return result


def _purged_rule(one: Article, aim: Aim, found: Purge) -> Purged:
    short = {name[:_SHORT] for name in aim.sessions}
    known = rule.rule(one)
    scope = one.names("scope")
    of_project = bool(scope) and set(scope) <= aim.projects
    # a rule of an entry that a person wrote has the entry's name for a session
    old = {part for name, new, _ in found.pages if name != new for part in (name, name[:-3])}
    gone = short | old | aim.sessions | aim.entries
    result = Purged(None) if of_project else purge.purged_rule(one, found.lost, gone)
    if known and result.article is None:
        found.rules |= {known.id}
    elif known and result.article and result.article.title != one.title:
        found.reworded |= {known.id}
    if result.article and not aim.projects.isdisjoint(scope):
        left = [name for name in scope if name not in aim.projects]
        result = replace(result, article=with_meta(result.article, {"scope": left}))
    return result


def _placed(article: Article | None, found: Purge) -> Article | None:
    if article is None:
        return None
    taken = {*found.before, *(one.path for one in found.articles.values() if one)}
    path = purge.moved(article, found.lost, taken - {article.path})
    return replace(article, path=path, sha="") if path != article.path else article


def _connections(found: Purge, written_: Mapping[str, str]) -> None:
    """A connection of a note that is gone connects nothing any more."""
    for path, one in found.before.items():
        gone = {name for name, new in found.moves.items() if not new}
        owned = written_.get(path) == one.sha
        if one.kind == "connection" and owned and not gone.isdisjoint(one.names("connects")):
            found.articles[path] = None


def _relink(found: Purge) -> None:
    moves = found.moves
    for path, one in found.before.items():
        now = found.articles.get(path, one)
        if now is None or not moves:
            continue
        after = purge.relinked(now, moves)
        if render(after) != render(now):
            found.articles[path] = after


# -- Making it so ----------------------------------------------------------------------------------


def _put_articles(work: Workspace, found: Purge, change: Transaction) -> dict[str, str]:
    """Put the notes; give the hashes of those that nobody but Memoria wrote."""
    known = work.vault.history().written
    wrote: dict[str, str] = {}
    for path, one in found.articles.items():
        before = found.before[path]
        if one is None or one.path != path:
            change.put_file(work.vault.knowledge / f"{path}.md", None, before.sha)
        if one is not None:
            change.put_article(one)
            if known.get(path) == before.sha and one.path in change.wrote:
                wrote[one.path] = change.wrote[one.path]
    return wrote


def _put_rest(
    work: Workspace, aim: Aim, found: Purge, change: Transaction, wrote: dict[str, str]
) -> None:
    vault, state = work.vault, work.vault.state
    now = clock.now(work.settings.zone)
    for theirs in found.aside.values():
        own = "".join(f"{line}\n" for line in theirs).encode()
        change.put_state(vault.journal.aside / f"forgotten-{disk.sha(own)}.md", own)
    _put_index(work, found, change)
    wrote[INDEX] = change.wrote[INDEX]
    path = vault.knowledge / "log.md"
    data = disk.read(path)
    if data is not None:
        text = data.decode("utf-8", "replace")
        # an undo or a person may have taken a note away whose name says too much
        links = [link for link in purge.linked(text) if link not in found.before]
        gone = {link: "" for link in links if found.lost.marks(link)}
        text = purge.purged_log(text, found.lost, gone | found.moves)
        change.put_file(path, text.encode(), disk.sha(data))
    if found.blocks or found.articles or found.pages:  # else it was told when it was begun
        lines = [f"Entries: {found.blocks}", f"Notes: {len(found.articles)}"]
        change.append_log(catalog.log_entry(now, "forget", "What was asked for", lines))
    approvals = state.read_json(state.approvals)
    kept = {
        name: one for name, one in approvals.items() if name not in found.rules | found.reworded
    }
    if kept != approvals:
        change.put_state(state.approvals, encode(kept))
    path = state.root / guarding.SWITCHES
    on = state.read_json(path)
    if not on.keys().isdisjoint(found.rules | found.reworded):
        off = {name: one for name, one in on.items() if name not in found.rules | found.reworded}
        change.put_state(path, encode(off))
    for one in aim.entries:
        data = disk.read(witness.extract(work, one)) if ":" not in one else None
        if data is not None:
            change.put_file(witness.extract(work, one), None, disk.sha(data))
    _put_ledger(work, aim, found, change, wrote)


def _put_index(work: Workspace, found: Purge, change: Transaction) -> None:
    """Derive the index; of what a person wrote into it, lines that hold no word of it are kept."""
    data = disk.read(work.vault.knowledge / "index.md") or b""
    lines = data.decode("utf-8", "replace").splitlines()
    own = [lines[number - 1] for number in listing.own_lines("\n".join(lines))]
    own = [line for line in own if not found.lost.marks(line)]
    if own:
        aside = work.vault.journal.aside / f"index-{disk.sha(data)}.md"
        change.put_state(aside, ("\n".join(own) + "\n").encode())
    change.put_index({INDEX: disk.sha(data)})


def _old_names(found: Purge) -> frozenset[str]:
    """Give the names that entries had, as the ledger has them: with and without ending."""
    old = [f"daily/{name}" for name, new, _ in found.pages if new != name]
    return frozenset([*old, *(name[:-3] for name in old)])


def _put_ledger(
    work: Workspace, aim: Aim, found: Purge, change: Transaction, wrote: Mapping[str, str]
) -> None:
    path = work.vault.state.ledger
    data = disk.read(path)
    # by line ends alone: a record may hold U+2028
    text = (data or b"").decode("utf-8", "replace")
    lines = [f"{line}\n" for line in text.split("\n") if line]
    now = (found.articles.get(path, one) for path, one in found.before.items())
    erased = tombstone.Erasure(
        aim.sessions,
        aim.entries | _old_names(found),
        aim.spans,
        frozenset({INDEX, *(one.path for one in now if one), *work.vault.articles.unreadable}),
        frozenset(found.rules),
        aim.projects,
        aim.match,
        found.lost.marks,
    )
    at = clock.now(work.settings.zone).isoformat(timespec="seconds")
    salt = next(iter(work.vault.history().forgot), "") or secrets.token_hex(8)
    known = work.vault.history().has_forgotten
    names = [one for one in tombstone.names(lines, erased) if not known(one)]
    new = list(tombstone.buried(lines, erased))
    if names:
        new.append(records.line(tombstone.record(at, salt, names)))
    if work.vault.history().written.items() >= wrote.items() and new == lines:
        return  # it was done before, and is only finished
    new.append(records.line({"kind": "wrote", "at": at, "wrote": dict(wrote)}))
    change.put_file(path, "".join(new).encode(), disk.sha(data) if data is not None else "")
