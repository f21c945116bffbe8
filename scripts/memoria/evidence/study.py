"""Study an experiment: its sessions from the ledger, their evidence, and the conclusion.

All that a report shows of an experiment comes from here, so that renderings cannot differ. A
session whose coin is known and that is not captured yet is no session without mistakes: it is
counted as waiting and comes in once it is captured.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from memoria.capture.recurring_errors import counted_errors
from memoria.capture.repeats import Draw, Lookback, Unit, Visit, is_of_class, units
from memoria.evidence.figures import Evidence, weigh
from memoria.evidence.manual_sessions import KIND, ManualLog, ManualSession, manual_log, near
from memoria.evidence.pooled import pooled
from memoria.evidence.rates import classes
from memoria.evidence.session_arms import Assignment, assignments, slates
from memoria.evidence.verdict import Conclusion, conclude
from memoria.learning import randomness
from memoria.text.dates import moment
from memoria.vault.entry import DETECTOR

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from memoria.evidence.experiment import Experiment
    from memoria.team.fact import Fact
    from memoria.vault.storage.history import History, Seen

# a century: with all that came before
_UNLIMITED = Lookback(days=36_500, sessions=10**9)


@dataclass(frozen=True, slots=True)
class Studied:
    """An experiment with all that is known of it.

    `units` are its captured sessions in the order of time, those whose coin is missing (`treated`
    None) among them, with their mistakes of all classes. `waiting` are the sessions whose coin is
    known and that are not captured yet, or not ended. `assignments` say of each session how it came
    to its arm, `ended` when it was over. `open` is the session that a person is tracking just now.
    `notes` are the conclusion's and those about what is missing.
    """

    experiment: Experiment
    units: tuple[Unit, ...]
    evidence: Evidence
    conclusion: Conclusion
    waiting: tuple[Assignment, ...] = ()
    assignments: Mapping[str, Assignment] = field(default_factory=dict)
    ended: Mapping[str, datetime] = field(default_factory=dict)
    open: ManualSession | None = None
    open_mistakes: int = 0
    notes: tuple[str, ...] = ()

    @property
    def counted(self) -> tuple[Unit, ...]:
        """The sessions that the evidence rests on."""
        names = frozenset(self.evidence.sessions)
        return tuple(unit for unit in self.units if unit.session in names)


def study(
    history: History,
    experiment: Experiment,
    outside: Iterable[str] = (),
    team: tuple[str, Iterable[Fact]] = ("", ()),
) -> Studied:
    """Make the study of an experiment; `outside` are further rules that reach both arms.

    `team` is this person's name in a team, and what its members counted.
    """
    hand = manual_log(history.of(KIND))
    drawn = assignments(history, hand, experiment)
    found = _counted_alike(history, drawn)
    detector = _detector(history, drawn)
    read = history.of_detector(detector)
    met = _units(
        read, hand, {name: assignment.draw for name, assignment in found.items()}, _back(experiment)
    )
    reached = tuple(dict.fromkeys((*experiment.outside, *outside)))
    # the deals of the permutation test hang on the experiment, so that each look gives the same
    evidence = weigh(
        pooled(met, team[1], team[0], experiment, detector) if team[0] else met,
        replace(experiment, outside=reached),
        np.random.default_rng(randomness.seed(experiment.id)),
    )
    conclusion = conclude(evidence)
    here = {unit.session for unit in met}
    waiting = tuple(assignment for name, assignment in found.items() if name not in here)
    open_ = hand.open(experiment.id)
    return Studied(
        experiment,
        met,
        evidence,
        conclusion,
        waiting,
        found,
        {name: stay.ended for name, stay in history.stays.items()}
        | {session.session: session.ended for session in hand.sessions if session.ended},
        open_,
        len(hand.of(open_.session)) if open_ else 0,
        (*conclusion.notes, *_changed(len(drawn) - len(found)), *_notes(experiment, met, waiting)),
    )


def _detector(history: History, drawn: Mapping[str, Assignment]) -> int:
    """Give the version of the error detector that an experiment began with."""
    stays = [history.stays[name] for name in drawn if name in history.stays]
    return min(stays, key=lambda stay: (stay.began, stay.session)).detector if stays else DETECTOR


def _counted_alike(history: History, drawn: Mapping[str, Assignment]) -> dict[str, Assignment]:
    """Give the assignments up to where another version of the detector began to read sessions.

    What it counts cannot be compared with what was counted before, so the experiment ends there
    with what it had.
    """
    version = _detector(history, drawn)
    others = {name for name, stay in history.stays.items() if stay.detector != version}
    changed = min((drawn[name].at for name in drawn if name in others), default=None)
    return {
        name: assignment
        for name, assignment in drawn.items()
        if name not in others and (changed is None or assignment.at < changed)
    }


def _changed(left_out: int) -> Iterable[str]:
    if left_out:
        yield (
            f"The meter changed: {_sessions(left_out)} left out, since another version of the "
            "error detector has read them. The experiment ended there; a new one can be started."
        )


def everything(history: History) -> tuple[Unit, ...]:
    """Give all sessions as units of no arm with their rules, errors counted as in a backtest."""
    history = history.latest
    history = replace(history, mistakes=counted_errors(history.mistakes))
    hand = manual_log(history.of(KIND))
    told = slates(history, hand)
    names = {visit.session for visit in _visits(history, hand, {})}
    draws = {name: Draw(name, treated=None, rules=told.get(name, ())) for name in names}
    return _units(history, hand, draws, _UNLIMITED)


def _back(experiment: Experiment) -> Lookback:
    return Lookback(experiment.days, experiment.sessions)


def _units(
    history: History, hand: ManualLog, draws: Mapping[str, Draw], lookback: Lookback
) -> tuple[Unit, ...]:
    visits = _visits(history, hand, draws)
    here = {visit.session for visit in visits}
    # a mistake that was logged for a session which is not captured yet would make it look captured
    logged: list[Seen] = [seen for seen in hand.mistakes if seen.session in here]
    return units(visits, [*history.mistakes, *logged], draws, lookback, near(hand))


def _visits(history: History, hand: ManualLog, draws: Mapping[str, Draw]) -> list[Visit]:
    visits = [Visit(stay.session, stay.project, stay.began) for stay in history.stays.values()]
    visits += [
        Visit(session.session, session.project, session.began)
        for session in hand.sessions
        if session.ended
    ]
    known = {visit.session for visit in visits}
    return visits + [visit for visit in _empty(history) if visit.session in draws.keys() - known]


def _empty(history: History) -> Iterable[Visit]:
    """Give the sessions that were captured and in which nobody said a word, as they were begun."""
    captured = {_name(path) for path in history.watermarks}
    for one in history.of("injection"):
        at, name = moment(one.get("at")), one.get("session")
        if one.get("event") == "SessionStart" and name in captured and at is not None:
            yield Visit(str(name), str(one.get("project") or ""), at)


def _name(path: str) -> str:
    return path.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".jsonl")


def _notes(
    experiment: Experiment, met: Iterable[Unit], waiting: Iterable[Assignment]
) -> Iterable[str]:
    arms = [assignment.draw.treated for assignment in waiting]
    if arms:
        yield (
            f"{_sessions(len(arms))} not counted yet: not ended, or not captured "
            f"({arms.count(True)} treated, {arms.count(False)} control)."
        )
    wanted = experiment.error_class
    names = classes(met)
    known = any(is_of_class(one.error_class, wanted) for unit in met for one in unit.met)
    if wanted and names and not known:
        yield (f"No error of class {wanted!r} was found so far; there are: {', '.join(names[:8])}.")


def _sessions(count: int) -> str:
    return "1 session" if count == 1 else f"{count} sessions"
