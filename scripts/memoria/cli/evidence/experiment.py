"""Study over sessions whether Memoria helps here (`memoria experiment`).

An experiment only writes down that it runs; the session-start hook tosses the coins, the flush
brings them into the ledger, and every figure is made from there when it is asked for. Of two
experiments that reach the same sessions neither would be one, so a second start is refused.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from math import isfinite
from typing import TYPE_CHECKING

from memoria import terminal
from memoria.cli.evidence import experiment_findings
from memoria.errors import UsageError
from memoria.evidence import experiment as records
from memoria.evidence import manual_service, manual_sessions
from memoria.evidence.experiment import Experiment
from memoria.evidence.figures import Evidence
from memoria.evidence.rates import rate
from memoria.evidence.report import json_values
from memoria.evidence.service import experiments, outside, project, running
from memoria.evidence.verdict import conclude
from memoria.privacy import clean
from memoria.vault.storage import clock

if TYPE_CHECKING:
    import argparse

    from memoria.workspace import Workspace

# what a start of each design means; `{}` is the chance that Memoria is on
_BEGUN = {
    "coin": "From the next session on chance decides (p={:g}) whether Memoria tells anything;\n"
    "capture goes on either way, and there is nothing more to do.",
    "before-after": "From the next session on Memoria gives nothing, and captures; `memoria "
    "experiment switch` turns it on for the second phase.",
    "all-on": "Every session is treated; a study with `--design coin` can compare.",
}


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Do what is asked of an experiment."""
    work.vault.require()
    {
        "start": _start,
        "switch": _switch,
        "end": _end,
        "status": experiment_findings.status,
        "metrics": experiment_findings.metrics,
        "report": experiment_findings.report,
        "log-mistake": _log,
        "session": _session,
        "export": experiment_findings.export,
    }[arguments.action](arguments, work)
    return 0


def _start(arguments: argparse.Namespace, work: Workspace) -> None:
    if arguments.all_projects and arguments.project:
        raise UsageError("--project and --all-projects exclude each other")
    key = "" if arguments.all_projects else project(work, arguments.project)
    asked = _asked(arguments, work, key)
    with work.vault.changing() as change:
        known = experiments(work)
        for experiment in records.running(known):
            if experiment.meets(key):
                raise UsageError(
                    f"an experiment runs there already: {experiment.summary}. `memoria experiment "
                    "report` shows it, `memoria experiment end` ends it"
                )
        now = clock.now(work.settings.zone)
        started = replace(asked, id=records.identity(key, now, len(known)), started=now)
        change.record(records.record(now, "start", started))
    if arguments.json:
        terminal.data(json_values.experiment_json(started) | {"outside": list(started.outside)})
    say = work.terminal.say
    say(f"started {started.summary}")
    say(_BEGUN[started.design].format(started.p))
    # what is wrong with a design, before the first session is spent on it
    for note in conclude(Evidence(replace(started, outside=()), rate(()), rate(()))).notes:
        say(note)
    if started.outside:
        say(f"Outside the experiment, promoted or pinned: {', '.join(started.outside)}")


def _asked(arguments: argparse.Namespace, work: Workspace, key: str) -> Experiment:
    """Read the options of a start; UsageError says which one is wrong."""
    design = arguments.design
    if arguments.p and design != "coin":
        raise UsageError(
            f"--p is the chance that Memoria is on; --design {design} leaves nothing to chance"
        )
    if arguments.sessions and design != "coin":
        raise UsageError("--sessions fixes the size of a test, and only --design coin allows one")
    kind = records.error_class(clean.clean(arguments.error_class, work.settings.secrets))
    if arguments.error_class and not kind:
        raise UsageError("--error-class is empty: name one (lint, test, correction, type-errors)")
    p = _between(arguments.p, "--p", 0.5)
    return Experiment(
        "",
        key,
        design,
        clock.now(work.settings.zone),
        kind,
        {"coin": p, "before-after": 0.0, "all-on": 1.0}[design],
        arguments.sessions,
        float(arguments.window_days or records.DAYS),
        arguments.window_sessions or records.SESSIONS,
        _between(arguments.worth, "--worth", records.WORTH),
        outside(work, key),
    )


def _between(text: str, option: str, default: float) -> float:
    try:
        value = float(text or default)
    except ValueError:
        value = -1.0
    if not isfinite(value) or not 0 < value < 1:
        raise UsageError(f"{option} {text!r}: give a number between 0 and 1, such as 0.5")
    return value


def _switch(arguments: argparse.Namespace, work: Workspace) -> None:
    with work.vault.changing() as change:
        old = running(work, arguments.project)
        if old.design != "before-after":
            raise UsageError(f"{old.id} is of design {old.design}; only before-after has phases")
        if old.switched:
            raise UsageError(f"{old.id} was switched on {old.switched:%Y-%m-%d}; it can only end")
        now = clock.now(work.settings.zone)
        experiment = replace(old, p=1.0, switched=now, outside=outside(work, old.project))
        change.record(records.record(now, "switch", experiment))
    if arguments.json:
        terminal.data(json_values.experiment_json(experiment))
    work.terminal.say(f"{experiment.id}: from the next session on Memoria gives what it has again.")


def _end(arguments: argparse.Namespace, work: Workspace) -> None:
    with work.vault.changing() as change:
        experiment = running(work, arguments.project)
        now = clock.now(work.settings.zone)
        by_hand = manual_sessions.manual_log(work.vault.history().of(manual_sessions.KIND))
        open_ = by_hand.open(experiment.id)
        if open_:
            change.record(manual_sessions.ended(now, open_))
        experiment = replace(experiment, ended=now, outside=outside(work, experiment.project))
        change.record(records.record(now, "end", experiment))
    if arguments.json:
        terminal.data(json_values.experiment_json(experiment))
    if open_:
        work.terminal.say(f"session {open_.session} ended with it.")
    work.terminal.say(
        f"ended {experiment.summary}; `memoria experiment report` says what it shows."
    )


def _log(arguments: argparse.Namespace, work: Workspace) -> None:
    experiment = running(work, arguments.project)
    done = manual_service.log(
        work,
        experiment,
        experiment.project or project(work, arguments.project),
        error_class=arguments.error_class or experiment.error_class,
        description=arguments.description,
        session=arguments.session,
    )
    if arguments.json:
        terminal.data(asdict(done) | {"repeat": done.met_before > 0})
    if done.opened and done.session:
        work.terminal.say(f"opened: {manual_service.arm_in_words(done.session)}.")
    again = f"met in {done.met_before} earlier sessions" if done.met_before else "new"
    work.terminal.say(f"logged in {done.name}: {done.error_class}, {done.description} ({again})")


def _session(arguments: argparse.Namespace, work: Workspace) -> None:
    experiment = running(work, arguments.project)
    if arguments.what == "start":
        place = experiment.project or project(work, arguments.project)
        session, count = manual_service.begin(work, experiment, place), 0
        work.terminal.say(f"{manual_service.arm_in_words(session)}.")
    else:
        session, count = manual_service.finish(work, experiment)
        work.terminal.say(f"session {session.session} ended; errors: {count}")
    if arguments.json:
        value = {"session": session.session, "experiment": experiment.id, "arm": session.arm}
        terminal.data(value | {"mistakes": count})
