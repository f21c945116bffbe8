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
from memoria.evidence import experiment as records, manual_service, study_report
from memoria.evidence.experiment import Experiment
from memoria.evidence.rates import rate
from memoria.evidence.service import chosen, experiments, outside, project, running, studied
from memoria.evidence.study import Studied, everything
from memoria.evidence.verdict import Evidence, conclude
from memoria.privacy import clean
from memoria.rules.proposal_service import is_proposed
from memoria.rules.rulebook import rulebook
from memoria.text.unicode import strip_hidden
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
    if arguments.action in _DECIDING and is_proposed(arguments, work):
        return 0
    {
        "start": _start,
        "switch": _switch,
        "end": _end,
        "status": _status,
        "metrics": _metrics,
        "report": _report,
        "log-mistake": _log,
        "session": _session,
    }[arguments.action](arguments, work)
    return 0


def _start(arguments: argparse.Namespace, work: Workspace) -> None:
    if arguments.all_projects and arguments.project:
        raise UsageError("--project and --all-projects exclude each other")
    key = "" if arguments.all_projects else project(work, arguments.project)
    kind = records.error_class(clean.clean(arguments.error_class, work.settings.secrets))
    if arguments.error_class and not kind:
        raise UsageError("--error-class is empty: name one (lint, test, correction, type-errors)")
    with work.vault.changing() as change:
        earlier = experiments(work)
        for experiment in records.running(earlier):
            if experiment.meets(key):
                raise UsageError(
                    f"an experiment runs there already: {experiment.summary}. `memoria experiment "
                    "report` shows it, `memoria experiment end` ends it"
                )
        now, reached = clock.now(work.settings.zone), outside(work, key)
        name, p = records.identity(key, now, len(earlier)), _CHANCE[arguments.design]
        started = Experiment(name, key, arguments.design, now, kind, p, reached)
        change.record(records.record(now, "start", started))
    if arguments.json:
        terminal.data(study_report.experiment_json(started) | {"outside": list(started.outside)})
    say = work.terminal.say
    say(f"started {started.summary}")
    say(_BEGUN[started.design])
    # what is wrong with a design, before the first session is spent on it
    for note in conclude(Evidence(replace(started, outside=()), rate(()), rate(()))).notes:
        say(note)
    if started.outside:
        say(f"Outside the experiment, promoted or pinned: {', '.join(started.outside)}")


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
        terminal.data(study_report.experiment_json(experiment))
    work.terminal.say(f"{experiment.id}: from the next session on Memoria gives what it has again.")


def _end(arguments: argparse.Namespace, work: Workspace) -> None:
    with work.vault.changing() as change:
        experiment = running(work, arguments.project)
        now = clock.now(work.settings.zone)
        by_hand = manual_service.manual_log(work.vault.history().of(manual_service.KIND))
        open_ = by_hand.open(experiment.id)
        if open_:
            change.record(manual_service.ended(now, open_))
        experiment = replace(experiment, ended=now, outside=outside(work, experiment.project))
        change.record(records.record(now, "end", experiment))
    if arguments.json:
        terminal.data(study_report.experiment_json(experiment))
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
    )
    if arguments.json:
        terminal.data(asdict(done) | {"repeat": done.met_before > 0})
    if done.opened:
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


# -- What was found -------------------------------------------------------------------------------


def _status(arguments: argparse.Namespace, work: Workspace) -> None:
    """Show all experiments, each with its sessions by arm."""
    history = work.vault.history()
    studies = [studied(work, experiment, history) for experiment in experiments(work, history)]
    if arguments.project:
        key = project(work, arguments.project)
        studies = [study for study in studies if study.experiment.reaches(key)]
    if arguments.json:
        values = [
            study_report.experiment_json(study.experiment)
            | {
                "sessions": study_report.session_counts(study),
                "open_session": study_report.open_session(study),
            }
            for study in studies
        ]
        terminal.data({"experiments": values})
        return
    for study in studies:
        _tell(study)
    if not any(study.experiment.is_running for study in studies):
        work.terminal.say("No experiment runs: `memoria experiment start` starts one here.")


def _tell(study: Studied) -> None:
    words = {"waiting": "not captured yet", "no_coin": "of unknown arm", **study_report.ARMS}
    parts = [
        f"{count} {words.get(name, name)}"
        for name, count in study_report.session_counts(study).items()
        if count or name in study_report.ARMS
    ]
    terminal.line(strip_hidden(study.experiment.summary))
    terminal.line(f"    sessions: {', '.join(parts)}")
    if study.open:
        session, arm = study.open.session, study_report.ARMS[study.open.arm]
        terminal.line(f"    open: {session} ({arm}), errors so far: {study.open_mistakes}")


def _metrics(arguments: argparse.Namespace, work: Workspace) -> None:
    """Show the rates of an experiment."""
    study = _studied(arguments, work, work.vault.history())
    if arguments.json:
        terminal.data(study_report.metrics_json(study))
    else:
        terminal.line(study_report.arms_text(study))


def _report(arguments: argparse.Namespace, work: Workspace) -> None:
    """Say what an experiment shows, with all figures, rules and notes."""
    history = work.vault.history()
    texts = {rule.id: rule.text for rule in rulebook(work).rules}
    if arguments.all:
        _report_all(arguments, work, history, texts)
        return
    study = _studied(arguments, work, history)
    if arguments.json:
        outside = {name: texts.get(name, "") for name in study.evidence.experiment.outside}
        terminal.data(study_report.study_json(study, outside))
    else:
        terminal.line(study_report.study_text(study, texts))


def _report_all(
    arguments: argparse.Namespace, work: Workspace, history: History, texts: Mapping[str, str]
) -> None:
    """Say what all sessions show, those tracked by hand too, and what each experiment does."""
    if arguments.experiment or arguments.project:
        raise UsageError("--all is of all experiments and projects: name none beside it")
    units = everything(history)
    tracked = {
        session.session
        for session in manual_service.manual_log(history.of(manual_service.KIND)).sessions
    }
    by_hand = sum(unit.session in tracked for unit in units)
    studies = [studied(work, experiment, history) for experiment in experiments(work, history)]
    if arguments.json:
        terminal.data(study_report.overall_json(units, by_hand, studies))
    else:
        terminal.line(study_report.overall_text(units, by_hand, studies, texts))


def _studied(arguments: argparse.Namespace, work: Workspace, history: History) -> Studied:
    key = project(work, arguments.project)
    experiment = chosen(work, arguments.experiment, key, history)
    if not arguments.experiment and not experiment.reaches(key):
        work.terminal.say(f"no experiment was made in {key or 'this folder'}; the last one:")
    return studied(work, experiment, history)
