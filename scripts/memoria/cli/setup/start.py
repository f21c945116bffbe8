"""Make a vault and fill it, in one step (`memoria start`).

Makes the vault, imports the sessions that the client has kept, compiles them without a model and
says what came of it and where to look. It can be run again: what is there already stays, and only
what is new is added. Without sessions the vault stays empty, and the demo is named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria import terminal
from memoria.agents.claude_code import settings_store as client
from memoria.cli.importing import sessions as import_
from memoria.cli.setup.init import init
from memoria.compile.service import Compiler
from memoria.evidence.backtest.service import replayed
from memoria.program import program
from memoria.rules.review.waiting_service import status_counts
from memoria.text.numbers import counted
from memoria.vault import home_page as home

if TYPE_CHECKING:
    import argparse

    from memoria.cli.flush import Outcome
    from memoria.compile.service import Outcome as Compiled
    from memoria.workspace import Workspace

_SHOWN = 5


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Do it all; the exit code is 1 where some of it could not be read."""
    init(work)
    wanted = import_.choice(arguments, work)
    model = work.model(arguments.engine or "offline")
    taken = import_.take(work, model, wanted)
    compiled = Compiler(work, model).compile()
    if arguments.json:
        terminal.data(result(work, taken, compiled))
    elif not taken.sessions and not work.vault.history().captures:
        _tell_empty(work, wanted)
    else:
        _tell(work, taken, compiled)
    return 1 if taken.problems or compiled.skipped else 0


def result(work: Workspace, taken: Outcome, compiled: Compiled) -> dict[str, object]:
    """Give as JSON what a vault was filled with."""
    replay = replayed(work)
    return {
        "vault": str(work.vault.root),
        "sessions": taken.sessions,
        "entries": taken.entries,
        "days": taken.days,
        "articles": len(set(compiled.created)),
        "rules": sum(rule_counts(work)),
        "errors": replay.mistakes,
        "errors_met_before": len(replay.comebacks),
        "engine": compiled.engine,
        "problems": [*taken.problems, *compiled.skipped],
    }


def filled(work: Workspace, taken: Outcome, compiled: Compiled, kind: str = "sessions") -> str:
    """Say in a line what came in, and what was made of it."""
    shelf = work.vault.articles
    notes = sum(not path.startswith("rules/") for path in shelf)
    how = "extracted, not written by a model" if compiled.engine == "offline" else compiled.engine
    return (
        f"{taken.sessions} {kind}{'' if taken.entries else ', none new'}: "
        f"{counted(len(work.vault.history().captures), 'entry', 'entries')} in "
        f"{counted(len(work.vault.logs()), 'daily log')}, {counted(notes, 'article')} ({how})."
    )


def rule_counts(work: Workspace) -> tuple[int, int]:
    """Count the rules that are active and those that wait."""
    counts = status_counts(work)
    return counts["active"], counts["waiting"]


def tell_places(work: Workspace) -> None:
    """Name the pages to look at first."""
    terminal.line()
    terminal.line(f"Look:  {work.vault.root / home.NAME}   (or open the folder in Obsidian)")
    for name in _newest(work):
        terminal.line(f"       {name}")


def tell_problems(work: Workspace, taken: Outcome, compiled: Compiled) -> None:
    """Say what was left out, and what could not be read."""
    if taken.left_out:
        work.terminal.say(import_.left_out(taken))
    for problem in [*taken.problems[:_SHOWN], *compiled.skipped[:_SHOWN]]:
        work.terminal.warn(f"  {problem}")


def _tell(work: Workspace, taken: Outcome, compiled: Compiled) -> None:
    terminal.paragraph(filled(work, taken, compiled))
    held, waiting = rule_counts(work)
    terminal.paragraph(_stated(held, waiting))
    for text in import_.recurring(work):
        terminal.line(text)
    tell_problems(work, taken, compiled)
    tell_places(work)
    _tell_next(work)


def _stated(active: int, waiting: int) -> str:
    if not active + waiting:
        return "You stated no rule in them (a rule says what to do always or never)."
    said = f"{counted(active + waiting, 'rule')} you stated: {active} active from the next session"
    return f"{said} on, {waiting} waiting for `memoria review`."


def _tell_empty(work: Workspace, wanted: import_.Choice) -> None:
    looked = " or ".join(f"{agent.label} sessions in {folder}" for agent, folder in wanted.sources)
    terminal.paragraph(f"There are no {looked} yet: {work.vault.root} is empty.")
    terminal.line(f"Look:  {program()} demo       makes a vault of sample sessions, for a look")
    _tell_next(work)


def _tell_next(work: Workspace) -> None:
    if client.plugged(work.settings.config_dir):
        return  # the plugin captures: there is nothing to install
    terminal.line(f"Next:  {program()} install    captures every session from now on;")
    terminal.line(f"       {program()} uninstall  takes the hooks out again")


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
