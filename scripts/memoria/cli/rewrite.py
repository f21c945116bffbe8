"""Let a model write again what was captured without one, and compile it (`memoria rewrite`).

An entry is written again where the Offline engine wrote it, no person has edited it and its
transcript is still there; it keeps its id, so articles and `why` find it. It says first what that
costs, and asks. The trap: a model that finds nothing worth keeping leaves the entry as it is, which
the ledger remembers, or it would be asked and paid for again each time.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from memoria import terminal, terminal_keys
from memoria.capture.flush_request import build_prompts
from memoria.capture.parts import Part
from memoria.capture.service import CaptureService
from memoria.cli.flush import build_capture, refresh_derived
from memoria.compile.outcome import print_outcome
from memoria.compile.service import Compiler
from memoria.errors import MemoriaError, ModelError, NotLoggedIn, UsageError
from memoria.llm.budget import Estimate, estimate
from memoria.llm.claude import MODELS
from memoria.llm.login import describe_login
from memoria.llm.port import Model, OfflineModel, Reply
from memoria.text.dates import parse_day
from memoria.text.numbers import format_count
from memoria.vault.daily_log import Block
from memoria.vault.storage import clock, ledger_records as records
from memoria.workspace import Workspace

# characters of a compile's prompt: its instructions, and an entry with a page that is near it
_COMPILE_PROMPT, _ENTRY = 6_500, 4_500


@dataclass
class RewriteOutcome:
    """What a rewrite did: the fields of `--json`."""

    engine: str
    entries: int = 0
    unchanged: int = 0
    missing: int = 0
    problems: list[str] = field(default_factory=list)


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Say what it costs, ask, write the entries again and compile what has changed."""
    settings = work.settings
    if not arguments.engine and not describe_login(settings.environment, settings.home):
        # --engine claude tries one that is nowhere to be seen
        raise NotLoggedIn("a rewrite needs a model: log in with `claude`, or set ANTHROPIC_API_KEY")
    model = work.model(arguments.engine or "claude")
    if model.reads != "prompt":
        raise UsageError("a rewrite needs a model: --engine claude")
    outcome, say = RewriteOutcome(model.name), work.terminal.say
    blocks = _find_entries(work, str(parse_day(arguments.since) or ""), arguments.project)
    # oldest first: what an earlier session left open a later one can close
    parts = sorted(_read_parts(work, blocks), key=lambda part: part.ended)
    outcome.missing = len(blocks) - len(parts)
    if not parts:
        text = f"; of {format_count(outcome.missing, 'entry', 'entries')} the transcript is gone"
        say(f"Nothing to rewrite{text if outcome.missing else ''}.")
    elif not _confirm_cost(work, parts, is_sure=arguments.yes):
        return 1
    else:
        _rewrite_entries(work, model, parts, outcome)
        if not arguments.json:
            say(
                f"Rewrote {format_count(outcome.entries, 'entry', 'entries')} with the "
                f"{outcome.engine} engine; {outcome.unchanged} stay as they are, of "
                f"{outcome.missing} the transcript is gone."
            )
            for problem in outcome.problems[:10]:
                work.terminal.warn(f"  {problem}")
        days = {part.ended.date() for part in parts} & set(work.vault.logs())
        print_outcome(work, Compiler(work, model).compile(sorted(days)))
    if arguments.json:
        terminal.print_json(asdict(outcome))
    return 1 if outcome.problems else 0


def _find_entries(work: Workspace, since: str, project: str) -> dict[str, Block]:
    """Find the entries that the Offline engine wrote and nobody has edited, by id."""
    asked_ids = {str(call.get("entry")) for call in work.vault.history().calls}
    days = [day for day in work.vault.logs() if str(day) >= since]
    blocks = {block.entry.id: block for day in days for block in work.vault.log(day).blocks}
    return {
        name: block
        for name, block in blocks.items()
        if block.entry.engine == OfflineModel.name
        and not block.edited
        and name not in asked_ids
        and project in block.entry.project
    }


def _read_parts(work: Workspace, blocks: dict[str, Block]) -> Iterator[Part]:
    """Read the transcripts of these entries again, each up to where the next entry begins."""
    sessions = {block.entry.session for block in blocks.values()}
    marks = work.vault.history().watermarks.items()
    capture = CaptureService(work.vault, work.settings, OfflineModel(), work.spool)
    read_ids: set[str] = set()
    for name, mark in sorted(marks):
        if mark.identity not in sessions:
            continue
        try:
            for part in capture.again(Path(name), set(blocks) - read_ids):
                read_ids.add(part.entry_id)
                yield part
        except (MemoriaError, OSError):
            continue  # it is gone, or no transcript any more: counted as missing


def _confirm_cost(work: Workspace, parts: list[Part], *, is_sure: bool) -> bool:
    """Say what it costs and ask a person; where output is no terminal only their --yes goes on."""
    work.terminal.say(f"{format_count(len(parts), 'entry', 'entries')}: {_estimate(work, parts)}.")
    work.terminal.say("What a person wrote stays; `memoria undo` takes the compile back.")
    if not (driver := work.driver()).is_person:
        # later sessions are told what it writes
        work.terminal.say(f"Nothing was done: it takes a terminal of your own ({driver.reason}).")
        return False
    if is_sure:
        return True
    if not terminal_keys.is_interactive():
        work.terminal.say("Nothing was done: --yes rewrites them.")
        return False
    return terminal_keys.ask_yes_no("Rewrite them?")


def _estimate(work: Workspace, parts: list[Part]) -> Estimate:
    models, limit = MODELS | dict(work.settings.models), work.settings.calls_per_hour
    lengths = [len(prompt) for part in parts for prompt in build_prompts(part)]
    entries = Counter(part.ended.date() for part in parts)
    days = [_COMPILE_PROMPT + _ENTRY * count for count in entries.values()]
    compile_estimate = estimate("compile", models["compile"], days, limit)
    return estimate("flush", models["flush"], lengths, limit) + compile_estimate


def _rewrite_entries(
    work: Workspace, model: Model, parts: list[Part], outcome: RewriteOutcome
) -> None:
    capture = build_capture(work, model)
    with work.vault.state.lock("flush"), work.terminal.progress("Rewriting", len(parts)) as step:
        for part in parts:
            try:
                is_written = capture.rewrite(part)
            except ModelError as error:
                outcome.problems.append(f"{part.entry_id}: {error}")
                if error.later:
                    outcome.problems.append("the next `memoria rewrite` goes on from here")
                    break
                # the model will never answer, and must not be paid for it again
                with work.vault.open_transaction() as change:
                    record = records.build_call_record(
                        clock.now(work.settings.zone), "flush", Reply({}, "")
                    )
                    change.record(record | {"entry": part.entry_id})
            else:
                outcome.entries += is_written
                outcome.unchanged += not is_written
            step(part.entry_id)
    refresh_derived(work)
