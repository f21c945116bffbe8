"""Leave no byte of it in the vault (`memoria forget SESSION|PROJECT|--match TEXT`).

Says first what goes, and asks. The order of the steps makes it safe to be killed at any moment: the
intention is written down; promoted files lose the rules, which takes the notes that go next; logs,
notes, index and ledger change in one transaction; then caches, spool and images go, which can be
done twice; last the intention. Whoever runs it again finishes first what was begun. The trap: what
is captured later of the same session must not come back, so the ledger keeps salted hashes; a hook
may leave a file at any moment, and what it leaves of a forgotten session is not captured.
"""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoria import refresh, terminal, terminal_keys
from memoria.cli.decide import trust
from memoria.cli.forgetting import selection as forget_selection
from memoria.cli.forgetting.erase_notes import ErasePlan, erase_notes, plan_erasure
from memoria.errors import UsageError, VaultError
from memoria.rules.promotion.placement import renew_files
from memoria.rules.proposal_service import propose_if_agent
from memoria.rules.rulebook import rulebook
from memoria.search.service import refresh_index
from memoria.text.numbers import format_count
from memoria.vault import home_page as home, setup
from memoria.vault.storage import disk
from memoria.vault.storage.state import encode_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from memoria.cli.forgetting.selection import LostContent, Selection
    from memoria.team.membership_store import Membership
    from memoria.workspace import Workspace

# what is made again when it is asked for, with what SQLite leaves beside a database
_MADE = ("search.sqlite*", "lint.json*")
# what goes as a whole: in the state, and in the vault (of a write that somebody's death has ended)
_OF_STATE = (
    *_MADE,
    *("bandit.json", "state.json", "guards.compiled.json", "**/.*.tmp"),
    *("inject/*", "logs/*", "worker/*", "spool/replies/*"),
)
_OF_VAULT = ("reports/lint-*.md", "reports/report.*", "daily/.*.tmp", "knowledge/**/.*.tmp")
# what hooks have written down of sessions: goes by its name, and what can be read by what it says
_BY_NAME, _BY_TEXT = ("spool/**/*",), ("given/**/*", "seen/**/*")
# of a session's id, in the names of jobs and events
_NAMED = 36
_INTENTION, _MIRROR = "forget.json", "team_mirror.sqlite"
# files that are named on the terminal; --json names all
_SHOWN = 12


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Show what goes, ask, and forget it; 1 where something of it had to be left."""
    intention = work.vault.state.read_json(_intention_path(work))
    if intention and not arguments.dry_run:
        text = "A forget that was interrupted is finished first; say again what else goes."
        work.terminal.say(text)
        return _finish(arguments, work, forget_selection.parse_selection(intention), again=True)
    selection = forget_selection.select(arguments, work)
    if not arguments.dry_run and propose_if_agent(arguments, work):
        return 0
    plan = plan_erasure(work, selection)
    if arguments.json and arguments.dry_run:
        terminal.print_json(_plan_json(plan, is_done=False))
    elif not arguments.json:
        _show(work, plan)
    is_sure = arguments.yes and not arguments.dry_run
    if not is_sure and not arguments.dry_run:
        if not terminal_keys.is_interactive():
            raise UsageError("nothing was forgotten: it cannot be taken back, so say --yes")
        is_sure = terminal_keys.ask_yes_no("Forget this for good? It cannot be taken back.")
    if is_sure:
        return _finish(arguments, work, selection)
    work.terminal.say(f"Nothing was {'changed' if arguments.dry_run else 'forgotten'}.")
    return 0


def _intention_path(work: Workspace) -> Path:
    """Say where the intention stands until all is done."""
    return work.vault.state.root / _INTENTION


def _finish(
    arguments: argparse.Namespace, work: Workspace, selection: Selection, *, again: bool = False
) -> int:
    files = list_transcripts(work, selection)
    plan, problems = forget(work, selection, again=again)
    left = find_files_holding(work, selection, plan.lost)
    if arguments.json:
        value = _plan_json(replace(plan, selection=selection), is_done=True)
        terminal.print_json(value | {"left": left, "problems": problems, "transcripts": files})
    say, warn = work.terminal.say, work.terminal.warn
    say(f"Forgotten: {plan.blocks} entries; {len(plan.articles)} notes were changed or removed.")
    _tell_left(work, plan)
    for problem in problems:
        warn(f"  {problem}")
    for file in left[:_SHOWN]:
        warn(f"  {file} still holds it or words of it: edit or delete it by hand")
    if len(left) > _SHOWN:
        warn(f"  and {len(left) - _SHOWN} more files hold words of it")
    for transcript in files[:_SHOWN]:
        say(f"  the agent's own transcript is not Memoria's to delete: {transcript}")
    root = work.vault.root
    repo = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), None)
    if repo:
        warn(f"  the git history of {repo} may keep copies, and so may every clone of it")
    say("  copies that a backup or a sync program keeps are out of reach")
    return 1 if problems or left or plan.persons_lines else 0


def forget(
    work: Workspace, selection: Selection, *, again: bool = False
) -> tuple[ErasePlan, list[str]]:
    """Remove it from everywhere; give what went, and what could not be done.

    A promoted file that cannot be written stops it before anything has gone, as afterwards nobody
    knows the words that are to go from it; `again` goes on without that file, which is named.
    """
    state, path = work.vault.state, _intention_path(work)
    with state.lock("flush"), state.lock("compile"), state.lock("guards"):
        # a flush may have captured some of it since it was meant
        entries = selection.entries | forget_selection.entries_of(work, selection.sessions)
        selection = replace(selection, entries=entries)
        disk.replace(path, encode_json(selection.record()))
        plan = plan_erasure(work, selection)
        for file in work.vault.journal.conflicts():
            if has_word(file, plan.lost):
                file.unlink(missing_ok=True)
        # while the notes still have the words that those files hold
        ids = sorted(plan.rules | plan.reworded)
        problems = renew_files(work, ids, without=ids, strict=not again) if ids else []
        erased = erase_notes(work, selection)
        trust.remove_stale_keys(work)
        # whoever is just deriving something from what has gone comes to an end first
        with state.lock("snapshot"), state.lock("search"):
            clean_state(work, selection)
        _forget_in_team(work, selection)
        rebuild_derived(work)
        with disk.name_file_in_errors(path):
            path.unlink(missing_ok=True)
        with suppress(OSError):  # should it come back, all is done twice
            disk.sync_folder(path.parent)
    return erased, problems


# -- The state: databases and what was learned are made again of what is left --------------------


def clean_state(work: Workspace, selection: Selection) -> None:
    """Clean the state; the caller has written the vault's files and the ledger."""
    root, worker = work.vault.state.root, work.vault.state.worker
    paths = [*_find_paths(root, _OF_STATE), *_find_paths(work.vault.root, _OF_VAULT)]
    needles = {name.encode() for name in (*selection.sessions, *selection.projects)}
    for path in _find_paths(root, _BY_NAME + _BY_TEXT):
        is_named = any(session[:_NAMED] in path.name for session in selection.sessions)
        is_read = path.relative_to(root).parts[0] != "spool"
        if is_named or (is_read and _holds(path, needles, {selection.match} - {""})):
            paths.append(path)
    for path in map(work.vault.place, paths):
        # models run in the worker's folder, and leave folders in it
        if path.parent == worker and path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif not path.is_dir() or path.is_symlink():
            path.unlink(missing_ok=True)
    work.vault.journal.forget()


