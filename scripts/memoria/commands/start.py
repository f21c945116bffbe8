"""`memoria start`: from nothing to a filled vault in one step.

Makes the vault, imports the sessions that the client has kept (the project's samples where there
are none), compiles them without a model and says what came of it and where to look. It can be run
again: what is there already stays, and only what is new is added.
"""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memoria.commands import import_
from memoria.commands.compile import Compiler
from memoria.commands.init import init
from memoria.edges import client, resource, terminal
from memoria.stages import home, rule

if TYPE_CHECKING:
    import argparse

    from memoria.commands.compile import Outcome as Compiled
    from memoria.commands.flush import Outcome
    from memoria.commands.workspace import Workspace
    from memoria.stages.rule import Rule

_SHOWN = 5


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Do it all; the exit code is 1 where some of it could not be read."""
    init(work)
    wanted = import_.choice(arguments, work)
    samples = not arguments.source and not any(client.transcripts(wanted.folder))
    if samples:
        work.terminal.say("No Claude Code sessions found here: starting with a few sample ones.")
        wanted = replace(wanted, folder=resource.SAMPLES)
    model = work.model(arguments.engine or "offline")
    taken = import_.take(work, model, wanted)
    compiled = Compiler(work, model).compile()
    if arguments.json:
        terminal.data(_result(work, taken, compiled))
    else:
        _tell(work, taken, compiled, samples=samples)
    return 1 if taken.problems or compiled.skipped else 0


def _result(work: Workspace, taken: Outcome, compiled: Compiled) -> dict[str, object]:
    found = import_.met(work)
    return {
        "vault": str(work.vault.root),
        "sessions": taken.sessions,
        "entries": taken.entries,
        "days": taken.days,
        "articles": len(set(compiled.created)),
        "rules": len(set(compiled.rules)),
        "errors": found.total,
        "errors_met_before": found.repeated,
        "engine": compiled.engine,
        "problems": [*taken.problems, *compiled.skipped],
    }


def _tell(work: Workspace, taken: Outcome, compiled: Compiled, *, samples: bool) -> None:
    line = terminal.line
    shelf = work.vault.articles
    rules = [found for found in (rule.rule(shelf[path]) for path in shelf) if found]
    notes = sum(not path.startswith("rules/") for path in shelf)
    how = ": extracted, not written by a model" if compiled.engine == "offline" else ""
    line(
        f"{taken.sessions} sessions{' (samples)' if samples else ''}"
        f"{'' if taken.entries else ', none new'} -> {len(work.vault.logs())} daily logs, "
        f"{len(work.vault.history().captures)} entries, {notes} articles ({compiled.engine} "
        f"engine{how})."
    )
    line(f"{len(rules)} rules you stated: {_force(work, rules)}.")
    for text in import_.recurring(import_.met(work)):
        line(text)
    if taken.left_out:
        reasons = ", ".join(f"{count} {reason}" for reason, count in taken.left_out.items())
        work.terminal.say(f"Left out while reading: {reasons}.")
    for problem in [*taken.problems[:_SHOWN], *compiled.skipped[:_SHOWN]]:
        work.terminal.warn(f"  {problem}")
    line()
    line(f"Look:  {work.vault.root / home.NAME}   (or open the folder in Obsidian)")
    for name in _newest(work):
        line(f"       {name}")
    line(f"Next:  {_program()} install    captures every project from now on; uninstall undoes it")


def _force(work: Workspace, rules: list[Rule]) -> str:
    state = work.vault.state
    approvals = {key: str(value) for key, value in state.read_json(state.approvals).items()}
    # every scope: which project asks makes no difference to how many there are
    held = [one for one in rules if rule.in_force([one], approvals, next(iter(one.scope), ""))]
    return f"{len(held)} in force from the next session on, {len(rules) - len(held)} to review"


def _program() -> str:
    """Say how the command is called from here: in a clone it is not on the PATH."""
    if shutil.which("memoria"):
        return "memoria"
    program = Path(sys.executable).with_name("memoria")
    here = Path.cwd()
    return str(program.relative_to(here) if program.is_relative_to(here) else program)


def _newest(work: Workspace) -> list[str]:
    vault = work.vault
    days = vault.logs()
    found = [str(vault.daily / f"{days[-1]}.md")] if days else []
    concepts = (vault.articles[path] for path in vault.articles if path.startswith("concepts/"))
    # the list of commands has the most sources and tells a newcomer least
    articles = [article for article in concepts if article.key != "commands:"]
    if articles:
        best = max(articles, key=lambda one: (len(one.names("sources")), one.path))
        found.append(str(vault.knowledge / f"{best.path}.md"))
    return found
