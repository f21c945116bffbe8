"""Rules, the ledger and what is believed of them -> the Track record of each.

How often a rule was injected and withheld, what it earned, what withholding it by chance showed,
and what the joint model believes. Sessions are counted and not lines: a resumed session is given
the same rules again. The trap: a belief about a rule that was never tried is what its words
promise, which is no evidence; it is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from memoria.evidence.charts.figures import points, whole
from memoria.evidence.report.beliefs import Belief, Held, belief, picture
from memoria.evidence.session_arms import ids
from memoria.evidence.withholding.by_rule import by_family, by_rule, earned, idle, to_retire
from memoria.learning.rewards import counted_rewards, rewards

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from memoria.evidence.charts.figures import Figure
    from memoria.evidence.withholding.adherence import Adherence
    from memoria.evidence.withholding.by_rule import Occasion, Standing
    from memoria.rules.model import Rule
    from memoria.vault.storage.history import History

# rules that are shown; `memoria rewards` lists them all
MOST = 40


@dataclass(frozen=True, slots=True)
class Track:
    """A rule's record: sessions in which it was injected and withheld, and what it earned.

    `helped`, `nothing` and `hurt` count the rewards of value 1, 0 and -1, by a person or judged.
    `belief` is None for a rule that was never injected, `standing` for one without any occasion,
    `adherence` for one without a check or whose check saw none.
    """

    rule: Rule
    in_force: bool
    shown: int = 0
    withheld: int = 0
    helped: int = 0
    nothing: int = 0
    hurt: int = 0
    belief: Belief | None = None
    standing: Standing | None = None
    adherence: Adherence | None = None

    @property
    def kept(self) -> str:
        """How its check saw it kept, in a sentence; "" where it has none or saw no occasion."""
        return self.adherence.sentence if self.adherence else ""

    @property
    def tried(self) -> bool:
        """Whether it ever reached a session or was kept from one, was rewarded, or checked."""
        return bool(self.shown or self.withheld or self.rewarded or self.adherence)

    @property
    def state(self) -> str:
        """Its status, and that it is not in force here where the status could be misread."""
        waits = self.rule.status in {"approved", "pinned"} and not self.in_force
        return f"{self.rule.status}, not in force here" if waits else self.rule.status

    @property
    def earnings(self) -> tuple[str, str]:
        """What it was rewarded with, in words: the good ones and the others; "" for none."""
        if not self.rewarded:
            return "", ""
        hurt = f", {self.hurt} hurt" if self.hurt else ""
        return f"{self.helped} helped", f"{self.nothing} did not{hurt}"

    @property
    def compared(self) -> tuple[str, str]:
        """How often its mistake came back with it and without; "" where too few tell."""
        return _compared(self.standing)

    @property
    def rewarded(self) -> int:
        """How many rewards it got, of any value."""
        return self.helped + self.nothing + self.hurt


@dataclass(frozen=True, slots=True)
class Kin:
    """A family of paraphrases, which learn together, and what withholding them showed."""

    rules: tuple[Rule, ...]
    standing: Standing

    @property
    def compared(self) -> tuple[str, str]:
        """How often their mistake came back with one of them and without, in words."""
        return _compared(self.standing)

    @property
    def difference(self) -> str:
        """The difference that they made, in points, with its interval; "" where too few tell."""
        found = self.standing.difference
        if found is None:
            return ""
        return f"{points(found.estimate)} ({whole(found.low)} to {whole(found.high)})"


@dataclass(frozen=True, slots=True)
class Tracks:
    """The rules of the report: those that were tried most, and three lists.

    `untried` are in force and reached no session yet; `withheld` counts occasions of all rules on
    which chance kept the rule back. `kin` are the families of several rules of which enough is
    known.
    """

    shown: tuple[Track, ...] = ()
    more: int = 0
    untried: int = 0
    in_force: int = 0
    earned: tuple[Track, ...] = ()
    retire: tuple[Track, ...] = ()
    idle: tuple[Track, ...] = ()
    withheld: int = 0
    kin: tuple[Kin, ...] = ()
    figures: tuple[Figure, ...] = ()


def _compared(one: Standing | None) -> tuple[str, str]:
    if one is None or one.state in {"too few", "no comparison"}:
        return "", ""
    return (
        f"{one.injected_back} of {one.injected} with it",
        f"{one.withheld_back} of {one.withheld} without",
    )


# -- The records -----------------------------------------------------------------------------------


def tracks(  # noqa: PLR0913 - what is known of rules comes from as many places
    rules: Sequence[Rule],
    *,
    in_force: Container[str],
    history: History,
    shown: Mapping[str, int],
    needed: Sequence[Occasion],
    beliefs: Mapping[str, Mapping[str, Any]],
    checked: Mapping[str, Adherence] | None = None,
) -> Tracks:
    """Give the records of all rules.

    `in_force` are the ids of those that may be injected here, `shown` counts the sessions that each
    was injected into, `needed` are the occasions of all, `checked` says how rules with a check
    were kept, `beliefs` the model's: rule's id to "mean"
    and "sd", in log-odds, and "family".
    """
    names = {old: one.id for one in rules for old in one.merged}
    kept = _withheld(history, names)
    earnings = _earned(history, names)
    standings = {one.name: one for one in by_rule(needed)}
    all_ = [
        Track(
            one,
            one.id in in_force,
            shown.get(one.id, 0),
            kept.get(one.id, 0),
            *earnings.get(one.id, (0, 0, 0)),
            belief=belief(beliefs.get(one.id, {})) if one.id in shown else None,
            standing=standings.get(one.id),
            adherence=(checked or {}).get(one.id),
        )
        for one in rules
    ]
    families = {name: str(found.get("family") or name) for name, found in beliefs.items()}
    return replace(_lists(all_, needed), kin=tuple(_kin(rules, needed, families)))


def _kin(
    rules: Sequence[Rule], needed: Sequence[Occasion], families: Mapping[str, str]
) -> Iterator[Kin]:
    """Judge the families of several rules; one rule alone stands in the table of rules."""
    members: dict[str, list[Rule]] = {}
    for one in rules:
        members.setdefault(families.get(one.id, one.id), []).append(one)
    joined = [replace(one, family=families.get(one.rule, one.rule)) for one in needed]
    for standing in by_family(joined):
        mine = tuple(members.get(standing.name, ()))
        if len(mine) > 1 and _compared(standing)[0]:
            yield Kin(mine, standing)


def _withheld(history: History, names: Mapping[str, str]) -> dict[str, int]:
    """Count the sessions from which each rule was withheld and that were not given it later."""
    found: dict[str, dict[str, set[str]]] = {"slate": {}, "withheld": {}}
    for record in history.of("injection"):
        for key, into in found.items():
            for name in ids(record, key):
                into.setdefault(names.get(name, name), set()).add(str(record.get("session")))
    given = found["slate"]
    return {name: len(kept - given.get(name, set())) for name, kept in found["withheld"].items()}


def _earned(history: History, names: Mapping[str, str]) -> dict[str, tuple[int, int, int]]:
    """Count the rewards of each value: one a session and rule, and all that name no session."""
    all_ = rewards((*history.of("reward"), *history.of("judged")))
    found: dict[str, list[int]] = {}
    for one in (*counted_rewards(all_).values(), *(one for one in all_ if not one.session)):
        row = found.setdefault(names.get(one.id, one.id), [0, 0, 0])
        row[1 - one.value] += 1
    return {name: (row[0], row[1], row[2]) for name, row in found.items()}


def _lists(all_: Sequence[Track], needed: Sequence[Occasion]) -> Tracks:
    ranked = [one for one in all_ if one.tried]
    ranked.sort(key=lambda one: (-one.shown - one.withheld, -one.rewarded, one.rule.id))
    by_id = {one.rule.id: one for one in ranked}
    standings = [one.standing for one in ranked if one.standing]
    unneeded = idle({one.rule.id: one.shown for one in ranked if one.in_force}, needed)
    held = (
        Held(one.rule.text, one.belief, one.shown, one.withheld) for one in ranked if one.belief
    )
    return Tracks(
        tuple(ranked[:MOST]),
        more=max(len(ranked) - MOST, 0),
        untried=sum(one.in_force and not one.tried for one in all_),
        in_force=sum(one.in_force for one in all_),
        earned=tuple(by_id[name] for name in earned(standings)),
        retire=tuple(by_id[name] for name in to_retire(standings)),
        idle=tuple(by_id[name] for name in unneeded),
        withheld=sum(not one.injected for one in needed),
        figures=tuple(picture(held)),
    )