def _find_paths(root: Path, patterns: Iterable[str]) -> Iterator[Path]:
    for pattern in patterns:
        yield from root.glob(pattern)


def rebuild_derived(work: Workspace) -> None:
    """Make again what was thrown away."""
    disk.replace(work.vault.state.summary, encode_json(work.vault.history().state()))
    work.vault.articles.refresh()
    if not refresh.refresh(work):  # HOME.md may still have it
        raise VaultError("it is not finished: repair that, then `memoria forget` goes on")
    with suppress(VaultError):  # a search makes its index itself
        refresh_index(work)


def _forget_in_team(work: Workspace, selection: Selection) -> None:
    """Take back what the vault gives the team no more; VaultError where it cannot be read."""
    if member := _read_member(work):
        from memoria.cli.team import collect_shared  # noqa: PLC0415 - few belong to a team
        from memoria.team import service as team  # noqa: PLC0415 - as above

        work.vault.articles.refresh()
        lost = selection.entries, selection.projects, selection.match
        team.forget(work.vault.state, member, collect_shared(work, member), lost)


def _read_member(work: Workspace) -> Membership | None:
    if not (work.vault.state.root / "team.json").exists():
        return None
    from memoria.team.membership_store import read_membership  # noqa: PLC0415 - as above

    return read_membership(work.vault.state)


def _list_mirrors(work: Workspace, lost: LostContent) -> Iterator[Path]:
    """Give the team's mirror where a line that this person shared has a word of it."""
    if member := _read_member(work):
        from memoria.team.service import open_mirror  # noqa: PLC0415 - as above

        facts = open_mirror(work.vault.state).facts(author=member.author)
        if any(lost.marks(f"{fact.title} {fact.text}") for fact in facts):
            yield work.vault.state.root / _MIRROR


def has_word(path: Path, lost: LostContent) -> bool:
    """Whether a file holds a word of it."""
    return lost.marks((disk.read(path) or b"").decode("utf-8", "replace"))


