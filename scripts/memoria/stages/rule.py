"""What the user said should be done -> Rule: its note, its status, and whether it is in force.

A rule keeps the id it was first seen with, so that approvals and rewards never come loose. Only the
user's own words can put a rule in force without a review, and only if they say that they last or
were said in two sessions; the approval is kept on this machine by the hash of the text, because a
pull, a sync client or a model could write the same word into the note.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, cast

from memoria.stages.article import Article, compose, with_lines, with_meta
from memoria.stages.markup import inert

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date

    from memoria.stages.entry import Category, Statement

Status = Literal["candidate", "approved", "pinned", "rejected", "retired"]
Confidence = Literal["low", "medium", "high"]
PREFIX: Mapping[Category, str] = {
    "architectural": "arch",
    "workflow": "wf",
    "tool_usage": "tool",
    "domain_knowledge": "dk",
}
# measured on 140 sessions: from this score on three of four sentences are lasting rules
_SURE = 2.4
# the seed's: three sightings, the last within 30 days, are high confidence; two are medium
_HIGH, _MEDIUM, _RECENT_DAYS = 3, 2, 30
_ID = re.compile(r"^(arch|wf|tool|dk)-[0-9a-f]{10}$")
_STATUSES = ("candidate", "approved", "pinned", "rejected", "retired")


@dataclass(frozen=True, slots=True)
class Sighting:
    """A statement with its session: when, where and in which entry the user said it."""

    statement: Statement
    day: date
    project: str
    session: str
    entry: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule as its note shows it; `frequency` counts sessions, not mentions."""

    id: str
    text: str
    category: Category
    status: Status
    frequency: int
    confidence: Confidence
    scope: tuple[str, ...]
    updated: str


@dataclass(frozen=True, slots=True)
class Learned:
    """A rule's note after new sightings; `approve` is the hash to approve here, "" for none."""

    article: Article
    rule: Rule
    how: Literal["created", "updated"]
    approve: str


def rule_id(category: Category, text: str) -> str:
    """Make the id of a rule that is seen for the first time (blind to case and spacing)."""
    digest = hashlib.sha256(" ".join(text.lower().split()).encode("utf-8", "replace"))
    return f"{PREFIX[category]}-{digest.hexdigest()[:10]}"


def text_hash(text: str) -> str:
    """Hash a rule's exact words: what an approval is given for."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def normal(text: str) -> str:
    """Reduce a rule to what two sightings must share to be the same rule."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def rule(article: Article) -> Rule | None:
    """Read the rule of a note, None where the note is not a rule's."""
    meta = article.meta
    identity = str(meta.get("id") or "")
    if not _ID.match(identity) or identity != article.slug:
        return None
    status = str(meta.get("status") or "candidate")
    category = next(name for name, prefix in PREFIX.items() if identity.startswith(prefix + "-"))
    frequency = meta.get("frequency")
    return Rule(
        identity,
        article.title,
        category,
        cast("Status", status if status in _STATUSES else "candidate"),
        frequency if isinstance(frequency, int) else 1,
        cast("Confidence", str(meta.get("confidence") or "low")),
        article.names("scope"),
        str(meta.get("updated") or ""),
    )


def in_force(rules: Iterable[Rule], approvals: Mapping[str, str], project: str) -> tuple[Rule, ...]:
    """Choose the rules that may be injected in a project, pinned and often said ones first.

    `approvals` are this machine's: rule id to the hash of the text that was approved. A note alone
    can take a rule out of force but never bring one in.
    """
    ranked = [
        found
        for found in rules
        if found.status not in {"rejected", "retired"}
        and approvals.get(found.id) == text_hash(found.text)
        and (not found.scope or project in found.scope or len(found.scope) > 1)
    ]
    ranked.sort(key=lambda found: (found.status != "pinned", -found.frequency, found.id))
    return tuple(ranked)


def learn(notes: Mapping[str, Article], sightings: Iterable[Sighting]) -> tuple[Learned, ...]:
    """Make or update the notes of the rules that were sighted; each sighting counts once.

    `notes` are the existing rule notes by path. Sightings are the same rule when their normalised
    words are.
    """
    known = {normal(note.title): note for note in notes.values() if rule(note)}
    before = dict(known)
    for sighting in sightings:
        name = normal(sighting.statement.text)
        known[name] = _seen(known.get(name) or _new(sighting), sighting)
    changed = [note for name, note in known.items() if note is not before.get(name)]
    return tuple(_learned(note, notes) for note in changed)


def _learned(note: Article, notes: Mapping[str, Article]) -> Learned:
    found = rule(note)
    assert found is not None  # noqa: S101 - a note this stage made or updated is a rule's
    approve = text_hash(found.text) if found.status in {"approved", "pinned"} else ""
    return Learned(note, found, "updated" if note.path in notes else "created", approve)


def _new(sighting: Sighting) -> Article:
    said = sighting.statement
    identity = rule_id(said.category, said.text)
    meta = {
        "id": identity,
        "title": said.text,
        "category": said.category,
        "status": "candidate",
        "frequency": 0,
        "confidence": "low",
        "scope": [],
        "sessions": [],
        "aliases": [],
        "tags": ["rule"],
        "sources": [],
        "created": sighting.day,
        "updated": sighting.day,
    }
    return compose(f"rules/{identity}", "rule", meta, inert(said.text), "")


def _seen(note: Article, sighting: Sighting) -> Article:
    session = sighting.session[:8] or sighting.entry
    if session in note.names("sessions"):
        return note
    sessions = (*note.names("sessions"), session)
    status = str(note.meta.get("status") or "candidate")
    if status == "candidate" and _lasts(sighting.statement, len(sessions)):
        status = "approved"
    changes = {
        "status": status,
        "frequency": len(sessions),
        "confidence": _confidence(len(sessions)),
        "scope": _union(note.names("scope"), sighting.project),
        "sessions": list(sessions),
        "sources": _union(note.names("sources"), f"daily/{sighting.day}.md"),
        "updated": sighting.day,
    }
    evidence = f'"{inert(sighting.statement.quote)}" ([[daily/{sighting.day}]])'
    return with_lines(with_meta(note, changes), "Evidence", [evidence])


def _lasts(said: Statement, sessions: int) -> bool:
    return sessions > 1 or (said.standing and said.score >= _SURE)


def _confidence(frequency: int) -> Confidence:
    if frequency >= _HIGH:
        return "high"
    return "medium" if frequency >= _MEDIUM else "low"


def _union(names: tuple[str, ...], name: str) -> list[str]:
    return [*names, name] if name and name not in names else list(names)


def aged(found: Rule, today: date) -> Rule:
    """Lower a high confidence once the last sighting is over 30 days old (the seed's recency)."""
    if found.confidence == "high" and _days(found.updated, today) > _RECENT_DAYS:
        return replace(found, confidence="medium")
    return found


def _days(iso: str, today: date) -> int:
    try:
        return (today - type(today).fromisoformat(iso[:10])).days
    except ValueError:
        return 0
