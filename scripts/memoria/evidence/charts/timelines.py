"""Draw what changes over time: the rates of both arms, and the e-value after each session.

The e-value goes on an axis of powers of ten, where the same bet is the same step. Without a study
the rates are drawn of all sessions together, as facts that say nothing of Memoria. A few sessions
get no picture, since it would look like a result.
"""

from __future__ import annotations

from math import exp, inf, log10
from typing import TYPE_CHECKING

from memoria.evidence.charts.axis import moment, numbers, powers, shares
from memoria.evidence.charts.charts import Series, Spot, course, trend
from memoria.evidence.charts.figures import Figure, Key, between, limits, percent, rough
from memoria.evidence.e_values import THRESHOLD
from memoria.evidence.rates import over_time, rate
from memoria.text.numbers import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memoria.capture.repeats import Unit
    from memoria.evidence.charts.plot import Shape
    from memoria.evidence.cluster_intervals import Interval
    from memoria.evidence.figures import Evidence
    from memoria.evidence.rates import Point

    Arm = bool | None

# ln 10: the wealth is kept as natural logarithms, the axis shows powers of ten
_LN10 = 2.302585092994046
# below this a stake is lost; an axis down to 10^-12 would hide what is above 1
_LEAST_STAKE = 0.001
# rows of the e-value's table: more nobody reads
_LOOKS = 24
# sessions that two spans need (one alone is no course of time), and that a path of stakes needs
_SPANNED, _LOOKED = 20, 10
# the axis of repeats reaches so far above the highest point
_ROOM = 2.0
_ARMS: dict[Arm, tuple[str, Shape, str]] = {
    True: ("treated", "circle", "with Memoria"),
    False: ("control", "square", "without"),
    None: ("all", "triangle", "all sessions"),
}


def rates(units: Sequence[Unit]) -> Iterator[Figure]:
    """Draw repeats per session and RMR over time, by arm; nothing for a handful of sessions."""
    if len(units) < _SPANNED or not rate(units).mistakes:
        return
    points = over_time(units)
    yield _rate_figure(points, "repeats", "Repeats per session")
    yield _rate_figure(points, "rmr", "Share of errors met before (RMR)")


def _rate_figure(points: Sequence[Point], measure: str, title: str) -> Figure:
    share = measure == "rmr"
    arms = [arm for arm in (True, False, None) if any(point.treated is arm for point in points)]
    series = tuple(_series(points, arm, measure) for arm in arms)
    spots = [spot for one in series for spot in one.spots]
    # the interval of a few sessions can be so wide that a picture with all of it shows nothing else
    reach = _ROOM * max(spot.y for spot in spots) or inf
    tops = [min(spot.high or spot.y, reach) for spot in spots]
    name = "share of errors" if share else "repeats per session"
    short = "RMR" if share else "per session"
    y = shares(tops, name) if share else numbers(tops, name)
    # a single triangle needs no key
    keys = tuple(Key(*_named(arm)) for arm in arms) if len(arms) > 1 else ()
    header = ("sessions of", "arm", "sessions", "mistakes", "repeats", short, "95% interval")
    rows = tuple(_point_row(point, share=share) for point in points)
    spans = counted(len({point.since for point in points}), "span")
    says = f"{title} in {spans} of time. {_last(points, measure)}"
    note = "Each point is a span of about as many sessions; the bar is its 95% interval."
    if any(spot.high is not None and spot.high > y.high for spot in spots):
        note += " An arrow: it goes on above the picture, and the table has its end."
    return Figure(measure, title, says, *trend(series, y), header, rows, keys, note)


def _named(arm: Arm) -> tuple[str, str, Shape]:
    role, shape, label = _ARMS[arm]
    return role, label, shape


def _measured(point: Point, measure: str) -> tuple[float | None, Interval | None]:
    if measure == "rmr":
        return point.rate.rmr, point.rmr
    return point.rate.repeats_per_session, point.repeats


