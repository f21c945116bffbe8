"""The ledger's injections, mistakes and rewards -> Plays: what was shown, and what came of it.

A session's outcome is whether a mistake came back in it that an earlier session of its project had
met, counted as the experiments count it (capture/repeats.py), so that what is learned and what is
claimed cannot differ. A session that was never captured has no outcome; it is not a success. The
trap: what reached a session of the control arm did not come from the policy, and its pinned rules
are nobody's choice, so only what was chosen or withheld stands in a play.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memoria.capture.extract.session_context import Context, context
from memoria.capture.repeats import Draw, Visit, units
from memoria.learning.play import EPOCH, Play
from memoria.learning.rewards import rewards, settled
from memoria.text.dates import moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from memoria.capture.history import History
    from memoria.learning.rewards import Reward

_Record = dict[str, Any]


def plays(history: History, families: Mapping[str, str] | None = None) -> tuple[Play, ...]:
    """Give a play for each session that was given rules or showed what it does without them.

    `families` maps a signature to the one that it is near to. A captured session before the first
    injection is a play without rules: it teaches what is usual in its surroundings.
    """
    given: dict[str, list[_Record]] = {}
    for record in history.of("injection"):
        name = record.get("session")
        if isinstance(name, str) and name:
            given.setdefault(name, []).append(record)
    all_ = rewards((*history.of("reward"), *history.of("judged")))
    counted: dict[str, list[Reward]] = {}
    for (session, _), reward in settled(all_).items():
        counted.setdefault(session, []).append(reward)
    outcomes = _outcomes(history, families or {})
    names = sorted({*given, *history.stays, *counted})
    found = [
        _play(name, history, given.get(name, []), counted.get(name, []), outcomes.get(name))
        for name in names
    ]
    found += [_word(one) for one in all_ if not one.session]
    return tuple(found)


def _outcomes(history: History, families: Mapping[str, str]) -> dict[str, float]:
    """Say of each captured session whether it went without a repeated mistake (1) or not (0).

    A session that an older error detector has read has no outcome: it was counted otherwise.
    """
    history = history.latest
    visits = [Visit(one.session, one.project, one.began) for one in history.stays.values()]
    draws = {one.session: Draw(one.session, treated=None) for one in visits}
    return {
        one.session: 0.0 if one.repeats else 1.0
        for one in units(visits, history.mistakes, draws, families=families)
    }


def _play(
    session: str,
    history: History,
    given: Iterable[_Record],
    counted: Iterable[Reward],
    outcome: float | None,
) -> Play:
    shown: dict[str, str] = {}
    withheld: list[str] = []
    pinned: set[str] = set()
    lines = 0
    moments: list[datetime] = []
    for record in given:
        rows = [one for one in _items(record, "slate") if isinstance(one, dict)]
        pinned |= {str(name) for name in _items(record, "pinned")}
        shown |= {str(one.get("id")): str(one.get("hash") or "") for one in rows}
        withheld += [
            str(one.get("id")) for one in _items(record, "withheld") if isinstance(one, dict)
        ]
        lines += len(rows)
        moments += filter(None, [moment(record.get("at"))])
    stay = history.stays.get(session)
    person, judged = {}, {}
    for one in counted:
        if one.by == "person":
            person[one.id] = one.value
        elif stay is None or outcome is not None:  # the flush judged by the errors that it saw
            judged[one.id] = one.value > 0
        moments += filter(None, [moment(one.at)] if not stay and not moments else [])
    return Play(
        session=session,
        at=stay.began if stay else min(moments, default=EPOCH),
        context=_context(stay.context if stay else {}, stay.project if stay else "", given),
        shown={name: digest for name, digest in shown.items() if name not in pinned},
        withheld=tuple(name for name in dict.fromkeys(withheld) if name not in shown),
        outcome=outcome,
        rewards=person,
        judged=judged,
        lines=lines,
    )


def _context(kept: Mapping[str, Any], project: str, given: Iterable[_Record]) -> Context:
    found = context(kept)
    named = found.project or project
    for record in given:
        named = named or str(record.get("project") or "")
    return Context(named, found.task, found.errors, found.words)


def _word(reward: Reward) -> Play:
    """Make a play of a reward that a person gave without naming a session."""
    return Play(
        session="",
        at=moment(reward.at) or EPOCH,
        context=Context(project=reward.project),
        rewards={reward.id: reward.value},
    )


def _items(record: Mapping[str, Any], name: str) -> list[Any]:
    found = record.get(name)
    return found if isinstance(found, list) else []
