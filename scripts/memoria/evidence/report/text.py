"""Write what experiments show for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.evidence.rates import rate
from memoria.evidence.report.tables import arms, beside, parts, tests
from memoria.text.unicode import strip_hidden

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memoria.capture.repeats import Unit
    from memoria.evidence.study import Studied

# characters of a rule's words beside its id
_WORDS = 80


def table(studied: Studied) -> str:
    """Give the table of both arms, and the session that is open."""
    return strip_hidden("\n".join(_table(studied)))


def _table(studied: Studied) -> Iterator[str]:
    header, rows = ("", *arms(studied.evidence).header[1:]), arms(studied.evidence).rows
    yield studied.experiment.summary
    for name, *values in zip(header, *rows, strict=True):
        yield f"  {name:<26}{values[0]:>12}{values[1]:>12}"
    if studied.open:
        yield (
            f"  Session {studied.open.session} is open ({studied.open.arm}, errors so far: "
            f"{studied.open_mistakes}); it counts once it has ended."
        )


def text(
    studied: Studied,
    texts: Mapping[str, str],
    backtest: str = "",
) -> str:
    """Give the report on a study; `texts` has the words of rules by id."""
    evidence = studied.evidence
    compared = tests(evidence).rows if evidence.has_both_arms else ()
    lines = [studied.conclusion.sentence, "", *_table(studied)]
    lines += _block("Both arms compared", (f"{row[0]}: {row[1]} ({row[2]})" for row in compared))
    lines += _block("By class of error and by project, both arms", _parts(studied.units))
    lines += _beside(studied.units, texts)
    notes = "\n  ".join(studied.notes)
    for rule in evidence.experiment.outside:
        notes = notes.replace(rule, _named(rule, texts))
    lines += _block("Notes", notes and [notes])
    lines += ["", f"Backtest, which is no evidence: {backtest}"] if backtest else []
    return strip_hidden("\n".join(lines))


def overall(
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


def _parts(units: Sequence[Unit]) -> list[str]:
    rows = parts(units).rows
    return [f"{row[0]}: {row[2]} of {row[1]} met before ({row[3]})" for row in rows]


def _beside(units: Sequence[Unit], texts: Mapping[str, str]) -> list[str]:
    rows = [
        f"{_named(rule, texts)}: {with_it} corrections per session with it ({sessions} sessions), "
        f"{without} without"
        for rule, with_it, sessions, without in beside(units)
    ]
    title = "Rules that go along with corrections (no cause: they are chosen where they fit)"
    return _block(title, rows)


def _named(name: str, texts: Mapping[str, str]) -> str:
    words = texts.get(name, "")
    cut = words if len(words) <= _WORDS else f"{words[:_WORDS]}..."
    return f"{name} ({cut})" if words else name
