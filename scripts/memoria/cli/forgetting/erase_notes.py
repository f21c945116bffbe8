"""Take what is to be forgotten out of logs, notes, index and ledger, in one transaction.

All is worked out first, so that it can be shown before anything is done, and worked out again under
the lock. The transaction has no label, so the journal keeps no image of what went. The trap: lines
of the ledger are rewritten here and nowhere else, and what is to be said in it anew (hashes of the
notes as they now are) has to be part of the same bytes.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memoria.cli.decide import trust
from memoria.cli.forgetting import note_without, selection as forget_selection
from memoria.cli.forgetting.note_without import Remainder
from memoria.compile import project_page
from memoria.errors import VaultError
from memoria.rules import model as rule_model
from memoria.rules.guards import switch_store
from memoria.vault import home_page, index, regions
from memoria.vault.article import Article, render_article, with_meta
from memoria.vault.daily_log import HEADING, find_short_sessions, remove_short_sessions
from memoria.vault.storage import clock, disk, ledger_records as records, tombstones
from memoria.vault.storage.state import encode_json
from memoria.vault.transaction import INDEX, Transaction

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memoria.cli.forgetting.selection import LostContent, Selection
    from memoria.vault.store import Log
    from memoria.workspace import Workspace

# characters of a session's id that a rule's note keeps
_SHORT = 8
_HEADINGS = ("# Daily Log:", "## Sessions", HEADING)


@dataclass
class ErasePlan:
    """What will be gone: files as they will be, by what they are.

    `logs` are (log, text), the text None for a log of which nothing is left. `articles` maps paths
    to what becomes of each (None: gone), `before` to what they were. `rules` are ids of rules that
    go, `reworded` of those whose words do. `persons_lines` have their file, `aside` are those of
    notes that go.
    """

    selection: Selection
    lost: LostContent
    before: dict[str, Article]
    logs: list[tuple[Log, str | None]] = field(default_factory=list)
    articles: dict[str, Article | None] = field(default_factory=dict)
    rules: set[str] = field(default_factory=set)
    reworded: set[str] = field(default_factory=set)
    blocks: int = 0
    persons_lines: list[tuple[str, str]] = field(default_factory=list)
    aside: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether nothing of the vault goes, and no line of a person's has to be named."""
        losses = (self.blocks, self.logs, self.articles, self.rules, self.reworded)
        return not any((self.selection.sessions, self.persons_lines, *losses))

    @property
    def moves(self) -> dict[str, str]:
        """Where links to changed notes lead now: "" for nowhere."""
        paths = {path: article.path if article else "" for path, article in self.articles.items()}
        return {path: new for path, new in paths.items() if path != new}


def plan_erasure(work: Workspace, selection: Selection) -> ErasePlan:
    """Read the vault and work out what will be gone."""
    logs, articles = list(trust.read_logs(work)), work.vault.articles
    before = {path: articles[path] for path in articles}
    plan = ErasePlan(selection, forget_selection.find_lost_content(work, selection, logs), before)
    for log in logs:
        blocks = [block for block in log.blocks if selection.has(block)]
        count = len(blocks) + sum(map(selection.has, find_short_sessions(log.text)))
        if count:
            text = log.text
            for block in sorted(blocks, key=lambda block: -block.start):
                text = text[: block.start] + text[block.end :]
            text = remove_short_sessions(text, selection.entries, selection.sessions)
            lines = [line for line in text.splitlines() if line.strip()]
            is_kept = any(not line.startswith(_HEADINGS) for line in lines)
            plan.logs.append((log, text if is_kept else None))
            plan.blocks += count
    _plan_articles(plan, work.vault.history().written)
    plan.persons_lines += _find_persons_lines(work, plan)
    return plan


def erase_notes(work: Workspace, selection: Selection) -> ErasePlan:
    """Carry the plan out: all of it or nothing, whatever instant the process dies."""
    with work.vault.open_transaction() as change:
        work.vault.articles.refresh()
        plan = plan_erasure(work, selection)
        for log, text in plan.logs:
            data = text.encode() if text is not None else None
            change.put_file(work.vault.daily / f"{log.day}.md", data, log.sha)
        hashes = _put_articles(work, plan, change)
        _put_index(work, plan, change)
        _put_log(work, plan, change)
        _put_state(work, plan, change)
        _put_ledger(work, plan, change, hashes | {INDEX: change.wrote[INDEX]})
    return plan


# -- Working it out --------------------------------------------------------------------------------