def find_files_holding(work: Workspace, selection: Selection, lost: LostContent) -> list[str]:
    """Name the files of vault and state that still hold ids or the text."""
    state = work.vault.state.root
    needles = {name.encode() for name in (*selection.sessions, *selection.entries)}
    forms = {selection.match, json.dumps(selection.match)[1:-1]} - {""}
    # what is made again from the vault's files holds what they hold; of a team's mirror what
    # colleagues said is theirs alone to forget
    derived = {*_find_paths(state, _MADE), state / _MIRROR, _intention_path(work)}
    # these are Memoria's own texts, the same in every vault
    texts = state / "written"
    roots = dict.fromkeys((work.vault.root, state))
    paths = [path for root in roots for path in _files_below(root) if path not in derived]
    files_left = [
        path for path in paths if not path.is_relative_to(texts) and _holds(path, needles, forms)
    ]
    files_left += _list_mirrors(work, lost)
    files_left += [path for path in _list_other_files(work) if _has_word_if_readable(path, lost)]
    # the state may lie in the vault
    return list(dict.fromkeys(map(str, files_left)))


def _list_other_files(work: Workspace) -> Iterator[Path]:
    """Give the files of the vault that are no notes: HOME.md, reports, what was written with -o.

    Of a clone, whose other files are the program's, HOME.md and the reports alone.
    """
    vault, own_names = work.vault, setup.build_files(work.vault.root)
    yield from filter(Path.exists, [vault.root / home.NAME])
    for path in _files_below(vault.root if own_names else vault.reports):
        is_note = path.is_relative_to(vault.daily) or path.is_relative_to(vault.knowledge)
        name = path.relative_to(vault.root).as_posix()
        if not is_note and name not in own_names and not path.is_relative_to(vault.state.root):
            yield path


def _has_word_if_readable(path: Path, lost: LostContent) -> bool:
    """Whether a file of any program has a word of it; what cannot be read has none."""
    with suppress(VaultError):
        return has_word(path, lost)
    return False


def list_transcripts(work: Workspace, selection: Selection) -> list[str]:
    """Name the client's own files of the sessions: they are not Memoria's to delete."""
    marks = work.vault.history().watermarks.values()
    paths = {mark.path for mark in marks if mark.identity in selection.sessions}
    paths |= {
        job.transcript
        for job in forget_selection.list_jobs(work)
        if job.session in selection.sessions
    }
    return sorted(path for path in paths if Path(path).is_file())


def _files_below(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        # what git holds is named, not searched: it is pressed
        folders[:] = [name for name in folders if name != ".git"]
        yield from (Path(folder) / name for name in sorted(names))


def _holds(path: Path, needles: Iterable[bytes], forms: Iterable[str]) -> bool:
    """Whether a file holds one of the ids, or the text in whatever case."""
    if path.is_symlink() or not path.is_file():
        return False
    try:
        data = path.read_bytes()
    except OSError:
        return False
    text = data.decode("utf-8", "replace").casefold() if forms else ""
    return any(needle in data for needle in needles) or any(
        form in text or form in " ".join(text.split()) for form in forms
    )


# -- Telling ---------------------------------------------------------------------------------------


def _show(work: Workspace, plan: ErasePlan) -> None:
    say, selection = work.terminal.say, plan.selection
    if plan.is_empty:
        say("No entry, note or job holds it.")
        return
    job_count = sum(job.session in selection.sessions for job in forget_selection.list_jobs(work))
    entries = format_count(plan.blocks, "entry", "entries")
    say(
        f"To forget: {format_count(len(selection.sessions), 'session')} as a whole, {entries} in "
        f"{format_count(len(plan.logs), 'log')}, {format_count(job_count, 'waiting job')}."
    )
    rows = [f"{'remove' if text is None else 'change'} {log.name}" for log, text in plan.logs]
    for path, note in sorted(plan.articles.items()):
        verb = "remove" if note is None else "change" if note.path == path else "rename"
        rows.append(f"{verb} knowledge/{path}.md")
    for row in rows[:_SHOWN]:
        say(f"  {row}")
    if len(rows) > _SHOWN:
        say(f"  and {len(rows) - _SHOWN} more files")
    texts = {rule.id: rule.text for rule in rulebook(work).rules}
    for name in sorted(plan.rules):
        say(f"  the rule {name} ({texts.get(name, '')}), also where it was promoted to")
    for name in sorted(plan.reworded):
        say(f"  the words of the rule {name}; it waits for a review then")
    say("  no step before this one can be taken back then")
    _tell_left(work, plan)


def _tell_left(work: Workspace, plan: ErasePlan) -> None:
    for path, line in plan.persons_lines:
        work.terminal.warn(f"  left, as you may have written it: {path}: {line}")
    for path in plan.aside:
        work.terminal.say(f"  your lines of knowledge/{path}.md go to {work.vault.journal.aside}")


def _plan_json(plan: ErasePlan, *, is_done: bool) -> dict[str, Any]:
    notes = plan.articles.items()
    return {
        "sessions": sorted(plan.selection.sessions),
        "entries": plan.blocks,
        "logs": [log.name for log, _ in plan.logs],
        "articles": {
            "removed": sorted(path for path, note in notes if note is None),
            "changed": sorted(path for path, note in notes if note is not None),
        },
        "rules": sorted(plan.rules),
        "reworded": sorted(plan.reworded),
        "yours": [{"path": path, "line": line} for path, line in plan.persons_lines],
        "done": is_done,
    }
