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
from memoria.agents.claude_code.settings_store import transcripts_in
from memoria.agents.port import (
    CODEX,
    Agent,
    agent_named,
    agent_of,
    agent_of_folder,
    compressed,
    read,
)
from memoria.capture.coverage import client_places, lies_in, sources, told_excluded
from memoria.capture.flush_request import prompts
from memoria.capture.parts import Delivery
from memoria.capture.recurring_errors import telling
from memoria.capture.service import Capture
from memoria.cli.flush import (
    UNQUOTED,
    Outcome,
    asked,
    capturing,
    is_current,
    is_edited,
    refresh,
    told,
)
from memoria.cli.setup.init import init
from memoria.errors import MemoriaError, ModelError, TranscriptError, UsageError
from memoria.llm.budget import estimate
from memoria.llm.claude import MODELS
from memoria.llm.port import Model, Offline
from memoria.privacy.project_keys import project_key
from memoria.text.dates import midnight
from memoria.text.numbers import counted
from memoria.workspace import Workspace

# sessions a transaction: few enough to lose little to Ctrl-C, enough to make the disk's flush cheap
_BATCH = 8
# errors that are named, and characters of each: with its counts it fits most terminals' lines
_SHOWN, _EXAMPLE = 5, 80
# among the reasons of what is left out: whole sessions
EXCLUDED = "excluded"


@dataclass(frozen=True, slots=True)
class Choice:
    """Which of the transcripts are wanted; `since` as the stamps in them, in UTC.

    `vouched`: they are the person's, wherever they lie.
    """

    sources: tuple[tuple[Agent, Path], ...]
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

        folder = buildlog.buildlog(Path(arguments.source).expanduser())
        if folder is not None:
            return buildlog.tell(work, buildlog.bring(work, folder), as_json=arguments.json)
    # importing months of sessions through a paid model is done on request alone
    model = work.model(arguments.engine or "offline")
    wanted = choice(arguments, work)
    outcome = take(work, model, wanted)
    if packed := sum(compressed(place) for agent, place in wanted.sources if agent is CODEX):
        text = f"{counted(packed, 'session')} of Codex compressed (.jsonl.zst) and not read"
        work.terminal.warn(f"{text}: install the program zstd, then import again.")
    if arguments.json:
        terminal.data(asdict(outcome))
    else:
        _tell(work, outcome)
    return ModelError.exit_code if outcome.waiting else int(bool(outcome.problems))


def choice(arguments: argparse.Namespace, work: Workspace) -> Choice:
    """Read the options; UsageError says which value is wrong."""
    agent, since = arguments.agent, midnight(arguments.since, work.settings.zone).isoformat()
    wanted = tuple(pair for pair in sources(work.settings) if agent in {"", pair[0].name})
    if arguments.source:
        place = Path(arguments.source).expanduser()
        if not place.is_dir():
            what = "that is no folder" if place.exists() else "there is no such folder"
            raise UsageError(f"--from {arguments.source}: {what}")
        wanted = ((agent_named(agent) if agent else agent_of_folder(place), place),)
    vouched = _vouched(work, [place for _, place in wanted])
    return Choice(wanted, since, arguments.project, arguments.limit, vouched)


def _vouched(work: Workspace, folders: list[Path]) -> bool:
    """Whether a person drives the import of folders that are no client's, and so vouches for them.

    Whoever else does is told that rules said there wait.
    """
    own = client_places(work.settings, work.vault)
    others = [folder for folder in folders if not lies_in(folder, own)]
    if not others:
        return False
    driver = work.driver()
    if not driver.is_person:
        work.terminal.warn(
            f"{others[0]} is no folder of a client's own: rules said there wait for "
            f"`memoria review` ({driver.reason})."
        )
    return driver.is_person


def take(work: Workspace, model: Model, wanted: Choice) -> Outcome:
    """Import the chosen transcripts; what cannot be read is named and left."""
    outcome = Outcome(engine=model.name)
    with work.vault.state.lock("flush"):
        files = _chosen(wanted, outcome)
        capture = capturing(work, model, vouched=wanted.vouched)
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
                except Exception as error:  # noqa: BLE001 - one session must not keep out all others
                    outcome.problems.append(f"{file}: {told(error)}")
                    if isinstance(error, ModelError) and error.later:
                        outcome.waiting = len(files) - outcome.sessions + 1
                        break
                step(file.parent.name[-40:])
            outcome.add(capture.deliver(pending))
        if capture.excluded:
            outcome.left_out[EXCLUDED] = len(capture.excluded)
        if work.vault.changed or not is_current(work) or is_edited(work):
            refresh(work)
    return outcome


