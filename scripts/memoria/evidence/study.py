"""Study an experiment: how its sessions came to their arms, their evidence, and the conclusion.

A session without a record of its coin belongs to no arm and is counted; one that began before the
experiment has no coin by right, and a resumed one keeps the arm of its first start. Only what was
written down then counts, never what can be worked out later. A session whose coin is known and that
is not captured yet is no session without mistakes: it is counted as waiting.

Of a team each pair of person and project is a stratum, and only what one version of the detector
counted is pooled. What a colleague sends may be made up: a unit that cannot be one is left out, and
none counts as this person's own.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memoria.agents.json_line import mappings_of
from memoria.capture.recurring_errors import find_counted_errors
from memoria.capture.study_units import (
    ArmAssignment,
    Lookback,
    PastSession,
    StudyUnit,
    build_units,
    is_of_class,
)
from memoria.evidence.experiment import Experiment, parse_chance
from memoria.evidence.manual_service import (
    CONTROL,
    KIND,
    TREATED,
    ManualLog,
    ManualSession,
    find_families,
    fold_manual_log,
)
from memoria.evidence.rates import list_classes
from memoria.evidence.verdict import Conclusion, Evidence, compute_evidence, conclude
from memoria.team.fact import UNIT, TeamFact, parse_detail
from memoria.text.dates import parse_moment
from memoria.text.numbers import format_count
from memoria.vault.storage.history import History
from memoria.vault.storage.ledger_records import DETECTOR_VERSION

_Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Assignment:
    """A session's draw, when it was made and in which project."""

    draw: ArmAssignment
    at: datetime
    project: str


def find_assignments(
    history: History, manual_log: ManualLog, experiment: Experiment
) -> dict[str, Assignment]:
    """Give the assignment of each session of an experiment, those without a coin among them."""
    records = history.list_injections()
    pairs = ((name, _build_assignment(name, rows, experiment)) for name, rows in records.items())
    by_session = {name: assignment for name, assignment in pairs if assignment}
    tracked = (row for row in manual_log.sessions if row.experiment == experiment.id)
    by_session |= {row.session: _manual_assignment(row) for row in tracked}
    for name, session in history.sessions.items():
        is_reached = experiment.reaches(session.project) and experiment.covers(session.began)
        is_excused = _is_excused(records.get(name, ()), experiment)
        if is_reached and name not in by_session and not is_excused:
            draw = ArmAssignment(name, treated=None)
            by_session[name] = Assignment(draw, session.began, session.project)
    return by_session


def find_slates(history: History, manual_log: ManualLog) -> dict[str, tuple[str, ...]]:
    """Give the rules that each session was told, whether an experiment ran or not."""
    records = history.list_injections()
    by_session = {name: _read_slate(rows) for name, rows in records.items()}
    return by_session | {session.session: session.rules for session in manual_log.sessions}


def _read_slate(rows: Iterable[_Record]) -> tuple[str, ...]:
    rules = (rule for row in rows for rule in mappings_of(row.get("slate")))
    return tuple(dict.fromkeys(str(rule.get("id")) for rule in rules))


def _build_assignment(
    session: str, rows: Iterable[_Record], experiment: Experiment
) -> Assignment | None:
    rows = list(rows)
    starts = [start for start in _list_starts(rows) if start.get("experiment") == experiment.id]
    moments = [at for start in starts if (at := parse_moment(start.get("at")))]
    if not moments:
        return None
    draws = {(_parse_arm(start.get("arm")), parse_chance(start.get("p"), -1.0)) for start in starts}
    treated, p = draws.pop()
    if draws or p < 0:  # two starts that do not agree, or half a record
        treated, p = None, 0.5
    draw = ArmAssignment(session, treated, p, "", _read_slate(rows))
    return Assignment(draw, min(moments), str(starts[0].get("project") or ""))


def _list_starts(rows: Iterable[_Record]) -> list[_Record]:
    return [row for row in rows if row.get("event") == "SessionStart"]


def _parse_arm(value: object) -> bool | None:
    return {TREATED: True, CONTROL: False}.get(value) if isinstance(value, str) else None


def _manual_assignment(session: ManualSession) -> Assignment:
    p = parse_chance(session.p, -1.0)
    treated = _parse_arm(session.arm) if p >= 0 else None
    draw = ArmAssignment(session.session, treated, p if p >= 0 else 0.5, "", session.rules)
    return Assignment(draw, session.began, session.project)


