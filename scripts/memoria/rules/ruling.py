"""Write what a person decides about a rule into its note: status, words, an end.

A rejected or retired rule keeps its note, so that it is not learned again as new and links to it
stay alive.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

from memoria.rules.guards import check as guard
from memoria.rules.model import SECTIONS, normal, text_hash
from memoria.text.markdown import inert
from memoria.vault.article import compose, with_body, with_meta, with_title
from memoria.vault.file_names import slug

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from memoria.rules.model import Rule, Status
    from memoria.vault.article import Article

By = Literal[
    "review",
    "promote",
    "remember",
    "reject",
    "retire",
    "compile",
    "skills",
    "import",
    "trust",
]


@dataclass(frozen=True, slots=True)
class Ruling:
    """A decision about one rule.

    `text` is its new wording, "" to leave it. `superseded_by` is the id of the rule which overrules
    it (status retired). `scope` None leaves it; () is everywhere. `seen` is the hash of the words
    that the person was shown, "" where they were not: a note that was changed since is not decided
    about. `pinned` pins it; a rule that is pinned stays so until it is rejected or retired.
    """

    id: str
    status: Status
    by: By
    text: str = ""
    superseded_by: str = ""
    scope: tuple[str, ...] | None = None
    seen: str = ""
    pinned: bool = False


def approves(ruling: Ruling) -> bool:
    """Whether a ruling brings its rule in force on this machine."""
    return ruling.status == "active"


def decided(note: Article, ruling: Ruling, today: date) -> Article:
    """Write a decision into a rule's note."""
    if ruling.text and inert(ruling.text) != note.title:
        aliases = list(note.names("aliases"))
        if normal(ruling.text) != normal(note.title):
            aliases = [name for name in aliases if normal(name) != normal(ruling.text)]
            aliases = list(dict.fromkeys([*aliases, str(note.meta.get("title") or note.title)]))
        note = retitled(note, ruling.text, aliases)
    changes: dict[str, object] = {"status": ruling.status, "updated": today}
    if ruling.pinned or (note.meta.get("pinned") and not approves(ruling)):
        changes["pinned"] = approves(ruling)
    if ruling.scope is not None:
        changes["scope"] = list(ruling.scope)
    if ruling.superseded_by:
        changes |= {"superseded_by": ruling.superseded_by, "closed": today}
    elif approves(ruling):
        changes |= {key: "" for key in ("superseded_by", "closed") if key in note.meta}
    return with_meta(note, changes)


def retitled(note: Article, text: str, aliases: list[str]) -> Article:
    """Give a note another text, in its frontmatter and its heading."""
    return with_title(with_meta(note, {"title": text, "aliases": aliases}), inert(text))


def drafted(rule: Rule, taken: Collection[str]) -> Article:
    """Make the note of a rule that had none; `taken` are paths that are not free."""
    path = f"rules/{slug(rule.text) or rule.id}"
    if path in taken:
        path = f"{path}-{rule.id[-6:]}"
    meta: dict[str, object] = {
        "id": rule.id,
        "title": rule.text,
        "category": rule.category,
        "status": rule.status,
        "frequency": rule.frequency,
        "confidence": rule.confidence,
        "scope": list(rule.scope),
        "sessions": list(rule.sessions),
        "aliases": list(rule.aliases),
        "tags": ["rule", *rule.tags],
        "sources": list(rule.sources),
        "created": _day(rule.created),
        "updated": _day(rule.updated),
    }
    meta |= {"pinned": True} if rule.pinned else {}
    meta |= {guard.KEY: guard.written(rule.check)} if rule.check else {}
    note = compose(path, "rule", meta, inert(rule.text), "")
    return with_body(note, "Evidence", "\n".join(rule.quotes), SECTIONS) if rule.quotes else note


def record(at: str, ruling: Ruling, rule: Rule) -> dict[str, Any]:
    """Make the ledger's record of a decision (`kind` "rule")."""
    return {
        "kind": "rule",
        "at": at,
        "id": rule.id,
        "status": rule.status,
        "by": ruling.by,
        "hash": text_hash(rule.text),
        "superseded_by": ruling.superseded_by,
    }


def approvals_after(
    approvals: Mapping[str, str], rulings: Iterable[tuple[Ruling, Rule]]
) -> dict[str, str]:
    """Give this machine's approvals after decisions; each comes with its rule as it then reads."""
    now = dict(approvals)
    for ruling, rule in rulings:
        now.pop(rule.id, None)
        if approves(ruling):
            now[rule.id] = text_hash(rule.text)
    return now


def _day(text: str) -> date | str:
    """Give a day as YAML has it, bare; what is none stays text."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return text
