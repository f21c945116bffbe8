"""Write what experiments show: for the terminal, and as the data that `--json` prints.

Keys of the data may be added and never renamed. JSON has no word for "not defined" but null, so a
rate over nothing is null and never 0; an empty table looks like a result, so the text has no row
for what is not defined.
"""

from __future__ import annotations

from dataclasses import asdict, is_dataclass
from datetime import date
from math import isfinite
from typing import TYPE_CHECKING, Any

from memoria.evidence.e_values import THRESHOLD
from memoria.evidence.rates import beside_rules, by_class, by_project, rate
from memoria.evidence.verdict import Evidence, figure, rounded
from memoria.text.unicode import strip_hidden

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memoria.capture.repeats import Unit
    from memoria.evidence.experiment import Experiment
    from memoria.evidence.study import Studied

# rows of a list of the text (the data has all), and characters of a rule's words beside its id
_MOST, _WORDS = 8, 80
_DIGITS = 12  # of a figure: the last of the sixteen differ from processor to processor
# what is given of each kind of value: its attributes, and "key=path" where the key is another word
_RATE = "sessions mistakes repeats rmr repeats_per_session mistakes_per_session"
_VERDICT = "kind sentence notes"
_EXPERIMENT = "id project design error_class p started switched ended running=is_running"
_COUNTS = (
    "treated=evidence.treated.sessions control=evidence.control.sessions waiting "
    "no_coin=evidence.unknown chosen=evidence.chosen unsettled=evidence.unsettled"
)
_E_VALUE = "now=wealth.now peak=wealth.peak reached_after=wealth.crossed anytime_p"


# -- Data ------------------------------------------------------------------------------------------


def plain(value: Any) -> Any:  # noqa: ANN401 - any value that a figure has
    """Turn a value into what JSON can hold; a number that is none becomes None."""
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}") if isfinite(value) else None
    if isinstance(value, date):
        return value.isoformat()
    if hasattr(value, "_asdict") or is_dataclass(value):
        fields = value._asdict() if hasattr(value, "_asdict") else asdict(value)
        return {name: plain(part) for name, part in fields.items()}
    return [plain(part) for part in value] if isinstance(value, tuple | list) else value


def picked(value: object, keys: str) -> dict[str, Any]:
    """Give the named attributes of a value, in the order of the keys; None for one it lacks."""
    chosen = {}
    for key in keys.split():
        name, _, path = key.partition("=")
        part: Any = value
        for attribute in (path or name).split("."):
            part = getattr(part, attribute, None)
        chosen[name] = plain(part)
    return chosen


def experiment_json(experiment: Experiment) -> dict[str, Any]:
    """Give an experiment as it was started."""
    return picked(experiment, _EXPERIMENT) | {
        "project": experiment.project or None,
        "error_class": experiment.error_class or None,
    }


def session_counts(studied: Studied) -> dict[str, Any]:
    """Give the sessions by arm, with those that are left out."""
    return picked(studied, _COUNTS) | {"waiting": len(studied.waiting)}


def open_session(studied: Studied) -> dict[str, Any] | None:
    """Give the session that a person is tracking, None for none."""
    if studied.open is None:
        return None
    return picked(studied.open, "session arm began") | {"mistakes": studied.open_mistakes}


def metrics_json(studied: Studied) -> dict[str, Any]:
    """Give the rates alone: by arm, class, project, and beside rules."""
    units, evidence = studied.units, studied.evidence
    return {
        "experiment": experiment_json(studied.experiment),
        "sessions": session_counts(studied),
        "arms": _rates({"treated": evidence.treated, "control": evidence.control}),
        **_parts_json(units),
        "open_session": open_session(studied),
    }


def _rates(rates: Mapping[str, object]) -> dict[str, Any]:
    return {name: picked(rate, _RATE) for name, rate in rates.items()}


def _parts_json(units: Sequence[Unit]) -> dict[str, Any]:
    return {
        "by_class": _rates(by_class(units)),
        "by_project": _rates(by_project(units)),
        "with_corrections": [
            {"rule": row.rule, **_rates({"with": row.with_it, "without": row.without})}
            for row in beside_rules(units, "correction")
        ],
    }


def overall_json(units: Sequence[Unit], by_hand: int, studies: Sequence[Studied]) -> dict[str, Any]:
    """Give the rates of all sessions, and each experiment's verdict and arms."""
    return {
        "sessions": picked(rate(units), _RATE) | {"tracked_by_hand": by_hand},
        **_parts_json(units),
        "experiments": [
            metrics_json(studied) | {"verdict": picked(studied.conclusion, _VERDICT)}
            for studied in studies
        ],
    }


def study_json(studied: Studied, outside: Mapping[str, str]) -> dict[str, Any]:
    """Give everything that is known; `outside` are rules of both arms, id: text."""
    evidence = studied.evidence
    is_coin = studied.experiment.design == "chance"
    return {
        "verdict": picked(studied.conclusion, _VERDICT) | {"notes": list(studied.notes)},
        **metrics_json(studied),
        "relative_reduction": plain(evidence.relative_reduction),
        "intervals": picked(evidence, "rmr=share"),
        # without a coin an e-value of 1 would look like a result
        "tests": {
            "e_value": picked(evidence, _E_VALUE) | {"threshold": THRESHOLD} if is_coin else None,
            "classical": plain(evidence.classical),
        },
        "outside": dict(outside),
    }


ARMS = {"treated": "with Memoria", "control": "without"}
_ROWS = ("sessions", "mistakes", "repeats")


# -- Text ------------------------------------------------------------------------------------------