def _is_excused(rows: Iterable[_Record], experiment: Experiment) -> bool:
    """Whether a session has no coin of this experiment by right.

    It was another experiment's, or had begun before this one.
    """
    began, own = experiment.started.replace(microsecond=0), {"", None, experiment.id}
    starts = ((row.get("experiment"), parse_moment(row.get("at"))) for row in _list_starts(rows))
    return any(name not in own or (at is not None and at < began) for name, at in starts)


# a century: with all that came before
_UNLIMITED = Lookback(days=36_500, sessions=10**9)


@dataclass(frozen=True, slots=True)
class ExperimentStudy:
    """An experiment with all that is known of it.

    `units` are its captured sessions in the order of time, those whose coin is missing (`treated`
    None) among them, with their mistakes of all classes. `waiting` are the sessions whose coin is
    known and that are not captured yet, or not ended. `open` is the session that a person is
    tracking just now. `notes` are the conclusion's and those about what is missing.
    `detector` is the version of the error detector that has read them.
    """

    experiment: Experiment
    units: tuple[StudyUnit, ...]
    evidence: Evidence
    conclusion: Conclusion
    waiting: tuple[Assignment, ...] = ()
    open: ManualSession | None = None
    open_mistakes: int = 0
    notes: tuple[str, ...] = ()
    detector: int = DETECTOR_VERSION


def build_study(
    history: History,
    experiment: Experiment,
    outside: Iterable[str] = (),
    author: str = "",
    facts: Iterable[TeamFact] = (),
) -> ExperimentStudy:
    """Make the study of an experiment; `outside` are further rules that reach both arms.

    `author` is this person's name in a team, "" without one, `facts` what its members counted.
    """
    manual_log = fold_manual_log(history.records_of(KIND))
    assigned = find_assignments(history, manual_log, experiment)
    detector, comparable = _split_by_detector(history, assigned)
    comparable_history = history.filter_by_detector(detector)
    draws = {name: assignment.draw for name, assignment in comparable.items()}
    own_units = _build_units(comparable_history, manual_log, draws, Lookback())
    outside_rules = tuple(dict.fromkeys((*experiment.outside, *outside)))
    pool = pool_units(own_units, facts, author, experiment, detector) if author else own_units
    evidence = compute_evidence(pool, replace(experiment, outside=outside_rules))
    conclusion = conclude(evidence)
    captured = {unit.session for unit in own_units}
    waiting = tuple(assignment for name, assignment in comparable.items() if name not in captured)
    open_session = manual_log.open(experiment.id)
    notes = _format_notes(experiment, own_units, waiting, len(assigned) - len(comparable))
    return ExperimentStudy(
        experiment,
        own_units,
        evidence,
        conclusion,
        waiting,
        open_session,
        len(manual_log.of(open_session.session)) if open_session else 0,
        (*conclusion.notes, *notes),
        detector,
    )


def _split_by_detector(
    history: History, assigned: Mapping[str, Assignment]
) -> tuple[int, dict[str, Assignment]]:
    """Give the detector that an experiment began with, and the assignments until another came.

    What another version counts cannot be compared with what was counted before, so the experiment
    ends there with what it had.
    """
    sessions = [history.sessions[name] for name in assigned if name in history.sessions]
    first = min(sessions, key=lambda session: (session.began, session.session), default=None)
    version = first.detector if first else DETECTOR_VERSION
    other_sessions = {name for name, row in history.sessions.items() if row.detector != version}
    until = min((row.at for name, row in assigned.items() if name in other_sessions), default=None)
    own_sessions = ((name, row) for name, row in assigned.items() if name not in other_sessions)
    return version, {name: row for name, row in own_sessions if until is None or row.at < until}


def build_all_units(history: History) -> tuple[StudyUnit, ...]:
    """Give all sessions as units of no arm with their rules, errors counted by their families."""
    history = history.latest
    history = replace(history, mistakes=[*find_counted_errors(history.mistakes)])
    manual_log = fold_manual_log(history.records_of(KIND))
    rules = find_slates(history, manual_log)
    names = {visit.session for visit in _list_visits(history, manual_log, {})}
    draws = {name: ArmAssignment(name, treated=None, rules=rules.get(name, ())) for name in names}
    return _build_units(history, manual_log, draws, _UNLIMITED)


def _build_units(
    history: History, manual_log: ManualLog, draws: Mapping[str, ArmAssignment], lookback: Lookback
) -> tuple[StudyUnit, ...]:
    visits = _list_visits(history, manual_log, draws)
    captured = {visit.session for visit in visits}
    # a mistake that was logged for a session which is not captured yet would make it look captured
    logged = (seen for seen in manual_log.mistakes if seen.session in captured)
    families = find_families(manual_log)
    return build_units(visits, [*history.mistakes, *logged], draws, lookback, families)


