"""Conclude a study in one sentence that a person may act on, with what to know beside it.

"Better" and "worse" need a coin and an e-value of 20 (or, for a number of sessions planned
beforehand, a permutation test); "no difference" needs limits that shut out every effect worth
having. Both measures are tried, so each is named only if its own e-value reached 20 beside the
joint one (closed testing: at most one false name in twenty studies). A sentence is believed more
than a table, so where the figures disagree it says that first.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10
from typing import TYPE_CHECKING, Literal

from memoria.evidence.e_values import THRESHOLD, first

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memoria.evidence.figures import Evidence
    from memoria.evidence.power import Forecast

Kind = Literal[
    "better",  # fewer repeats, and chance does not explain it
    "worse",  # more repeats, and chance does not explain it
    "unclear",  # the arms differ, but one measure says better and the other worse
    "no difference",  # every effect worth having is ruled out
    "not yet",  # a comparison is going on and has not told so far
    "cannot tell",  # nothing to compare
    "no comparison",  # the design cannot tell, whatever comes in
]
# forecasts further off than this are no plan, and rest on an effect too small to be known
_FAR = 2000
# the permutation test tries two measures, so each has half of .05 (Bonferroni)
_ALPHA = 0.05 / 2
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
    if evidence.experiment.design == "all-on":
        return "no comparison", (
            "no comparison is possible: every session was treated; a study with `--design coin` "
            "can tell."
        )
    if evidence.experiment.design == "before-after":
        return "no comparison", f"{_change(evidence, 'went')}; this design cannot say why."
    return _by_coin(evidence)


def _by_coin(evidence: Evidence) -> tuple[Kind, str]:
    if evidence.experiment.planned:
        return _planned(evidence, evidence.experiment.planned)
    if evidence.crossed:
        return _crossed(evidence)
    return _limits(evidence) or ("not yet", _not_yet(evidence))


def _missing(evidence: Evidence) -> str:
    """Say what is missing for any comparison, "" if nothing is."""
    treated, control = evidence.treated, evidence.control
    total, mistakes = treated.sessions + control.sessions, treated.mistakes + control.mistakes
    if not total:
        return _nothing(evidence)
    if total == 1:
        return f"one session cannot tell anything ({_mistakes(mistakes)})."
    if evidence.experiment.design == "all-on":
        return ""
    return _one_sided(evidence, total, mistakes)


def _one_sided(evidence: Evidence, total: int, mistakes: int) -> str:
    treated, control = evidence.treated, evidence.control
    if not treated.sessions or not control.sessions:
        arm = "treated" if treated.sessions else "not treated"
        return f"all {total} sessions so far were {arm}: there is nothing to compare with."
    if not mistakes:
        return f"{total} sessions and no error: nothing could come back."
    if not treated.repeats + control.repeats:
        return f"no error came back in either arm ({total} sessions, {_mistakes(mistakes)})."
    return ""


def _nothing(evidence: Evidence) -> str:
    left = evidence.unknown + evidence.chosen + evidence.unsettled
    if not left:
        return "there is no session in this study yet."
    return f"none of {_sessions(left)} can be compared; the notes say why."


def _planned(evidence: Evidence, planned: int) -> tuple[Kind, str]:
    done, test = len(evidence.sessions), evidence.permutation
    if done < planned:
        return "not yet", f"{done} of {planned} planned sessions are done; the test is made then."
    if test is None:
        return "cannot tell", f"one arm of the first {planned} sessions has no error."
    pairs = [("share", test.share_p, test.share), ("count", test.count_p, test.count)]
    shown = [(name, value) for name, p, value in pairs if p <= _ALPHA]
    least = min(test.share_p, test.count_p)
    if not shown:
        chance = min(2 * least, 1.0)
        return "not yet", (
            f"no evidence in the {planned} planned sessions ({_against(evidence)}): chance alone "
            f"does as much in {chance:.0%} of such studies."
        )
    return _claim(evidence, dict(shown), 1 / (2 * least))


def _crossed(evidence: Evidence) -> tuple[Kind, str]:
    wealth = evidence.wealth
    shares, counts = _rates(evidence)
    values = {"share": shares[0] - shares[1], "count": counts[0] - counts[1]}
    named = {
        name: values[name]
        for name, path in (("share", wealth.share), ("count", wealth.count))
        if first(path) is not None
    }
    return _claim(evidence, named or values, wealth.peak)


def _claim(evidence: Evidence, named: dict[str, float], chance: float) -> tuple[Kind, str]:
    """Name the measures that moved; `chance` is one in how many."""
    seen = f"this would be seen by chance less than once in {_rounded(chance)}"
    if min(named.values()) < 0 < max(named.values()):
        return (
            "unclear",
            f"the arms differ ({seen}), but the measures disagree: {_against(evidence)}.",
        )
    fell = min(named.values()) < 0
    said = _change(evidence, "fell" if fell else "rose", tuple(named))
    return ("better" if fell else "worse"), f"{said}; {seen}."


def _limits(evidence: Evidence) -> tuple[Kind, str] | None:
    """Say that there is no difference worth having, if the limits say so."""
    ruled, worth = _ruled_out(evidence), evidence.experiment.worth
    if ruled is None or not -worth <= ruled[1] <= ruled[2] <= worth:
        return None
    measure, *limits = ruled
    fall, rise = (f"{max(limit, 0):.0%}" for limit in (-limits[0], limits[1]))
    return "no difference", (
        f"no difference worth having: a fall of {measure} by more than {fall} or a rise by more "
        f"than {rise} is ruled out."
    )


def _ruled_out(evidence: Evidence) -> tuple[str, float, float] | None:
    """Give the measure of the narrower limits with these, relative to the control's rate."""
    shares, counts = _rates(evidence)
    found = [
        (name, sequence.low[-1] / usual, sequence.high[-1] / usual)
        for name, sequence, usual in (
            ("RMR", evidence.share_sequence, shares[1]),
            ("repeats per session", evidence.count_sequence, counts[1]),
        )
        if sequence and sequence.low and usual
    ]
    return min(found, key=lambda limits: limits[2] - limits[1], default=None)


