"""Study over sessions whether Memoria helps here, and show what was found (`memoria experiment`).

An experiment only writes down that it runs; the session-start hook tosses the coins, the flush
brings them into the ledger, and every figure is made from there when it is asked for. Of two
experiments that reach the same sessions neither would be one, so a second start is refused. What
it withholds are the person's rules and guards, so its course is theirs: an agent proposes it.
"""

import argparse
from collections.abc import Mapping
from dataclasses import asdict, replace

from memoria import terminal
from memoria.errors import UsageError
from memoria.evidence import experiment as experiment_model, experiment_report, manual_service
from memoria.evidence.experiment import Experiment
from memoria.evidence.rates import compute_rate
from memoria.evidence.service import (
    choose_experiment,
    find_project,
    find_rules_in_both_arms,
    read_experiments,
    read_study,
    require_running_experiment,
)
from memoria.evidence.study import ExperimentStudy, build_all_units
from memoria.evidence.verdict import Evidence, conclude
from memoria.privacy import clean
from memoria.rules.proposal_service import propose_if_agent
from memoria.rules.rulebook import rulebook
from memoria.vault.storage import clock
from memoria.vault.storage.history import History
from memoria.workspace import Workspace

# what a start of each design means
_BEGUN = {
    "chance": "From the next session on chance decides whether Memoria tells anything;\n"
    "capture goes on either way, and there is nothing more to do.",
    "before-after": "From the next session on Memoria gives nothing, and captures; `memoria "
    "experiment switch` turns it on for the second phase.",
}
# what decides whether sessions are told the rules
_DECIDING = frozenset({"start", "switch", "end"})
# the chance that a session is treated, from the start on
_CHANCE = {"chance": 0.5, "before-after": 0.0}


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Do what is asked of an experiment; what decides over sessions takes a person."""
    if arguments.action in {"switch", "end"}:
        require_running_experiment(work, arguments.project)
    if arguments.action in _DECIDING and propose_if_agent(arguments, work):
        return 0
    {
        "start": _start,
        "switch": _switch,
        "end": _end,
        "status": _print_status,
        "metrics": _print_metrics,
        "report": _print_report,
        "log-mistake": _log_mistake,
        "session": _track_session,
    }[arguments.action](arguments, work)
    return 0


def _start(arguments: argparse.Namespace, work: Workspace) -> None:
    if arguments.all_projects and arguments.project:
        raise UsageError("--project and --all-projects exclude each other")
    key = "" if arguments.all_projects else find_project(work, arguments.project)
    kind = experiment_model.format_error_class(
        clean.clean_value(arguments.error_class, work.settings.secrets)
    )
    if arguments.error_class and not kind:
        raise UsageError("--error-class is empty: name one (lint, test, correction, type-errors)")
    with work.vault.open_transaction() as change:
        earlier = read_experiments(work)
        for running in experiment_model.find_running(earlier):
            if running.overlaps(key):
                raise UsageError(
                    f"an experiment runs there already: {running.summary}. `memoria experiment "
                    "report` shows it, `memoria experiment end` ends it"
                )
        now, outside = clock.now(work.settings.zone), find_rules_in_both_arms(work, key)
        name, p = experiment_model.build_id(key, now, len(earlier)), _CHANCE[arguments.design]
        experiment = Experiment(name, key, arguments.design, now, kind, p, outside)
        change.record(experiment_model.build_experiment_record(now, "start", experiment))
    if arguments.json:
        value = experiment_report.experiment_json(experiment)
        terminal.print_json(value | {"outside": list(outside)})
    say = work.terminal.say
    say(f"started {experiment.summary}")
    say(_BEGUN[experiment.design])
    # what is wrong with a design, before the first session is spent on it
    rate = compute_rate(())
    for note in conclude(Evidence(replace(experiment, outside=()), rate, rate)).notes:
        say(note)
    if outside:
        say(f"Outside the experiment, promoted or pinned: {', '.join(outside)}")


def _switch(arguments: argparse.Namespace, work: Workspace) -> None:
    with work.vault.open_transaction() as change:
        old = require_running_experiment(work, arguments.project)
        if old.design != "before-after":
            raise UsageError(f"{old.id} is of design {old.design}; only before-after has phases")
        if old.switched:
            raise UsageError(f"{old.id} was switched on {old.switched:%Y-%m-%d}; it can only end")
        now = clock.now(work.settings.zone)
        experiment = replace(
            old, p=1.0, switched=now, outside=find_rules_in_both_arms(work, old.project)
        )
        change.record(experiment_model.build_experiment_record(now, "switch", experiment))
    if arguments.json:
        terminal.print_json(experiment_report.experiment_json(experiment))
    work.terminal.say(f"{experiment.id}: from the next session on Memoria gives what it has again.")


def _end(arguments: argparse.Namespace, work: Workspace) -> None:
    with work.vault.open_transaction() as change:
        experiment = require_running_experiment(work, arguments.project)
        now = clock.now(work.settings.zone)
        manual_log = manual_service.fold_manual_log(
            work.vault.history().records_of(manual_service.KIND)
        )
        open_session = manual_log.open(experiment.id)
        if open_session:
            change.record(manual_service.build_end_record(now, open_session))
        experiment = replace(
            experiment, ended=now, outside=find_rules_in_both_arms(work, experiment.project)
        )
        change.record(experiment_model.build_experiment_record(now, "end", experiment))
    if arguments.json:
        terminal.print_json(experiment_report.experiment_json(experiment))
    if open_session:
        work.terminal.say(f"session {open_session.session} ended with it.")
    work.terminal.say(
        f"ended {experiment.summary}; `memoria experiment report` says what it shows."
    )


def _log_mistake(arguments: argparse.Namespace, work: Workspace) -> None:
    experiment = require_running_experiment(work, arguments.project)
    entry = manual_service.log_mistake(
        work,
        experiment,
        experiment.project or find_project(work, arguments.project),
        error_class=arguments.error_class or experiment.error_class,
        description=arguments.description,
    )
    if arguments.json:
        terminal.print_json(asdict(entry) | {"repeat": entry.met_before > 0})
    if entry.opened:
        work.terminal.say(f"opened: {manual_service.describe_arm(entry.session)}.")
    met_text = f"met in {entry.met_before} earlier sessions" if entry.met_before else "new"
    work.terminal.say(
        f"logged in {entry.name}: {entry.error_class}, {entry.description} ({met_text})"
    )


def _track_session(arguments: argparse.Namespace, work: Workspace) -> None:
    experiment = require_running_experiment(work, arguments.project)
    if arguments.what == "start":
        project = experiment.project or find_project(work, arguments.project)
        session, count = manual_service.begin_session(work, experiment, project), 0
        work.terminal.say(f"{manual_service.describe_arm(session)}.")
    else:
        session, count = manual_service.end_session(work, experiment)
        work.terminal.say(f"session {session.session} ended; errors: {count}")
    if arguments.json:
        value = {"session": session.session, "experiment": experiment.id, "arm": session.arm}
        terminal.print_json(value | {"mistakes": count})


# -- What was found -------------------------------------------------------------------------------


def _print_status(arguments: argparse.Namespace, work: Workspace) -> None:
    """Show all experiments, each with the table of `metrics`."""
    history = work.vault.history()
    studies = [
        read_study(work, experiment, history) for experiment in read_experiments(work, history)
    ]
    if arguments.project:
        key = find_project(work, arguments.project)
        studies = [study for study in studies if study.experiment.reaches(key)]
    if arguments.json:
        values = [
            experiment_report.experiment_json(study.experiment)
            | {
                "sessions": experiment_report.session_counts(study),
                "open_session": experiment_report.open_session_json(study),
            }
            for study in studies
        ]
        terminal.print_json({"experiments": values})
        return
    for study in studies:
        terminal.print_line(experiment_report.arms_text(study))
    if not any(study.experiment.is_running for study in studies):
        work.terminal.say("No experiment runs: `memoria experiment start` starts one here.")


def _print_metrics(arguments: argparse.Namespace, work: Workspace) -> None:
    """Show the rates of an experiment."""
    study = _choose_study(arguments, work, work.vault.history())
    if arguments.json:
        terminal.print_json(experiment_report.metrics_json(study))
    else:
        terminal.print_line(experiment_report.arms_text(study))


def _print_report(arguments: argparse.Namespace, work: Workspace) -> None:
    """Say what an experiment shows, with all figures, rules and notes."""
    history = work.vault.history()
    texts = {rule.id: rule.text for rule in rulebook(work).rules}
    if arguments.all:
        _print_overall_report(arguments, work, history, texts)
        return
    study = _choose_study(arguments, work, history)
    if arguments.json:
        outside = {name: texts.get(name, "") for name in study.evidence.experiment.outside}
        terminal.print_json(experiment_report.study_json(study, outside))
    else:
        terminal.print_line(experiment_report.study_text(study, texts))


def _print_overall_report(
    arguments: argparse.Namespace, work: Workspace, history: History, texts: Mapping[str, str]
) -> None:
    """Say what all sessions show, those tracked by hand too, and what each experiment does."""
    if arguments.experiment or arguments.project:
        raise UsageError("--all is of all experiments and projects: name none beside it")
    units = build_all_units(history)
    tracked_sessions = {
        session.session
        for session in manual_service.fold_manual_log(
            history.records_of(manual_service.KIND)
        ).sessions
    }
    tracked_count = sum(unit.session in tracked_sessions for unit in units)
    studies = [
        read_study(work, experiment, history) for experiment in read_experiments(work, history)
    ]
    if arguments.json:
        terminal.print_json(experiment_report.overall_json(units, tracked_count, studies))
    else:
        terminal.print_line(experiment_report.overall_text(units, tracked_count, studies, texts))


def _choose_study(
    arguments: argparse.Namespace, work: Workspace, history: History
) -> ExperimentStudy:
    key = find_project(work, arguments.project)
    experiment = choose_experiment(work, arguments.experiment, key, history)
    if not arguments.experiment and not experiment.reaches(key):
        work.terminal.say(f"no experiment was made in {key or 'this folder'}; the last one:")
    return read_study(work, experiment, history)
