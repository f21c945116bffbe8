"""Draw what changes over time: the rates of both arms, and the e-value after each session.

The sentence and the table of a figure come from the same values as its drawing, so that they cannot
differ. A few sessions get no picture, since it would look like a result.
"""

from __future__ import annotations

from math import exp, inf, log, log10
from typing import TYPE_CHECKING, NamedTuple

from memoria.evidence.e_values import THRESHOLD
from memoria.evidence.rates import over_time, rate
from memoria.evidence.report.chart import Chart, Shape, Spot, numbers, powers, shares, symbol
from memoria.evidence.report.words import between, day, limits, percent, rough, stake
from memoria.text.numbers import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memoria.capture.repeats import Unit
    from memoria.evidence.figures import Evidence
    from memoria.evidence.rates import Point

# below this a stake is lost; an axis down to 10^-12 would hide what is above 1
_LEAST_STAKE = 0.001
# rows of the e-value's table: more nobody reads
_LOOKS = 24
# sessions that two spans need (one alone is no course of time), and that a path of stakes needs
_SPANNED, _LOOKED = 20, 10
# the axis of repeats reaches so far above the highest point
_ROOM = 2.0
_APART = 8.0  # pixels between the symbols of both arms at one place
_ARMS: dict[bool, tuple[str, Shape, str]] = {
    True: ("treated", "circle", "with Memoria"),
    False: ("control", "square", "without"),
}


class Figure(NamedTuple):
    """A picture of the report; `name` is its id in the page and no text of a vault.

    `says` tells in words what is to be seen, `header` and `rows` are the table behind it, `keys`
    say what its symbols stand for: role, path of the symbol in a box of 16 pixels, words.
    """

    name: str
    title: str
    says: str
    chart: Chart
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    keys: tuple[tuple[str, str, str], ...] = ()
    note: str = ""


def rates(units: Sequence[Unit]) -> Iterator[Figure]:
    """Draw repeats per session and RMR over time, by arm; nothing for a handful of sessions."""
    if len(units) < _SPANNED or not rate(units).mistakes:
        return
    points = over_time(units)
    yield _rate_figure(points, "Repeats per session", is_share=False)
    yield _rate_figure(points, "Share of errors met before (RMR)", is_share=True)


def _rate_figure(points: Sequence[Point], title: str, *, is_share: bool) -> Figure:
    starts = list(dict.fromkeys(point.since for point in points))
    places = {since: (at + 0.5) / len(starts) for at, since in enumerate(starts)}
    known = [point for point in points if not is_share or point.rate.mistakes]
    spots = [
        (point.treated, _spot(point, places[point.since], is_share=is_share)) for point in known
    ]
    # the interval of a few sessions can be so wide that a picture with all of it shows nothing else
    reach = _ROOM * max(spot.y for _, spot in spots) or inf
    tops = [min(spot.high or spot.y, reach) for _, spot in spots]
    y = shares(tops, "share of errors") if is_share else numbers(tops, "repeats per session")
    ticks = tuple((place, day(since)) for since, place in places.items())
    chart = Chart(ticks, "first session of each span", y)
    for arm, (role, shape, _) in _ARMS.items():
        mine = [spot for treated, spot in spots if treated is arm]
        chart.line(mine, role, _APART * (0.5 - arm))
        for spot in mine:
            chart.mark(shape, spot, role, _APART * (0.5 - arm))
    last = [point for point in points if point.since == starts[-1]]
    latest = ", ".join(f"{_ARMS[p.treated][2]} {_said(p, is_share=is_share)[0]}" for p in last)
    note = "Each point is a span of about as many sessions; the bar is its 95% interval."
    if any(spot.high is not None and spot.high > y.high for _, spot in spots):
        note += " An arrow: it goes on above the picture, and the table has its end."
    counts = ("sessions of", "arm", "sessions", "mistakes", "repeats")
    return Figure(
        "rmr" if is_share else "repeats",
        title,
        f"{title} in {counted(len(starts), 'span')} of time. In the latest: {latest}.",
        chart,
        (*counts, "RMR" if is_share else "per session", "95% interval"),
        tuple(_row(point, is_share=is_share) for point in points),
        tuple((role, symbol(shape, 8, 8), label) for role, shape, label in _ARMS.values()),
        note,
    )


