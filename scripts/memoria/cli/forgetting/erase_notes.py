"""Take what is to be forgotten out of logs, notes, index and ledger, in one transaction.

All is worked out first, so that it can be shown before anything is done, and worked out again under
the lock. The transaction has no label, so the journal keeps no image of what went. The trap: lines
of the ledger are rewritten here and nowhere else, and what is to be said in it anew (hashes of the
notes as they now are) has to be part of the same bytes.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memoria.cli.forgetting import lost as losing
from memoria.cli.forgetting import note_without
from memoria.cli.forgetting.note_without import Remainder
from memoria.compile import project_page
from memoria.lint import index_rows
from memoria.rules import model as rule
from memoria.rules.guards import switch_store
from memoria.vault import index
from memoria.vault.article import render, with_meta
from memoria.vault.citations import words
from memoria.vault.short_sessions import HEADING, short_sessions, without
from memoria.vault.storage import clock, disk, tombstones
from memoria.vault.storage import history as records
from memoria.vault.storage.state import encode
from memoria.vault.transaction import INDEX
from memoria.vault.written.written_entry import written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memoria.cli.forgetting.lost import Lost
    from memoria.cli.forgetting.selection import Selection
    from memoria.vault.article import Article
    from memoria.vault.daily import Block
    from memoria.vault.store import Log
    from memoria.vault.transaction import Transaction
    from memoria.workspace import Workspace

# characters of a session's id that a rule's note keeps
_SHORT = 8
_HEADINGS = ("# Daily Log:", "## Sessions", HEADING)


@dataclass
class ErasePlan:
    """What will be gone: files as they will be, by what they are.

    `logs` are (log, text), the text None for a log of which nothing is left. `projects` are those
    that no entry is about any more. `articles` maps paths
    to what becomes of each (None: gone), `before` to what they were. `rules` are ids of rules that
    go, or whose words do. `left` are a person's lines, with their file, `aside` those of notes that
    go, which are put aside.
    """

    lost: Lost
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
        found = {path: article.path if article else "" for path, article in self.articles.items()}
        for name, new, _ in self.pages:
            found[f"daily/{name[:-3]}"] = f"daily/{new[:-3]}"
        return {path: new for path, new in found.items() if path != new}


def plan_erasure(work: Workspace, selection: Selection) -> ErasePlan:
    """Read the vault and work out what will be gone."""
    logs = list(losing.logs(work))
    lost = losing.lost(work, selection, logs)
    plan = ErasePlan(lost, losing.projects(selection, logs))
    for log in logs:
        gone = [block for block in log.blocks if losing.goes(block, selection)]
        short = [
            short_session
            for short_session in short_sessions(log.text)
            if losing.short_goes(short_session, selection)
        ]
        if gone or short:
            plan.blocks += len(gone) + len(short)
            plan.logs.append((log, _log_without(log, gone, selection)))
    plan.pages = list(_pages(work, selection, lost))
    _articles(work, selection, plan)
    return plan


def carry_out(work: Workspace, selection: Selection) -> ErasePlan:
    """Carry the plan out: all of it or nothing, whatever instant the process dies."""
    with work.vault.changing() as change:
        work.vault.articles.refresh()
        plan = plan_erasure(work, selection)
        for log, text in plan.logs:
            path = work.vault.daily / f"{log.day}.md"
            change.put_file(path, text.encode() if text is not None else None, log.sha)
        for name, new, text in plan.pages:
            path = work.vault.daily / name
            sha = disk.sha(disk.read(path) or b"")
            if new != name:
                change.put_file(path, None, sha)
            change.put_file(work.vault.daily / new, text.encode(), sha if new == name else "")
        wrote = _put_articles(work, plan, change)
        _put_rest(work, selection, plan, change, wrote)
    return plan


# -- Working it out --------------------------------------------------------------------------------


def _log_without(log: Log, gone: Iterable[Block], selection: Selection) -> str | None:
    text = log.text
    for block in sorted(gone, key=lambda one: -one.start):
        text = text[: block.start] + text[block.end :]
    text = without(text, selection.entries, selection.sessions)
    rest = [line for line in text.splitlines() if line.strip()]
    return text if any(not line.startswith(_HEADINGS) for line in rest) else None


def _pages(work: Workspace, selection: Selection, lost: Lost) -> Iterator[tuple[str, str, str]]:
    """Take out of entries that were drafted from a session what it said: name, new name, text."""
    for name in work.vault.pages()[0]:
        text = losing.read(work, name)
        found = written(text)
        if found.session and found.session in selection.sessions:
            drafts = {improvement.text for improvement in found.improvements if improvement.drafted}
            lines = [one for one in text.splitlines(keepends=True) if words(one) not in drafts]
            kept = [line for line in lines if _names(line, selection) or not lost.marks(line)]
            # the mark stays, or what is left of the draft would count as the person's own words
            yield name, _renamed(work, name, lost), _nameless("".join(kept), selection)


def _renamed(work: Workspace, name: str, lost: Lost) -> str:
    """Give the file of an entry a name without their words."""
    if not lost.marks(name):
        return name
    day, taken, number = name[: len("2026-03-02")], work.vault.pages()[0], 1
    while f"{day}-draft-{number}.md" in taken:
        number += 1
    return f"{day}-draft-{number}.md"


def _names(line: str, selection: Selection) -> bool:
    return any(session in line for session in selection.sessions)


def _nameless(text: str, selection: Selection) -> str:
    for session in selection.sessions:
        text = text.replace(session, "forgotten")
    return text


def _articles(work: Workspace, selection: Selection, plan: ErasePlan) -> None:
    shelf, written_ = work.vault.articles, work.vault.history().written
    plan.before = {path: shelf[path] for path in shelf}
    touched = {path for path, article in plan.before.items() if _is_touched(article, plan.lost)}
    for path, article in plan.before.items():
        owned = written_.get(path) == article.sha
        result = _purged(article, selection, plan, touched, owned=owned)
        if result.article is None and result.left:
            plan.aside[path] = result.left
        else:
            plan.left += [(f"knowledge/{path}.md", line) for line in result.left]
        if result.article is None or render(result.article) != render(article):
            plan.articles[path] = _placed(result.article, plan)
    _connections(plan, written_)
    _relink(plan)


def _is_touched(article: Article, lost: Lost) -> bool:
    """Whether an article was made of an entry that goes, or holds the text that goes."""
    over = {f"{log}.md" for log in lost.over}
    text = render(article)
    return lost.touches(text) or lost.holds(text) or not over.isdisjoint(article.names("sources"))


def _purged(
    article: Article, selection: Selection, plan: ErasePlan, touched: set[str], *, owned: bool
) -> Remainder:
    if article.kind == "rule":
        return _purged_rule(article, selection, plan)
    consulted = article.names("consulted") if article.kind == "qa" else ()
    of_touched = not (touched | plan.lost.days).isdisjoint(consulted)
    if article.path not in touched and not of_touched:
        return Remainder(article)
    if project_page.is_ours(article):
        return Remainder(article)  # it is derived anew of what stays, as HOME.md is
    # an answer names no entries; it can be asked again
    asked = render(article) if owned else f"{article.title}\n{article.meta.get('question')}"
    if of_touched and plan.lost.marks(asked):
        return Remainder(None)
    result = note_without.purged(article, plan.lost, owned=owned)
    projects = article.names("projects")
    if result.article and not plan.projects.isdisjoint(projects):
        left = [name for name in projects if name not in plan.projects]
        result = replace(result, article=with_meta(result.article, {"projects": left}))
    return result


def _purged_rule(article: Article, selection: Selection, plan: ErasePlan) -> Remainder:
    short = {name[:_SHORT] for name in selection.sessions}
    known = rule.rule(article)
    scope = article.names("scope")
    of_project = bool(scope) and set(scope) <= selection.projects
    # a rule of an entry that a person wrote has the entry's name for a session
    old = {part for name, new, _ in plan.pages if name != new for part in (name, name[:-3])}
    gone = short | old | selection.sessions | selection.entries
    result = Remainder(None) if of_project else note_without.purged_rule(article, plan.lost, gone)
    if known and result.article is None:
        plan.rules |= {known.id}
    elif known and result.article and result.article.title != article.title:
        plan.reworded |= {known.id}
    if result.article and not selection.projects.isdisjoint(scope):
        left = [name for name in scope if name not in selection.projects]
        result = replace(result, article=with_meta(result.article, {"scope": left}))
    return result


def _placed(article: Article | None, plan: ErasePlan) -> Article | None:
    if article is None:
        return None
    taken = {*plan.before, *(one.path for one in plan.articles.values() if one)}
    path = note_without.moved(article, plan.lost, taken - {article.path})
    return replace(article, path=path, sha="") if path != article.path else article


def _connections(plan: ErasePlan, written_: Mapping[str, str]) -> None:
    """Drop the connections of notes that are gone: they connect nothing any more."""
    for path, article in plan.before.items():
        gone = {name for name, new in plan.moves.items() if not new}
        owned = written_.get(path) == article.sha
        if (
            article.kind == "connection"
            and owned
            and not gone.isdisjoint(article.names("connects"))
        ):
            plan.articles[path] = None


def _relink(plan: ErasePlan) -> None:
    moves = plan.moves
    for path, article in plan.before.items():
        now = plan.articles.get(path, article)
        # a page that is derived from what stays gets its links with the rest
        if now is None or not moves or project_page.is_ours(now):
            continue
        after = note_without.relinked(now, moves)
        if render(after) != render(now):
            plan.articles[path] = after


# -- Making it so ----------------------------------------------------------------------------------


def _put_articles(work: Workspace, plan: ErasePlan, change: Transaction) -> dict[str, str]:
    """Put the notes; give the hashes of those that nobody but Memoria wrote."""
    known = work.vault.history().written
    wrote: dict[str, str] = {}
    for path, article in plan.articles.items():
        before = plan.before[path]
        if article is None or article.path != path:
            change.put_file(work.vault.knowledge / f"{path}.md", None, before.sha)
        if article is not None:
            change.put_article(article)
            if known.get(path) == before.sha and article.path in change.wrote:
                wrote[article.path] = change.wrote[article.path]
    return wrote


def _put_rest(
    work: Workspace,
    selection: Selection,
    plan: ErasePlan,
    change: Transaction,
    wrote: dict[str, str],
) -> None:
    vault, state = work.vault, work.vault.state
    now = clock.now(work.settings.zone)
    for theirs in plan.aside.values():
        own = "".join(f"{line}\n" for line in theirs).encode()
        change.put_state(vault.journal.aside / f"forgotten-{disk.sha(own)}.md", own)
    _put_index(work, plan, change)
    wrote[INDEX] = change.wrote[INDEX]
    path = vault.knowledge / "log.md"
    data = disk.read(path)
    if data is not None:
        text = data.decode("utf-8", "replace")
        # an undo or a person may have taken a note away whose name says too much
        links = [link for link in note_without.linked(text) if link not in plan.before]
        gone = {link: "" for link in links if plan.lost.marks(link)}
        text = note_without.purged_log(text, plan.lost, gone | plan.moves)
        change.put_file(path, text.encode(), disk.sha(data))
    if plan.blocks or plan.articles or plan.pages:  # else it was told when it was begun
        lines = [f"Entries: {plan.blocks}", f"Notes: {len(plan.articles)}"]
        change.append_log(index.log_entry(now, "forget", "What was asked for", lines))
    approvals = state.read_json(state.approvals)
    kept = {name: one for name, one in approvals.items() if name not in plan.rules | plan.reworded}
    if kept != approvals:
        change.put_state(state.approvals, encode(kept))
    path = state.root / switch_store.SWITCHES
    on = state.read_json(path)
    if not on.keys().isdisjoint(plan.rules | plan.reworded):
        off = {name: one for name, one in on.items() if name not in plan.rules | plan.reworded}
        change.put_state(path, encode(off))
    for entry in selection.entries:
        data = disk.read(losing.extract(work, entry)) if ":" not in entry else None
        if data is not None:
            change.put_file(losing.extract(work, entry), None, disk.sha(data))
    _put_ledger(work, selection, plan, change, wrote)


def _put_index(work: Workspace, plan: ErasePlan, change: Transaction) -> None:
    """Derive the index; of what a person wrote into it, lines that hold no word of it are kept."""
    data = disk.read(work.vault.knowledge / "index.md") or b""
    lines = data.decode("utf-8", "replace").splitlines()
    own = [lines[number - 1] for number in index_rows.own_lines("\n".join(lines))]
    own = [line for line in own if not plan.lost.marks(line)]
    if own:
        aside = work.vault.journal.aside / f"index-{disk.sha(data)}.md"
        change.put_state(aside, ("\n".join(own) + "\n").encode())
    change.put_index({INDEX: disk.sha(data)})


def _old_names(plan: ErasePlan) -> frozenset[str]:
    """Give the names that entries had, as the ledger has them: with and without ending."""
    old = [f"daily/{name}" for name, new, _ in plan.pages if new != name]
    return frozenset([*old, *(name[:-3] for name in old)])


def _put_ledger(
    work: Workspace,
    selection: Selection,
    plan: ErasePlan,
    change: Transaction,
    wrote: Mapping[str, str],
) -> None:
    path = work.vault.state.ledger
    data = disk.read(path)
    # by line ends alone: a record may hold U+2028
    text = (data or b"").decode("utf-8", "replace")
    lines = [f"{line}\n" for line in text.split("\n") if line]
    now = (plan.articles.get(path, article) for path, article in plan.before.items())
    erased = tombstones.Erasure(
        selection.sessions,
        selection.entries | _old_names(plan),
        selection.spans,
        frozenset(
            {INDEX, *(article.path for article in now if article), *work.vault.articles.unreadable}
        ),
        frozenset(plan.rules),
        selection.projects,
        selection.match,
        plan.lost.marks,
    )
    at = clock.now(work.settings.zone).isoformat(timespec="seconds")
    salt = next(iter(work.vault.history().forgot), "") or secrets.token_hex(8)
    known = work.vault.history().has_forgotten
    names = [one for one in tombstones.names(lines, erased) if not known(one)]
    new = list(tombstones.buried(lines, erased))
    if names:
        new.append(records.line(tombstones.record(at, salt, names)))
    # the index may have got its rows of the projects' pages since, which are derived afterwards
    notes = {path: sha for path, sha in wrote.items() if path != INDEX}
    if work.vault.history().written.items() >= notes.items() and new == lines:
        return  # it was done before, and is only finished
    new.append(records.line({"kind": "wrote", "at": at, "wrote": dict(wrote)}))
    change.put_file(path, "".join(new).encode(), disk.sha(data) if data is not None else "")
