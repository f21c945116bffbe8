"""Conclude a study in one sentence that a person may act on, with what to know beside it.

"Better" and "worse" need a coin and an e-value of 20. A measure is named only if its own e-value
reached 20 beside the joint one (closed testing).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10
from typing import TYPE_CHECKING, Literal

from memoria.evidence.e_values import THRESHOLD, first
from memoria.text.numbers import counted

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from memoria.evidence.figures import Evidence

Kind = Literal[
    "better",  # fewer repeats, and chance does not explain it
    "worse",  # more repeats, and chance does not explain it
    "unclear",  # the arms differ, but one measure says better and the other worse
    "not yet",  # a comparison is going on and has not told so far
    "cannot tell",  # nothing to compare
    "no comparison",  # the design cannot tell, whatever comes in
]
_WRONG_WITH_BEFORE_AFTER = (
    "Before-after cannot say why: no arm was drawn, so there is no chance to compute with.",
    "What else changed in between (the task, the model, the person) is mixed with the treatment.",
    (
        "Repeats rise by themselves while the memory of errors fills; leaving out the sessions "
        "before it was full helps and does not make it fair. `--design coin` is fair."
    ),
)


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The verdict: its kind, one sentence, and notes in the order of their weight."""

    kind: Kind
    sentence: str
    notes: tuple[str, ...] = ()


def conclude(evidence: Evidence) -> Conclusion:
    """Say in plain words what a study shows."""
    kind, said = _verdict(evidence)
    return Conclusion(kind, said[0].upper() + said[1:], tuple(_notes(evidence, kind)))


def _verdict(evidence: Evidence) -> tuple[Kind, str]:
    if missing := _missing(evidence):
        return "cannot tell", missing
    if evidence.experiment.design == "before-after":
        return "no comparison", f"{_change(evidence, 'went')}; this design cannot say why."
    if evidence.crossed:
        return _crossed(evidence)
    return "not yet", (
        f"no evidence yet ({_against(evidence)}): a large effect takes some 60 sessions to see, a "
        "small one several hundred."
    )


def _missing(evidence: Evidence) -> str:
    """Say what is missing for any comparison, "" if nothing is."""
    treated, control = evidence.treated, evidence.control
    total, mistakes = treated.sessions + control.sessions, treated.mistakes + control.mistakes
    left = evidence.unknown + evidence.chosen + evidence.unsettled
    arm, errors = "treated" if treated.sessions else "not treated", counted(mistakes, "error")
    reasons = (
        (not total and not left, "there is no session in this study yet."),
        (not total, f"none of {counted(left, 'session')} can be compared; the notes say why."),
        (total == 1, f"one session cannot tell anything ({errors})."),
        (
            not evidence.has_both_arms,
            f"all {total} sessions so far were {arm}: there is nothing to compare with.",
        ),
        (not mistakes, f"{total} sessions and no error: nothing could come back."),
        (
            not treated.repeats + control.repeats,
            f"no error came back in either arm ({total} sessions, {errors}).",
        ),
    )
    return next((said for holds, said in reasons if holds), "")


def _crossed(evidence: Evidence) -> tuple[Kind, str]:
    wealth = evidence.wealth
    values = {name: treated - control for name, (treated, control) in _rates(evidence).items()}
    paths = {"share": wealth.share, "count": wealth.count}
    named = {name: values[name] for name, path in paths.items() if first(path) is not None}
    return _claim(evidence, named or values, wealth.peak)


def _claim(evidence: Evidence, named: Mapping[str, float], chance: float) -> tuple[Kind, str]:
    """Name the measures that moved; `chance` is one in how many."""
    seen = f"this would be seen by chance less than once in {_rounded(chance)}"
    fell = min(named.values()) < 0
    if fell and max(named.values()) > 0:
        against = _against(evidence)
        return "unclear", f"the arms differ ({seen}), but the measures disagree: {against}."
    said = _change(evidence, "fell" if fell else "rose", named)
    return ("better" if fell else "worse"), f"{said}; {seen}."


def _notes(evidence: Evidence, kind: Kind) -> Iterator[str]:
    yield from _left_out(evidence)
    if evidence.experiment.design == "before-after":
        yield from _WRONG_WITH_BEFORE_AFTER
    if kind in {"better", "worse", "unclear", "not yet"}:
        yield from _beside(evidence, kind)
    if evidence.experiment.outside:
        names = ", ".join(evidence.experiment.outside)
        yield f"Outside the experiment, since they reach both arms (promoted or pinned): {names}."


def _left_out(evidence: Evidence) -> Iterator[str]:
    reasons = (
        (evidence.unknown, "the draw was not recorded"),
        (evidence.chosen, "the arm was chosen, not drawn"),
        (evidence.unsettled, "the memory of errors was still filling"),
    )
    for count, reason in reasons:
        if count:
            yield f"{counted(count, 'session')} left out: {reason}."


def _beside(evidence: Evidence, kind: Kind) -> Iterator[str]:
    moves = [treated - control for treated, control in _rates(evidence).values()]
    if kind in {"better", "worse"} and moves[0] * moves[1] < 0:
        yield (
            f"The measures disagree ({_against(evidence)}). RMR has all errors below its line, "
            "so it moves also when new errors become fewer or more."
        )
    wealth = evidence.wealth
    if wealth.crossed:
        yield (
            f"The e-value reached {THRESHOLD:.0f} after session {wealth.crossed}; its highest is "
            f"{_rounded(wealth.peak)}, and it stands at {_figure(wealth.now)} now."
        )


def _rates(evidence: Evidence) -> dict[str, tuple[float, float]]:
    """Give (treated, control) of RMR and of repeats per session; 0.0 for what is undefined."""
    one, other = evidence.treated, evidence.control
    return {
        "share": (one.rmr or 0.0, other.rmr or 0.0),
        "count": (one.repeats_per_session or 0.0, other.repeats_per_session or 0.0),
    }


def _change(evidence: Evidence, verb: str, named: Container[str] = ("count", "share")) -> str:
    shares, counts = _rates(evidence).values()
    said = {
        "count": f"repeats per session {verb} from {_figure(counts[1])} to {_figure(counts[0])}",
        "share": f"the share of errors met before {verb} from {shares[1]:.0%} to {shares[0]:.0%}",
    }
    return " and ".join(text for name, text in said.items() if name in named)


def _against(evidence: Evidence) -> str:
    shares, counts = _rates(evidence).values()
    return (
        f"with Memoria {_figure(counts[0])} repeats per session and {shares[0]:.0%} of the "
        f"errors met before, without {_figure(counts[1])} and {shares[1]:.0%}"
    )


def _figure(value: float) -> str:
    return f"{value:.2g}" if value < 100 else f"{value:,.0f}"  # noqa: PLR2004 - two digits


def _rounded(value: float) -> str:
    """Write a large number with two digits, never as more than it is."""
    if value >= 1e6:  # noqa: PLR2004 - nobody tells more from it
        return "a million"
    unit = 10 ** max(floor(log10(max(value, 1))) - 1, 0)
    return f"{int(value // unit * unit):,}"