def _spot(point: Point, place: float, *, is_share: bool) -> Spot:
    value = point.rate.rmr if is_share else point.rate.repeats_per_session
    interval = point.rmr if is_share else point.repeats
    low, high = (interval.low, interval.high) if interval else (None, None)
    tip = f"{_ARMS[point.treated][2]}, {_span(point)}: {_said(point, is_share=is_share)[0]}"
    return Spot(place, value or 0.0, low, high, tip)


def _said(point: Point, *, is_share: bool) -> tuple[str, str]:
    """Write the value of a point, and its interval."""
    if is_share:
        return percent(point.rate.rmr), limits(point.rmr, share=True)
    return rough(point.rate.repeats_per_session), limits(point.repeats)


def _span(point: Point) -> str:
    return between(point.since.date(), point.until.date())


def _row(point: Point, *, is_share: bool) -> tuple[str, ...]:
    total = point.rate
    counts = (f"{n:,}" for n in (total.sessions, total.mistakes, total.repeats))
    return _span(point), _ARMS[point.treated][2], *counts, *_said(point, is_share=is_share)


def stakes(evidence: Evidence) -> Iterator[Figure]:
    """Draw the e-value after each session, where a coin fell and there are some of them."""
    wealth = evidence.wealth
    count = len(wealth.total)
    if count < _LOOKED:
        return
    # the wealth is kept as natural logarithms, the axis shows powers of ten
    path = [max(value / log(10), log10(_LEAST_STAKE)) for value in wealth.total]
    needed, step = log10(THRESHOLD), max(round(count / 6), 1)
    y = powers([*path, needed, 0.0], "e-value (each line ten times the one below)")
    ticks = tuple((n / count, f"{n:,}") for n in range(step, count + 1, step))
    chart = Chart(ticks, "sessions, in their order", y)
    chart.level(needed, "limit", f"{THRESHOLD:.0f}: enough")
    chart.line([Spot(n / count, value) for n, value in enumerate(path, 1)], "path")
    noted = {count: f"now {stake(wealth.now)}"}
    reached = f"It has not reached {THRESHOLD:.0f}"
    if wealth.crossed:
        reached = f"It reached {THRESHOLD:.0f} after session {wealth.crossed}"
        noted.setdefault(wealth.crossed, f"session {wealth.crossed}")
    for session, label in noted.items():
        spot = Spot(session / count, path[session - 1], tip=label)
        chart.mark("diamond", spot, "path")
        chart.note(spot, "path")
    yield Figure(
        "stake",
        "The evidence, session by session",
        f"The e-value after each of {count} sessions. {reached}; its highest is "
        f"{stake(wealth.peak)}, now it is {stake(wealth.now)}.",
        chart,
        ("after session", "e-value"),
        tuple((f"{n:,}", stake(exp(min(wealth.total[n - 1], 700.0)))) for n in _looks(evidence)),
        note=f"If Memoria did nothing, this would ever reach {THRESHOLD:.0f} in at most one of "
        f"{THRESHOLD:.0f} studies, however often one looks.",
    )


def _looks(evidence: Evidence) -> list[int]:
    """Choose the sessions of the table: even steps, the crossing, the peak and the last one."""
    total = evidence.wealth.total
    count, step = len(total), -(-len(total) // _LOOKS)
    peak = max(range(count), key=lambda at: total[at]) + 1
    crossed = [evidence.wealth.crossed] if evidence.wealth.crossed else []
    return sorted({*range(step, count + 1, step), peak, count, *crossed})
