"""Write the small files that hooks read, from the vault and the settings.

Hooks load neither settings nor articles: what they need is prepared here after every flush and
compile, one file for all (how to start a flush) and one for each project (what to inject), so that
a session's start costs the same with ten articles and with ten thousand.
"""

from __future__ import annotations

import json
import re
import sys
from contextlib import suppress
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from memoria.agents.claude_code import settings_store
from memoria.agents.port import AGENTS, CLAUDE_CODE
from memoria.errors import VaultError
from memoria.rules import model as rule_model
from memoria.vault import package_files, project
from memoria.vault.storage import disk
from memoria.vault.storage.child_environment import (
    NOTED,
    find_project_variables,
    list_project_folders,
)
from memoria.vault.storage.state import encode_json

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence
    from pathlib import Path

    from memoria.learning.service import Chooser
    from memoria.rules.model import Approvals, Rule
    from memoria.vault.article import Article
    from memoria.vault.daily_log import Block
    from memoria.workspace import Workspace

# the latest of a project: as many branches as somebody may come back to
_ENTRIES = 60
# sessions in which a rule was said, before a session is asked to offer it
_OFTEN = 2
_SESSION = 8  # characters of a session's id that a rule's note has (rules/sightings.py)
# a quote of a session cites a log, "([[daily/2026-03-02#^e-...]])"; a written entry has a name
_OF_SESSION = re.compile(r"\[\[daily/\d{4}-\d\d-\d\d(?:#|\]\])")
# characters of a quote: a line that is read at a glance
_QUOTE = 240
# days whose logs are looked at for the latest entries
_DAYS = 60


def refresh(work: Workspace, *, settle: bool = False) -> bool:
    """Write the hooks' files anew, where they would change; say whether that could be done.

    What the caller did is done: what is in the way is told, and the next flush tries it again. With
    `settle` hooks take sessions from this environment's client from now on, else from where they
    did: a project's environment may name another folder of the client's.
    """
    try:
        # of two at once the later one reads what the other's command has changed
        with work.vault.state.lock("snapshot"):
            work.vault.articles.refresh()
            return _write_hook_files(work, _collect_person_settings(work, settle=settle))
    except (VaultError, OSError) as error:
        work.terminal.warn(f"what sessions are given is not up to date yet: {error}")
        return False
    finally:
        work.vault.changed = False


def _collect_person_settings(work: Workspace, *, settle: bool) -> dict[str, Any]:
    """Give where the client's sessions are and what of the environment is the person's own."""
    state, values, home = work.vault.state, work.settings.environment, work.settings.home
    # a project may have set what else there is
    folders = list_project_folders(values) if values.get("CLAUDECODE") else ()
    names = find_project_variables(folders)
    own_names = [] if names is None else [name for name in NOTED if name not in names]
    settings_now = {
        "projects": str(settings_store.projects_dir(work.settings.config_dir)),
        "environment": {name: values[name] for name in own_names if values.get(name)},
        "agents": {
            agent.name: {
                "sessions": str(agent.folder(values, home)),
                "settings": str(agent.settings(values, home)),
            }
            for agent in AGENTS
            if agent is not CLAUDE_CODE
        },
    }
    try:
        stored = {} if settle else state.read_json(state.snapshot)
    except VaultError:
        stored = {}  # a broken file is written anew
    return {name: stored.get(name) or value for name, value in settings_now.items()}


