"""Bring in the sessions that the client still has, each on its day (`memoria import`).

Oldest first, so that articles grow in the order in which things were learned. Several sessions make
one transaction; an interrupted import goes on where it stopped, as the ledger knows what was taken.
What --from names may also be a buildlog.
"""

import argparse
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from memoria import terminal
from memoria.agents import port
from memoria.agents.claude_code.settings_store import list_transcripts_in
from memoria.capture import coverage
from memoria.capture.flush_request import build_prompts
from memoria.capture.parts import Delivery
from memoria.capture.recurring_errors import find_errors_worth_telling
from memoria.capture.service import CaptureService
from memoria.cli import flush
from memoria.cli.setup.init import init
from memoria.errors import MemoriaError, ModelError, TranscriptError, UsageError
from memoria.llm.budget import estimate
from memoria.llm.claude import MODELS
from memoria.llm.port import Model, OfflineModel
from memoria.privacy.project_keys import project_key
from memoria.text.dates import parse_midnight
from memoria.text.numbers import format_count
from memoria.workspace import Workspace

# sessions a transaction: few enough to lose little to Ctrl-C, enough to make the disk's flush cheap
_BATCH = 8
# errors that are named, and characters of each: with its counts it fits most terminals' lines
_SHOWN, _EXAMPLE = 5, 80
# among the reasons of what is left out: whole sessions
EXCLUDED = "excluded"


