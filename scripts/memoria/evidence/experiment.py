"""Read experiments from the ledger's records: what each set out to do, and when it ran.

What a person decided at the start (design, class, number of sessions, look-back) is read from the
record of the start alone; changed later, it would make any figure come true.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, cast

from memoria.text.dates import parse_moment
from memoria.text.json_text import number_of, text_at, texts_at

KIND = "experiment"
Design = Literal["chance", "before-after"]
DESIGNS: tuple[Design, ...] = ("chance", "before-after")
# characters of an error class: "exception:ModuleNotFoundError" has 29
MAX_CLASS_CHARS = 64
# what a record of the ledger has, beside its time and the rules outside
_RECORDED = ("id", "project", "error_class", "design", "p")


@dataclass(frozen=True, slots=True)
class Experiment:
    """A study of many sessions.

    `project` is the project's key, "" for all projects, `error_class` "" for all mistakes. `p` is
    the chance with which the next session is treated: the coin's, or 0 and 1 where a person chose
    the phase. `outside` are rules that reach both arms. `switched` is when before-after came to its
    second phase.
    """

    id: str
    project: str
    design: Design
    started: datetime
    error_class: str = ""
    p: float = 0.5
    outside: tuple[str, ...] = ()
    switched: datetime | None = None
    ended: datetime | None = None

    @property
    def is_running(self) -> bool:
        """Whether sessions are still taken in."""
        return self.ended is None

    @property
    def summary(self) -> str:
        """Where, how and when it runs, in a line."""
        design = f"by chance, {self.p:.0%} with Memoria"
        if self.design == "before-after":
            design = f"{self.design}, phase {'after' if self.switched else 'before'}"
        errors = f", errors of class {self.error_class}" if self.error_class else ""
        end = f"to {self.ended:%Y-%m-%d}" if self.ended else "running"
        where = self.project or "all projects"
        return f"{self.id} in {where}: {design}{errors}; from {self.started:%Y-%m-%d} {end}"

    def reaches(self, project: str) -> bool:
        """Whether a session of a project belongs to it."""
        return self.project in {"", project}

    def overlaps(self, project: str) -> bool:
        """Whether it and another one of `project` ("" for all) would reach the same sessions."""
        return project == "" or self.reaches(project)

    def covers(self, at: datetime) -> bool:
        """Whether it ran at a moment."""
        return self.started <= at and (self.ended is None or at < self.ended)


def build_id(project: str, at: datetime, number: int) -> str:
    """Make the id of an experiment; `number` counts those of the ledger before it."""
    digest = hashlib.sha256(f"{project}\n{at.isoformat()}\n{number}".encode("utf-8", "replace"))
    return f"x-{digest.hexdigest()[:10]}"


def format_error_class(text: str) -> str:
    """Give a class of mistakes as it is kept: one word, "type errors" is "type-errors"."""
    return "-".join(text.split())[:MAX_CLASS_CHARS]


def build_experiment_record(at: datetime, action: str, experiment: Experiment) -> dict[str, Any]:
    """Make the ledger's record of a start, switch or end; `experiment` is as it is then."""
    fields = {name: getattr(experiment, name) for name in _RECORDED}
    head = {"kind": KIND, "action": action, "at": at.isoformat()}
    return {**head, **fields, "outside": list(experiment.outside)}


def fold_experiments(records: Iterable[Mapping[str, Any]]) -> tuple[Experiment, ...]:
    """Fold the records, oldest first; what is no such record is passed over."""
    by_id: dict[str, Experiment] = {}
    for record in records:
        at, name = parse_moment(record.get("at")), record.get("id")
        if at is None or not isinstance(name, str) or not name:
            continue
        earlier, action = by_id.get(name), record.get("action")
        if action == "start" and earlier is None and record.get("design") in DESIGNS:
            by_id[name] = _parse_start(name, at, record)
        elif earlier is not None and earlier.is_running and action in {"switch", "end"}:
            outside = tuple(dict.fromkeys((*earlier.outside, *texts_at(record, "outside"))))
            when: dict[str, Any] = {"ended": at}
            if action == "switch":
                when = {"switched": at, "p": parse_chance(record.get("p"), earlier.p)}
            by_id[name] = replace(earlier, outside=outside, **when)
    return tuple(by_id.values())


def _parse_start(name: str, at: datetime, record: Mapping[str, Any]) -> Experiment:
    project, error_class = (text_at(record, key) for key in ("project", "error_class"))
    design, p = cast("Design", record["design"]), parse_chance(record.get("p"), 0.5)
    return Experiment(name, project, design, at, error_class, p, texts_at(record, "outside"))


def find_running(experiments: Iterable[Experiment]) -> tuple[Experiment, ...]:
    """Give those that run, those of one project before those of all: a hook takes the first."""
    running = (experiment for experiment in experiments if experiment.is_running)
    return tuple(sorted(running, key=lambda experiment: not experiment.project))


def list_coins(records: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Give what the session's hook has to know of the running experiments."""
    running = find_running(fold_experiments(records))
    return [{name: getattr(row, name) for name in ("id", "project", "p")} for row in running]


def parse_chance(value: object, otherwise: float) -> float:
    """Read a probability, `otherwise` for what is none."""
    number = number_of(value)
    return number if number is not None and 0 <= number <= 1 else otherwise
