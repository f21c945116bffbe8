"""Show how the whole stands (`memoria status`), the rules, or those that wait (`memoria diff`).

Each of the first lines is one question that a person asks who has not looked for a week. The trap:
a figure that another verb tells otherwise, so every one is counted where that verb counts it. The
rules are those that have a note, active or not, and those without one that wait: as many as
`memoria review` asks about. Active is what this machine approved.
"""

import argparse
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from memoria import refresh, terminal
from memoria.agents import instruction_files
from memoria.agents.claude_code import settings_store
from memoria.agents.port import AGENTS, CLAUDE_CODE, Agent
from memoria.capture.coverage import (
    Coverage,
    count_foreign_entries,
    count_uncaptured,
    measure_coverage,
)
from memoria.capture.recurring_errors import find_errors_worth_telling
from memoria.cli.decide import trust
from memoria.cli.setup import other_agents
from memoria.hooks import session_allotment
from memoria.hooks.start_answer import choose_start_lines
from memoria.rules.model import STATUSES, Rule
from memoria.rules.proposal_service import format_commands
from memoria.rules.review.waiting import find_status_here, format_evidence, list_cases, list_waiting
from memoria.rules.rulebook import Rulebook, rulebook
from memoria.search import injection
from memoria.text.numbers import format_count
from memoria.text.shorten import clip_line
from memoria.vault.project import label
from memoria.vault.storage import clock
from memoria.workspace import Workspace


def _build_overview(
    work: Workspace, book: Rulebook
) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """Say how the whole stands: as `--json` has it, and in lines with their headings."""
    history, coverage = work.vault.history(), measure_coverage(work)
    since = _read_capture_start(work)
    last = max(history.captures.values(), key=lambda capture: capture.at, default=None)
    last_text = f"{last.at[:16].replace('T', ' ')} in {label(last.project)}" if last else ""
    counts = Counter(find_status_here(book, rule) for rule in book.rules)
    written_count = len(work.vault.pages()[0])
    waits, commands = len(list_waiting(work, book)), len(format_commands(work))
    # no hook tells anything of the samples
    unknown = 0 if work.is_demo else trust.count_waiting_items(work)
    entries, sessions = len(history.captures), len(history.latest.sessions)
    foreign = count_foreign_entries(work.vault)
    error = next(iter(find_errors_worth_telling(history.latest.mistakes)), None)
    step, meaning = _choose_next_step(
        work, coverage, entries, waits + commands, since=since, unknown=unknown, foreign=foreign
    )
    error_json = error and {"error": error.line, "fix": error.fix, "sessions": error.sessions}
    value = {
        "vault": str(work.vault.root),
        "capturing_since": since or None,
        "last_session": last_text or None,
        "sessions": coverage.sessions,
        "captured": coverage.captured,
        "entries": entries,
        "written_entries": written_count,
        "unquoted_rules": history.unquoted,
        "proposed_commands": commands,
        "repeated_error": error_json and error_json | {"of": sessions},
        "next": step,
    }
    entries_text = f"{format_count(foreign or entries, 'entry', 'entries')} of sessions"
    entries_text += ", none captured on this machine" if foreign else ""
    own_text = f", {written_count} of your own" if written_count else ""
    unquoted_text = f"{format_count(history.unquoted, 'rule')} of a model's: not your words"
    lines = [
        ("Vault", str(work.vault.root)),
        ("Captured", _format_coverage(work, since, coverage)),
        ("Last session", last_text or ("none on this machine" if foreign else "none yet")),
        ("Log", f"{entries_text}{own_text}"),
        ("Rules", f"{counts['active']} active, {waits} waiting for your decision"),
        ("Proposed", f"{format_count(commands, 'command')} by agents" if commands else ""),
        ("Elsewhere", trust.format_waiting_count(unknown)),
        ("Left out", unquoted_text if history.unquoted else ""),
        ("Goes wrong", error.format_line(sessions) if error else ""),
        ("Next", f"`{step}` {meaning}"),
    ]
    return value, [line for line in lines if line[1]]


def _choose_next_step(  # noqa: PLR0913 - what helps most hangs on as much
    work: Workspace,
    coverage: Coverage,
    entries: int,
    waiting: int,
    *,
    since: str,
    unknown: int,
    foreign: int,
) -> tuple[str, str]:
    """Give the command that helps most now, and what it does."""
    uncaptured = not entries and count_uncaptured(work)
    steps = (
        (work.is_demo, "start", "makes a vault of your own sessions"),
        (not since, "install", "captures every session from the next one on"),
        (coverage.missing, "flush --sweep", "brings in the sessions that are missing"),
        (uncaptured, "import", "brings in the sessions that are still there"),
        (not (entries or foreign), "demo", "makes a vault of sample sessions, for a look"),
        (waiting, "review", f"asks about {format_count(waiting, 'rule')} and commands that wait"),
        (unknown, "trust", "shows what came from elsewhere"),
        (True, "report", "shows what goes wrong again and what is told"),
    )
    return next((f"memoria {verb}", meaning) for is_due, verb, meaning in steps if is_due)


