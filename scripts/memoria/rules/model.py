"""Read a rule's note as a Rule: what the user wants done, its status, and whether it is in force.

In force is what this machine approved, by the hash of the text, because a pull or a model could
write the word "active" into the note; it holds where the note and the approval both say. A copy of
a note has the same id; the note whose file comes first is the rule.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Literal, Self, cast, get_args

from memoria.errors import UsageError
from memoria.rules.guards.check import NOTE_KEY, Check, parse_check
from memoria.text.unicode import is_disguised

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memoria.vault.article import Article
    from memoria.vault.article_store import ArticleStore
    from memoria.vault.entry import Category

Status = Literal["waiting", "active", "rejected", "retired"]
Confidence = Literal["low", "medium", "high"]
PREFIX: Mapping[Category, str] = {
    "architectural": "arch",
    "workflow": "wf",
    "tool_usage": "tool",
    "domain_knowledge": "dk",
}
STATUSES: tuple[Status, ...] = get_args(Status)
CONFIDENCES: tuple[Confidence, ...] = get_args(Confidence)
# of a rule's note, in their order
SECTIONS = ("Evidence", "Notes")
# what a person has put aside for good: it is suggested no more
CLOSED = frozenset({"rejected", "retired"})
# the seed's: three sightings, the last within 30 days, are high confidence; two are medium
_HIGH_SESSIONS, _MEDIUM_SESSIONS, _RECENT_DAYS = 3, 2, 30
ID = re.compile(r"(?:arch|wf|tool|dk)-[0-9a-f]{10}")  # "wf-3f2a01bc9d"
# characters: shorter is no sentence, longer is no rule but an essay
MIN_RULE, MAX_RULE = 8, 300


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule as its note shows it.

    `path` is the note's, relative to knowledge/ and without ending. `frequency` counts sessions,
    not mentions. `scope` names the projects where it holds; none, or two and more, is everywhere.
    `aliases` are other wordings that were found to say the same. `superseded_by` is the id of the
    rule that closed this one. `quotes` are the lines of its evidence, as they stand. `check` is
    what a guard looks for, None for none; `check_error` says why one that its note has cannot be
    read. `pinned`: it is always told while it is active, and belongs to no experiment.
    """

    id: str
    text: str
    category: Category
    status: Status
    frequency: int
    confidence: Confidence
    scope: tuple[str, ...]
    updated: str
    path: str = ""
    created: str = ""
    sources: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    superseded_by: str = ""
    quotes: tuple[str, ...] = ()
    check: Check | None = None
    check_error: str = ""
    pinned: bool = False

    @property
    def is_closed(self) -> bool:
        """Whether nothing is to come of it any more: rejected, retired or superseded."""
        return self.status in CLOSED or bool(self.superseded_by)


@dataclass(frozen=True, slots=True)
class Approval:
    """What this machine approved of a rule: its very words, and how far they were to hold.

    `hash` is the `text_hash` of the words. `scope` and `pinned` are the rule's of that day, so
    that a pull cannot widen it.
    """

    hash: str
    scope: tuple[str, ...]
    pinned: bool

    @classmethod
    def of(cls, rule: Rule) -> Self:
        """Approve a rule as it reads."""
        return cls(text_hash(rule.text), rule.scope, rule.pinned)


# this machine's, by the id of the rule
Approvals = Mapping[str, Approval]


def rule_id(category: Category, text: str) -> str:
    """Make the id of a rule that is seen for the first time (blind to case and spacing)."""
    digest = hashlib.sha256(" ".join(text.lower().split()).encode("utf-8", "replace"))
    return f"{PREFIX[category]}-{digest.hexdigest()[:10]}"


def build_rule(kind: Category, text: str, scope: tuple[str, ...], day: str, times: int = 0) -> Rule:
    """Make the rule of words that were first seen on a day, as it waits for a person."""
    identity = rule_id(kind, text)
    return Rule(identity, text, kind, "waiting", times, "low", scope, updated=day, created=day)


def text_hash(text: str) -> str:
    """Hash a rule's exact words: what an approval is given for."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def normal(text: str) -> str:
    """Reduce a rule to its words: texts that share them are the same rule whatever else."""
    return " ".join(re.findall(r"\w+", text.casefold()))  # "use", "user_id" of "Use `user_id`!"


def read_rule(article: Article) -> Rule | None:
    """Read the rule of a note, None where the note is not a rule's."""
    meta = article.meta
    identity = str(meta.get("id") or "")
    if not ID.fullmatch(identity):
        return None
    frequency = meta.get("frequency")
    check, check_error = None, ""
    try:
        check = parse_check(meta[NOTE_KEY]) if meta.get(NOTE_KEY) is not None else None
    except UsageError as error:  # a broken one is no check, and the rule stays what it is
        check_error = str(error)
    return Rule(
        identity,
        article.title,
        next(name for name, prefix in PREFIX.items() if identity.startswith(f"{prefix}-")),
        # an unknown word is no approval, so it takes a rule out of force
        cast("Status", _choose_word(STATUSES, meta.get("status"))),
        frequency if isinstance(frequency, int) else 1,
        cast("Confidence", _choose_word(CONFIDENCES, meta.get("confidence"))),
        article.names("scope"),
        _read_day(meta.get("updated")),
        path=article.path,
        created=_read_day(meta.get("created")),
        sources=article.names("sources"),
        tags=tuple(tag for tag in article.names("tags") if tag != "rule"),
        aliases=article.names("aliases"),
        sessions=article.names("sessions"),
        superseded_by=str(meta.get("superseded_by") or ""),
        quotes=tuple(line for line in article.section("Evidence").strip().splitlines() if line),
        check=check,
        check_error=check_error,
        pinned=meta.get("pinned") is True,
    )