@dataclass(frozen=True, slots=True)
class ImportChoice:
    """Which of the transcripts are wanted; `since` as the stamps in them, in UTC.

    `vouched`: they are the person's, wherever they lie.
    """

    sources: tuple[tuple[port.Agent, Path], ...]
    since: str = ""
    project: str = ""
    limit: int | None = None
    vouched: bool = False


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Import, then say what came in and which errors come back most."""
    is_new = not work.vault.state.exists
    if is_new:
        init(work)
    work.vault.require()
    work.terminal.say(f"{'Made the vault' if is_new else 'Vault:'} {work.vault.root}")
    if arguments.source:
        from memoria.cli import buildlog  # noqa: PLC0415 - few have one

        folder = buildlog.find_folder(Path(arguments.source).expanduser())
        if folder is not None:
            return buildlog.print_outcome(
                work, buildlog.import_folder(work, folder), as_json=arguments.json
            )
    # importing months of sessions through a paid model is done on request alone
    model = work.model(arguments.engine or "offline")
    choice = parse_choice(arguments, work)
    outcome = import_transcripts(work, model, choice)
    folders = [folder for agent, folder in choice.sources if agent is port.CODEX]
    if count := sum(map(port.count_compressed, folders)):
        text = f"{format_count(count, 'session')} of Codex compressed (.jsonl.zst) and not read"
        work.terminal.warn(f"{text}: install the program zstd, then import again.")
    if arguments.json:
        terminal.print_json(asdict(outcome))
    else:
        _print_summary(work, outcome)
    return ModelError.exit_code if outcome.waiting else int(bool(outcome.problems))


def parse_choice(arguments: argparse.Namespace, work: Workspace) -> ImportChoice:
    """Read the options; UsageError says which value is wrong."""
    agent, since = arguments.agent, parse_midnight(arguments.since, work.settings.zone).isoformat()
    sources = tuple(
        pair for pair in coverage.find_agent_folders(work.settings) if agent in {"", pair[0].name}
    )
    if arguments.source:
        folder = Path(arguments.source).expanduser()
        if not folder.is_dir():
            problem = "that is no folder" if folder.exists() else "there is no such folder"
            raise UsageError(f"--from {arguments.source}: {problem}")
        sources = ((port.agent_named(agent) if agent else port.agent_of_folder(folder), folder),)
    is_vouched = _is_vouched_for(work, [folder for _, folder in sources])
    return ImportChoice(sources, since, arguments.project, arguments.limit, is_vouched)


def _is_vouched_for(work: Workspace, folders: list[Path]) -> bool:
    """Whether a person drives the import of folders that are no client's, and so vouches for them.

    Whoever else does is told that rules said there wait.
    """
    client_folders = coverage.client_places(work.settings, work.vault)
    other_folders = [folder for folder in folders if not coverage.lies_in(folder, client_folders)]
    if not other_folders:
        return False
    driver = work.driver()
    if not driver.is_person:
        work.terminal.warn(
            f"{other_folders[0]} is no folder of a client's own: rules said there wait for "
            f"`memoria review` ({driver.reason})."
        )
    return driver.is_person


def import_transcripts(work: Workspace, model: Model, choice: ImportChoice) -> flush.CaptureOutcome:
    """Import the chosen transcripts; what cannot be read is named and left."""
    outcome = flush.CaptureOutcome(engine=model.name)
    with work.vault.state.lock("flush"):
        files = _choose_transcripts(choice, outcome)
        capture = flush.build_capture(work, model, vouched=choice.vouched)
        if model.reads == "prompt":
            _print_estimate(work, files)
        with work.terminal.progress("Reading sessions", len(files)) as step:
            deliveries: list[Delivery] = []
            for file in files:
                try:
                    for delivery in _capture_file(capture, file, outcome):
                        deliveries.append(delivery)
                        # what a session leaves open is known to the model of the next
                        if len(deliveries) >= _BATCH or model.reads == "prompt":
                            outcome.add(capture.deliver(deliveries))
                            deliveries = []
                except Exception as error:  # noqa: BLE001 - one session must not keep out all others
                    outcome.problems.append(f"{file}: {flush.describe_error(error)}")
                    if isinstance(error, ModelError) and error.later:
                        outcome.waiting = len(files) - outcome.sessions + 1
                        break
                step(file.parent.name[-40:])
            outcome.add(capture.deliver(deliveries))
        if capture.excluded:
            outcome.left_out[EXCLUDED] = len(capture.excluded)
        if work.vault.changed or not flush.is_current(work) or flush.is_edited(work):
            flush.refresh_derived(work)
    return outcome


def _print_summary(work: Workspace, outcome: flush.CaptureOutcome) -> None:
    """Say what an import did."""
    say = work.terminal.say
    if not outcome.sessions and not outcome.problems:
        say("No session fits: nothing was imported.")
        return
    sessions = format_count(outcome.sessions, "session")
    short_ones = format_count(outcome.skipped, "short one")
    has_several = outcome.entries > outcome.sessions
    reason = ", as one that was resumed or compacted has several" if has_several else ""
    if outcome.entries or outcome.skipped:
        say(
            f"{sessions}: {format_count(outcome.entries, 'new entry', 'new entries')} on "
            f"{format_count(len(outcome.days), 'day')}{reason}"
            f"{f'; {short_ones} listed under their day' if outcome.skipped else ''} "
            f"({outcome.engine} engine)."
        )
    elif outcome.sessions:
        say(f"{sessions}: no new entries.")
    if outcome.left_out.get(EXCLUDED):
        say(f"{coverage.format_excluded_count(outcome.left_out[EXCLUDED], work.settings)}.")
    if outcome.unquoted:
        say(flush.UNQUOTED.format(outcome.unquoted))
    for problem in outcome.problems[:10]:
        work.terminal.warn(f"  {problem}")
    if outcome.entries:
        for line in format_recurring_errors(work):
            say(line)
        say("Next: `memoria compile` makes articles and rules of the entries.")


def format_recurring_errors(work: Workspace) -> list[str]:
    """Say in lines which errors come back: the finding that makes a person go on."""
    history = work.vault.history()
    if not history.mistakes:
        return []
    # numpy takes longer to load than an import that finds nothing
    from memoria.evidence.rates import compute_rate, format_headline  # noqa: PLC0415 - as above
    from memoria.evidence.study import build_all_units  # noqa: PLC0415 - as above

    errors = find_errors_worth_telling(history.latest.mistakes)
    lines = terminal.wrap_text(format_headline(compute_rate(build_all_units(history))))
    lines += ["What keeps going wrong, and what fixes it:"] if errors else []
    for error in sorted(errors[:_SHOWN], key=lambda error: -error.sessions):
        text = error.format_line(len(history.latest.sessions), longest=_EXAMPLE)
        lines += terminal.wrap_text(text, first="-", indent=2)
    return lines


def _choose_transcripts(choice: ImportChoice, outcome: flush.CaptureOutcome) -> list[Path]:
    """List the transcripts that are wanted, the oldest first."""
    moments = []
    for agent, folder in choice.sources:
        transcripts = list(agent.sessions(folder))
        if not transcripts and agent.name == "claude-code":  # they may lie in the folder itself
            transcripts = list(list_transcripts_in(folder))
        for file in transcripts:
            try:
                moments.append((agent.last_moment(file.path), file.path))
            except (MemoriaError, OSError) as error:
                outcome.problems.append(f"{file.path}: {error}")
    files = [path for moment, path in sorted(moments) if moment >= choice.since]
    if choice.project:
        files = [path for path in files if choice.project in _read_project_names(path)]
    return files[: choice.limit]


def _read_project_names(path: Path) -> str:
    cwd = next((part.cwd for part in port.read(path)), "")
    return f"{project_key(cwd)} {path.parent.name}"


def _capture_file(
    capture: CaptureService, file: Path, outcome: flush.CaptureOutcome
) -> Iterator[Delivery]:
    if not port.agent_of(file).is_there(file):
        raise TranscriptError("holds no line that can be read")
    outcome.sessions += 1
    for part in capture.parts(file):
        # `memoria rewrite` can ask again
        delivery = flush.request_entry(capture, part, outcome.problems, f"{file.name}: ")
        outcome.count(delivery)
        yield delivery


def _print_estimate(work: Workspace, files: list[Path]) -> None:
    """Say what a model will be asked to read, and what that costs at list prices."""
    capture = CaptureService(work.vault, work.settings, OfflineModel(), work.spool)
    parts = (part for file in files for part in capture.parts(file))
    lengths = [len(prompt) for part in parts for prompt in build_prompts(part)]
    model = (MODELS | dict(work.settings.models))["flush"]
    text = estimate("flush", model, lengths, work.settings.calls_per_hour)
    work.terminal.say(f"{len(files)} sessions: {text}. Ctrl-C stops; what is done stays.")
