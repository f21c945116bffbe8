"""Gather the record of each rule: sessions that got it, rewards, comparisons and beliefs.

Sessions are counted and not lines: a resumed session is given the same rules again. A belief about
a rule that was never tried is what its words promise, which is no evidence; it is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp
from typing import TYPE_CHECKING, Any

from memoria.evidence.charts.axis import TIMES, factors
from memoria.evidence.charts.charts import Row, forest
from memoria.evidence.charts.figures import Figure, Key, points, whole
from memoria.evidence.session_arms import ids
from memoria.evidence.withholding.by_rule import by_family, by_rule, earned, idle, to_retire
from memoria.learning.rewards import counted_rewards, rewards
from memoria.text.numbers import counted

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from memoria.evidence.charts.plot import Shape
    from memoria.evidence.withholding.adherence import Adherence
    from memoria.evidence.withholding.by_rule import Occasion, Standing
    from memoria.rules.model import Rule
    from memoria.vault.storage.history import History

# rules of the table (`memoria rewards` lists them all) and of the picture
MOST, _PICTURED = 40, 12
# of a normal distribution: 95% of it lies within so many deviations
_WIDE = 1.96
# log-odds: a mean or deviation this large is no estimate
_VAGUE = 10.0


@dataclass(frozen=True, slots=True)
class Belief:
    """What the joint model holds of a rule's effect, in log-odds of a session without repeats."""

    mean: float
    sd: float

    @property
    def low(self) -> float:
        """The lower limit of the middle 95%, in log-odds."""
        return self.mean - _WIDE * self.sd

    @property
    def high(self) -> float:
        """The upper limit of the middle 95%, in log-odds."""
        return self.mean + _WIDE * self.sd

    @property
    def times(self) -> str:
        """By what the odds of a session without a repeated mistake are multiplied."""
        return f"{TIMES}{exp(self.mean):.2f}"

    @property
    def limits(self) -> str:
        """The limits of that factor."""
        return f"{exp(self.low):.2f} to {exp(self.high):.2f}"

    @property
    def mark(self) -> tuple[str, Shape]:
        """How the picture shows it: by which side of "no effect" all of it lies on."""
        if self.low > 0:
            return "treated", "circle"
        return ("control", "square") if self.high < 0 else ("all", "triangle")


@dataclass(frozen=True, slots=True)
class RuleRecord:
    """A rule's record: sessions in which it was injected and withheld, and what it earned.

    `helped`, `did_not_help` and `hurt` count the rewards of value 1, 0 and -1, by a person or
    judged. `posterior` is None for a rule that was never injected, `standing` for one without any
    occasion, `adherence` for one without a check or whose check saw none.
    """

    rule: Rule
    in_force: bool
    injected: int = 0
    withheld: int = 0
    helped: int = 0
    did_not_help: int = 0
    hurt: int = 0
    posterior: Belief | None = None
    standing: Standing | None = None
    adherence: Adherence | None = None

    @property
    def kept(self) -> str:
        """How its check saw it kept, in a sentence; "" where it has none or saw no occasion."""
        return self.adherence.sentence if self.adherence else ""

    @property
    def rewarded(self) -> int:
        """How many rewards it got, of any value."""
        return self.helped + self.did_not_help + self.hurt

    @property
    def is_tried(self) -> bool:
        """Whether it ever reached a session or was kept from one, was rewarded, or checked."""
        return bool(self.injected or self.withheld or self.rewarded or self.adherence)

    @property
    def status(self) -> str:
        """Its status, and that it is not in force here where the status could be misread."""
        waits = self.rule.status == "active" and not self.in_force
        return f"{self.rule.status}, not in force here" if waits else self.rule.status

    @property
    def earnings(self) -> tuple[str, str]:
        """What it was rewarded with, in words: the good ones and the others; "" for none."""
        if not self.rewarded:
            return "", ""
        hurt = f", {self.hurt} hurt" if self.hurt else ""
        return f"{self.helped} helped", f"{self.did_not_help} did not{hurt}"

    @property
    def compared(self) -> tuple[str, str]:
        """How often its mistake came back with it and without; "" where too few tell."""
        return _compared(self.standing)


