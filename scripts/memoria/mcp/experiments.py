"""Track sessions of an experiment for a tool call, and give its figures.

An experiment begins with a person's decision, so none is started here, and a mistake goes into
sessions that are tracked by hand alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.errors import UsageError
from memoria.evidence import manual_service
from memoria.evidence.experiment import error_class
from memoria.evidence.report import text
from memoria.evidence.service import chosen, project, running, studied
from memoria.mcp import framing
from memoria.rules.proposal_records import shown
from memoria.rules.rulebook import rulebook

if TYPE_CHECKING:
    from memoria.evidence.experiment import Experiment
    from memoria.evidence.study import Studied
    from memoria.mcp.handlers import Call


def start_session(call: Call) -> str:
    """Open a tracked session."""
    experiment = _running(call)
    asked = error_class(call.text("error_class"))
    if asked and experiment.error_class and asked != experiment.error_class:
        raise UsageError(f"the experiment that runs is about {experiment.error_class}, not {asked}")
    session = manual_service.begin(call.work, experiment, _place(call, experiment))
    return f"{manual_service.arm_in_words(session)}."


def end_session(call: Call) -> str:
    """Close it."""
    session, count = manual_service.finish(call.work, _running(call))
    return f"session {session.session} ({session.arm}) ended; errors: {count}"


def log_mistake(call: Call) -> str:
    """Log a mistake in it."""
    experiment = _running(call)
    done = manual_service.log(
        call.work,
        experiment,
        _place(call, experiment),
        error_class=call.text("error_class"),
        description=call.text("description"),
    )
    again = f"met in {done.met_before} earlier sessions" if done.met_before else "new"
    opened = f"{manual_service.arm_in_words(done.session)}.\n" if done.opened else ""
    return f"{opened}logged in {done.name}: {done.error_class}, {shown(done.description)} ({again})"


def session_metrics(call: Call) -> str:
    """Give the rates of an experiment, and the session that is open."""
    return _bounded(text.table(_studied(call)))


def experiment_report(call: Call) -> str:
    """Give the verdict with all that it rests on."""
    found = _studied(call)
    texts = {rule.id: rule.text for rule in rulebook(call.work).rules}
    return _bounded(text.text(found, texts))


def _running(call: Call) -> Experiment:
    return running(call.work, call.values["project"])


def _place(call: Call, experiment: Experiment) -> str:
    return experiment.project or project(call.work, call.values["project"])


def _studied(call: Call) -> Studied:
    history = call.work.vault.history()
    key = project(call.work, call.values["project"])
    experiment = chosen(call.work, call.values["experiment"], key, history)
    return studied(call.work, experiment, history)


def _bounded(text: str) -> str:
    return framing.part(text, 0, framing.LONGEST).text
