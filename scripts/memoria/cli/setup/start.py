"""Make a vault and fill it, in one step (`memoria start`), or one of sample sessions (`demo`).

Makes the vault, imports the sessions that the client has kept, compiles them without a model and
says what came of it and where to look. It can be run again: only what is new is added. The demo is
nobody's: hooks find no snapshot there, verbs that join a vault to sessions refuse it, and each verb
says what it is. Its mark stands in the state before anything else is made.
"""

import argparse
import shutil

from memoria import refresh, terminal
from memoria.agents.claude_code import settings_store
from memoria.agents.port import CLAUDE_CODE
from memoria.cli import importing
from memoria.cli.flush import CaptureOutcome
from memoria.cli.setup.init import init
from memoria.cli.setup.sample_sessions import read_sample_sessions, write_sessions
from memoria.compile.outcome import CompileOutcome
from memoria.compile.service import Compiler
from memoria.errors import UsageError
from memoria.evidence.rates import compute_rate
from memoria.evidence.study import build_all_units
from memoria.program import command_name, command_with_vault, quote_words
from memoria.rules.review.waiting import count_by_status
from memoria.rules.rulebook import rulebook
from memoria.text.numbers import format_count
from memoria.vault import home_page as home, setup
from memoria.vault.storage.registry import Registry
from memoria.workspace import Workspace

