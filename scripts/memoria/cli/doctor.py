"""Say whether all is captured, and what the next session would get (`memoria doctor`).

A capture that has silently stopped is what users of tools of this kind complain of most: so every
link of the chain is looked at and named, and each fault comes with what mends it. Unless a vault is
named it is the one that the installed hooks capture into, and where that writes, a file is written.
"""

from __future__ import annotations

import errno
import os
import shlex
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memoria import __version__, settings, terminal
from memoria import refresh as snapshot
from memoria.agents.claude_code import settings as client_settings
from memoria.agents.claude_code import settings_store as client
from memoria.agents.claude_code.git import project_key
from memoria.capture.coverage import coverage
from memoria.capture.losses import losses
from memoria.cli.decide import trust
from memoria.errors import MemoriaError
from memoria.llm.budget import engine_name
from memoria.llm.login import login_present
from memoria.rules import model as rule
from memoria.rules.decisions import rulebook
from memoria.rules.guards import switch_store as guarding
from memoria.rules.guards import switches as switch
from memoria.search import injection
from memoria.vault import package_files as resource
from memoria.vault import setup as outfit
from memoria.vault.project import label
from memoria.vault.storage import disk, registry
from memoria.vault.storage import program_check as program
from memoria.workspace import workspace

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Collection, Iterator

    from memoria.workspace import Workspace

    Look = Callable[[Workspace], Iterator["Check"]]

