"""`memoria doctor`: is everything captured, and what would the next session get?

A capture that has silently stopped is what users of tools of this kind complain of most: so every
link of the chain is looked at and named, and each fault comes with what mends it.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memoria import __version__
from memoria.commands import audit, guarding, snapshot
from memoria.commands.capture import excluded
from memoria.commands.losses import losses
from memoria.commands.rulebook import rulebook
from memoria.edges import client, disk, outfit, registry, terminal, transcripts
from memoria.edges.git import project_key
from memoria.edges.login import login_present
from memoria.errors import MemoriaError
from memoria.stages import client_settings, injection, rule, switch
from memoria.stages.project import label

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from memoria.commands.workspace import Workspace

# a session that ended this long ago should have been captured by its end or by a later start
_LATE_SECONDS = 24 * 3600
# a flush follows its session within minutes; the hooks' notice comes after as long
_STALE_SECONDS = 6 * 3600
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at: is it well, what was found, and what mends it."""

    name: str
    ok: bool
    detail: str


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Look at everything and print it; the exit code is 1 if something is wrong."""
    if arguments.audit:
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


def examine(work: Workspace) -> Iterator[Check]:
    """Look at each link of the chain; without a vault there is nothing more to look at."""
    try:
        work.vault.require()
    except MemoriaError as error:
        yield Check("vault", ok=False, detail=str(error))
        return
    yield Check("vault", ok=True, detail=str(work.vault.root))
    looks = (
        _hooks,
        _place,
        _files,
        _losses,
        _synced,
        _ledger,
        _captures,
        _missed,
        _spool,
        _logs,
        _engine,
        _approvals,
        _guards,
    )
    for look in looks:
        yield from _guarded(look, work)


def _guarded(look: Callable[[Workspace], Iterator[Check]], work: Workspace) -> Iterator[Check]:
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
        detail = "none for this vault; `memoria install` captures every project"
        if is_plugged:
            detail = "those of the plugin, which serve its option's vault, or ~/memoria"
        if other:
            detail += f" (there are some for {', '.join(other)})"
        yield Check("hooks", ok=is_plugged and not other, detail=detail)
        return
    events = {hook.event for hook in mine}
    lacking = sorted({event for event, _ in client_settings.SCRIPTS} - events)
    gone = [hook.command for hook in mine if not hook.exists]
    astray = sorted({hook.state for hook in mine} - {str(work.settings.state)})
    detail = f"{', '.join(sorted(events))} in {_settings(own, local)}"
    if is_plugged:
        detail += "; the plugin's as well: either is enough, and nothing is captured twice"
    if gone:
        detail = f"{gone[0]} or its script is gone; `memoria install` mends it"
    elif lacking:
        detail = f"none for {', '.join(lacking)}; `memoria install` mends it"
    elif astray:
        detail = f"they use the state in {astray[0] or 'no folder'}, and commands "
        detail += f"that in {work.settings.state}; `memoria install` mends it"
    yield Check("hooks", ok=not gone and not lacking and not astray, detail=detail)


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
        detail = f"set up by version {was}; `memoria update` brings it to {__version__}"
        yield Check("version", ok=True, detail=detail)
    snapshot = work.vault.state.read_json(work.vault.state.snapshot)
    gone = [str(path) for path in snapshot.get("command") or [] if not Path(str(path)).is_file()]
    if gone:
        detail = f"{gone[0]}, which flushes run in, is gone; `memoria install` mends it"
        yield Check("interpreter", ok=False, detail=detail)


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


def _missed(work: Workspace) -> Iterator[Check]:
    state = work.vault.state
    since = float(state.read_json(state.root / "installed.json").get("since") or 0)
    marks = work.vault.history().watermarks
    now = time.time()
    spool = work.spool
    waiting = {job.transcript for name in ("new", "claimed", "dead") for job in spool.jobs(name)}
    missed = [
        found.path
        for found in client.transcripts(client.projects_dir(work.settings.config_dir))
        if found.mtime >= since
        and now - found.mtime > _LATE_SECONDS
        and (str(found.path) not in marks or marks[str(found.path)].end != found.size)
        and str(found.path) not in waiting
        and not excluded(_folder(found.path), work.settings, work.vault)
    ]
    detail = "every session since the installation that is over"
    if missed:
        detail = f"{len(missed)} sessions are not captured; `memoria flush --sweep` brings them in"
    yield Check("captured", ok=not missed, detail=detail)


def _folder(transcript: Path) -> str:
    return next((part.cwd for part in transcripts.read(transcript)), "")


def _spool(work: Workspace) -> Iterator[Check]:
    waiting = [*work.spool.jobs("new"), *work.spool.jobs("claimed")]
    reasons = Counter(job.error for job in waiting if job.error)
    late = [job for job in waiting if time.time() - job.at > _STALE_SECONDS]
    detail = f"{len(waiting)} captured sessions wait"
    if reasons:
        detail += f": {reasons.most_common(1)[0][0]}"
    elif late:
        detail += ", and no flush has looked at them; `memoria flush` does"
    yield Check("waiting", ok=not reasons and not late, detail=detail)
    dead = work.spool.jobs("dead")
    if dead:
        detail = f"{len(dead)} sessions could not be captured: {dead[0].error}; they lie in "
        detail += str(work.vault.state.spool / "dead")
        yield Check("given up", ok=False, detail=detail)


def _logs(work: Workspace) -> Iterator[Check]:
    for name in ("hooks.log", "flush.log"):
        lines = (disk.read(work.vault.state.logs / name) or b"").decode(errors="replace")
        if lines.strip():
            yield Check(name, ok=True, detail=f"its last line: {lines.splitlines()[-1]}")


def _engine(work: Workspace) -> Iterator[Check]:
    login = login_present(work.settings.environment, work.settings.home)
    name = work.model().name
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
        detail = f"{state.snapshot} is missing, so hooks do nothing; `memoria init` makes it"
        yield Check("hooks' snapshot", ok=False, detail=detail)


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
