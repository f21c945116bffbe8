"""The vault and the settings -> the small files that hooks read.

Hooks load neither settings nor articles: what they need is prepared here after every flush and
compile, one file for all (how to start a flush) and one for each project (what to inject), so that
a session's start costs the same with ten articles and with ten thousand.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from memoria.commands import choosing, reminders
from memoria.edges import client, disk, resource
from memoria.edges.state import encode
from memoria.errors import VaultError
from memoria.stages import experiment, project, rule
from memoria.stages.article import summary

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from memoria.commands.choosing import Chooser
    from memoria.commands.workspace import Workspace
    from memoria.stages.article import Article
    from memoria.stages.daily import Block
    from memoria.stages.entry import Entry
    from memoria.stages.rule import Rule

# more than fit below the client's limit, so that the hook has a choice, and few enough to read fast
_ENTRIES, _ARTICLES = 12, 80
# what a session needs of an earlier one: its title and the lines that save an hour
_LINES = 4
# characters of a quote: a line that is read at a glance
_QUOTE = 240
# days whose logs are looked at for the latest entries
_DAYS = 60


def refresh(work: Workspace) -> None:
    """Write the hooks' files anew, where they would change."""
    state = work.vault.state
    start = {
        "command": [sys.executable, str(resource.PACKAGE / "__main__.py")],
        "projects": str(client.projects_dir(work.settings.config_dir)),
        "vault": str(work.vault.root),
        # the hook of a session's start tosses their coins
        "experiments": experiment.coins(work.vault.history().of(experiment.KIND)),
    }
    _put(state.snapshot, start)
    entries = _latest(work)
    articles = [work.vault.articles[path] for path in work.vault.articles]
    rules = rule.rules(articles)
    approvals = {key: str(value) for key, value in state.read_json(state.approvals).items()}
    names = {block.entry.project for block in entries} | {
        name for article in articles for name in article.names("projects")
    }
    # also those where a rule was taught before any session was captured
    names |= {name for found in rules for name in found.scope}
    chooser = choosing.refresh(work, rules)
    for name in sorted(names - {""}):
        ranked = rule.in_force(rules, approvals, name)
        value = {
            "project": name,
            **_chosen(chooser, ranked, name),
            "entries": _entries(block.entry for block in entries if block.entry.project == name),
            "articles": _articles(name, articles),
            "offer": _offer(rules, name),
        }
        _put(state.injections / f"{project.file_name(name)}.json", value)
    everywhere = {"project": "", **_chosen(chooser, rule.in_force(rules, approvals, ""), "")}
    _put(state.injections / "default.json", everywhere)
    reminders.refresh(work, articles, rules, approvals)


def _offer(rules: Iterable[Rule], name: str) -> str:
    """Say which rule waits for the user's word, the one that was said most; "" for none.

    Only what the user said himself is offered, with his words: a model's wording is for `review`.
    """
    waiting = [
        found
        for found in rules
        if found.status == "candidate" and found.sessions and rule.holds_in(found, name)
    ]
    if not waiting:
        return ""
    best = min(waiting, key=lambda found: (-found.frequency, found.created, found.id))
    quote = best.quotes[0].removeprefix("- ") if best.quotes else f'"{best.text}"'
    return (
        f"Memoria: the user said in an earlier session: {quote[:_QUOTE]}. It is not a rule yet. "
        f"If it fits, offer once to keep it: `memoria promote {best.id}` (or `memoria reject "
        f"{best.id}`), which the user has to agree to."
    )


def _put(path: Path, value: dict[str, Any]) -> None:
    data = encode(value)
    if disk.read(path) != data:
        disk.replace(path, data)


def _latest(work: Workspace) -> list[Block]:
    found: list[Block] = []
    for day in reversed(work.vault.logs()[-_DAYS:]):
        try:
            found += reversed(work.vault.log(day).blocks)
        except VaultError:
            continue  # compile and doctor name a log that cannot be read
    return found


def _chosen(chooser: Chooser, ranked: Sequence[Rule], name: str) -> dict[str, Any]:
    """Give what the hook draws a slate from, and the lines of the rules that can be in it."""
    compact = chooser.prepared(ranked, name)
    named = {identity for identity, _ in compact["arms"]}
    rows = [
        {"id": one.id, "text": choosing.line(one), "hash": rule.text_hash(one.text)}
        for one in ranked
        if one.id in named
    ]
    return {"rules": rows, "selection": compact}


def _entries(entries: Iterable[Entry]) -> list[dict[str, str]]:
    return [{"text": _entry(entry)} for entry in list(entries)[:_ENTRIES]]


def _entry(entry: Entry) -> str:
    lines = [*entry.draft.lessons, *entry.draft.decisions, *entry.draft.exchanges][:_LINES]
    left = [f"left open: {line}" for line in entry.draft.actions[:2]]
    head = f"### {entry.day} {entry.at:%H:%M} {entry.draft.title}"
    return "\n".join([head, *(f"- {line}" for line in [*lines, *left])])


def _articles(name: str, articles: list[Article]) -> list[dict[str, str]]:
    mine = [article for article in articles if name in article.names("projects")]
    mine.sort(key=lambda article: (str(article.meta.get("updated") or ""), article.path))
    return [
        {"text": f"- {article.path}: {summary(article)}"} for article in reversed(mine[-_ARTICLES:])
    ]


def read(work: Workspace, name: str) -> dict[str, Any]:
    """Give the snapshot that a session of that project gets, for the doctor."""
    folder = work.vault.state.injections
    # as the hook does: a project of which nothing is known gets what holds everywhere
    data = disk.read(folder / f"{project.file_name(name)}.json") or disk.read(
        folder / "default.json"
    )
    return dict(json.loads(data)) if data else {}