# a flush follows its session within minutes; the hooks' notice comes after as long
_STALE_SECONDS = 6 * 3600
_SHOWN = 8
# ends with 1 in a Python that is too old for the hooks
_NEW_ENOUGH = "import sys; sys.exit(sys.version_info < (3, 11))"
# what the system refuses a write with -> what mends it
_REMEDIES = {
    errno.ENOSPC: "the disk is full: free some space",
    errno.EDQUOT: "the quota is used up: free some space",
    errno.EROFS: "the disk is mounted read-only: mount it writable",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at: is it well, what was found, and what mends it."""

    name: str
    ok: bool
    detail: str


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Look at everything and print it; the exit code is 1 if something is wrong."""
    work = _captured_into(arguments, work)
    if arguments.audit:
        from memoria.lint import audit  # noqa: PLC0415 - an option that few give

        return audit.run(arguments, work)
    checks = list(examine(work))
    context = ""
    if work.vault.state.exists:
        found = snapshot.read(work, project_key(str(Path.cwd())))
        context = injection.compose(found, str(work.vault.root), "preview", [])
    if arguments.json:
        terminal.data({"checks": [asdict(check) for check in checks], "injection": context})
    else:
        for check in checks:
            terminal.line(f"{'ok ' if check.ok else 'NO '} {check.name}: {check.detail}")
        terminal.line()
        terminal.line("A session started in this folder would get:")
        terminal.line(context or "(nothing yet)")
    return 0 if all(check.ok for check in checks) else 1


def _captured_into(arguments: argparse.Namespace, work: Workspace) -> Workspace:
    """Give the vault that the person's hooks name, or the one that the person has named."""
    if arguments.vault or work.settings.environment.get("MEMORIA_VAULT"):
        return work
    with suppress(MemoriaError):  # settings that cannot be read are told of with the hooks
        vaults = [hook.vault for hook in client.installed_hooks(work.settings.config_dir)]
        if vaults and Path(vaults[0]) != work.vault.root:
            return workspace(settings.load(vaults[0], arguments.engine), quiet=arguments.quiet)
    return work


def examine(work: Workspace) -> Iterator[Check]:
    """Look at each link of the chain; without a vault at what needs none."""
    looks: tuple[Look, ...] = (
        _hooks,
        _switches,
        _place,
        _writing,
        _files,
        _losses,
        _synced,
        _ledger,
        _captures,
        _covered,
        _spool,
        _logs,
        _engine,
        _approvals,
        _trust,
        _guards,
    )
    try:
        work.vault.require()
    except MemoriaError as error:
        yield Check("vault", ok=False, detail=_absent(work) or str(error))
        looks = (_hooks, _switches, _place, _spool)
    else:
        yield Check("vault", ok=True, detail=str(work.vault.root))
    for look in looks:
        yield from _guarded(look, work)


def _absent(work: Workspace) -> str:
    """Say what is missing of a vault that was set up once, "" for one that never was."""
    root, state = work.vault.root, work.vault.state
    if not work.vault.daily.is_dir() and state.exists:
        here = _command(work, "install", vault="FOLDER")
        return (
            f"{root} is not there (moved or deleted?); put it back, or {here} for where it is now"
        )
    if work.vault.daily.is_dir() and not state.exists:
        return (
            f"its state {state.root} is gone, so nothing is captured; {_command(work, 'install')}"
        )
    return ""


def _command(work: Workspace, words: str, vault: str = "") -> str:
    """Give a command for this vault as it can be pasted into a shell."""
    return f"`memoria {words} --vault {vault or shlex.quote(str(work.vault.root))}`"


def _guarded(look: Look, work: Workspace) -> Iterator[Check]:
    try:
        yield from look(work)
    except (MemoriaError, OSError) as error:
        yield Check(look.__name__.strip("_"), ok=False, detail=str(error))


def _hooks(work: Workspace) -> Iterator[Check]:
    own, local = work.settings.config_dir, Path.cwd() / ".claude"
    found = [*client.installed_hooks(own), *client.installed_hooks(local, client.LOCAL)]
    mine = [hook for hook in found if Path(hook.vault) == work.vault.root]
    other = sorted({hook.vault for hook in found} - {str(work.vault.root)})
    is_plugged = client.plugged(own)
    if not mine:
        detail = f"none for this vault; {_command(work, 'install')} captures every project"
        if is_plugged:
            detail = "those of the plugin, which serve its option's vault, or ~/memoria"
        if other:
            detail += f" (there are some for {', '.join(other)})"
        yield Check("hooks", ok=is_plugged and not other, detail=detail)
        return
    detail = f"{', '.join(sorted({hook.event for hook in mine}))} in {_settings(own, local)}"
    if is_plugged:
        detail += "; the plugin's as well: either is enough, and nothing is captured twice"
    wrong = next(_faults(work, mine), "")
    if wrong:
        detail = f"{wrong}; {_command(work, 'install')} mends it"
    yield Check("hooks", ok=not wrong, detail=detail)


def _faults(work: Workspace, mine: Collection[client.InstalledHook]) -> Iterator[str]:
    """Say what keeps hooks from working as they are installed, the worst first."""
    for gone in sorted({hook.gone for hook in mine} - {""}):
        yield f"{gone} is gone"
    for python in sorted({hook.python for hook in mine} - {sys.executable}):
        said = program.complaint(python, "-S", "-E", "-c", _NEW_ENOUGH)
        if said:
            yield f"{python} is of no use any more ({said})"
    lacking = {event for event, _ in client_settings.SCRIPTS} - {hook.event for hook in mine}
    if lacking:
        yield f"none for {', '.join(sorted(lacking))}"
    for astray in sorted({hook.state for hook in mine} - {str(work.settings.state)}):
        theirs = astray or "no folder"
        yield f"they use the state in {theirs}, and commands that in {work.settings.state}"


def _switches(work: Workspace) -> Iterator[Check]:
    """Say what switches all hooks off, whatever is installed."""
    own = work.settings.config_dir
    text = client.read_settings(own) or ""
    found = list(client_settings.notes(text, str(own / client.SETTINGS)))
    if work.settings.environment.get("MEMORIA_DISABLE", "0") not in {"", "0"}:
        found.append("MEMORIA_DISABLE is set in this environment: hooks that get it do nothing")
    for one in found:
        yield Check("switched off", ok=False, detail=one)


def _settings(own: Path, local: Path) -> str:
    """Name the settings with hooks: a project's own as a file, those of all by their folder."""
    places = [str(own)] if client.installed_hooks(own) else []
    if client.installed_hooks(local, client.LOCAL):
        places.append(f"{local / client.LOCAL} (for sessions started in this folder alone)")
    return " and ".join(places)


def _place(work: Workspace) -> Iterator[Check]:
    brought = work.vault.root / ".memoria"
    if os.path.lexists(brought):
        detail = f"{brought} came with the folder and is not used; delete it"
        yield Check("brought along", ok=False, detail=detail)
    if work.settings.ignored:
        detail = f"ignored in {work.vault.root / '.env'}: {', '.join(work.settings.ignored)}; "
        detail += f"set them in your environment or in {registry.config_home() / '.env'}"
        yield Check("settings", ok=True, detail=detail)
    was = outfit.version(work.vault.state).get("version")
    if was and was != __version__:
        detail = f"set up by version {was}; {_command(work, 'update')} brings it to {__version__}"
        yield Check("version", ok=True, detail=detail)
    wrong = _interpreter(work)
    if wrong:
        detail = f"{wrong}, so sessions wait in {work.vault.state.spool}; "
        yield Check("interpreter", ok=False, detail=f"{detail}{_command(work, 'install')} mends it")


def _interpreter(work: Workspace) -> str:
    """Say why flushes cannot run in what hooks start them with, "" where they can."""
    found = work.vault.state.read_json(work.vault.state.snapshot).get("command")
    words = [str(word) for word in found] if isinstance(found, list) else []
    if words == [sys.executable, str(resource.PACKAGE / "__main__.py")]:
        return ""  # it is what runs here
    gone = [word for word in words if not Path(word).is_file()]
    if gone:
        return f"{gone[0]}, which flushes run in, is gone"
    said = program.complaint(*words, "--version") if words else ""
    return f"{words[0]}, which flushes run in, does not start ({said})" if said else ""


def _writing(work: Workspace) -> Iterator[Check]:
    """Write where capture writes."""
    state, vault = work.vault.state, work.vault
    places = (state.root, state.spool / "new", state.ledger, vault.daily, vault.knowledge)
    for path in places:
        try:
            if path.exists():
                disk.probe(path)
        except OSError as error:
            mend = _REMEDIES.get(error.errno or 0) or f"let this user write to {path}"
            detail = f"{path}: {error.strerror or error}, so nothing is captured; {mend}"
            yield Check("writing", ok=False, detail=detail)
            return
    yield Check("writing", ok=True, detail="spool, ledger and daily logs take what is captured")


def _files(work: Workspace) -> Iterator[Check]:
    shelf = work.vault.articles
    count = len(list(shelf))
    broken = list(shelf.unreadable.values())
    detail = f"{count} articles and rules, {len(work.vault.logs())} daily logs"
    if broken:
        detail = f"left as they are, mend them by hand: {'; '.join(broken[:_SHOWN])}"
    yield Check("notes", ok=not broken, detail=detail)
    aside = work.vault.journal.conflicts()
    if aside:
        detail = f"{len(aside)} versions of notes were put aside, look them over: {aside[0].parent}"
        yield Check("conflicts", ok=False, detail=detail)


def _losses(work: Workspace) -> Iterator[Check]:
    for line in losses(work):
        yield Check("lost", ok=False, detail=line)


def _synced(work: Workspace) -> Iterator[Check]:
    brought = work.vault.synced()
    if brought:
        detail = f"{len(brought)} files that a sync client brought are not read; merge them by "
        detail += f"hand and delete them: {', '.join(brought[:_SHOWN])}"
        yield Check("synced files", ok=False, detail=detail)


def _ledger(work: Workspace) -> Iterator[Check]:
    damaged = work.vault.history().damaged
    detail = f"{damaged} lines of it are no records" if damaged else "whole"
    yield Check("ledger", ok=not damaged, detail=detail)


def _captures(work: Workspace) -> Iterator[Check]:
    last: dict[str, str] = {}
    for capture in work.vault.history().captures.values():
        last[capture.project] = max(last.get(capture.project, ""), capture.at)
    ranked = sorted(last.items(), key=lambda item: item[1], reverse=True)
    named = [f"{label(name)} {at[:16].replace('T', ' ')}" for name, at in ranked[:_SHOWN]]
    detail = f"last of each project: {', '.join(named)}" if named else "none yet"
    yield Check("captures", ok=True, detail=detail)


def _covered(work: Workspace) -> Iterator[Check]:
    found = coverage(work)
    detail = f"{found.captured} of {found.sessions} sessions since the installation"
    if found.pending:
        detail += f", {found.pending} still open or waiting"
    if found.missing:
        more = len(found.missing) - _SHOWN
        detail += f"; these are not: {', '.join(found.missing[:_SHOWN])}"
        detail += f" and {more} more" if more > 0 else ""
        detail += f"; {_command(work, 'flush --sweep')} brings them in"
    yield Check("captured", ok=not found.missing, detail=detail)


def _spool(work: Workspace) -> Iterator[Check]:
    waiting = [*work.spool.jobs("new"), *work.spool.jobs("claimed")]
    reasons = Counter(job.error for job in waiting if job.error)
    late = [job for job in waiting if time.time() - job.at > _STALE_SECONDS]
    detail = f"{len(waiting)} captured sessions wait"
    if reasons:
        detail += f": {reasons.most_common(1)[0][0]}"
    elif late:
        detail += f", and no flush has looked at them; {_command(work, 'flush')} does"
    yield Check("waiting", ok=not reasons and not late, detail=detail)
    dead = work.spool.jobs("dead")
    if dead:
        detail = f"{len(dead)} sessions could not be captured: {dead[0].error}; "
        detail += f"{_command(work, 'flush')} tries them again; their jobs lie in "
        detail += str(work.vault.state.spool / "dead")
        yield Check("given up", ok=False, detail=detail)


def _logs(work: Workspace) -> Iterator[Check]:
    for name in ("hooks.log", "flush.log"):
        lines = (disk.read(work.vault.state.logs / name) or b"").decode(errors="replace")
        if lines.strip():
            yield Check(name, ok=True, detail=f"its last line: {lines.splitlines()[-1]}")


def _engine(work: Workspace) -> Iterator[Check]:
    login = login_present(work.settings.environment, work.settings.home)
    name = engine_name(work.settings.engine, work.settings.environment, work.settings.home)
    detail = f"{name} writes entries and articles; Claude login: {login or 'none found'}"
    yield Check("engine", ok=name != "claude" or bool(login), detail=detail)


def _approvals(work: Workspace) -> Iterator[Check]:
    state = work.vault.state
    approvals = state.read_json(state.approvals)
    shelf = work.vault.articles
    rules = [found for found in (rule.rule(shelf[path]) for path in shelf) if found]
    changed = [
        found.id
        for found in rules
        if found.id in approvals and approvals[found.id] != rule.text_hash(found.text)
    ]
    detail = f"{len(approvals)} of {len(rules)} rules are approved on this machine"
    if changed:
        detail = f"the text of {', '.join(changed[:_SHOWN])} was changed since it was approved"
    yield Check("rules", ok=not changed, detail=detail)
    start = disk.read(state.snapshot)
    if start is None:
        detail = f"{state.snapshot} is missing, so hooks do nothing; "
        detail += f"{_command(work, 'install')} makes it"
        yield Check("hooks' snapshot", ok=False, detail=detail)


def _trust(work: Workspace) -> Iterator[Check]:
    waiting = trust.told_of(trust.count(work))
    yield Check("trust", ok=True, detail=waiting or "this machine knows all lines and rules")


def _guards(work: Workspace) -> Iterator[Check]:
    book = rulebook(work)
    known = guarding.switches(work)
    states = {one.id: switch.state(one, known.get(one.id), book.approvals) for one in book.rules}
    bad = [one for one in book.rules if one.check_error or states[one.id] in {"changed", "wall"}]
    gone = sorted(known.keys() - states.keys())
    on = sum(state == "on" for state in states.values())
    if bad:
        why = bad[0].check_error or switch.MEANING[states[bad[0].id]]
        yield Check("guards", ok=False, detail=f"{bad[0].id}: {why} (of {len(bad)})")
    elif known:
        detail = f"{on} of {len(known)} stand guard"
        detail += f"; no rule is called {gone[0]} any more" if gone else ""
        yield Check("guards", ok=True, detail=detail)
