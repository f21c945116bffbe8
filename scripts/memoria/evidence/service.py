"""Read what experiments and the random withholding of rules show from the ledger.

Nobody else puts sessions, coins and mistakes together. What reaches both arms (promoted and pinned
rules) can change while an experiment runs, so it is asked for at each look as well as written down
at the start.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from memoria.agents.claude_code.git import project_key
from memoria.errors import UsageError
from memoria.evidence import experiment as records
from memoria.evidence.study import Studied, everything, study
from memoria.evidence.withholding import occasions as withheld
from memoria.evidence.withholding.adherence import adherences
from memoria.learning import service as choosing
from memoria.rules import model as rule
from memoria.rules.decisions import rulebook
from memoria.rules.promotion.placement import promoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memoria.capture.repeats import Unit
    from memoria.evidence.experiment import Experiment
    from memoria.evidence.withholding.adherence import Adherence
    from memoria.evidence.withholding.by_rule import Occasion
    from memoria.vault.storage.history import History
    from memoria.workspace import Workspace

__all__ = ["Studied"]


def experiments(work: Workspace, history: History | None = None) -> tuple[Experiment, ...]:
    """Give all experiments of the ledger, oldest first."""
    history = history or work.vault.history()
    return records.experiments(history.of(records.KIND))


def studied(work: Workspace, experiment: Experiment, history: History | None = None) -> Studied:
    """Say what an experiment shows as of now; `history` spares reading the ledger again."""
    history = history or work.vault.history()
    now = outside(work, experiment.project) if experiment.is_running else ()
    return study(history, experiment, now)


def overall(work: Workspace, history: History | None = None) -> tuple[Unit, ...]:
    """Give all captured sessions as units of no arm: what comes back without an experiment."""
    return everything(history or work.vault.history())


def outside(work: Workspace, project: str) -> tuple[str, ...]:
    """Give the ids of the rules that reach both arms in a project ("" for all projects).

    Those are the pinned ones, and those promoted into a file that the client reads by itself.
    """
    book = rulebook(work)
    pinned = [
        one.id
        for one in book.rules
        if one.pinned and book.is_in_force(one) and (not project or rule.holds_in(one, project))
    ]
    files = promoted(work).values()
    here = [one for one in files if not project or one.project in {"", project}]
    return tuple(dict.fromkeys([*pinned, *(name for one in here for name in one.ids)]))


def occasions(work: Workspace, history: History | None = None) -> tuple[Occasion, ...]:
    """Give the occasions on which rules were injected or withheld by chance, with what came of it.

    For evidence/withholding/by_rule.py: `by_rule`, `by_family`, `earned`, `to_retire`.
    """
    families = {
        name: str(row.get("family") or name) for name, row in choosing.beliefs(work).items()
    }
    return withheld.occasions(history or work.vault.history(), heirs(work), families)


def adherence(work: Workspace, history: History | None = None) -> Mapping[str, Adherence]:
    """Say of each rule that a check has seen an occasion of how it was kept, by its id."""
    found = adherences(history or work.vault.history(), heirs(work))
    return {one.rule: one for one in found}


def injected(work: Workspace, history: History | None = None) -> Mapping[str, int]:
    """Count the sessions that each rule was injected into (for `withholding.idle`)."""
    return withheld.shown(history or work.vault.history(), heirs(work))


def heirs(work: Workspace) -> dict[str, str]:
    """Give for each id that became part of another rule the id of that rule."""
    return {name: one.id for one in rulebook(work).rules for name in one.merged}


def chosen(
    work: Workspace, name: str = "", project: str = "", history: History | None = None
) -> Experiment:
    """Find the experiment that is meant: by its id, else the one that runs in a project.

    Without one that runs there the project's last one is taken, else the last of all. UsageError
    where there is none.
    """
    known = experiments(work, history)
    if not known:
        raise UsageError(
            "there is no experiment yet: `memoria experiment start` starts one in this project"
        )
    if name:
        return _named(known, name)
    here = [one for one in known if one.reaches(project)]
    running = records.running(here)
    if running:
        return running[0]
    return here[-1] if here else (records.running(known) or known[-1:])[0]


def _named(found: tuple[Experiment, ...], name: str) -> Experiment:
    begun = [one for one in found if one.id.startswith(name.strip().lower())]
    exact = [one for one in begun if one.id == name.strip().lower()]
    if len(exact or begun) == 1:
        return (exact or begun)[0]
    ids = ", ".join(one.id for one in (begun or found)[-5:])
    what = f"{name!r} begins several experiments' ids" if begun else f"no experiment {name!r}"
    raise UsageError(f"{what}: {ids}")


def running(work: Workspace, named: str = "") -> Experiment:
    """Give the experiment that runs in a project; UsageError says how to get one."""
    key = project(work, named)
    experiments_ = records.running(experiments(work))
    here = [one for one in experiments_ if one.reaches(key)]
    if here:
        return here[0]
    others = "; ".join(one.summary for one in experiments_[:3])
    hint = f" (elsewhere: {others}; name its project with --project)" if others else ""
    raise UsageError(
        f"no experiment runs in {key or 'this folder'}: `memoria experiment start` starts one{hint}"
    )


def project(work: Workspace, named: str = "") -> str:
    """Give the key of the project that is meant: by a part of it, or its folder.

    The current folder's where none is named; UsageError where a name fits none or several.
    """
    if not named:
        return project_key(os.getcwd())  # noqa: PTH109 - a key is made of text
    known = _known(work)
    if named in known:
        return named
    matching = sorted(key for key in known if named in key)
    if len(matching) == 1:
        return matching[0]
    if matching:
        raise UsageError(f"--project {named!r} fits several: {', '.join(matching[:5])}")
    folder = Path(named).expanduser()
    if folder.is_dir():
        return project_key(str(folder.resolve()))
    raise UsageError(
        f"--project {named!r}: no such project was captured; give a part of its name, or its folder"
    )


def _known(work: Workspace) -> set[str]:
    history = work.vault.history()
    keys = {one.project for one in history.stays.values()}
    keys |= {one.project for one in experiments(work, history)}
    return keys - {""}
