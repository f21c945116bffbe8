"""Measure what a team's verdict is worth: false alarms while looking, and power, by simulation.

    python -m bench.team.experiment --studies 1000 --seed 0

A study is a team of ten. Members differ: how often each repeats errors, how many sessions each has
(one of them a third of all), and how much the treatment helps each. Their sessions go the way of a
real team's: as facts of their authors, through `pooled`, into the bets that a verdict rests on. In
the last rows the error detector of three members is a newer one, whose sessions are left out.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np
from bench.evidence import World, history, show

from memoria.capture.repeats import Unit, table
from memoria.evidence.e_values import wealth
from memoria.evidence.experiment import Experiment
from memoria.evidence.pooled import pooled
from memoria.team.outgoing import of_unit
from memoria.vault.entry import DETECTOR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memoria.team.fact import Fact

MEMBERS = ("ana", "ben", "cid", "dan", "eve", "fay", "gus", "hal", "ida", "jon")
START = datetime(2026, 1, 1, tzinfo=UTC)
TRIAL = Experiment("exp-1", "", "coin", START)
ABOUT = {"error_class": "", "days": TRIAL.days, "sessions": TRIAL.sessions}
# members' sessions as parts of all
SHARES = np.array([0.3, 0.15, 0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05, 0.05])


@dataclass(frozen=True)
class Team:
    """A team: RMR without and with the treatment, all sessions, by how much members differ.

    `newer` members have a newer error detector. `bound` is what was asked for.
    """

    control: float
    treated: float
    sessions: int
    differ: float
    newer: int = 0
    bound: str = ""


TEAMS = (
    Team(0.34, 0.34, 400, 0.0, bound="<= .05"),
    Team(0.34, 0.34, 400, 0.08, bound="<= .05"),
    Team(0.34, 0.34, 400, 0.2, bound="<= .05"),
    Team(0.50, 0.50, 400, 0.2, bound="<= .05"),
    Team(0.34, 0.12, 200, 0.0, bound=">= .90"),
    Team(0.34, 0.12, 200, 0.08, bound=">= .90"),
    Team(0.34, 0.12, 200, 0.2, bound=">= .90"),
    Team(0.50, 0.35, 400, 0.0, bound=">= .85"),
    Team(0.50, 0.35, 400, 0.08, bound=">= .85"),
    Team(0.50, 0.35, 400, 0.2, bound=">= .85"),
    Team(0.34, 0.34, 400, 0.08, newer=3, bound="<= .05"),
    # of these 198 count: the power that is asked for is that of 200 pooled sessions
    Team(0.34, 0.12, 234, 0.08, newer=3, bound=">= .90"),
)


def facts(team: Team, rng: np.random.Generator) -> Iterator[Fact]:
    """Draw the sessions of all members, as they share them."""
    counts = np.round(team.sessions * SHARES).astype(int)
    for place, (name, count) in enumerate(zip(MEMBERS, counts, strict=True)):
        # the level and the effect of each
        control = np.clip(team.control + rng.uniform(-team.differ, team.differ), 0.05, 0.9)
        helps = (team.control - team.treated) * rng.uniform(1 - team.differ, 1 + team.differ)
        treated = np.clip(control - helps, 0.02, 0.9)
        data = history(World(float(control), float(treated), int(count)), rng)
        version = DETECTOR + (place >= len(MEMBERS) - team.newer)
        for number in range(count):
            at = START + timedelta(minutes=float(rng.uniform(0, 60 * 24 * 90)))
            unit = Unit(
                f"{name}-{number}",
                at,
                f"project-{place % 3}",
                bool(data.treated[number]),
                float(data.p[number]),
                int(data.mistakes[number]),
                int(data.repeats[number]),
            )
            yield of_unit(name, unit, ABOUT, version)


def sees(team: Team, rng: np.random.Generator) -> tuple[bool, int]:
    """Say whether a study tells of an effect at any look, and how many sessions it counted."""
    units = pooled([], facts(team, rng), "zoe", TRIAL, DETECTOR)
    units.sort(key=lambda unit: (unit.at, unit.session))
    return wealth(table(units)).crossed is not None, len(units)


def main() -> None:
    """Print the share of studies that see an effect, for each kind of team."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    rng = np.random.default_rng(given.seed)
    print(f"Share of {given.studies} studies that see an effect while looked at each session")
    for team in TEAMS:
        found = [sees(team, rng) for _ in range(given.studies)]
        name = f"{team.control:.2f} -> {team.treated:.2f}, members differ by {team.differ}"
        name += f", {team.newer} newer" if team.newer else ""
        counted = round(float(np.mean([count for _, count in found])))
        share = float(np.mean([crossed for crossed, _ in found]))
        show(f"{name}, {counted} of {team.sessions} sessions", share, given.studies, team.bound)


if __name__ == "__main__":
    main()
