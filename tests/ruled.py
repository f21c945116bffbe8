"""Notes of rules in a vault on disk, as a compile leaves them, and this machine's approvals."""

import json

from place import state_of

from memoria.rules.decision import drafted
from memoria.rules.model import Rule, rule, rule_id, text_hash
from memoria.vault.article import parse, render

SHOP = "github.com/ana/shop"


def made(text, *, status="candidate", frequency=1, quotes=None, **changes):
    """Make a rule that was said in so many sessions."""
    sessions = tuple(f"s{number}" for number in range(frequency))
    values = {
        "id": rule_id("workflow", text),
        "text": text,
        "category": "workflow",
        "status": status,
        "frequency": frequency,
        "confidence": ("low", "medium", "high")[min(frequency, 3) - 1],
        "scope": (SHOP,),
        "updated": "2026-03-02",
        "created": "2026-03-02",
        "sources": ("daily/2026-03-02.md",),
        "sessions": sessions,
        "quotes": quotes if quotes is not None else (f'- "{text}." ([[daily/2026-03-02]])',),
    }
    return Rule(**values | changes)


def keep(place, *rules, approve=False):
    """Write the notes of rules, and approve them on this machine; give their ids."""
    folder = place.vault / "knowledge" / "rules"
    folder.mkdir(exist_ok=True)
    for one in rules:
        path = drafted(one, taken(place)).path
        text = render(drafted(one, taken(place)))
        (place.vault / "knowledge" / f"{path}.md").write_text(text, encoding="utf-8")
    if approve:
        given = approvals(place) | {one.id: text_hash(one.text) for one in rules}
        (state_of(place.vault) / "approvals.json").write_text(json.dumps(given))
    return [one.id for one in rules]


def taken(place):
    folder = place.vault / "knowledge" / "rules"
    return {f"rules/{path.stem}" for path in folder.glob("*.md")}


def approvals(place):
    path = state_of(place.vault) / "approvals.json"
    return json.loads(path.read_text()) if path.exists() else {}


def notes(place):
    """Read the rules of the vault's notes by id."""
    found = {}
    for path in sorted((place.vault / "knowledge" / "rules").glob("*.md")):
        one = rule(parse(f"rules/{path.stem}", "rule", path.read_text(encoding="utf-8")))
        found[one.id] = one
    return found


def statuses(place):
    return {identity: one.status for identity, one in notes(place).items()}
