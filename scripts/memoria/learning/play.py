"""Read plays from the ledger: what each session was shown, and what came of it.

Plays are folded in the order of time and session, so that two machines with the same ledger hold
the same beliefs; time does nothing else, as a clock that went backwards must not lose a play. A
session's outcome is whether a mistake came back in it that an earlier session of its project had
met, as the experiments count it (capture/study_units.py). A session that was never captured has no
outcome; it is not a success.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from memoria.agents.json_line import mappings_of
from memoria.capture.extract.session_context import SessionContext, parse_context
from memoria.capture.study_units import ArmAssignment, PastSession, build_units
from memoria.learning.rewards import Reward, counted_rewards, read_rewards
from memoria.text.dates import parse_moment
from memoria.text.json_text import texts_at
from memoria.vault.storage.history import History

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Play:
    """One session as the learner sees it.

    `shown` maps the id of each rule that was chosen and injected to the hash of its text then;
    pinned rules are nobody's choice and not among them. `withheld` were chosen and held back by the
    coin. `outcome` is 1 for a session without a repeated mistake, 0 for one with, None while nobody
    knows. `rewards` were given: 1 helped, 0 did not help, -1 hurt. `judged` says of a rule,
    shown or withheld, whose occasion came up, whether it went well (True) or its mistake came back
    (False). `lines` counts all injected rules, pinned ones too.
    """

    session: str
    at: datetime = EPOCH
    context: SessionContext = field(default_factory=SessionContext)
    shown: Mapping[str, str] = field(default_factory=dict)
    withheld: tuple[str, ...] = ()
    outcome: float | None = None
    rewards: Mapping[str, int] = field(default_factory=dict)
    judged: Mapping[str, bool] = field(default_factory=dict)
    lines: int = 0


def sort_plays(plays: Iterable[Play]) -> tuple[Play, ...]:
    """Put plays into the one order in which they are folded."""
    ordered = sorted(plays, key=_time_key)
    # rewards given outside a session may share a moment: then what they say decides
    runs = (list(run) for _, run in groupby(ordered, key=_time_key))
    return tuple(play for run in runs for play in (run if len(run) == 1 else sorted(run, key=repr)))


def _time_key(play: Play) -> tuple[datetime, str]:
    return play.at, play.session


def read_plays(history: History) -> tuple[Play, ...]:
    """Give a play for each session that was given rules or showed what it does without them.

    A captured session before the first injection is a play without rules: it teaches what is usual
    in its surroundings. A reward without a session is a play of its own.
    """
    injections = history.list_injections()
    all_rewards = read_rewards((*history.records_of("reward"), *history.records_of("judged")))
    counted: dict[str, list[Reward]] = {}
    for (session, _), reward in counted_rewards(all_rewards).items():
        counted.setdefault(session, []).append(reward)
    outcomes = _read_outcomes(history)
    sessions = []
    for name in sorted({*injections, *history.sessions, *counted}):
        of_session = injections.get(name, []), counted.get(name, []), outcomes.get(name)
        sessions.append(_read_play(name, history, *of_session))
    alone = [
        Play(
            session="",
            at=parse_moment(reward.at) or EPOCH,
            context=SessionContext(project=reward.project),
            rewards={reward.id: reward.value},
        )
        for reward in all_rewards
        if not reward.session
    ]
    return (*sessions, *alone)


def _read_outcomes(history: History) -> dict[str, float]:
    """Say of each captured session whether it went without a repeated mistake (1) or not (0).

    A session that an older error detector has read has no outcome: it was counted otherwise.
    """
    history = history.latest
    visits = [
        PastSession(stay.session, stay.project, stay.began) for stay in history.sessions.values()
    ]
    draws = {visit.session: ArmAssignment(visit.session, treated=None) for visit in visits}
    counted = build_units(visits, history.mistakes, draws, families={})
    return {unit.session: 0.0 if unit.repeats else 1.0 for unit in counted}


def _read_play(
    session: str,
    history: History,
    injections: Sequence[dict[str, Any]],
    counted: Sequence[Reward],
    outcome: float | None,
) -> Play:
    """Read one session's play from its injections, the rewards that count, and its outcome."""
    slate, withheld_rows = (
        [row for record in injections for row in mappings_of(record.get(name))]
        for name in ("slate", "withheld")
    )
    pinned = {name for record in injections for name in texts_at(record, "pinned")}
    shown = {str(row.get("id")): str(row.get("hash") or "") for row in slate}
    withheld = dict.fromkeys(str(row.get("id")) for row in withheld_rows)
    injected_at = filter(None, (parse_moment(record.get("at")) for record in injections))
    rewarded_at = filter(None, (parse_moment(reward.at) for reward in counted))
    stay = history.sessions.get(session)
    rewarded, judged = {}, {}
    for reward in counted:
        if reward.by == "command":
            rewarded[reward.id] = reward.value
        elif stay is None or outcome is not None:  # the flush judged by the errors that it saw
            judged[reward.id] = reward.value > 0
    context = parse_context(stay.context if stay else {})
    own = (context.project, stay.project if stay else "")
    projects = (str(name) for name in (*own, *(row.get("project") for row in injections)) if name)
    return Play(
        session=session,
        at=stay.began if stay else min(injected_at, default=next(rewarded_at, EPOCH)),
        context=replace(context, project=next(projects, "")),
        shown={name: digest for name, digest in shown.items() if name not in pinned},
        withheld=tuple(name for name in withheld if name not in shown),
        outcome=outcome,
        rewards=rewarded,
        judged=judged,
        lines=len(slate),
    )