def _format_coverage(work: Workspace, since: str, coverage: Coverage) -> str:
    if work.is_demo:
        return "nothing: this is the demo, of sample sessions"
    if not since:
        return "new sessions are not captured: no hooks serve this vault"
    if not coverage.sessions:
        return f"since {since}; there was no session yet"
    text = f"since {since}: {coverage.captured} of {format_count(coverage.sessions, 'session')}"
    if coverage.pending:
        text += f", {coverage.pending} still open or waiting"
    if coverage.missing:
        text += f"; {len(coverage.missing)} are missing, `memoria doctor` says why"
    return text


def _read_capture_start(work: Workspace) -> str:
    """Give the day from which sessions are captured, "" where no hooks serve this vault."""
    config_dir = work.settings.config_dir
    agent_hooks = other_agents.find_hooked_agents(work).values()
    vaults = {
        hook.vault
        for hooks in (settings_store.read_installed_hooks(config_dir), *agent_hooks)
        for hook in hooks
    }
    if str(work.vault.root) not in vaults and not settings_store.is_plugin_enabled(config_dir):
        return ""
    state = work.vault.state
    stamp = float(state.read_json(state.root / "installed.json").get("since") or 0)
    return f"{clock.to_local_time(datetime.fromtimestamp(stamp, UTC), work.settings.zone):%Y-%m-%d}"


