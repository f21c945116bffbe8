"""Read what experiments and the random withholding of rules show from the ledger.

What reaches both arms (promoted and pinned rules) can change while an experiment runs, so it is
asked for at each look as well as written down at the start.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memoria.errors import UsageError
from memoria.evidence import experiment as experiment_model
from memoria.evidence.study import build_study
from memoria.privacy.project_keys import project_key
from memoria.rules import model as rule_model
from memoria.rules.promotion.placement import read_promotions
from memoria.rules.rulebook import rulebook

if TYPE_CHECKING:
    from memoria.evidence.experiment import Experiment
    from memoria.evidence.study import ExperimentStudy
    from memoria.vault.storage.history import History
    from memoria.workspace import Workspace


def read_experiments(work: Workspace, history: History | None = None) -> tuple[Experiment, ...]:
    """Give all experiments of the ledger, oldest first."""
    history = history or work.vault.history()
    return experiment_model.fold_experiments(history.records_of(experiment_model.KIND))


def read_study(
    work: Workspace, experiment: Experiment, history: History | None = None
) -> ExperimentStudy:
    """Say what an experiment shows as of now; `history` spares reading the ledger again."""
    history = history or work.vault.history()
    outside = find_rules_in_both_arms(work, experiment.project) if experiment.is_running else ()
    # few belong to a team, and what speaks to one is loaded for them alone
    if not (work.vault.state.root / "team.json").exists():
        return build_study(history, experiment, outside)
    from memoria.team.fact import UNIT  # noqa: PLC0415 - as above
    from memoria.team.membership_store import read_membership  # noqa: PLC0415 - as above
    from memoria.team.service import open_mirror  # noqa: PLC0415 - as above

    member = read_membership(work.vault.state)
    facts = open_mirror(work.vault.state).facts(UNIT)
    return build_study(history, experiment, outside, member.author if member else "", facts)


def find_rules_in_both_arms(work: Workspace, project: str) -> tuple[str, ...]:
    """Give the ids of the rules that reach both arms in a project ("" for all projects).

    Those are the pinned ones, and those promoted into a file that the client reads by itself.
    """
    book = rulebook(work)
    active = (rule for rule in book.rules if rule.pinned and book.is_in_force(rule))
    ids = [rule.id for rule in active if not project or rule_model.holds_in(rule, project)]
    for promotion in read_promotions(work).values():
        if not project or promotion.project in {"", project}:
            ids += promotion.ids
    return tuple(dict.fromkeys(ids))


def choose_experiment(
    work: Workspace, name: str = "", project: str = "", history: History | None = None
) -> Experiment:
    """Find the experiment that is meant: by its id, else the one that runs in a project.

    Without one that runs there the project's last one is taken, else the last of all. UsageError
    where there is none.
    """
    experiments = read_experiments(work, history)
    if not experiments:
        start = "`memoria experiment start` starts one in this project"
        raise UsageError(f"there is no experiment yet: {start}")
    if name:
        return _find_by_id(experiments, name)
    reaching = tuple(experiment for experiment in experiments if experiment.reaches(project))
    known = reaching or experiments
    return (experiment_model.find_running(known) or known[-1:])[0]


def _find_by_id(experiments: tuple[Experiment, ...], name: str) -> Experiment:
    prefix = name.strip().lower()
    candidates = [experiment for experiment in experiments if experiment.id.startswith(prefix)]
    matching = [experiment for experiment in candidates if experiment.id == prefix] or candidates
    if len(matching) == 1:
        return matching[0]
    ids = ", ".join(experiment.id for experiment in (candidates or experiments)[-5:])
    if candidates:
        raise UsageError(f"{name!r} begins several experiments' ids: {ids}")
    raise UsageError(f"no experiment {name!r}: {ids}")


def require_running_experiment(work: Workspace, name: str = "") -> Experiment:
    """Give the experiment that runs in a project; UsageError says how to get one."""
    key = find_project(work, name)
    running = experiment_model.find_running(read_experiments(work))
    reaching = [experiment for experiment in running if experiment.reaches(key)]
    if reaching:
        return reaching[0]
    others = "; ".join(experiment.summary for experiment in running[:3])
    hint = f" (elsewhere: {others}; name its project with --project)" if others else ""
    place = key or "this folder"
    start = f"`memoria experiment start` starts one{hint}"
    raise UsageError(f"no experiment runs in {place}: {start}")


def find_project(work: Workspace, name: str = "") -> str:
    """Give the key of the project that is meant: by a part of it, or its folder.

    The current folder's where none is named; UsageError where a name fits none or several.
    """
    if not name:
        return work.project
    history = work.vault.history()
    keys = {session.project for session in history.sessions.values()}
    keys |= {experiment.project for experiment in read_experiments(work, history)}
    matching = sorted(key for key in keys if key and name in key)
    if name in matching or len(matching) == 1:
        return name if name in matching else matching[0]
    if matching:
        raise UsageError(f"--project {name!r} fits several: {', '.join(matching[:5])}")
    folder = Path(name).expanduser()
    if folder.is_dir():
        return project_key(str(folder.resolve()))
    raise UsageError(
        f"--project {name!r}: no such project was captured; give a part of its name, or its folder"
    )