def _read_day(value: object) -> str:
    """Give a day of the frontmatter, "" for other text: a session is told it behind the rule."""
    try:
        return datetime.fromisoformat(str(value)).date().isoformat()
    except ValueError:
        return ""


def read_rules(articles: Iterable[Article]) -> tuple[Rule, ...]:
    """Read the rules among articles in the order of their paths; of one id, the first counts."""
    by_id: dict[str, Rule] = {}
    for article in sorted(articles, key=lambda article: article.path):
        if article.kind == "rule" and (rule := read_rule(article)):
            by_id.setdefault(rule.id, rule)
    return tuple(by_id.values())


def read_noted(articles: ArticleStore) -> tuple[Rule, ...]:
    """Read the rules of a vault's notes, by path: the shelf itself would read every note."""
    notes = (articles.get(path) for path in articles.paths() if path.startswith("rules/"))
    return read_rules(filter(None, notes))


def _choose_word(words: tuple[str, ...], value: object) -> str:
    """Give the word that a person wrote, whatever its case, or the first for an unknown one."""
    word = str(value).strip().lower()
    return word if word in words else words[0]


def is_approved(rule: Rule, approvals: Approvals) -> bool:
    """Whether this machine approved a rule in the very words that it has now."""
    return rule.id in approvals and approvals[rule.id].hash == text_hash(rule.text)


def is_reworded(rule: Rule, approvals: Approvals) -> bool:
    """Whether a rule's words were changed since this machine approved it."""
    return rule.id in approvals and not is_approved(rule, approvals)


def is_in_force(rule: Rule, approvals: Approvals) -> bool:
    """Whether a rule may be injected: active in its note, and approved here, in these very words.

    A note alone can take a rule out of force but never bring one in. What looks like other words
    than it is (its letters are of two scripts, or hidden) is in force nowhere: it was approved for
    its looks.
    """
    is_allowed = rule.status == "active" and not rule.superseded_by and not is_disguised(rule.text)
    return is_allowed and is_approved(rule, approvals)


def as_approved(rules: Iterable[Rule], approvals: Approvals) -> tuple[Rule, ...]:
    """Give rules as they hold here: in force only where both the note and the approval say.

    A pull could widen a note, or pin it. One that is for another project now waits for the person.
    """
    return tuple(
        _limit_to_approval(rule, approvals[rule.id]) if is_in_force(rule, approvals) else rule
        for rule in rules
    )


def _limit_to_approval(rule: Rule, approval: Approval) -> Rule:
    """Limit a rule to the scope and the pin that were approved."""
    rule = replace(rule, pinned=rule.pinned and approval.pinned)
    # none, and two and more, are everywhere
    if len(approval.scope) != 1:
        return rule
    is_elsewhere = len(rule.scope) == 1 and rule.scope != approval.scope
    return replace(rule, status="waiting") if is_elsewhere else replace(rule, scope=approval.scope)


def holds_in(rule: Rule, project: str) -> bool:
    """Whether a rule is about a project: it was learned there, or in two, or for all."""
    return not rule.scope or project in rule.scope or len(rule.scope) > 1


def holds_nowhere_else(rule: Rule, scope: tuple[str, ...]) -> bool:
    """Whether a rule holds nowhere but where one of that scope does, too."""
    return len(scope) != 1 or rule.scope == scope


def in_force(rules: Iterable[Rule], approvals: Approvals, project: str) -> tuple[Rule, ...]:
    """Choose the rules that may be injected in a project, pinned and often said ones first."""
    active = (rule for rule in rules if is_in_force(rule, approvals) and holds_in(rule, project))
    return tuple(sorted(active, key=lambda rule: (not rule.pinned, -rule.frequency, rule.id)))


def confidence(frequency: int) -> Confidence:
    """Rate a rule by the number of sessions that it was seen in (the seed's steps)."""
    if frequency >= _HIGH_SESSIONS:
        return "high"
    return "medium" if frequency >= _MEDIUM_SESSIONS else "low"


def age_confidence(rule: Rule, today: date) -> Rule:
    """Lower a high confidence once the last sighting is over 30 days old (the seed's recency)."""
    try:
        age = (today - date.fromisoformat(rule.updated[:10])).days
    except ValueError:  # what is no date counts as recent
        return rule
    is_lowered = rule.confidence == "high" and age > _RECENT_DAYS
    return replace(rule, confidence="medium") if is_lowered else rule


@dataclass(frozen=True, slots=True)
class Refusal:
    """A part of a patch that was not taken, and why."""

    part: str
    reason: str