def _series(points: Sequence[Point], arm: Arm, measure: str) -> Series:
    spots = []
    for point in points:
        value, interval = _measured(point, measure)
        if point.treated is not arm or value is None:
            continue
        middle = (moment(point.since) + moment(point.until)) / 2
        tip = f"{_ARMS[arm][2]}, {_span(point)}: {_said(value, measure)}"
        low, high = (interval.low, interval.high) if interval else (None, None)
        spots.append(Spot(middle, value, low, high, tip))
    role, shape, _ = _ARMS[arm]
    return Series(role, shape, tuple(spots))


def _said(value: float | None, measure: str) -> str:
    return percent(value) if measure == "rmr" else rough(value)


def _span(point: Point) -> str:
    return between(point.since.date(), point.until.date())


def _last(points: Sequence[Point], measure: str) -> str:
    latest = [point for point in points if point.since == points[-1].since]
    parts = [
        f"{_ARMS[point.treated][2]} {_said(_measured(point, measure)[0], measure)}"
        for point in latest
    ]
    return f"In the latest: {', '.join(parts)}."


def _point_row(point: Point, *, share: bool) -> tuple[str, ...]:
    measure = "rmr" if share else "repeats"
    value, interval = _measured(point, measure)
    summed = point.rate
    return (
        _span(point),
        _ARMS[point.treated][2],
        f"{summed.sessions:,}",
        f"{summed.mistakes:,}",
        f"{summed.repeats:,}",
        _said(value, measure),
        limits(interval, share=share),
    )


# -- The e-value ----------------------------------------------------------------------------------


def stake(evidence: Evidence) -> Iterator[Figure]:
    """Draw the e-value after each session, where a coin fell and there is more than one."""
    wealth = evidence.wealth
    if len(wealth.total) < _LOOKED:
        return
    floor = log10(_LEAST_STAKE)
    path = [max(one / _LN10, floor) for one in wealth.total]
    needed = log10(THRESHOLD)
    y = powers([*path, needed, 0.0], "e-value (each line ten times the one below)")
    lines = [(needed, f"{THRESHOLD:.0f}: enough", "limit")]
    lines += [(0.0, "", "even")] if y.low else []
    noted = [(len(path), f"now {stated(wealth.now)}")]
    if wealth.crossed and wealth.crossed < len(path):
        noted.insert(0, (wealth.crossed, f"session {wealth.crossed}"))
    reached = (
        f"It reached {THRESHOLD:.0f} after session {wealth.crossed}"
        if wealth.crossed
        else f"It has not reached {THRESHOLD:.0f}"
    )
    says = (
        f"The e-value after each of {len(path)} sessions. {reached}; its highest is "
        f"{stated(wealth.peak)}, now it is {stated(wealth.now)}."
    )
    yield Figure(
        "stake",
        "The evidence, session by session",
        says,
        *course(path, y, lines, noted),
        ("after session", "e-value"),
        tuple((f"{n:,}", stated(exp(min(wealth.total[n - 1], 700.0)))) for n in _looks(evidence)),
        note=(
            f"If Memoria did nothing, this would ever reach {THRESHOLD:.0f} in at most one of "
            f"{THRESHOLD:.0f} studies, however often one looks."
        ),
    )


def _looks(evidence: Evidence) -> list[int]:
    """Choose the sessions of the table: even steps, the crossing, the peak and the last one."""
    total = evidence.wealth.total
    count = len(total)
    step = max(-(-count // _LOOKS), 1)
    peak = max(range(count), key=lambda at: total[at]) + 1
    crossed = [evidence.wealth.crossed] if evidence.wealth.crossed else []
    return sorted({*range(step, count + 1, step), peak, count, *crossed})


def stated(value: float) -> str:
    """Write an e-value; one beyond a million, or a stake that is all but lost, is told as that."""
    if value > 1e6:  # noqa: PLR2004 - as the verdict says
        return "over a million"
    return f"under {_LEAST_STAKE}" if value < _LEAST_STAKE else rough(value)