def _write_hook_files(work: Workspace, of_this_person: dict[str, Any]) -> bool:
    """Write what hooks read; False where their index could not be written."""
    # a verb that changes nothing loads this module, and none of what prepares the files
    from memoria.compile import overview_service as overview  # noqa: PLC0415 - as above
    from memoria.evidence import experiment  # noqa: PLC0415 - as above
    from memoria.rules.guards import switch_store  # noqa: PLC0415 - as above
    from memoria.rules.review.waiting import list_cases  # noqa: PLC0415 - as above
    from memoria.rules.rulebook import Rulebook, read_approvals  # noqa: PLC0415 - as above
    from memoria.search import service as search_service  # noqa: PLC0415 - as above

    state = work.vault.state
    start = {
        "command": [sys.executable, str(package_files.PACKAGE / "__main__.py")],
        **of_this_person,
        "vault": str(work.vault.root),
        # the hook of a session's start tosses their coins
        "experiments": experiment.list_coins(work.vault.history().records_of(experiment.KIND)),
    }
    if not work.is_demo:  # hooks act only where this file is
        _write_if_changed(state.snapshot, start)
    entries = _read_latest_blocks(work)
    articles = [work.vault.articles[path] for path in work.vault.articles]
    rules_in_notes = rule_model.read_rules(articles)
    approvals = read_approvals(state)
    rules = rule_model.as_approved(rules_in_notes, approvals)
    _renew_promoted_files(work, rules)
    _write_projects(work, entries, articles, rules, approvals)
    switch_store.refresh(work, rules, approvals)
    cases = [case for case in list_cases(work, Rulebook(rules, approvals)) if case.waits]
    overview.refresh(work, entries, articles, approvals, cases)
    # last: what it has read of a page that is then derived anew would stay in its file
    return search_service.refresh_for_hooks(work, rules, approvals)


def _renew_promoted_files(work: Workspace, rules: Iterable[Rule]) -> None:
    """Take rules that a later statement overruled out of the files that they were promoted to."""
    from memoria.rules.promotion import placement  # noqa: PLC0415 - as in _write_hook_files

    files = placement.read_promotions(work).values()
    promoted = {name for file in files for name in file.ids}
    overruled = {rule.id for rule in rules if rule.superseded_by and rule.id in promoted}
    for problem in placement.renew_files(work, overruled) if overruled else ():
        work.terminal.warn(problem)
    for file in placement.read_promotions(work).values() if overruled else ():
        # of a file that could not be written the person is told once, not by each command
        if overruled & {*file.ids}:
            ids = tuple(name for name in file.ids if name not in overruled)
            placement.record(work, replace(file, ids=ids))


def _write_projects(
    work: Workspace,
    entries: Sequence[Block],
    articles: Sequence[Article],
    rules: Sequence[Rule],
    approvals: Approvals,
) -> None:
    """Write what is to be injected, a file for each project and one for all others.

    The file goes of a project of which the vault has no trace any more: it would be told on.
    """
    from memoria.learning import service as learning  # noqa: PLC0415 - as in _write_hook_files

    history = work.vault.history()
    placed_blocks = [replace(row, entry=history.restore_place(row.entry)) for row in entries]
    names = {block.entry.project for block in placed_blocks}
    names |= {name for article in articles for name in article.names("projects")}
    # also those where a rule was taught before any session was captured
    names |= {name for rule in rules for name in rule.scope}
    # a note that was pulled quotes anybody
    written, sha = history.written, work.vault.articles.sha
    own_rules = [rule for rule in rules if written.get(rule.path, "-") == sha(rule.path)]
    captured = {session[:_SESSION] for session in history.sessions}
    chooser = learning.refresh(work, rules)
    folder, files = work.vault.state.injections, {"default.json"}
    for name in sorted({*names, *chooser.promoted} - {""}):
        project_blocks = [block for block in placed_blocks if block.entry.project == name]
        value = {
            **_build_selection(chooser, rule_model.in_force(rules, approvals, name), name),
            "start": _build_start_lines(work, project_blocks, articles, name),
            "offer": _format_offer(own_rules, name, captured),
        }
        files.add(f"{project.file_name(name)}.json")
        _write_if_changed(folder / f"{project.file_name(name)}.json", value)
    everywhere = _build_selection(chooser, rule_model.in_force(rules, approvals, ""), "")
    _write_if_changed(folder / "default.json", everywhere)
    for path in folder.glob("*.json"):
        if path.name not in files:
            path.unlink(missing_ok=True)


def _format_offer(rules: Iterable[Rule], name: str, captured: Container[str]) -> str:
    """Say which rule waits for the user's word, the one that was said most; "" for none.

    Only what the user said himself is offered, with his words: a model's wording is for `review`,
    and a written entry may have come with a pull, so it counts for no session that was captured.
    """
    waiting = [
        note
        for note in rules
        if note.status == "waiting" and rule_model.holds_in(note, name)
        if sum(session in captured for session in note.sessions) >= _OFTEN
    ]
    if not waiting:
        return ""
    best = min(waiting, key=lambda note: (-note.frequency, note.created, note.id))
    quotes = filter(_OF_SESSION.search, best.quotes)
    quote = next(quotes, f'"{best.text}"').removeprefix("- ")
    return (
        f"Memoria: the user said in an earlier session: {quote[:_QUOTE]}. It is not a rule yet. "
        f"If it fits, offer once to keep it: `memoria promote {best.id}` (or `memoria reject "
        f"{best.id}`), which the user has to agree to."
    )


