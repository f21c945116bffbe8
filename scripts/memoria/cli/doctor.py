"""Say whether all is captured, and what the next session would get (`memoria doctor`).

A capture that has silently stopped is what users of tools of this kind complain of most: so every
link of the chain is looked at and named, and each fault comes with what fixes it. Unless a vault is
named or stood in, it is the one that the installed hooks capture into, and where that writes, a
file is written.
"""

import argparse
import errno
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from memoria import program, settings, terminal
from memoria.agents.claude_code import settings as client_settings, settings_store
from memoria.capture.coverage import (
    count_foreign_entries,
    find_losses,
    find_unreadable_logs,
    format_excluded_count,
    measure_coverage,
)
from memoria.cli.decide import trust
from memoria.cli.decide.status import preview_start
from memoria.cli.setup.other_agents import HealthCheck, check_agents, format_command
from memoria.errors import MemoriaError
from memoria.llm.budget import resolve_engine_name
from memoria.llm.login import describe_login
from memoria.privacy.project_keys import project_key
from memoria.rules.guards import switch_store
from memoria.rules.model import is_reworded
from memoria.rules.review.waiting import count_by_status
from memoria.rules.rulebook import rulebook
from memoria.text.json_text import texts_at
from memoria.text.numbers import format_count
from memoria.vault import package_files
from memoria.vault.project import label
from memoria.vault.storage import clock, disk
from memoria.vault.storage.child_environment import is_same
from memoria.workspace import Workspace, workspace

# a flush follows its session within minutes; the hooks' notice comes after as long
_STALE_SECONDS = 6 * 3600
_SHOWN = 8
# of a line that goes on: columns before it
_INDENT = 4
# what the system refuses a write with -> what fixes it
_REMEDIES = {
    errno.ENOSPC: "the disk is full: free some space",
    errno.EDQUOT: "the quota is used up: free some space",
    errno.EROFS: "the disk is mounted read-only: mount it writable",
}