def _list_visits(
    history: History, manual_log: ManualLog, draws: Mapping[str, ArmAssignment]
) -> list[PastSession]:
    visits = [PastSession(row.session, row.project, row.began) for row in history.sessions.values()]
    ended_sessions = (row for row in manual_log.sessions if row.ended)
    visits += [PastSession(row.session, row.project, row.began) for row in ended_sessions]
    drawn = draws.keys() - {visit.session for visit in visits}
    return visits + [row for row in _list_silent_visits(history) if row.session in drawn]


def _list_silent_visits(history: History) -> Iterable[PastSession]:
    """Give the sessions that were captured and in which nobody said a word, as they were begun."""
    names = (path.replace("\\", "/").rsplit("/", 1)[-1] for path in history.watermarks)
    captured = {name.removesuffix(".jsonl") for name in names}
    for record in history.records_of("injection"):
        at, name = parse_moment(record.get("at")), record.get("session")
        if record.get("event") == "SessionStart" and name in captured and at is not None:
            yield PastSession(str(name), str(record.get("project") or ""), at)


def _format_notes(
    experiment: Experiment,
    own_units: Iterable[StudyUnit],
    waiting: Iterable[Assignment],
    left_out: int,
) -> Iterator[str]:
    if left_out:
        yield (
            f"The meter changed: {format_count(left_out, 'session')} left out, since another "
            "version of the error detector has read them. The experiment ended there; a new one "
            "can be started."
        )
    arms = [assignment.draw.treated for assignment in waiting]
    if arms:
        yield (
            f"{format_count(len(arms), 'session')} not counted yet: not ended, or not captured "
            f"({arms.count(True)} with Memoria, {arms.count(False)} without)."
        )
    error_class, names = experiment.error_class, list_classes(own_units)
    met = (mistake for unit in own_units for mistake in unit.met)
    has_class = any(is_of_class(mistake.error_class, error_class) for mistake in met)
    if error_class and names and not has_class:
        classes = ", ".join(names[:8])
        yield f"No error of class {error_class!r} was found so far; there are: {classes}."


# -- A team ----------------------------------------------------------------------------------------

# errors of one session: real ones have at most some hundred
_MAX_ERRORS = 1_000
_COUNTED = ("treated", "p", "mistakes", "repeats")


def fact_of(author: str, unit: StudyUnit, detector: int) -> TeamFact:
    """Give a counted session as its author's fact."""
    name = hashlib.sha256(f"{author}\n{unit.session}".encode()).hexdigest()[:16]
    fields = {key: getattr(unit, key) for key in _COUNTED}
    fields |= {"at": unit.at.isoformat(), "detector": detector}
    data = json.dumps(fields, sort_keys=True, separators=(",", ":"))
    return TeamFact(author, unit.project, UNIT, str(unit.at.date()), name, detail=data)


def pool_units(
    own_units: Iterable[StudyUnit],
    facts: Iterable[TeamFact],
    author: str,
    experiment: Experiment,
    detector: int,
) -> list[StudyUnit]:
    """Give the units of all members; `author` is this person, whose facts came back from the team.

    A count of all errors says nothing of one class, so an experiment with a class has its own.
    """
    if experiment.error_class:
        return list(own_units)
    units = {unit.session: unit for unit in (replace(unit, stratum=author) for unit in own_units)}
    for fact in facts:
        if fact.author != author and experiment.reaches(fact.project):
            units |= {unit.session: unit for unit in _parse_unit(fact, experiment, detector)}
    return list(units.values())


def _parse_unit(fact: TeamFact, experiment: Experiment, detector: int) -> Iterator[StudyUnit]:
    """Give the unit of a fact, if its numbers can be those of a session of the experiment."""
    fields = parse_detail(fact)
    at = parse_moment(fields.get("at"))
    treated, p, mistakes, repeats = map(fields.get, _COUNTED)
    if type(mistakes) is not int or type(repeats) is not int or fields.get("detector") != detector:
        return
    if not isinstance(treated, bool) or not isinstance(p, float) or not 0 < p < 1:
        return
    if at is not None and 0 <= repeats <= mistakes <= _MAX_ERRORS and experiment.covers(at):
        name = f"{fact.author} {fact.text}"
        yield StudyUnit(name, at, fact.project, treated, p, mistakes, repeats, fact.author)