def _find_persons_lines(work: Workspace, plan: ErasePlan) -> Iterator[tuple[str, str]]:
    """Find what holds the text in blocks, entries and parts of HOME.md that a person wrote."""
    texts = {log.name: text or "" for log, text in plan.logs}
    with suppress(VaultError, regions.DamagedRegion):
        texts[home_page.NAME] = regions.put_region(
            disk.read_text(work.vault.root / home_page.NAME)[0], ""
        )
    for path in sorted(work.vault.daily.glob("*.md")):
        with suppress(VaultError):
            texts.setdefault(f"daily/{path.name}", disk.read_text(path)[0])
    for name, text in texts.items():
        items = (" ".join(item.split()) for item in note_without.split_items(text))
        yield from ((name, item) for item in items if plan.lost.holds(item))


def _plan_articles(plan: ErasePlan, hashes: Mapping[str, str]) -> None:
    touched = {path for path, note in plan.before.items() if _is_touched(note, plan.lost)}
    for path, article in plan.before.items():
        result = _purge_article(article, plan, touched, is_owned=hashes.get(path) == article.sha)
        purged = result.article
        if purged is None and result.persons_lines:
            plan.aside[path] = result.persons_lines
        else:
            plan.persons_lines += [(f"knowledge/{path}.md", line) for line in result.persons_lines]
        if purged is None:
            plan.articles[path] = None
        elif render_article(purged) != render_article(article):
            paths = {*plan.before, *(note.path for note in plan.articles.values() if note)}
            new = note_without.choose_path(purged, plan.lost, paths - {purged.path})
            sha = purged.sha if new == purged.path else ""
            plan.articles[path] = replace(purged, path=new, sha=sha)
    # connections of notes that are gone connect nothing any more
    gone_paths = {name for name, new in plan.moves.items() if not new}
    for path, article in plan.before.items():
        is_owned = article.kind == "connection" and hashes.get(path) == article.sha
        if is_owned and not gone_paths.isdisjoint(article.names("connects")):
            plan.articles[path] = None
    moves = plan.moves
    for path, article in plan.before.items() if moves else ():
        note = plan.articles.get(path, article)
        # a page that is derived from what stays gets its links with the rest
        if note is not None and not project_page.is_ours(note):
            relinked = note_without.relink_article(note, moves)
            if render_article(relinked) != render_article(note):
                plan.articles[path] = relinked


def _is_touched(article: Article, lost: LostContent) -> bool:
    """Whether an article was made of an entry that goes, or holds the text that goes."""
    over = {f"{log}.md" for log in lost.over}
    text = render_article(article)
    return (
        lost.is_cited_in(text) or lost.holds(text) or not over.isdisjoint(article.names("sources"))
    )


def _purge_article(
    article: Article, plan: ErasePlan, touched: set[str], *, is_owned: bool
) -> Remainder:
    lost, key = plan.lost, "projects"
    if article.kind == "rule":
        result, key = _purge_rule(article, plan), "scope"
    else:
        consulted = article.names("consulted") if article.kind == "qa" else ()
        of_touched = not (touched | lost.days).isdisjoint(consulted)
        is_derived = project_page.is_ours(article)  # anew of what stays, as HOME.md is
        if is_derived or (article.path not in touched and not of_touched):
            return Remainder(article)
        # an answer names no entries; it can be asked again
        asked = f"{article.title}\n{article.meta.get('question')}"
        question = render_article(article) if is_owned else asked
        if of_touched and lost.marks(question):
            return Remainder(None)
        result = note_without.purge_article(article, lost, is_owned=is_owned)
    note = result.article
    if note is not None and not lost.projects.isdisjoint(note.names(key)):
        names = [name for name in note.names(key) if name not in lost.projects]
        result = replace(result, article=with_meta(note, {key: names}))
    return result


def _purge_rule(article: Article, plan: ErasePlan) -> Remainder:
    selection, rule, scope = (
        plan.selection,
        rule_model.read_rule(article),
        article.names("scope"),
    )
    if scope and set(scope) <= selection.projects:
        result = Remainder(None)
    else:
        short = {name[:_SHORT] for name in selection.sessions}
        lost_names = short | selection.sessions | selection.entries
        result = note_without.purge_rule(article, plan.lost, lost_names)
    if rule and result.article is None:
        plan.rules.add(rule.id)
    elif rule and result.article and result.article.title != article.title:
        plan.reworded.add(rule.id)
    return result


# -- Making it so ----------------------------------------------------------------------------------


