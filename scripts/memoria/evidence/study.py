"""Study an experiment: its sessions from the ledger, their evidence, and the conclusion.

A session whose coin is known and that is not captured yet is no session without mistakes: it is
counted as waiting.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memoria.capture.recurring_errors import counted_errors
from memoria.capture.repeats import Draw, Lookback, Unit, Visit, is_of_class, units
from memoria.evidence.figures import Evidence, weigh
from memoria.evidence.manual_sessions import KIND, ManualLog, ManualSession, manual_log, near
from memoria.evidence.rates import classes
from memoria.evidence.session_arms import Assignment, assignments, slates
from memoria.evidence.verdict import Conclusion, conclude
from memoria.text.dates import moment
from memoria.text.numbers import counted
from memoria.vault.entry import DETECTOR

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memoria.evidence.experiment import Experiment
    from memoria.vault.storage.history import History, Seen

# a century: with all that came before
_UNLIMITED = Lookback(days=36_500, sessions=10**9)


@dataclass(frozen=True, slots=True)
class Studied:
    """An experiment with all that is known of it.

    `units` are its captured sessions in the order of time, those whose coin is missing (`treated`
    None) among them, with their mistakes of all classes. `waiting` are the sessions whose coin is
    known and that are not captured yet, or not ended. `open` is the session that a person is
    tracking just now. `notes` are the conclusion's and those about what is missing.
    """

    experiment: Experiment
    units: tuple[Unit, ...]
    evidence: Evidence
    conclusion: Conclusion
    waiting: tuple[Assignment, ...] = ()
    open: ManualSession | None = None
    open_mistakes: int = 0
    notes: tuple[str, ...] = ()


def study(history: History, experiment: Experiment, outside: Iterable[str] = ()) -> Studied:
    """Make the study of an experiment; `outside` are further rules that reach both arms."""
    hand = manual_log(history.of(KIND))
    drawn = assignments(history, hand, experiment)
    detector, alike = _counted_alike(history, drawn)
    read = history.of_detector(detector)
    draws = {name: assignment.draw for name, assignment in alike.items()}
    met = _units(read, hand, draws, Lookback())
    both_arms = tuple(dict.fromkeys((*experiment.outside, *outside)))
    evidence = weigh(met, replace(experiment, outside=both_arms))
    conclusion = conclude(evidence)
    here = {unit.session for unit in met}
    waiting = tuple(assignment for name, assignment in alike.items() if name not in here)
    open_ = hand.open(experiment.id)
    notes = _notes(experiment, met, waiting, len(drawn) - len(alike))
    return Studied(
        experiment,
        met,
        evidence,
        conclusion,
        waiting,
        open_,
        len(hand.of(open_.session)) if open_ else 0,
        (*conclusion.notes, *notes),
    )


def _counted_alike(
    history: History, drawn: Mapping[str, Assignment]
) -> tuple[int, dict[str, Assignment]]:
    """Give the detector that an experiment began with, and the assignments until another came.

    What another version counts cannot be compared with what was counted before, so the experiment
    ends there with what it had.
    """
    stays = [history.stays[name] for name in drawn if name in history.stays]
    first = min(stays, key=lambda stay: (stay.began, stay.session), default=None)
    version = first.detector if first else DETECTOR
    others = {name for name, stay in history.stays.items() if stay.detector != version}
    changed = min((drawn[name].at for name in drawn if name in others), default=None)
    return version, {
        name: assignment
        for name, assignment in drawn.items()
        if name not in others and (changed is None or assignment.at < changed)
    }


def everything(history: History) -> tuple[Unit, ...]:
    """Give all sessions as units of no arm with their rules, errors counted as in a backtest."""
    history = history.latest
    history = replace(history, mistakes=counted_errors(history.mistakes))
    hand = manual_log(history.of(KIND))
    told = slates(history, hand)
    names = {visit.session for visit in _visits(history, hand, {})}
    draws = {name: Draw(name, treated=None, rules=told.get(name, ())) for name in names}
    return _units(history, hand, draws, _UNLIMITED)


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
    over = [session for session in hand.sessions if session.ended]
    visits += [Visit(session.session, session.project, session.began) for session in over]
    known = {visit.session for visit in visits}
    return visits + [visit for visit in _empty(history) if visit.session in draws.keys() - known]


def _empty(history: History) -> Iterable[Visit]:
    """Give the sessions that were captured and in which nobody said a word, as they were begun."""
    names = (path.replace("\\", "/").rsplit("/", 1)[-1] for path in history.watermarks)
    captured = {name.removesuffix(".jsonl") for name in names}
    for record in history.of("injection"):
        at, name = moment(record.get("at")), record.get("session")
        if record.get("event") == "SessionStart" and name in captured and at is not None:
            yield Visit(str(name), str(record.get("project") or ""), at)


def _notes(
    experiment: Experiment, met: Iterable[Unit], waiting: Iterable[Assignment], left_out: int
) -> Iterator[str]:
    if left_out:
        yield (
            f"The meter changed: {counted(left_out, 'session')} left out, since another version of "
            "the error detector has read them. The experiment ended there; a new one can be "
            "started."
        )
    drawn = [assignment.draw.treated for assignment in waiting]
    if drawn:
        yield (
            f"{counted(len(drawn), 'session')} not counted yet: not ended, or not captured "
            f"({drawn.count(True)} treated, {drawn.count(False)} control)."
        )
    wanted, names = experiment.error_class, classes(met)
    known = any(is_of_class(one.error_class, wanted) for unit in met for one in unit.met)
    if wanted and names and not known:
        yield f"No error of class {wanted!r} was found so far; there are: {', '.join(names[:8])}."