_SHOWN = 5


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Do it all; the exit code is 1 where some of it could not be read."""
    is_demo = arguments.verb == "demo"
    if is_demo and arguments.remove:
        return _remove_demo(work)
    if is_demo:
        _mark_demo(work)
    init(work)
    old_count = _count_articles(work)
    # the demo needs no account, costs nothing and is the same vault on each machine
    model = work.model("offline" if is_demo else arguments.engine or "offline")
    choice = _write_samples(work) if is_demo else importing.parse_choice(arguments, work)
    outcome = importing.import_transcripts(work, model, choice)
    compiled = Compiler(work, model).compile()
    refresh.refresh(work)  # it makes the projects' pages, which are counted
    if is_demo:
        work.terminal.say(work.demo_notice)
    if arguments.json:
        terminal.print_json(
            _result_json(work, outcome, compiled, old_count) | ({"demo": True} if is_demo else {})
        )
    elif not is_demo and not outcome.sessions and not work.vault.history().captures:
        _tell_empty(work, choice)
    else:
        _print_summary(work, outcome, compiled, is_demo=is_demo)
    return 1 if outcome.problems or compiled.skipped else 0


def _mark_demo(work: Workspace) -> None:
    """Mark the folder as a demo; UsageError for one that has other things."""
    root, state = work.vault.root, work.vault.state
    if work.settings.environment.get("MEMORIA_STATE_DIR"):
        raise UsageError("MEMORIA_STATE_DIR names another vault's state: unset it for the demo")
    if not work.is_demo:
        if root.exists() and (not root.is_dir() or any(root.iterdir())):
            raise UsageError(
                f"{root} is not empty and no demo: `memoria demo DIR` names another folder"
            )
        state.create()
        setup.write_mark(state, demo=True)


def _write_samples(work: Workspace) -> importing.ImportChoice:
    folder = work.vault.state.root / "samples"
    write_sessions(folder, read_sample_sessions())
    return importing.ImportChoice(((CLAUDE_CODE, folder),), vouched=True)


def _remove_demo(work: Workspace) -> int:
    root, state = work.vault.root, work.vault.state.root
    if not work.is_demo:
        raise UsageError(f"{root} is no demo vault; nothing was removed")
    shutil.rmtree(root)
    if state.exists():
        shutil.rmtree(state)
    Registry().remove(root)
    work.terminal.say(f"Removed the demo vault {root}")
    return 0


def _count_articles(work: Workspace) -> int:
    """Count the articles that are no rules."""
    return sum(not path.startswith("rules/") for path in work.vault.articles)


def _result_json(
    work: Workspace, outcome: CaptureOutcome, compiled: CompileOutcome, old_count: int
) -> dict[str, object]:
    """Give as JSON what a vault was filled with; of articles there were `old_count` before."""
    total = compute_rate(build_all_units(work.vault.history()))
    return {
        "vault": str(work.vault.root),
        "sessions": outcome.sessions,
        "entries": outcome.entries,
        "days": outcome.days,
        "articles": _count_articles(work) - old_count,
        "rules": sum(count_rules(work)),
        "errors": total.mistakes,
        "errors_met_before": total.repeats,
        "engine": compiled.engine,
        "problems": [*outcome.problems, *compiled.skipped],
    }


def count_rules(work: Workspace) -> tuple[int, int]:
    """Count the rules that are active and those that wait."""
    counts = count_by_status(work, rulebook(work))
    return counts["active"], counts["waiting"]


def _print_summary(
    work: Workspace, outcome: CaptureOutcome, compiled: CompileOutcome, *, is_demo: bool
) -> None:
    """Say what came in, what was made of it and where to look."""
    engine = compiled.engine
    writer = "extracted, not written by a model" if engine == "offline" else engine
    kind = "sample sessions" if is_demo else "sessions"
    short = f", {format_count(outcome.skipped, 'short one')} listed under their day"
    terminal.print_paragraph(
        f"{outcome.sessions} {kind}{'' if outcome.entries else ', none new'}: "
        f"{format_count(len(work.vault.history().captures), 'entry', 'entries')} in "
        f"{format_count(len(work.vault.logs()), 'daily log')}{short if outcome.skipped else ''}, "
        f"{format_count(_count_articles(work), 'article')} ({writer})."
    )
    terminal.print_paragraph(_format_rule_counts(*count_rules(work), is_demo=is_demo))
    for text in importing.format_recurring_errors(work):
        terminal.print_line(text)
    for problem in [*outcome.problems[:_SHOWN], *compiled.skipped[:_SHOWN]]:
        work.terminal.warn(f"  {problem}")
    terminal.print_line()
    terminal.print_line(f"Look:  {work.vault.root / home.NAME}   (or open the folder in Obsidian)")
    if is_demo:
        folder = quote_words(str(work.vault.root))
        terminal.print_line(f'Try:   {command_name()} search "idempotency key" --vault {folder}')
        terminal.print_line(f"Next:  {command_name()} start   makes a vault of your own sessions")
        terminal.print_line(f"       {command_name()} demo --remove {folder}   deletes this one")
    else:
        _tell_next(work)


def _format_rule_counts(active: int, waiting: int, *, is_demo: bool) -> str:
    if not active + waiting:
        return "You stated no rule in them (a rule says what to do always or never)."
    verb = "would be" if is_demo else "is" if active == 1 else "are"
    stated = f"{format_count(active, 'rule')} stated in them {verb} active from the next session on"
    # most are rules where people write rules, a third where they only work
    unsure = f"{format_count(waiting, 'remark')} may be {'a rule' if waiting == 1 else 'rules'}: "
    unsure += "your review decides" if is_demo else "`memoria review` asks you"
    return "; ".join([stated] * bool(active) + [unsure] * bool(waiting)) + "."


def _tell_empty(work: Workspace, choice: importing.ImportChoice) -> None:
    sources = " or ".join(f"{agent.label} sessions in {folder}" for agent, folder in choice.sources)
    terminal.print_paragraph(
        f"There are no {sources} yet: the vault {work.vault.root} waits for them."
    )
    terminal.print_line(
        f"Look:  {command_name()} demo       makes a vault of sample sessions, for a look"
    )
    _tell_next(work)


def _tell_next(work: Workspace) -> None:
    command = command_with_vault()
    # the plugin captures: nothing to install
    if settings_store.is_plugin_enabled(work.settings.config_dir):
        terminal.print_line(f"Next:  {command} status")
    else:
        terminal.print_line(f"Next:  {command} install    captures every session from now on;")
        terminal.print_line(f"       {command} uninstall  takes the hooks out again")
