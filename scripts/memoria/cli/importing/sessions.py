"""Bring in the sessions that the client still has, each on its day (`memoria import`).

Oldest first, so that articles grow in the order in which things were learned. Several sessions make
one transaction; an interrupted import goes on where it stopped, as the ledger knows what was taken.
What --from names may also be a buildlog (cli/importing/buildlog.py).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memoria import terminal
from memoria.agents.claude_code.git import project_key
from memoria.agents.claude_code.settings_store import transcripts_in
from memoria.agents.port import AGENTS, Agent, agent_named, agent_of_folder, read
from memoria.capture.coverage import sources
from memoria.capture.recurring_errors import telling
from memoria.capture.service import Capture, prompts
from memoria.cli.flush import UNQUOTED, Outcome, refresh
from memoria.cli.importing import buildlog as arrivals
from memoria.cli.setup.init import init
from memoria.errors import MemoriaError, ModelError, UsageError
from memoria.evidence.backtest.service import replayed
from memoria.evidence.withholding.adherence_service import RuleObserver
from memoria.llm.claude import MODELS
from memoria.llm.offline import Offline
from memoria.llm.prices import estimate
from memoria.text.dates import day
from memoria.text.numbers import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from memoria.agents.session_file_store import Found
    from memoria.capture.service import Delivery
    from memoria.llm.port import Model
    from memoria.workspace import Workspace

# sessions a transaction: few enough to lose little to Ctrl-C, enough to make the disk's flush cheap
_BATCH = 8
# errors that are named, and characters of each: with its counts it fits most terminals' lines
_SHOWN, _EXAMPLE = 5, 80


@dataclass(frozen=True, slots=True)
class Choice:
    """Which of the transcripts are wanted."""

    sources: tuple[tuple[Agent, Path], ...]
    since: str = ""
    project: str = ""
    limit: int = 0


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Import, then say what came in and which errors come back most."""
    if not work.vault.state.exists:
        init(work)
    work.vault.require()
    if arguments.source:
        folder = arrivals.buildlog(Path(arguments.source).expanduser())
        if folder is not None:
            return arrivals.tell(work, arrivals.bring(work, folder), as_json=arguments.json)
    # importing months of sessions through a paid model is done on request alone
    model = work.model(arguments.engine or "offline")
    outcome = take(work, model, choice(arguments, work))
    if arguments.json:
        terminal.data(asdict(outcome))
    else:
        tell(work, outcome)
    return ModelError.exit_code if outcome.waiting else 1 if outcome.problems else 0


def choice(arguments: argparse.Namespace, work: Workspace) -> Choice:
    """Read the options; UsageError says which value is wrong."""
    return Choice(
        _sources(arguments.source, arguments.agent, work),
        str(day(arguments.since) or ""),
        arguments.project or "",
        arguments.limit or 0,
    )


def _sources(folder: str, agent: str, work: Workspace) -> tuple[tuple[Agent, Path], ...]:
    """Say whose sessions are wanted: of the folder, of the agent, or of all that are there."""
    if folder:
        place = Path(folder).expanduser()
        if not place.is_dir():
            raise UsageError(f"--from {folder}: there is no such folder")
        return ((agent_named(agent) if agent else agent_of_folder(place), place),)
    there = tuple(sources(work.settings))
    return tuple(one for one in there if agent in {"", one[0].name})


def take(work: Workspace, model: Model, wanted: Choice) -> Outcome:
    """Import the chosen transcripts; what cannot be read is named and left."""
    outcome = Outcome(engine=model.name)
    with work.vault.state.lock("flush"):
        files = _chosen(work, wanted, outcome)
        observer = RuleObserver(work.vault)
        capture = Capture(work.vault, work.settings, model, work.spool, observer=observer)
        if model.reads == "prompt":
            _estimate(work, files)
        with work.terminal.progress("Reading sessions", len(files)) as step:
            pending: list[Delivery] = []
            for file in files:
                try:
                    for delivery in _read(capture, file, outcome):
                        pending.append(delivery)
                        # what a session leaves open is known to the model of the next
                        if len(pending) >= _BATCH or model.reads == "prompt":
                            outcome.add(capture.deliver(pending))
                            pending = []
                except (MemoriaError, OSError) as error:
                    outcome.problems.append(f"{file}: {error}")
                    if isinstance(error, ModelError) and error.later:
                        outcome.waiting = len(files) - outcome.sessions + 1
                        break
                step(file.parent.name[-40:])
            outcome.add(capture.deliver(pending))
        refresh(work)
    return outcome