@dataclass(frozen=True, slots=True)
class RuleFamily:
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
        interval = self.standing.difference
        if interval is None:
            return ""
        return f"{points(interval.estimate)} ({whole(interval.low)} to {whole(interval.high)})"


@dataclass(frozen=True, slots=True)
class RuleRecords:
    """The records of all rules that were tried, those tried most first, and three lists.

    `untried` are in force and reached no session yet; `withheld` counts occasions of all rules on
    which chance kept the rule back. `families` are those of several rules of which enough is known.
    """

    records: tuple[RuleRecord, ...] = ()
    untried: int = 0
    in_force: int = 0
    earned: tuple[RuleRecord, ...] = ()
    retire: tuple[RuleRecord, ...] = ()
    idle: tuple[RuleRecord, ...] = ()
    withheld: int = 0
    families: tuple[RuleFamily, ...] = ()

    @property
    def shown(self) -> tuple[RuleRecord, ...]:
        """The records of the table."""
        return self.records[:MOST]

    @property
    def more(self) -> int:
        """How many records the table leaves out."""
        return len(self.records) - len(self.shown)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The picture of the beliefs on the rules injected most; none where nothing is believed.

        Of many rules the highest estimate is high by luck, too, so they are chosen by how often
        they were tried, whatever is believed of them.
        """
        known = [one for one in self.records if one.posterior and one.injected][:_PICTURED]
        return tuple(_figures([(one, one.posterior) for one in known if one.posterior]))


def _compared(one: Standing | None) -> tuple[str, str]:
    if one is None or one.state in {"too few", "no comparison"}:
        return "", ""
    return (
        f"{one.injected_back} of {one.injected} with it",
        f"{one.withheld_back} of {one.withheld} without",
    )


# -- The records -----------------------------------------------------------------------------------


def rule_records(  # noqa: PLR0913 - what is known of rules comes from as many places
    rules: Sequence[Rule],
    *,
    in_force: Container[str],
    history: History,
    injected: Mapping[str, int],
    occasions: Sequence[Occasion],
    beliefs: Mapping[str, Mapping[str, Any]],
    adherence: Mapping[str, Adherence] | None = None,
) -> RuleRecords:
    """Give the records of all rules.

    `in_force` are the ids of those that may be injected here, `injected` counts the sessions that
    each was given to, `adherence` says how rules with a check were kept, `beliefs` what the model
    holds: rule's id to "mean" and "sd", in log-odds, and "family".
    """
    names = {old: one.id for one in rules for old in one.merged}
    withheld, rewarded = _withheld(history, names), _rewarded(history, names)
    standings = {one.name: one for one in by_rule(occasions)}
    records = [
        RuleRecord(
            one,
            one.id in in_force,
            injected.get(one.id, 0),
            withheld.get(one.id, 0),
            *rewarded.get(one.id, (0, 0, 0)),
            posterior=_belief(beliefs.get(one.id, {})) if one.id in injected else None,
            standing=standings.get(one.id),
            adherence=(adherence or {}).get(one.id),
        )
        for one in rules
    ]
    families = {name: str(row.get("family") or name) for name, row in beliefs.items()}
    return _lists(records, occasions, tuple(_families(rules, occasions, families)))


def _belief(row: Mapping[str, Any]) -> Belief | None:
    """Read "mean" and "sd", in log-odds; None for what is no belief."""
    mean, sd = row.get("mean"), row.get("sd")
    if not isinstance(mean, int | float) or not isinstance(sd, int | float):
        return None
    sound = abs(mean) < _VAGUE and 0 < sd < _VAGUE  # NaN is neither
    return Belief(float(mean), float(sd)) if sound else None


def _families(
    rules: Sequence[Rule], occasions: Sequence[Occasion], families: Mapping[str, str]
) -> Iterator[RuleFamily]:
    """Judge the families of several rules; one rule alone stands in the table of rules."""
    members: dict[str, list[Rule]] = {}
    for one in rules:
        members.setdefault(families.get(one.id, one.id), []).append(one)
    joined = [replace(one, family=families.get(one.rule, one.rule)) for one in occasions]
    for standing in by_family(joined):
        family = tuple(members.get(standing.name, ()))
        if len(family) > 1 and _compared(standing)[0]:
            yield RuleFamily(family, standing)


def _withheld(history: History, names: Mapping[str, str]) -> dict[str, int]:
    """Count the sessions from which each rule was withheld and that were not given it later."""
    sessions: dict[str, dict[str, set[str]]] = {"slate": {}, "withheld": {}}
    for record in history.of("injection"):
        for key, by_rule_ in sessions.items():
            for name in ids(record, key):
                by_rule_.setdefault(names.get(name, name), set()).add(str(record.get("session")))
    given = sessions["slate"]
    return {name: len(kept - given.get(name, set())) for name, kept in sessions["withheld"].items()}


def _rewarded(history: History, names: Mapping[str, str]) -> dict[str, tuple[int, int, int]]:
    """Count the rewards of each value: one a session and rule, and all that name no session."""
    given = rewards((*history.of("reward"), *history.of("judged")))
    counts: dict[str, list[int]] = {}
    for one in (*counted_rewards(given).values(), *(one for one in given if not one.session)):
        row = counts.setdefault(names.get(one.id, one.id), [0, 0, 0])
        row[1 - one.value] += 1
    return {name: (row[0], row[1], row[2]) for name, row in counts.items()}


def _lists(
    records: Sequence[RuleRecord], occasions: Sequence[Occasion], families: tuple[RuleFamily, ...]
) -> RuleRecords:
    tried = [one for one in records if one.is_tried]
    tried.sort(key=lambda one: (-one.injected - one.withheld, -one.rewarded, one.rule.id))
    by_id = {one.rule.id: one for one in tried}
    standings = [one.standing for one in tried if one.standing]
    unneeded = idle({one.rule.id: one.injected for one in tried if one.in_force}, occasions)
    return RuleRecords(
        tuple(tried),
        untried=sum(one.in_force and not one.is_tried for one in records),
        in_force=sum(one.in_force for one in records),
        earned=tuple(by_id[name] for name in earned(standings)),
        retire=tuple(by_id[name] for name in to_retire(standings)),
        idle=tuple(by_id[name] for name in unneeded),
        withheld=sum(not one.injected for one in occasions),
        families=families,
    )


# -- Their picture ---------------------------------------------------------------------------------


def _figures(known: list[tuple[RuleRecord, Belief]]) -> Iterator[Figure]:
    if not known:
        return
    known.sort(key=lambda pair: -pair[1].mean)
    rows = [_row(one.rule.text, belief) for one, belief in known]
    roles = [row.role for row in rows]
    yield Figure(
        "beliefs",
        "What the model believes of each rule",
        (
            f"Estimated factors with 95% intervals of the {counted(len(rows), 'rule')} injected "
            f"most: {roles.count('treated')} wholly above 1 (helps), {roles.count('control')} "
            "wholly below 1 (harms)."
        ),
        *forest(
            rows,
            factors(
                [end for row in rows for end in (row.low, row.high)],
                "odds of a session without a repeated mistake, times",
            ),
        ),
        ("rule", "factor", "95% interval", "injected in", "withheld from"),
        tuple(
            (
                one.rule.text,
                belief.times,
                belief.limits,
                counted(one.injected, "session"),
                counted(one.withheld, "session"),
            )
            for one, belief in known
        ),
        (
            Key("treated", "wholly above 1", "circle"),
            Key("all", "could be either", "triangle"),
            Key("control", "wholly below 1", "square"),
        ),
        (
            "The rules injected most. An estimate of the joint model, which shares credit among "
            "rules that were active together: a belief, no proof. What withholding by chance shows "
            "is in the table."
        ),
    )


def _row(text: str, belief: Belief) -> Row:
    tip = f"{text}: {belief.times} ({belief.limits})"
    return Row(text, belief.mean, belief.low, belief.high, *belief.mark, tip)
