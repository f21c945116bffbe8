"""Choose from the rules of a vault those that wait for a person, strongest first, and show them.

A note can call itself active, because a pull, a sync client or a model wrote so; such a rule waits
like any other, and says why.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from memoria.rules.guards.judge import refused
from memoria.rules.guards.switch_store import told
from memoria.rules.model import CONFIDENCES, is_in_force, normal, text_hash
from memoria.vault.citations import quote
from memoria.vault.entry import Statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memoria.rules.merge.groups import Merging
    from memoria.rules.model import Rule

Why = Literal[
    "undecided",  # the user said it, nobody has decided
    "request",  # its note says active, this machine knows of no approval
    "changed",  # it was approved here in other words
    "found",  # it has no note yet
    "review",  # likewise, out of a code review that others wrote
    "import",  # likewise, out of a buildlog
    "colleague",  # likewise, of members of the team
    "proposed",  # it is in force, and an agent proposes to reject it
    "guard",  # it is in force, and has a check that stands no guard yet
]
IN_FORCE = frozenset({"proposed", "guard"})
_NOTHING: Mapping[str, str] = MappingProxyType({})
# an entry that a person writes, or a review's: DATE-SLUG
_WRITTEN = re.compile(r"daily/\d{4}-\d{2}-\d{2}-[^/]+")
_OF_OTHERS = re.compile(r"daily/\d{4}-\d{2}-\d{2}-(?P<how>review|import)-[^/]+")
# what says that it lasts, in the languages that most rules are in
_LASTS = re.compile(
    r"\b(?:always|never|ever|every|each time|whenever|from now on|in (?:the )?future|going forward"
    r"|immer|nie(?:mals)?|ab jetzt|siempre|nunca|toujours|jamais|sempre)\b",
    re.IGNORECASE,
)
# of one group: more wordings of a rule than a person compares
_CROWD = 8
# of each, on a card: what a person takes in at a glance
_QUOTES, NEAR = 3, 4
_SHOWN = 160  # characters of a near rule or a listed one


@dataclass(frozen=True, slots=True)
class Case:
    """A rule that waits: `why`, whether its words are the user's `own`, and whether they last.

    `proposed` is what an agent asks to be done to it (rules/proposal_records.py), "" for nothing.
    """

    rule: Rule
    why: Why
    own: bool
    standing: bool
    proposed: str = ""

    @property
    def waits(self) -> bool:
        """Whether the rule waits, and is not one in force about which something is proposed."""
        return self.why not in IN_FORCE

    @property
    def again(self) -> bool:
        """Whether it was said in more than one session."""
        return self.rule.frequency > 1

    @property
    def note(self) -> str:
        """Say in a line why a person is asked."""
        asked = f"an agent proposes to {self.proposed} it" if self.proposed else ""
        return "; ".join(filter(None, (_NOTES.get(self.why) or self._unsure(), asked)))

    def _unsure(self) -> str:
        """Say what keeps a statement from being in force by itself."""
        if not self.own:
            return "waits: the words are not quite yours"
        if not self.standing:
            times = self.rule.frequency
            sessions = "one session" if times == 1 else f"{times} sessions"
            return f"waits: said in {sessions}, and not that it lasts"
        return "waits: it may be meant for that moment, or for the product"


_NOTES: Mapping[Why, str] = {
    "request": "active in its note, approved by whom is not known: confirm?",
    "changed": "its words were changed since it was approved here: confirm?",
    "review": "out of a code review: written by others",
    "import": "out of a buildlog: who wrote it is not known",
    "colleague": "a rule of colleagues",
    "proposed": "active",
    "guard": "active; it could have a guard: g switches that on, s leaves it",
}


@dataclass(frozen=True, slots=True)
class Near:
    """Another wording that is near to a rule's: it says the same, nearly the same, the opposite.

    `why` is the veto that keeps the two apart, "" for none; `similarity` is from 0 to 1.
    """

    text: str
    how: Literal["same", "near", "opposite"]
    why: str = ""
    similarity: float = 1.0


def neighbours(texts: Sequence[str], merged: Merging) -> dict[str, list[Near]]:
    """Give what is near to each text that has such, by its normal words."""
    pairs: list[tuple[int, int, Literal["same", "near", "opposite"], str, float]] = [
        *((pair.index, pair.other, "opposite", "", 1.0) for pair in merged.opposites),
        *(
            (one, other, "same", "", 1.0)
            for group in merged.groups
            for one, other in combinations(tuple(group)[:_CROWD], 2)
        ),
        *((pair.index, pair.other, "near", pair.veto, pair.similarity) for pair in merged.vetoed),
    ]
    nears: dict[str, list[Near]] = {}
    for one, other, how, why, similarity in pairs:
        for at, near in ((one, other), (other, one)):
            near_one = Near(texts[near], how, why, similarity)
            nears.setdefault(normal(texts[at]), []).append(near_one)
    return nears


def named(rules: Iterable[Rule]) -> dict[str, Rule]:
    """Give the rules by the normal words of their texts and other wordings, the first of each."""
    by_words: dict[str, Rule] = {}
    for rule in rules:
        for text in (rule.text, *rule.aliases):
            by_words.setdefault(normal(text), rule)
    return by_words


def docket(
    rules: Iterable[Rule],
    approvals: Mapping[str, str],
    others: Iterable[Rule] = (),
    proposed: Mapping[str, str] = _NOTHING,
) -> tuple[Case, ...]:
    """Give the rules that wait, the strongest first.

    `proposed` is what agents ask to be done, by the id of the rule: one that would not wait waits
    for that. `others` have no note: those wait that a person wrote into an entry, or that a review
    or an import brought; what an engine wrote down is knowledge, however often it was seen.
    """
    reasons = waiting_reasons(rules, approvals, others, proposed)
    cases = (_case(rule, why, proposed.get(rule.id, "")) for rule, why in reasons)
    return tuple(sorted(cases, key=_rank))


def waiting_reasons(
    rules: Iterable[Rule],
    approvals: Mapping[str, str],
    others: Iterable[Rule] = (),
    proposed: Mapping[str, str] = _NOTHING,
) -> list[tuple[Rule, Why]]:
    """Give the rules of a docket with why each waits: all that a count of them needs."""
    noted = {rule.id: rule for rule in rules}
    reasons = [(rule, _waits(rule, approvals, proposed)) for rule in noted.values()]
    unnoted = [rule for rule in others if rule.id not in noted]
    reasons += [
        (rule, _source(rule) or ("found" if rule.id in proposed else None)) for rule in unnoted
    ]
    return [(rule, why) for rule, why in reasons if why]


def obstacle(rule: Rule, approvals: Mapping[str, str], *, merged_into: str = "") -> str:
    """Say why a rule is not in force on this machine, "" where it is."""
    if is_in_force(rule, approvals):
        return ""
    if merged_into:
        return f"it became part of {merged_into}"
    if rule.superseded_by:
        return f"{rule.superseded_by} overruled it"
    if rule.status in {"rejected", "retired"}:
        return f"it was {rule.status}"
    if rule.status == "waiting":
        return "it waits for a decision: `memoria review`"
    reason = _NOTES["changed" if rule.id in approvals else "request"].removesuffix(": confirm?")
    return f"{reason}; `memoria review` confirms it"


def unguarded(
    rules: Iterable[Rule], approvals: Mapping[str, str], decided: Iterable[str]
) -> list[Case]:
    """Give the rules in force that could stand guard; `decided` are ids with a switch already."""
    known = set(decided)
    return [
        _case(rule, "guard")
        for rule in rules
        if rule.check and rule.id not in known
        if is_in_force(rule, approvals) and not refused(rule.check)
    ]


def _waits(rule: Rule, approvals: Mapping[str, str], proposed: Mapping[str, str]) -> Why | None:
    if is_in_force(rule, approvals):
        return "proposed" if proposed.get(rule.id) == "reject" else None
    if rule.superseded_by or rule.status not in {"waiting", "active"}:
        return None
    if rule.status == "waiting":
        return "undecided"
    given = approvals.get(rule.id)
    return "changed" if given and given != text_hash(rule.text) else "request"


def _source(rule: Rule) -> Why | None:
    """Say by whom a rule without a note is, where that is a reason to ask."""
    names = [source.removesuffix(".md") for source in rule.sources]
    if any(name.startswith("team/") for name in names):
        return "colleague"
    brought = {match["how"] for name in names if (match := _OF_OTHERS.fullmatch(name))}
    if any(_WRITTEN.fullmatch(name) and not _OF_OTHERS.fullmatch(name) for name in names):
        return "found"
    return ("review" if "review" in brought else "import") if brought else None


def _case(rule: Rule, why: Why, proposed: str = "") -> Case:
    quotes = [quote(line).words for line in rule.quotes]
    # a rule's evidence is the user's in a note of a statement, and in an entry of theirs: what an
    # engine wrote down for an entry is quoted, too, and is not
    is_said = rule.path or any(
        _WRITTEN.fullmatch(name.removesuffix(".md")) for name in rule.sources
    )
    own = why not in {"review", "import", "colleague"} and any(_own(rule, one) for one in quotes)
    # by its words alone: to weigh them anew, as capture does, costs as much as all else of a review
    standing = any(map(_LASTS.search, (rule.text, *quotes)))
    return Case(rule, why, own and bool(is_said), standing, proposed)


def _own(rule: Rule, words: str) -> bool:
    # what reads sentences costs a verb more than all else, and most ask about no rule that waits
    from memoria.rules.stated_rules import in_own_words  # noqa: PLC0415 - as above

    return in_own_words(Statement(rule.text, words, rule.category, standing=False, score=0.0))


def _rank(case: Case) -> tuple[int, int, bool, bool, str, str]:
    rule = case.rule
    sure = CONFIDENCES.index(rule.confidence)
    return -rule.frequency, -sure, not case.own, not case.standing, normal(rule.text), rule.id


# -- What a person is shown -----------------------------------------------------------------------


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
    it. The texts come from notes
    that anybody may have written, so the edge that prints them takes codes out.
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