# columns of the headings, and of a rule's id with what is between it and its text
_HEADING, _ID = 14, 17
# columns of a rule's text beside what is known of it: with fewer it gets lines of its own
_LEAST = 24
# characters of a rule's text that fit a line beside its id and a reason
_SHOWN = 80
_NO_ROOM = "no room"


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Show how the whole stands and the rules, or with `diff` those that nobody decided about."""
    book = rulebook(work)
    if arguments.verb == "diff":
        return _print_pending(arguments, work, book)
    today = clock.now(work.settings.zone).date()
    proposals = (rule for rule in list_waiting(work, book) if not rule.path)
    rules = [*book.age_confidences(today).rules, *proposals]
    if arguments.category:
        rules = [rule for rule in rules if rule.category == arguments.category]
    is_whole = not arguments.rules and not arguments.category
    state, lines = _build_overview(work, book) if is_whole else ({}, [])
    by_status = Counter(find_status_here(book, rule) for rule in rules)
    counts = {name: by_status[name] for name in STATUSES}
    if arguments.json:
        rows = [rule_json(book, rule) for rule in rules]
        value = {"rules": rows, "counts": counts, "left_out": find_left_out_rules(work)}
        terminal.print_json(value | ({"state": state} if state else {}))
        return 0
    for heading, text in lines:
        terminal.print_paragraph(text, first=f"{heading}:", indent=_HEADING)
    for category in dict.fromkeys(sorted(rule.category for rule in rules)):
        terminal.print_line(f"\n{category}:")
        for rule in rules:
            if rule.category == category:
                _tell_rule(book, rule)
    numbers = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    hint = "No rules yet: `memoria remember` makes one, `memoria compile` finds them in sessions."
    work.terminal.say(f"{format_count(len(rules), 'rule')}: {numbers}." if rules else hint)
    notices = [*filter(None, [work.settings.notice]), *format_left_out_rules(work, book.rules)]
    for text in notices:
        work.terminal.say(text)
    for text in other_agents.describe_agents(work):
        work.terminal.say(f"{text}.")
    return 0


def _print_pending(arguments: argparse.Namespace, work: Workspace, book: Rulebook) -> int:
    rules = [case.rule for case in list_cases(work, book) if case.waits]
    if arguments.json:
        pending = [rule_json(book, rule) for rule in rules]
        terminal.print_json({"pending": pending, "total": len(rules)})
        return 0
    for rule in rules:
        terminal.print_paragraph(
            f"{rule.text} ({_format_standing(book, rule)})", first=rule.id, indent=_ID
        )
        for words in rule.quotes[:1]:
            terminal.print_paragraph(format_evidence(words, rule.text), first="", indent=_ID)
    count = "1 rule waits" if len(rules) == 1 else f"{len(rules)} rules wait"
    hint = f"{count} for a decision: `memoria review` goes through them."
    work.terminal.say(hint if rules else "Nothing waits for you.")
    return 0


def rule_json(book: Rulebook, rule: Rule) -> dict[str, Any]:
    """Give a rule as `--json` prints it."""
    return {
        "id": rule.id,
        "rule": rule.text,
        "category": rule.category,
        "status": find_status_here(book, rule),
        "pinned": rule.pinned,
        "in_force": book.is_in_force(rule),
        "frequency": rule.frequency,
        "confidence": rule.confidence,
        "scope": list(rule.scope),
        "sources": [source.rsplit("/", 1)[-1] for source in rule.sources],
        "tags": list(rule.tags),
        "aliases": list(rule.aliases),
        "superseded_by": rule.superseded_by or None,
        "evidence": [quote.removeprefix("- ") for quote in rule.quotes],
        "note": f"knowledge/{rule.path}.md" if rule.path else None,
    }


def _tell_rule(book: Rulebook, rule: Rule) -> None:
    status = f"({_format_standing(book, rule)})"
    room = terminal.width() - _ID - len(status) - 1
    if room < _LEAST:
        terminal.print_paragraph(f"{rule.text} {status}", first=rule.id, indent=_ID)
    else:
        terminal.print_line(f"{rule.id:<{_ID}}{clip_line(rule.text, room)} {status}")


def _format_standing(book: Rulebook, rule: Rule) -> str:
    """Say how a rule stands, and in how many sessions it was said."""
    state: str = find_status_here(book, rule)
    if rule.status != state:
        state += ": its note says active, which nobody confirmed on this machine"
    if rule.pinned and state == "active":
        state += ", pinned"
    if rule.superseded_by:
        state = f"retired, replaced by {rule.superseded_by}"
    # what was taught at the terminal, proposed or written by hand was said in none
    is_said = any(name != "remember" for name in rule.sessions)
    return f"{state}, said in {format_count(rule.frequency, 'session')}" if is_said else state


# -- What a start would be told --------------------------------------------------------------------


def preview_start(work: Workspace, project: str, folder: str = "") -> str:
    """Give the text of a start in a project, "" for none; `folder` has the branch it is on."""
    snapshot = refresh.read_snapshot(work, project)
    snapshot["start"] = choose_start_lines(snapshot, folder)
    return injection.compose(snapshot, str(work.vault.root), "preview", [])


def find_left_out_rules(work: Workspace) -> dict[str, str]:
    """Give why a start here leaves rules out, by their ids; without room each start draws anew."""
    snapshot: dict[str, Any] = refresh.read_snapshot(work, work.project)
    if not snapshot:
        return {}
    selection = snapshot.get("selection") or {}
    pinned = {selection["arms"][at][0] for at in selection.get("pinned") or []}
    opposites = {
        older: f"{newer} is {'pinned' if newer in pinned else 'newer'} and says the opposite"
        for older, newer in snapshot.get("contradicted") or []
    }
    loaded_rules = {
        name: f"{path} says it, which {agent.label} loads by itself"
        for agent, files in _list_loaded_files(work)
        for name, path in session_allotment.find_rules_in_files(snapshot, files).items()
    }
    # the name of no session: the draw of one that may come, whose branch chooses its lines
    allotment = session_allotment.draw_allotment({}, "", work.project, snapshot | {"start": []})
    return opposites | dict.fromkeys(allotment["left_out"], _NO_ROOM) | loaded_rules


def _list_loaded_files(work: Workspace) -> Iterator[tuple[Agent, list[str]]]:
    """Give the agents that are told rules, each with the files that it loads in this folder."""
    cwd, settings = os.getcwd(), work.settings  # noqa: PTH109 - a path's text
    for agent in AGENTS:
        name = "" if agent is CLAUDE_CODE else agent.name
        home = agent.settings(settings.environment, settings.home)
        if not name or home.is_dir():
            yield agent, instruction_files.list_files(name, str(home), cwd)


def format_left_out_rules(work: Workspace, rules: Iterable[Rule]) -> Iterator[str]:
    """Say in lines which rules are left out."""
    reasons, texts = find_left_out_rules(work), {rule.id: rule.text for rule in rules}
    count = sum(reason == _NO_ROOM for reason in reasons.values())
    draw_hint = f"; for {count} there is no room, and each start draws anew which" if count else ""
    if reasons:
        yield f"Left out of a start here: {len(reasons)}{draw_hint}:"
    for name, reason in reasons.items():
        yield f"  {name}  {clip_line(texts.get(name, ''), _SHOWN)}  ({reason})"
