"""The rules of a vault with this machine's approvals -> those that wait for a person, in order.

The strongest come first: seen most often, then the surest, then those in the user's own words, then
those that say of themselves that they last; so a person who has a minute decides about what counts.
The trap: a note can call itself active, because a pull, a sync client or a model wrote so; such a
rule waits like any other, and says why.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from memoria.rules.guards.judge import refused
from memoria.rules.model import is_in_force, normal, text_hash
from memoria.vault.citations import quote
from memoria.vault.entry import Statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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
_CONFIDENCE = ("low", "medium", "high")
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


@dataclass(frozen=True, slots=True)
class Case:
    """A rule that waits: `why`, whether its words are the user's `own`, and whether they last.

    `proposed` is what an agent asks to be done to it (rules/proposals.py), "" for nothing.
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
    def note(self) -> str:
        """Say in a line why a person is asked."""
        asked = f"an agent proposes to {self.proposed} it" if self.proposed else ""
        return "; ".join(filter(None, (_NOTES[self.why] or self._unsure(), asked)))

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
    "undecided": "",
    "request": "active in its note, approved by whom is not known: confirm?",
    "changed": "its words were changed since it was approved here: confirm?",
    "found": "",
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


def neighbours(texts: Sequence[str], merged: Merging) -> dict[str, tuple[Near, ...]]:
    """Give what is near to each text that has such, by its normal words."""
    found: dict[str, list[Near]] = {}

    def add(
        one: int, other: int, how: Literal["same", "near", "opposite"], why: str, like: float
    ) -> None:
        for at, near in ((one, other), (other, one)):
            found.setdefault(normal(texts[at]), []).append(Near(texts[near], how, why, like))

    for pair in merged.opposites:
        add(pair.index, pair.other, "opposite", "", 1.0)
    for group in merged.groups:
        for one, other in combinations(tuple(group)[:_CROWD], 2):
            add(one, other, "same", "", 1.0)
    for near in merged.vetoed:
        add(near.index, near.other, "near", near.veto, near.similarity)
    return {words: tuple(nears) for words, nears in found.items()}


def named(rules: Iterable[Rule]) -> dict[str, Rule]:
    """Give the rules by the normal words of their texts and other wordings, the first of each."""
    found: dict[str, Rule] = {}
    for one in rules:
        for text in (one.text, *one.aliases):
            found.setdefault(normal(text), one)
    return found


def docket(
    rules: Iterable[Rule],
    approvals: Mapping[str, str],
    others: Iterable[Rule] = (),
    reviews: Iterable[str] = (),
    proposed: Mapping[str, str] = _NOTHING,
) -> tuple[Case, ...]:
    """Give the rules that wait, the strongest first.

    `proposed` is what agents ask to be done, by the id of the rule: one that would not wait waits
    for that.

    `others` have no note: those wait that a person wrote into an entry, or that a review or an
    import brought; what an engine wrote down is knowledge, however often it was seen. `reviews` are
    entries that reviews were filed as (daily/DATE-SLUG), where they are known by more than their
    name.
    """
    reasons = waiting_reasons(rules, approvals, others, reviews, proposed)
    cases = (_case(rule, why) for rule, why in reasons)
    asked = [replace(case, proposed=proposed.get(case.rule.id, "")) for case in cases]
    return tuple(sorted(asked, key=_rank))


def waiting_reasons(
    rules: Iterable[Rule],
    approvals: Mapping[str, str],
    others: Iterable[Rule] = (),
    reviews: Iterable[str] = (),
    proposed: Mapping[str, str] = _NOTHING,
) -> tuple[tuple[Rule, Why], ...]:
    """Give the rules of a docket with why each waits: all that a count of them needs."""
    rules, known = tuple(rules), set(reviews)
    reasons: list[tuple[Rule, Why | None]] = []
    for rule in rules:
        why = _waits(rule, approvals)
        if why is None and is_in_force(rule, approvals) and proposed.get(rule.id) == "reject":
            why = "proposed"
        reasons.append((rule, why))
    noted = {rule.id for rule in rules}
    reasons += [
        (rule, _other(rule, known) or ("found" if rule.id in proposed else None))
        for rule in others
        if rule.id not in noted
    ]
    return tuple((rule, why) for rule, why in reasons if why)


def obstacle(found: Rule, approvals: Mapping[str, str], *, merged_into: str = "") -> str:
    """Say why a rule is not in force on this machine, "" where it is."""
    if is_in_force(found, approvals):
        return ""
    if merged_into:
        return f"it became part of {merged_into}"
    if found.superseded_by:
        return f"{found.superseded_by} overruled it"
    if found.status in {"rejected", "retired"}:
        return f"it was {found.status}"
    if found.status == "waiting":
        return "it waits for a decision: `memoria review`"
    return _NOTES["changed" if found.id in approvals else "request"].removesuffix(": confirm?") + (
        "; `memoria review` confirms it"
    )


def unguarded(
    rules: Iterable[Rule], approvals: Mapping[str, str], decided: Iterable[str]
) -> tuple[Case, ...]:
    """Give the rules in force that could stand guard; `decided` are ids with a switch already."""
    known = set(decided)
    return tuple(
        _case(one, "guard")
        for one in rules
        if one.check
        and one.id not in known
        and is_in_force(one, approvals)
        and not refused(one.check)
    )


def _waits(found: Rule, approvals: Mapping[str, str]) -> Why | None:
    if found.superseded_by or is_in_force(found, approvals):
        return None
    if found.status == "waiting":
        return "undecided"
    if found.status != "active":
        return None
    given = approvals.get(found.id)
    return "changed" if given and given != text_hash(found.text) else "request"


def _other(found: Rule, reviews: set[str]) -> Why | None:
    if any(source.startswith("team/") for source in found.sources):
        return "colleague"
    names = [source.removesuffix(".md") for source in found.sources]
    named = {name: match["how"] for name in names if (match := _OF_OTHERS.fullmatch(name))}
    theirs = {name: "review" for name in names if name in reviews} | named
    if any(_WRITTEN.fullmatch(name) for name in names if name not in theirs):
        return "found"
    if theirs:
        return "review" if "review" in theirs.values() else "import"
    return None


def _case(found: Rule, why: Why) -> Case:
    quotes = [quote(line).words for line in found.quotes]
    # what an engine wrote down for an entry is quoted, too, and is not the user's
    own = why not in {"review", "import", "colleague"} and any(map(partial(_own, found), quotes))
    # by its words alone: to weigh them anew, as capture does, costs as much as all else of a review
    standing = any(map(_LASTS.search, (found.text, *quotes)))
    return Case(found, why, own and _is_said(found), standing)


def _own(found: Rule, words: str) -> bool:
    # what reads sentences costs a verb more than all else, and most ask about no rule that waits
    from memoria.rules.sightings import in_own_words  # noqa: PLC0415 - as above

    return in_own_words(Statement(found.text, words, found.category, standing=False, score=0.0))


def _is_said(found: Rule) -> bool:
    """Whether a rule's evidence is the user's: a note of a statement, or an entry of theirs."""
    if found.path:
        return True
    return any(_WRITTEN.fullmatch(name.removesuffix(".md")) for name in found.sources)


def _rank(case: Case) -> tuple[int, int, bool, bool, str, str]:
    found = case.rule
    sure = _CONFIDENCE.index(found.confidence)
    return -found.frequency, -sure, not case.own, not case.standing, normal(found.text), found.id
