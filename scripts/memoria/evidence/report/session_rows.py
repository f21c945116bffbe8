"""Give one row a session, for people who do their own statistics.

Sessions that the evidence leaves out are there with the reason. An empty field is "not known".
"""

from __future__ import annotations

from collections import Counter
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from memoria.capture.repeats import is_of_class

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from memoria.capture.repeats import Unit
    from memoria.evidence.session_arms import Assignment
    from memoria.evidence.study import Studied

COLUMNS = (
    *("experiment", "session", "project", "began", "ended", "arm", "p", "counted", "mistakes"),
    *("repeats", "class_mistakes", "class_repeats", "corrections", "classes", "rules", "hand"),
)


def rows(studied: Studied) -> tuple[Mapping[str, Any], ...]:
    """Give the rows in the order of time; None for what is not known.

    `counted` is yes, or why not: waiting (not captured yet), no draw, chosen (no draw could have
    put it elsewhere), unsettled (the look-back was still filling), beyond (after the planned
    number). `repeats` were met in an earlier session of the project, within the look-back;
    `class_...` are those of the experiment's class, all where it has none. `hand` is 1 if a person
    tracked it.
    """
    waiting = [
        _row(studied, assignment, assignment.at) | {"counted": "waiting"}
        for assignment in studied.waiting
    ]
    order = itemgetter("began", "session")
    return tuple(sorted([*_captured(studied), *waiting], key=order))


def _captured(studied: Studied) -> Iterator[dict[str, Any]]:
    counted = frozenset(studied.evidence.sessions)
    wanted = studied.experiment.error_class
    for unit in studied.units:
        assignment = studied.assignments[unit.session]
        ours = [met for met in unit.met if not wanted or is_of_class(met.error_class, wanted)]
        classes = Counter(met.error_class for met in unit.met)
        yield _row(studied, assignment, unit.at) | {
            "project": unit.project,
            "ended": _iso(studied.ended.get(unit.session)),
            "counted": "yes" if unit.session in counted else _why(studied, unit),
            "mistakes": unit.mistakes,
            "repeats": unit.repeats,
            "class_mistakes": len(ours),
            "class_repeats": sum(met.repeat for met in ours),
            "corrections": sum(is_of_class(met.error_class, "correction") for met in unit.met),
            "classes": " ".join(f"{name}:{count}" for name, count in sorted(classes.items())),
        }


def _row(studied: Studied, assignment: Assignment, began: datetime) -> dict[str, Any]:
    draw = assignment.draw
    known = draw.treated is not None
    return dict.fromkeys(COLUMNS) | {
        "experiment": studied.experiment.id,
        "session": draw.session,
        "project": assignment.project,
        "began": _iso(began),
        "arm": ("treated" if draw.treated else "control") if known else None,
        "p": draw.p if known else None,
        "rules": " ".join(draw.rules),
        "hand": int(assignment.by_hand),
    }


def _why(studied: Studied, unit: Unit) -> str:
    design = studied.experiment.design
    if unit.treated is None:
        return "no draw"
    if design == "coin":
        return "beyond" if unit.is_tossed else "chosen"
    return "unsettled"


def _iso(at: datetime | None) -> str | None:
    return at.isoformat(timespec="seconds") if at else None