def tell(work: Workspace, outcome: Outcome) -> None:
    """Say what an import did."""
    say = work.terminal.say
    if not outcome.sessions:
        say("No sessions found to import.")
    say(
        f"{counted(outcome.sessions, 'session')}: "
        f"{counted(outcome.entries, 'new entry', 'new entries')} on "
        f"{counted(len(outcome.days), 'day')}, "
        f"{counted(outcome.skipped, 'short one')} listed under their day ({outcome.engine} engine)."
    )
    if outcome.unquoted:
        say(UNQUOTED.format(outcome.unquoted))
    for problem in outcome.problems[:10]:
        work.terminal.warn(f"  {problem}")
    if outcome.left_out:
        say(left_out(outcome))
    history = work.vault.history()
    names = {one.agent for one in history.captures.values()}
    for agent in AGENTS:
        if agent.unseen and agent.name in names:
            say(f"{agent.label}: {agent.unseen}; look its entries over.")
    for line in recurring(work):
        say(line)


def left_out(outcome: Outcome) -> str:
    """Say how many lines of transcripts hold nothing that was said or done."""
    lines = sum(outcome.left_out.values())
    return f"{counted(lines, 'line')} of the transcripts are the agent's own notes: left out."


def recurring(work: Workspace) -> list[str]:
    """Say in lines which errors come back: the finding that makes a person go on."""
    history = work.vault.history()
    if not history.mistakes:
        return []
    sessions = len(history.latest.stays)
    errors = telling(history.latest.mistakes)
    lines = terminal.wrapped(replayed(work, history=history).headline)
    lines += ["What keeps going wrong, and what fixes it:"] if errors else []
    for error in errors[:_SHOWN]:
        lines += terminal.wrapped(error.told(sessions, longest=_EXAMPLE), first="-", indent=2)
    return lines


def _chosen(work: Workspace, wanted: Choice, outcome: Outcome) -> list[Path]:
    found = []
    every = ((agent, one) for agent, folder in wanted.sources for one in _listed(agent, folder))
    for agent, transcript in every:
        try:
            found.append((agent.last_moment(transcript.path), transcript.path))
        except (MemoriaError, OSError) as error:
            outcome.problems.append(f"{transcript.path}: {error}")
    found.sort()
    files = [path for moment, path in found if moment[:10] >= wanted.since]
    if wanted.project:
        files = [path for path in files if wanted.project in _project(path)]
    del work
    return files[: wanted.limit] if wanted.limit else files


def _listed(agent: Agent, folder: Path) -> Iterator[Found]:
    """List an agent's transcripts; those of Claude Code may also lie in the folder itself."""
    listed = list(agent.found(folder))
    flat = agent.name == "claude-code" and not listed
    yield from transcripts_in(folder) if flat else listed


def _project(path: Path) -> str:
    cwd = next((part.cwd for part in read(path)), "")
    return f"{project_key(cwd)} {path.parent.name}"


def _read(capture: Capture, file: Path, outcome: Outcome) -> Iterator[Delivery]:
    outcome.sessions += 1
    for part in capture.parts(file):
        try:
            delivery = capture.entry(part)
        except ModelError as error:
            if error.later:
                raise
            # `memoria rewrite` can ask again
            outcome.problems.append(f"{file.name}: {error}; the Offline engine wrote the entry")
            delivery = capture.entry(part, Offline())
        outcome.count(delivery)
        yield delivery


def _estimate(work: Workspace, files: list[Path]) -> None:
    """Say what a model will be asked to read, and what that costs at list prices."""
    capture = Capture(work.vault, work.settings, Offline(), work.spool)
    lengths = [
        len(prompt) for file in files for part in capture.parts(file) for prompt in prompts(part)
    ]
    model = (MODELS | dict(work.settings.models))["flush"]
    calls = work.vault.history().calls
    told = estimate("flush", model, lengths, work.settings.calls_per_hour, calls)
    work.terminal.say(f"{len(files)} sessions: {told}. Ctrl-C stops; what is done stays.")