def _write_if_changed(path: Path, value: dict[str, Any]) -> None:
    data = encode_json(value)
    if disk.read(path) != data:
        disk.replace(path, data)


def _read_latest_blocks(work: Workspace) -> list[Block]:
    blocks: list[Block] = []
    for day in reversed(work.vault.logs()[-_DAYS:]):
        with suppress(VaultError):  # compile and doctor name a log that cannot be read
            # a session that was resumed or imported late stands below later ones
            day_blocks = reversed(work.vault.log(day).blocks)
            blocks += sorted(day_blocks, key=lambda block: block.entry.at, reverse=True)
    return list(_close_done_items(blocks))


def _close_done_items(blocks: Iterable[Block]) -> Iterator[Block]:
    """Leave out of entries, newest first, what a later one of the project ticks in the same words.

    One without a project, which a person wrote, may tick for any.
    """
    done: set[tuple[str, str]] = set()
    for block in blocks:
        entry, draft = block.entry, block.entry.draft
        actions = tuple(
            text
            for text in draft.actions
            if done.isdisjoint((name, text.casefold()) for name in (entry.project, ""))
        )
        yield replace(block, entry=replace(entry, draft=replace(draft, actions=actions)))
        done |= {(entry.project, text.casefold()) for text in entry.done}


def _build_selection(chooser: Chooser, ranked: Sequence[Rule], name: str) -> dict[str, Any]:
    """Give what the hook draws a slate from, and the lines of the rules that can be in it."""
    from memoria.learning.service import line  # noqa: PLC0415 - as in _write_hook_files

    selection = chooser.prepare_slate_state(ranked, name)
    arm_ids = {identity for identity, _ in selection["arms"]}
    rows = [
        {
            "id": note.id,
            "text": line(note),
            "hash": rule_model.text_hash(note.text),
            "words": note.text,
            "since": note.updated or note.created,
        }
        for note in ranked
        if note.id in arm_ids
    ]
    pairs = chooser.find_contradicted(ranked)
    return {
        "project": name,
        "rules": rows,
        "selection": selection,
        "contradicted": [[older.id, newer.id] for older, newer in pairs],
        "promoted": chooser.read_by_claude(name),
    }


def _build_start_lines(
    work: Workspace, blocks: Sequence[Block], articles: Sequence[Article], name: str
) -> list[dict[str, str]]:
    """Give the lines that a session's start in a project can choose from."""
    from memoria.capture.extract.extract_record import read_extract  # noqa: PLC0415 - as above
    from memoria.search import prepared_lines as lines  # noqa: PLC0415 - as above
    from memoria.search.cures.from_ledger import build_cures  # noqa: PLC0415 - as in _write_hook_files

    history = work.vault.history()
    entries = [(block.entry, read_extract(work, block.entry.id)) for block in blocks[:_ENTRIES]]
    own_articles = [article for article in articles if name in article.names("projects")]
    fixes = build_cures(history.mistakes, history.captures)
    sessions = sum(session.project == name for session in history.sessions.values())
    errors = lines.find_recurring_errors(history.mistakes, fixes, name, sessions, entries)
    own_lines = lines.prepare_lines(entries, own_articles, work.vault.lines.sayable)
    return [asdict(line) for line in (*own_lines, *errors)]


def read_snapshot(work: Workspace, name: str) -> dict[str, Any]:
    """Give the snapshot that a session of that project gets, for who tells of it."""
    folder = work.vault.state.injections
    # as the hook does: a project of which nothing is known gets what holds everywhere
    data_of_project = disk.read(folder / f"{project.file_name(name)}.json")
    data = data_of_project or disk.read(folder / "default.json")
    return dict(json.loads(data)) if data else {}
