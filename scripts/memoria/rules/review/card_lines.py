"""Show a rule that waits, with what is near to it, in lines for a person.

What a person needs to decide in a few seconds: the words, how often and where they were said and by
whom, why it waits, and the rules beside it that say the same or the opposite. The texts come from
notes that anybody may have written, so the edge that prints them takes codes out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.rules.guards.switches import told
from memoria.vault.citations import quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memoria.rules.model import Rule
    from memoria.rules.review.waiting import Case, Near

# of each: what a person takes in at a glance
_QUOTES, NEAR = 3, 4
_SHOWN = 160  # characters of a near rule or a listed one


@dataclass(frozen=True, slots=True)
class Beside:
    """Another rule that is near to one, and whether it is in force on this machine."""

    near: Near
    rule: Rule
    in_force: bool


def card(
    case: Case, place: str, nears: Sequence[Beside], origins: Sequence[str] = (), turn: str = ""
) -> Iterator[tuple[str, str]]:
    """Give the lines that show a rule, each with its style; `place` says how many there are.

    `origins` say what is to be known of where its evidence comes from, `turn` what was said around
    it.
    """
    rule = case.rule
    yield "", ""
    yield "dim", f"{place}  {rule.id}"
    yield "bold", rule.text
    yield "", f"  {state(case)}"
    where = " and ".join(rule.scope) or "every project"
    yield "dim", f"  in {where}; {', '.join(rule.sources) or 'no source'}"
    if case.note:
        yield "yellow", f"  {case.note}"
    if rule.check:
        yield "cyan", f"  guard: {' '.join(told(rule.check))}"
    elif rule.check_error:
        yield "yellow", f"  {rule.check_error}"
    for line in rule.quotes[:_QUOTES]:
        yield "", f"  {quoted(line)}"
    if len(rule.quotes) > _QUOTES:
        yield "dim", f"  and {len(rule.quotes) - _QUOTES} more: `memoria why {rule.id}`"
    if turn:
        yield "dim", f"  said in: {turn}"
    for line in origins:
        yield "yellow", f"  {line}"
    for one in nears[:NEAR]:
        yield "red" if one.near.how == "opposite" else "dim", f"  {beside(one)}"


def state(case: Case) -> str:
    """Say what a rule is, how often it was seen, and whose words it has."""
    rule = case.rule
    times = "once" if rule.frequency == 1 else f"{rule.frequency}x"
    parts = [rule.category, f"seen {times}", f"{rule.confidence} confidence"]
    parts += ["your words"] * case.own + ["says that it lasts"] * case.standing
    if case.why in {"found", "review", "import"}:
        parts.append("no note yet")
    elif rule.status != "waiting":
        parts.append(f"its note says {rule.status}")
    return ", ".join(parts)


def quoted(line: str) -> str:
    """Give a line of evidence: the words, and where they stand."""
    found = quote(line)
    where = found.link or found.where
    return f'"{found.words}" ({where})' if where else f'"{found.words}"'


def beside(one: Beside) -> str:
    """Say how another rule is near, and how it stands."""
    near, other = one.near, one.rule
    stands = "active" if one.in_force else other.status
    why = f", kept apart by {near.why}" if near.why and near.how == "near" else ""
    return f"{near.how}: {other.id} {cut(other.text)} ({stands}{why})"


def cut(text: str) -> str:
    """Shorten a rule's text to what fits a line or two."""
    return text if len(text) <= _SHOWN else text[:_SHOWN].rsplit(" ", 1)[0] + " …"