# ends with 1 in a Python that is too old for the hooks
_NEW_ENOUGH = "import sys; sys.exit(sys.version_info < (3, 11))"
# for a program to start: a cold disk and a virus scanner together stay far below
_SECONDS = 30


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Look at everything and print it; the exit code is 1 if something is wrong."""
    work = _choose_workspace(arguments, work)
    if arguments.audit:
        from memoria.lint import audit  # noqa: PLC0415 - an option that few give

        return audit.run(arguments, work)
    checks, cwd = list(examine(work)), str(Path.cwd())
    injection = preview_start(work, project_key(cwd), cwd) if work.vault.state.exists else ""
    if arguments.json:
        terminal.print_json({"checks": [asdict(check) for check in checks], "injection": injection})
    else:
        for check in checks:
            text = f"{'ok' if check.ok else 'NO'}  {check.name}: {check.detail}"
            terminal.print_line(text, indent=_INDENT)
        terminal.print_line("\nA session started in this folder would get:")
        terminal.print_line(injection or "(nothing yet)")
    return 0 if all(check.ok for check in checks) else 1


def _choose_workspace(arguments: argparse.Namespace, work: Workspace) -> Workspace:
    """Give the vault that the person has named or stands in, else the one that the hooks name."""
    is_inside = Path.cwd().is_relative_to(work.vault.root) and work.settings.registered
    if arguments.vault or work.settings.environment.get("MEMORIA_VAULT") or is_inside:
        return work
    with suppress(MemoriaError):  # settings that cannot be read are told of with the hooks
        hooks = settings_store.read_installed_hooks(work.settings.config_dir)
        vault = hooks[0].vault if hooks else ""
        if vault and Path(vault) != work.vault.root:
            program.name_vault(vault)
            return workspace(settings.load(vault, arguments.engine), quiet=arguments.quiet)
    return work


def examine(work: Workspace) -> Iterator[HealthCheck]:
    """Look at each link of the chain; without a vault at what needs none."""
    looks = [check_hooks, check_agents, check_switches, check_place]
    looks += [_check_writing, _check_files, _check_losses, _check_ledger, _check_captures]
    looks += [_check_coverage, _check_spool, _check_logs, _check_engine, _check_approvals]
    try:
        work.vault.require()
    except MemoriaError as error:
        yield HealthCheck("vault", _explain_missing_vault(work) or str(error), ok=False)
        looks = [check_hooks, check_switches, check_place, _check_spool]
    else:
        yield HealthCheck("vault", str(work.vault.root))
        looks.append(_check_guards)
    for look in looks:
        try:
            yield from look(work)
        except (MemoriaError, OSError) as error:
            yield HealthCheck(look.__name__.strip("_").removeprefix("check_"), str(error), ok=False)


def _explain_missing_vault(work: Workspace) -> str:
    """Say what is missing of a vault that was set up once, "" for one that never was."""
    root, state = work.vault.root, work.vault.state
    if not work.vault.daily.is_dir() and state.exists:
        repair = format_command(work, "install", vault="FOLDER")
        where = f"{root} is not there (moved or deleted?)"
        return f"{where}; put it back, or {repair} for where it is now"
    if work.vault.daily.is_dir() and not state.exists:
        repair = format_command(work, "install")
        return f"its state {state.root} is gone, so nothing is captured; {repair}"
    return ""


def _check_guards(work: Workspace) -> Iterator[HealthCheck]:
    """Name each guard that the person switched on and that does not stand any more."""
    switches = switch_store.switches(work)
    book = rulebook(work) if switches else None
    rules = {rule.id: rule for rule in book.rules} if book else {}
    for name, switch in switches.items():
        rule, meaning = rules.get(name), "off: its note is gone"
        if book and rule:
            meaning = switch_store.MEANING[switch_store.state(rule, switch, book.approvals)]
        if meaning != "on":
            yield HealthCheck("guard", f"{name} is {meaning}", ok=False)


def _check_writing(work: Workspace) -> Iterator[HealthCheck]:
    """Write where capture writes."""
    state, vault = work.vault.state, work.vault
    paths = (state.root, state.spool / "new", state.ledger, vault.daily, vault.knowledge)
    for path in paths:
        try:
            if path.exists():
                disk.probe(path)
        except OSError as error:
            remedy = _REMEDIES.get(error.errno or 0) or f"let this user write to {path}"
            detail = f"{path}: {error.strerror or error}, so nothing is captured; {remedy}"
            yield HealthCheck("writing", detail, ok=False)
            return
    yield HealthCheck("writing", "vault and state can be written")


def _check_files(work: Workspace) -> Iterator[HealthCheck]:
    articles = work.vault.articles
    detail = f"{len(list(articles))} articles and rules, {len(work.vault.logs())} daily logs"
    days = {capture.day for capture in work.vault.history().captures.values()}
    logs = find_unreadable_logs(work.vault).items()
    # of others something is lost, which is told as that
    problems = [
        *articles.unreadable.values(),
        *(text for day, text in logs if str(day) not in days),
    ]
    if problems:
        detail = f"left as they are, repair them by hand: {'; '.join(problems[:_SHOWN])}"
    yield HealthCheck("notes", detail, ok=not problems)
    conflicts = work.vault.journal.conflicts()
    if conflicts:
        detail = f"{len(conflicts)} versions of notes were put aside, look them over: "
        detail += str(conflicts[0].parent)
        yield HealthCheck("conflicts", detail, ok=False)


def _check_losses(work: Workspace) -> Iterator[HealthCheck]:
    for line in find_losses(work):
        yield HealthCheck("lost", line, ok=False)
    files = work.vault.find_synced_files()
    if files:
        detail = f"{len(files)} files that a sync program brought are not read; merge them by "
        detail += f"hand and delete them: {', '.join(files[:_SHOWN])}"
        yield HealthCheck("synced files", detail, ok=False)


def _check_ledger(work: Workspace) -> Iterator[HealthCheck]:
    damaged = work.vault.history().damaged
    detail = f"{damaged} lines of it are no records" if damaged else "each record can be read"
    yield HealthCheck("ledger", detail, ok=not damaged)


def _check_captures(work: Workspace) -> Iterator[HealthCheck]:
    """Say what the vault has of sessions, imported ones as well."""
    captures = work.vault.history().captures.values()
    detail = "the vault has no entry yet"
    if foreign := count_foreign_entries(work.vault):
        count = format_count(foreign, "entry", "entries")
        detail = f"the vault has {count}, none captured on this machine or with this state"
    if captures:
        last = max(captures, key=lambda capture: capture.at)
        projects = len({capture.project for capture in captures})
        projects_text = f" of {projects} projects, by remote or folder" if projects > 1 else ""
        last_text = f"{last.at[:16].replace('T', ' ')} in {label(last.project)}"
        entries = format_count(len(captures), "entry", "entries")
        detail = f"the vault has {entries}{projects_text}, the last of {last_text}"
    if work.settings.exclude:
        detail += f"; MEMORIA_EXCLUDE in {work.settings.exclude_place} leaves sessions out"
    yield HealthCheck("captures", detail)


def _check_coverage(work: Workspace) -> Iterator[HealthCheck]:
    coverage = measure_coverage(work)
    detail = f"{coverage.captured} of {coverage.sessions} sessions since the installation"
    if not coverage.sessions:
        detail = "no session since the installation"
    if coverage.pending:
        detail += f", {coverage.pending} still open or waiting"
    if coverage.excluded:
        detail += f", {format_excluded_count(coverage.excluded, work.settings)}"
    if coverage.missing:
        extra = len(coverage.missing) - _SHOWN
        detail += f"; these are not: {', '.join(coverage.missing[:_SHOWN])}"
        detail += f" and {extra} more" if extra > 0 else ""
        detail += f"; {format_command(work, 'flush --sweep')} brings them in"
    yield HealthCheck("captured", detail, ok=not coverage.missing)


def _check_spool(work: Workspace) -> Iterator[HealthCheck]:
    jobs = [*work.spool.jobs("new"), *work.spool.jobs("claimed")]
    reasons = Counter(job.error for job in jobs if job.error)
    late_jobs = [job for job in jobs if time.time() - job.at > _STALE_SECONDS]
    noun = "captured session waits" if len(jobs) == 1 else "captured sessions wait"
    detail = f"{len(jobs)} {noun}"
    if reasons:
        detail += f": {reasons.most_common(1)[0][0]}"
    elif late_jobs:
        detail += f", and no flush has looked at them; {format_command(work, 'flush')} does"
    yield HealthCheck("waiting", detail, ok=not reasons and not late_jobs)
    dead_jobs = work.spool.jobs("dead")
    if dead_jobs:
        detail = f"{format_count(len(dead_jobs), 'session')} could not be captured: "
        detail += f"{dead_jobs[0].error}; "
        detail += f"{format_command(work, 'flush')} tries them again; their jobs lie in "
        yield HealthCheck("given up", f"{detail}{work.vault.state.spool / 'dead'}", ok=False)


_EPOCH = re.compile(r"[0-9]{10}")  # "1795919737", the moment of a line of the hooks


def _check_logs(work: Workspace) -> Iterator[HealthCheck]:
    for name in ("hooks.log", "flush.log"):
        lines = (disk.read(work.vault.state.logs / name) or b"").decode(errors="replace")
        if lines.strip():
            first, _, rest = lines.splitlines()[-1].partition(" ")
            at = datetime.fromtimestamp(int(first), UTC) if _EPOCH.fullmatch(first) else None
            moment = at and clock.to_local_time(at, work.settings.zone)
            text = f"{moment:%Y-%m-%d %H:%M} {rest}" if moment else f"{first} {rest}"
            yield HealthCheck(name, f"its last line: {text}")


def _check_engine(work: Workspace) -> Iterator[HealthCheck]:
    login = describe_login(work.settings.environment, work.settings.home)
    name = resolve_engine_name(work.settings.engine, work.settings.environment, work.settings.home)
    detail = f"{name} writes entries and articles; Claude login: {login or 'none found'}"
    yield HealthCheck("engine", detail, ok=name != "claude" or bool(login))


def _check_approvals(work: Workspace) -> Iterator[HealthCheck]:
    book, snapshot = rulebook(work), work.vault.state.snapshot
    counts = count_by_status(work, book)
    changed_ids = [rule.id for rule in book.rules if is_reworded(rule, book.approvals)]
    detail = f"{counts['active']} active, {counts['waiting']} waiting (`memoria review`)"
    if changed_ids:
        detail = f"the text of {', '.join(changed_ids[:_SHOWN])} was changed since it was approved"
    yield HealthCheck("rules", detail, ok=not changed_ids)
    if disk.read(snapshot) is None:
        repair = format_command(work, "install")
        detail = f"{snapshot} is missing, so hooks do nothing; {repair} makes it"
        yield HealthCheck("hooks' snapshot", detail, ok=False)
    count = trust.format_waiting_count(trust.count_waiting_items(work, keep=False))
    yield HealthCheck("trust", count or "this machine knows all lines and rules")
    if notice := trust.schema_notice(work):
        yield HealthCheck("schema", notice)


# -- What an installation rests on -----------------------------------------------------------------


def check_hooks(work: Workspace) -> Iterator[HealthCheck]:
    """Say which hooks capture into this vault, and what keeps them from working."""
    config_dir = work.settings.config_dir
    hooks = settings_store.read_installed_hooks(config_dir)
    own_hooks = [hook for hook in hooks if is_same(hook.vault, str(work.vault.root))]
    other_vaults = sorted({hook.vault for hook in hooks if hook not in own_hooks})
    has_plugin = settings_store.is_plugin_enabled(config_dir)
    if not own_hooks:
        detail = f"none for this vault; {format_command(work, 'install')} captures every project"
        if has_plugin:
            detail = "those of the plugin, which serve its option's vault, or ~/memoria"
        if other_vaults:
            detail += f" (there are some for {', '.join(other_vaults)})"
        yield HealthCheck("hooks", detail, ok=has_plugin and not other_vaults)
        return
    detail = f"{', '.join(sorted({hook.event for hook in own_hooks}))} in {config_dir}"
    if has_plugin:
        detail += "; the plugin's as well: either is enough, and nothing is captured twice"
    fault = next(_find_hook_faults(work, own_hooks), "")
    if fault:
        detail = f"{fault}; {format_command(work, 'install')} fixes it"
    yield HealthCheck("hooks", detail, ok=not fault)


def _find_hook_faults(work: Workspace, hooks: Collection[client_settings.Hook]) -> Iterator[str]:
    """Say what keeps hooks from working as they are installed, the worst first."""
    for path in sorted({hook.gone for hook in hooks} - {""}):
        yield f"{path} is gone"
    for python in sorted({hook.python for hook in hooks} - {sys.executable}):
        complaint = _try_program(python, "-S", "-E", "-c", _NEW_ENOUGH)
        if complaint:
            yield f"{python} is of no use any more ({complaint})"
    missing = {event for event, _ in client_settings.SCRIPTS} - {hook.event for hook in hooks}
    if missing:
        yield f"none for {', '.join(sorted(missing))}"
    for state in sorted({hook.state for hook in hooks} - {str(work.settings.state)}):
        folder = state or "no folder"
        yield f"they use the state in {folder}, and commands that in {work.settings.state}"


def check_switches(work: Workspace) -> Iterator[HealthCheck]:
    """Say what switches all hooks off, whatever is installed."""
    folder = work.settings.config_dir
    text = settings_store.read_settings(folder) or ""
    notes = [*client_settings.list_obstacles(text, str(folder / settings_store.SETTINGS))]
    if work.settings.environment.get("MEMORIA_DISABLE", "0") not in {"", "0"}:
        notes.append("MEMORIA_DISABLE is set in this environment: hooks that get it do nothing")
    for note in notes:
        yield HealthCheck("switched off", note, ok=False)


def check_place(work: Workspace) -> Iterator[HealthCheck]:
    """Say what came with the folder, which settings are wrong, and which Python is gone."""
    folder = work.vault.root / ".memoria"
    if os.path.lexists(folder):
        detail = f"{folder} came with the folder and is not used; delete it"
        yield HealthCheck("brought along", detail, ok=False)
    if work.settings.notice:
        yield HealthCheck("settings", work.settings.notice, ok=not work.settings.misspelt)
    fault = _find_interpreter_fault(work)
    if fault:
        detail = f"{fault}, so sessions wait in {work.vault.state.spool}; "
        detail += f"{format_command(work, 'install')} fixes it"
        yield HealthCheck("interpreter", detail, ok=False)


def _find_interpreter_fault(work: Workspace) -> str:
    """Say why flushes cannot run in what hooks start them with, "" where they can."""
    words = texts_at(work.vault.state.read_json(work.vault.state.snapshot), "command")
    if words == (sys.executable, str(package_files.PACKAGE / "__main__.py")):
        return ""  # it is what runs here
    missing_files = [word for word in words if not Path(word).is_file()]
    if missing_files:
        return f"{missing_files[0]}, which flushes run in, is gone"
    complaint = _try_program(*words, "--version") if words else ""
    return f"{words[0]}, which flushes run in, does not start ({complaint})" if complaint else ""


def _try_program(*words: str) -> str:
    """Run a program; give "" where it ends with 0, else the last line that it says, or why.

    A file that is there says little: the libraries or packages that it needs may be gone.
    """
    try:
        child = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return "it does not end"
    except OSError as error:
        return error.strerror or type(error).__name__
    lines = child.stderr.decode(errors="replace").strip().splitlines()
    return "" if child.returncode == 0 else (lines or [f"it ends with code {child.returncode}"])[-1]