def _tell(work: Workspace, outcome: Outcome) -> None:
    """Say what an import did."""
    say = work.terminal.say
    if not outcome.sessions and not outcome.problems:
        say("No session fits: nothing was imported.")
        return
    sessions, short = counted(outcome.sessions, "session"), counted(outcome.skipped, "short one")
    several = outcome.entries > outcome.sessions
    parts = ", as one that was resumed or compacted has several" if several else ""
    if outcome.entries or outcome.skipped:
        say(
            f"{sessions}: {counted(outcome.entries, 'new entry', 'new entries')} on "
            f"{counted(len(outcome.days), 'day')}{parts}"
            f"{f'; {short} listed under their day' if outcome.skipped else ''} "
            f"({outcome.engine} engine)."
        )
    elif outcome.sessions:
        say(f"{sessions}: no new entries.")
    if outcome.left_out.get(EXCLUDED):
        say(f"{told_excluded(outcome.left_out[EXCLUDED], work.settings)}.")
    if outcome.unquoted:
        say(UNQUOTED.format(outcome.unquoted))
    for problem in outcome.problems[:10]:
        work.terminal.warn(f"  {problem}")
    if outcome.entries:
        for line in recurring(work):
            say(line)
        say("Next: `memoria compile` makes articles and rules of the entries.")


def recurring(work: Workspace) -> list[str]:
    """Say in lines which errors come back: the finding that makes a person go on."""
    history = work.vault.history()
    if not history.mistakes:
        return []
    # numpy takes longer to load than an import that finds nothing
    from memoria.evidence.rates import headline, rate  # noqa: PLC0415 - as above
    from memoria.evidence.study import everything  # noqa: PLC0415 - as above

    errors = telling(history.latest.mistakes)
    lines = terminal.wrapped(headline(rate(everything(history))))
    lines += ["What keeps going wrong, and what fixes it:"] if errors else []
    for error in sorted(errors[:_SHOWN], key=lambda error: -error.sessions):
        text = error.told(len(history.latest.stays), longest=_EXAMPLE)
        lines += terminal.wrapped(text, first="-", indent=2)
    return lines


def _chosen(wanted: Choice, outcome: Outcome) -> list[Path]:
    """List the transcripts that are wanted, the oldest first."""
    moments = []
    for agent, folder in wanted.sources:
        listed = list(agent.sessions(folder))
        if not listed and agent.name == "claude-code":  # they may lie in the folder itself
            listed = list(transcripts_in(folder))
        for file in listed:
            try:
                moments.append((agent.last_moment(file.path), file.path))
            except (MemoriaError, OSError) as error:
                outcome.problems.append(f"{file.path}: {error}")
    files = [path for moment, path in sorted(moments) if moment >= wanted.since]
    if wanted.project:
        files = [path for path in files if wanted.project in _project(path)]
    return files[: wanted.limit]


def _project(path: Path) -> str:
    cwd = next((part.cwd for part in read(path)), "")
    return f"{project_key(cwd)} {path.parent.name}"


def _read(capture: Capture, file: Path, outcome: Outcome) -> Iterator[Delivery]:
    if not agent_of(file).is_there(file):
        raise TranscriptError("holds no line that can be read")
    outcome.sessions += 1
    for part in capture.parts(file):
        # `memoria rewrite` can ask again
        delivery = asked(capture, part, outcome.problems, f"{file.name}: ")
        outcome.count(delivery)
        yield delivery


def _estimate(work: Workspace, files: list[Path]) -> None:
    """Say what a model will be asked to read, and what that costs at list prices."""
    capture = Capture(work.vault, work.settings, Offline(), work.spool)
    parts = (part for file in files for part in capture.parts(file))
    lengths = [len(prompt) for part in parts for prompt in prompts(part)]
    model = (MODELS | dict(work.settings.models))["flush"]
    text = estimate("flush", model, lengths, work.settings.calls_per_hour)
    work.terminal.say(f"{len(files)} sessions: {text}. Ctrl-C stops; what is done stays.")