def _put_articles(work: Workspace, plan: ErasePlan, change: Transaction) -> dict[str, str]:
    """Put the notes; give the hashes of those that nobody but Memoria wrote."""
    known_hashes = work.vault.history().written
    hashes: dict[str, str] = {}
    for path, article in plan.articles.items():
        before = plan.before[path]
        if article is None or article.path != path:
            change.put_file(work.vault.knowledge / f"{path}.md", None, before.sha)
        if article is not None:
            change.put_article(article)
            if known_hashes.get(path) == before.sha and article.path in change.wrote:
                hashes[article.path] = change.wrote[article.path]
    return hashes


def _put_index(work: Workspace, plan: ErasePlan, change: Transaction) -> None:
    """Derive the index; put aside a person's lines of it and of notes that go."""
    data = disk.read(work.vault.knowledge / "index.md") or b""
    rows = data.decode("utf-8", "replace").splitlines()
    yours = [rows[number - 1] for number in index.find_own_lines("\n".join(rows))]
    for lines in (*plan.aside.values(), [line for line in yours if not plan.lost.marks(line)]):
        text = "".join(f"{line}\n" for line in lines).encode()
        if text:
            change.put_state(work.vault.journal.aside / f"forgotten-{disk.sha(text)}.md", text)
    change.put_index({INDEX: disk.sha(data)})


def _put_log(work: Workspace, plan: ErasePlan, change: Transaction) -> None:
    path = work.vault.knowledge / "log.md"
    data = disk.read(path)
    if data is not None:
        text = data.decode("utf-8", "replace")
        # an undo or a person may have taken a note away whose name says too much
        links = {match[1].strip() for match in note_without.LINK.finditer(text)} - {*plan.before}
        lost_links = {link: "" for link in links if plan.lost.marks(link)}
        text = note_without.purge_log(text, plan.lost, lost_links | plan.moves)
        change.put_file(path, text.encode(), disk.sha(data))
    if plan.blocks or plan.articles:  # else it was told when it was begun
        lines = [f"Entries: {plan.blocks}", f"Notes: {len(plan.articles)}"]
        now = clock.now(work.settings.zone)
        change.append_log(index.format_log_entry(now, "forget", "What was asked for", lines))


def _put_state(work: Workspace, plan: ErasePlan, change: Transaction) -> None:
    """Take rules out of approvals and guards, and delete the extracts of entries."""
    state = work.vault.state
    for path in (state.approvals, state.root / switch_store.SWITCHES):
        value = state.read_json(path)
        lost_rules = plan.rules | plan.reworded
        switches = {name: switch for name, switch in value.items() if name not in lost_rules}
        if switches != value:
            change.put_state(path, encode_json(switches))
    for entry in plan.selection.entries:
        path = forget_selection.read_extract(work, entry)[0]
        data = disk.read(path)
        if data is not None:
            change.put_file(path, None, disk.sha(data))


def _put_ledger(
    work: Workspace, plan: ErasePlan, change: Transaction, written_hashes: Mapping[str, str]
) -> None:
    path, history, selection = work.vault.state.ledger, work.vault.history(), plan.selection
    data = disk.read(path)
    # by line ends alone: a record may hold U+2028
    text = (data or b"").decode("utf-8", "replace")
    lines = [f"{line}\n" for line in text.split("\n") if line]
    now = (plan.articles.get(name, article) for name, article in plan.before.items())
    paths = {INDEX, *(note.path for note in now if note), *work.vault.articles.unreadable}
    erasure = tombstones.Erasure(
        selection.sessions,
        selection.entries,
        frozenset(paths),
        frozenset(plan.rules),
        selection.projects,
        plan.lost.holds,
        plan.lost.marks,
    )
    at = clock.now(work.settings.zone).isoformat(timespec="seconds")
    salt = next(iter(history.forgot), "") or secrets.token_hex(8)
    names = [
        name
        for name in tombstones.find_forgotten_names(lines, erasure)
        if not history.has_forgotten(name)
    ]
    new = list(tombstones.remove_forgotten(lines, erasure))
    if names:
        new.append(records.format_line(tombstones.build_forget_record(at, salt, names)))
    # the index may have got its rows of the projects' pages since, which are derived afterwards
    hashes = {name: sha for name, sha in written_hashes.items() if name != INDEX}
    if history.written.items() >= hashes.items() and new == lines:
        return  # it was done before, and is only finished
    new.append(records.format_line({"kind": "wrote", "at": at, "wrote": dict(written_hashes)}))
    change.put_file(path, "".join(new).encode(), disk.sha_of(data))
