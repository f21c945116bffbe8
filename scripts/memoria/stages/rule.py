"""What the user said should be done -> Rule: its note, its status, and whether it is in force.

A rule keeps the id it was first seen with, so that approvals and rewards never come loose. Only the
user's own words can put a rule in force without a review, and only if they say that they last or
were said in two sessions; the approval is kept on this machine by the hash of the text, because a
pull, a sync client or a model could write the same word into the note. The trap: a model may quote
the user truly and propose a rule that says something else, so what it says is compared, too.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, cast

from memoria.stages.article import Article, compose, with_body, with_meta
from memoria.stages.markup import inert
from memoria.stages.statement import statement

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
_ID = re.compile(r"(arch|wf|tool|dk)-[0-9a-f]{10}")
_STATUSES = ("candidate", "approved", "pinned", "rejected", "retired")
_CONFIDENCES = ("low", "medium", "high")
# what may be left out around a rule without changing what it says; "not" and "if" are none of them
_FILLERS = frozenset(
    """a also and as btw can could forward from going hey hi i me now of ok okay on please pls
    really remember rule said save should so sure that thank thanks the this to told will would yeah
    yes you""".split()  # noqa: SIM905 - a list of words is read as text
)


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
    if not _ID.fullmatch(identity) or identity != article.slug:
        return None
    category = next(name for name, prefix in PREFIX.items() if identity.startswith(prefix + "-"))
    frequency = meta.get("frequency")
    return Rule(
        identity,
        article.title,
        category,
        # an unknown word is no approval, so it takes a rule out of force
        cast("Status", _one_of(_STATUSES, meta.get("status"))),
        frequency if isinstance(frequency, int) else 1,
        cast("Confidence", _one_of(_CONFIDENCES, meta.get("confidence"))),
        article.names("scope"),
        str(meta.get("updated") or ""),
    )


def _one_of(words: tuple[str, ...], value: object) -> str:
    """Give the word that a person wrote, whatever its case, or the first for an unknown one."""
    word = str(value).strip().lower()
    return word if word in words else words[0]


def in_force(rules: Iterable[Rule], approvals: Mapping[str, str], project: str) -> tuple[Rule, ...]:
    """Choose the rules that may be injected in a project, pinned and often said ones first.

    `approvals` are this machine's: rule id to the hash of the text that was approved. A note alone
    can take a rule out of force but never bring one in.
    """
    ranked = [
        found
        for found in rules
        if found.status in {"approved", "pinned"}
        and approvals.get(found.id) == text_hash(found.text)
        and (not found.scope or project in found.scope or len(found.scope) > 1)
    ]
    ranked.sort(key=lambda found: (found.status != "pinned", -found.frequency, found.id))
    return tuple(ranked)


def learn(notes: Mapping[str, Article], sightings: Iterable[Sighting]) -> tuple[Learned, ...]:
    """Make or update the notes of the rules that were sighted; each sighting counts once.

    `notes` are the existing rule notes by path. Sightings are the same rule when their normalised
    words are, also those that it had before a person reworded the note.
    """
    now = {path: note for path, note in sorted(notes.items()) if rule(note)}
    paths = {name: path for path, note in reversed(now.items()) for name in _known_by(note)}
    approved: set[str] = set()
    for sighting in sightings:
        said = sighting.statement
        first = f"rules/{rule_id(said.category, said.text)}"
        path = paths.setdefault(normal(said.text), first)
        if not normal(said.text) or (path in notes and path not in now):
            continue  # no words, or a note that a person has made something else of
        now[path] = _seen(now.get(path) or _new(path, sighting), sighting)
        if _is_approved(now[path], said):
            approved.add(path)
    changed = [(path, note) for path, note in now.items() if note is not notes.get(path)]
    return tuple(
        Learned(
            note,
            _read(note),
            "updated" if path in notes else "created",
            text_hash(note.title) if path in approved else "",
        )
        for path, note in changed
    )


def _known_by(note: Article) -> list[str]:
    names = (note.title, str(note.meta.get("title") or ""), *note.names("aliases"))
    return [normal(name) for name in names if name]


def _read(note: Article) -> Rule:
    found = rule(note)
    assert found is not None  # noqa: S101 - a note this stage made or updated is a rule's
    return found


def _new(path: str, sighting: Sighting) -> Article:
    said = sighting.statement
    meta = {
        "id": path.removeprefix("rules/"),
        "title": said.text,
        "category": said.category,
        "status": "candidate",
        "frequency": 0,
        "confidence": "low",
        "scope": [sighting.project] if sighting.project else [],
        "sessions": [],
        "aliases": [],
        "tags": ["rule"],
        "sources": [],
        "created": sighting.day,
        "updated": sighting.day,
    }
    return compose(path, "rule", meta, inert(said.text), "")


def _seen(note: Article, sighting: Sighting) -> Article:
    said, scope = sighting.statement, note.names("scope")
    session = sighting.session[:8] or sighting.entry
    known = note.names("sessions")
    # only what the user said in these words is a session that said it
    sessions = [*known, session] if session not in known and _in_own_words(said) else list(known)
    candidate = str(note.meta.get("status") or "candidate").strip().lower() == "candidate"
    lasts = candidate and _lasts(said, len(sessions))
    if session in known and not lasts:
        return note
    changes: dict[str, object] = {
        "frequency": max(1, len(sessions)),
        "confidence": _confidence(len(sessions)),
        # a rule without a scope holds everywhere, and goes on to
        "scope": _union(scope, sighting.project) if scope else [],
        "sessions": sessions,
        "sources": _union(note.names("sources"), f"daily/{sighting.day}.md"),
    }
    if lasts:
        changes["status"] = "approved"
    if str(note.meta.get("updated") or "") < sighting.day.isoformat():
        changes["updated"] = sighting.day
    return _with_evidence(with_meta(note, changes), sighting)


def _with_evidence(note: Article, sighting: Sighting) -> Article:
    """Add the quote; the same words on another day are another line, since they count again."""
    line = f'- "{inert(sighting.statement.quote)}" ([[daily/{sighting.day}]])'
    lines = note.section("Evidence").strip().splitlines()
    if line in lines:
        return note
    return with_body(note, "Evidence", "\n".join([*lines, line]), ("Evidence", "Notes"))


def _is_approved(note: Article, said: Statement) -> bool:
    """Whether a sighting is enough to bring the note's text in force on this machine."""
    own = " ".join(note.title.lower().split()) == " ".join(inert(said.text).lower().split())
    status = _read(note).status
    sure = _lasts(said, len(note.names("sessions")))
    return own and sure and status in {"approved", "pinned"}


def _lasts(said: Statement, sessions: int) -> bool:
    often = sessions > 1 or (said.standing and said.score >= _SURE)
    return often and _in_own_words(said)


def _in_own_words(said: Statement) -> bool:
    """Whether the rule says what its quote says: the same words, but for those that add nothing."""
    text, quote = normal(said.text).split(), normal(said.quote).split()
    size = len(text)
    around = (
        {*quote[:at], *quote[at + size :]}
        for at in range(len(quote) - size + 1)
        if size and quote[at : at + size] == text
    )
    if any(left_out <= _FILLERS for left_out in around):
        return True
    return bool(text) and normal(statement(said.quote).text).split() == text


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