def _not_yet(evidence: Evidence) -> str:
    ahead = evidence.forecast
    if ahead is None:
        return "no evidence yet, and too few sessions to say how many it takes."
    if ahead.basis == "supposed":
        return (
            f"no evidence yet: about {_more(ahead)} more sessions would tell if repeats fell by "
            f"{_part(ahead.reduction)}."
        )
    return (
        f"no evidence yet, about {_more(ahead)} more sessions would tell if the difference so far "
        f"is the true one ({_against(evidence)})."
    )


def _notes(evidence: Evidence, kind: Kind) -> Iterator[str]:
    yield from _left_out(evidence)
    if evidence.experiment.design == "before-after":
        yield from _WRONG_WITH_BEFORE_AFTER
    if kind in {"better", "worse", "no difference", "unclear", "not yet"}:
        yield from _beside(evidence, kind)
    if evidence.experiment.outside:
        names = ", ".join(evidence.experiment.outside)
        yield f"Outside the experiment, since they reach both arms (promoted or pinned): {names}."


def _left_out(evidence: Evidence) -> Iterator[str]:
    if evidence.unknown:
        yield f"{_sessions(evidence.unknown)} left out: the draw was not recorded."
    if evidence.chosen:
        yield f"{_sessions(evidence.chosen)} left out: the arm was chosen, not drawn."
    if evidence.beyond:
        yield f"{_sessions(evidence.beyond)} left out: they came after the planned ones."
    if evidence.unsettled:
        yield f"{_sessions(evidence.unsettled)} left out: the memory of errors was still filling."


def _beside(evidence: Evidence, kind: Kind) -> Iterator[str]:
    shares, counts = _rates(evidence)
    if kind in {"better", "worse"} and (shares[0] - shares[1]) * (counts[0] - counts[1]) < 0:
        yield (
            f"The measures disagree ({_against(evidence)}). RMR has all errors below its line, "
            "so it moves also when new errors become fewer or more."
        )
    wealth = evidence.wealth
    if wealth.crossed and not evidence.experiment.planned:
        yield (
            f"The e-value reached {THRESHOLD:.0f} after session {wealth.crossed}; its highest is "
            f"{_rounded(wealth.peak)}, and it stands at {_figure(wealth.now)} now."
        )
    ruled = _ruled_out(evidence)
    if kind == "not yet" and ruled and -1 < ruled[1] < 0:
        yield f"That {ruled[0]} is lower by more than {-ruled[1]:.0%} is ruled out already."


def _rates(evidence: Evidence) -> tuple[tuple[float, float], tuple[float, float]]:
    """Give (treated, control) of RMR and of repeats per session; 0.0 for what is undefined."""
    arms = evidence.treated, evidence.control
    shares, counts = ([a.rmr or 0.0 for a in arms], [a.repeats_per_session or 0.0 for a in arms])
    return (shares[0], shares[1]), (counts[0], counts[1])


def _change(evidence: Evidence, verb: str, named: tuple[str, ...] = ("count", "share")) -> str:
    shares, counts = _rates(evidence)
    said = {
        "count": f"repeats per session {verb} from {_figure(counts[1])} to {_figure(counts[0])}",
        "share": f"the share of errors met before {verb} from {shares[1]:.0%} to {shares[0]:.0%}",
    }
    return " and ".join(said[name] for name in ("count", "share") if name in named)


def _against(evidence: Evidence) -> str:
    shares, counts = _rates(evidence)
    return (
        f"with Memoria {_figure(counts[0])} repeats per session and {shares[0]:.0%} of the "
        f"errors met before, without {_figure(counts[1])} and {shares[1]:.0%}"
    )


def _figure(value: float) -> str:
    return f"{value:.2g}" if value < 100 else f"{value:,.0f}"  # noqa: PLR2004 - two digits


def _part(value: float) -> str:
    names = {0.5: "a half", 0.333: "a third", 0.25: "a quarter"}
    return names.get(round(value, 3), f"{value:.0%}")


def _more(ahead: Forecast) -> str:
    """Write a forecast as roughly as it is known: in tens, fifties, hundreds."""
    if ahead.more > _FAR:
        return f"{_FAR:,} or"
    unit = 10 if ahead.more <= 200 else 50 if ahead.more <= 1000 else 100  # noqa: PLR2004 - steps
    return f"{-(-ahead.more // unit) * unit:,}"


def _rounded(value: float) -> str:
    """Write a large number with two digits, never as more than it is."""
    if value >= 1e6:  # noqa: PLR2004 - nobody tells more from it
        return "a million"
    unit = 10 ** max(floor(log10(max(value, 1))) - 1, 0)
    return f"{int(value // unit * unit):,}"


def _sessions(count: int) -> str:
    return "1 session" if count == 1 else f"{count} sessions"


def _mistakes(count: int) -> str:
    return "1 error" if count == 1 else f"{count or 'no'} errors"