def arms_text(studied: Studied) -> str:
    """Give the table of both arms, and the session that is open."""
    return strip_hidden("\n".join(_arms(studied)))


def _arms(studied: Studied) -> Iterator[str]:
    sides = studied.evidence.treated, studied.evidence.control
    shares = ("-" if side.rmr is None else f"{side.rmr:.0%}" for side in sides)
    yield studied.experiment.summary
    for name, treated, control in (
        ("", "with Memoria", "without"),
        *(
            (name, *(f"{count:,}" for count in counts))
            for name, *counts in zip(_ROWS, *sides, strict=True)
        ),
        ("share that repeats (RMR)", *shares),
        ("repeats per session", *(figure(side.repeats_per_session) for side in sides)),
        ("errors per session", *(figure(side.mistakes_per_session) for side in sides)),
    ):
        yield f"  {name:<26}{treated:>12}{control:>12}"
    if studied.open:
        yield (
            f"  Session {studied.open.session} is open ({ARMS[studied.open.arm]}, errors so far: "
            f"{studied.open_mistakes}); it counts once it has ended."
        )


def study_text(studied: Studied, texts: Mapping[str, str]) -> str:
    """Give the report on a study; `texts` has the words of rules by id."""
    evidence = studied.evidence
    compared = _compared(evidence) if evidence.has_both_arms else ()
    lines = [studied.conclusion.sentence, "", *_arms(studied)]
    lines += _block("Both arms compared", compared)
    lines += _block("By class of error and by project, both arms", _parts(studied.units))
    lines += _beside(studied.units, texts)
    notes = "\n  ".join(studied.notes)
    for rule in evidence.experiment.outside:
        notes = notes.replace(rule, _named(rule, texts))
    lines += _block("Notes", notes and [notes])
    return strip_hidden("\n".join(lines))


def overall_text(
    units: Sequence[Unit], by_hand: int, studies: Sequence[Studied], texts: Mapping[str, str]
) -> str:
    """Give the report on all sessions and experiments."""
    total = rate(units)
    lines = ["No session was captured or tracked yet."]
    if total.sessions:
        share = "" if total.rmr is None else f" ({total.rmr:.0%})"
        again = f"{total.mistakes:,} errors, {total.repeats:,} of them met before{share}."
        lines = [f"{total.sessions:,} sessions, {by_hand} of them tracked by hand: {again}"]
    lines += [f"  {line}" for line in _parts(units)]
    for study in studies:
        lines += ["", study.experiment.summary, f"  {study.conclusion.sentence}"]
    if not studies:
        lines += ["", "No experiment was made: `memoria experiment start` starts one."]
    return strip_hidden("\n".join([*lines, *_beside(units, texts)]))


def _block(title: str, rows: Iterable[str]) -> list[str]:
    """Give rows below their title, nothing without rows."""
    indented = [f"  {row}".rstrip() for row in rows]
    return ["", f"{title}:", *indented] if indented else []


def _compared(evidence: Evidence) -> Iterator[str]:
    """Give the figures beside the verdict: name, value, what it means."""
    if share := evidence.share:
        low, mid, high = (f"{100 * n:+.0f}" for n in (share.low, share.estimate, share.high))
        yield (
            f"difference of RMR: {mid} points ({low} to {high}) (with minus without; 95% "
            "interval for one look)"
        )
    if (fall := evidence.relative_reduction) is not None:
        yield f"relative reduction of RMR: {fall:.0%} (the effect size that buildlog prints)"
    if evidence.wealth.total:
        e_value = (
            f"{rounded(evidence.wealth.peak)} at its highest, {_chance(evidence.anytime_p, '≤')}"
        )
        yield f"e-value: {e_value} (holds however often one looked)"
    else:
        yield "test: none (chance chose no session, so there is none to compute with)"
    if seed := evidence.classical:
        z = f"z = {seed.z:+.2g}, {_chance(seed.p)}; χ² = {seed.chi_squared:.2f}"
        yield f"two-proportion z and chi-squared: {z} ({seed.note})"


def _chance(p: float, sign: str = "=") -> str:
    """Write a p-value with its sign, as papers do."""
    if p < 0.001:  # noqa: PLR2004 - the last that papers tell apart
        return "p < .001"
    return f"p {sign} {p:.3f}".replace(" 0.", " .")


def _parts(units: Sequence[Unit]) -> Iterator[str]:
    """Give the rates by class of error and by project, over all sessions of a study."""
    projects = by_project(units)
    tables = [*by_class(units).items()][:_MOST], [*projects.items()][:_MOST]
    for word, rows in zip(("class", "project"), tables, strict=True):
        for name, total in rows if word == "class" or len(projects) > 1 else ():
            share = "-" if total.rmr is None else f"{total.rmr:.0%}"
            yield f"{word} {name}: {total.repeats:,} of {total.mistakes:,} met before ({share})"


def _beside(units: Sequence[Unit], texts: Mapping[str, str]) -> list[str]:
    """Give the rules that go along with corrections, as the seed's report names them."""
    rows = [row for row in beside_rules(units, "correction") if row.with_it.mistakes][:_MOST]
    return _block(
        "Rules that go along with corrections (no cause: they are chosen where they fit)",
        (
            f"{_named(row.rule, texts)}: {figure(row.with_it.mistakes_per_session)} corrections "
            f"per session with it ({row.with_it.sessions:,} sessions), "
            f"{figure(row.without.mistakes_per_session)} without"
            for row in rows
        ),
    )


def _named(name: str, texts: Mapping[str, str]) -> str:
    words = texts.get(name, "")
    cut = words if len(words) <= _WORDS else f"{words[:_WORDS]}..."
    return f"{name} ({cut})" if words else name
