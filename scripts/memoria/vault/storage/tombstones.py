"""Take what is forgotten out of the ledger's lines and leave tombstones (kind and time) instead.

What must never be captured again is kept as salted hashes in a record of kind `forget`. Another
Memoria may name a session where we do not look, so every string of a line is searched.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from memoria.text.dates import moment
from memoria.text.json_edit import read_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

Record = dict[str, Any]
KIND = "forget"
# hex digits: two turns of a person do not share them
_LENGTH = 24
# kinds that say something about several things, of which some stay
_HASHES = ("entries", "wrote")
# of a record without a time: later than any span
_NEVER = datetime.max.replace(tzinfo=UTC)
# kinds that are about one rule, by `id`
_OF_RULE = frozenset({"rule", "reward", "opinion", "proposal", "guard"})
# kinds of which what does not mention it stays
_OF_MANY = frozenset({"compile", "wrote", "undo", "skills", "promote"})
# what a person or a model says of a rule; without the words the rest still counts
_SAID = ("context", "outcome", "quote")


@dataclass(frozen=True, slots=True)
class Erasure:
    """What goes of the ledger.

    `sessions` go as a whole. `entries` are ids of parts, also of sessions that stay; `spans` are
    their times, (session, began, ended). `rules` are ids that are gone, `notes` the paths that
    there are: hashes of others go. `projects` go with their experiments, `match` is a text in lower
    case, `marks` says whether a text has a word that only what goes has.
    """

    sessions: frozenset[str] = frozenset()
    entries: frozenset[str] = frozenset()
    spans: tuple[tuple[str, str, str], ...] = ()
    notes: frozenset[str] = frozenset()
    rules: frozenset[str] = frozenset()
    projects: frozenset[str] = frozenset()
    match: str = ""
    marks: Callable[[str], bool] = lambda _: False


def key(salt: str, name: str) -> str:
    """Hash a session's id, or a turn's key, so that it is known again."""
    return hashlib.sha256(f"{salt}:{name}".encode("utf-8", "replace")).hexdigest()[:_LENGTH]


def record(at: str, salt: str, names: Iterable[str]) -> Record:
    """Make the record of what is never to be captured again."""
    forgot = sorted({key(salt, name) for name in names})
    return {"kind": KIND, "at": at, "salt": salt, "forgot": forgot}


def names(lines: Iterable[str], lost: Erasure) -> frozenset[str]:
    """Give the turns of the parts that go, as the ledger keeps them, and the sessions' ids."""
    found = set(lost.sessions)
    for text in lines:
        value = read_object(text)
        if value.get("kind") == "session" and _is_gone(value, text, lost):
            found |= {turn for turn in value.get("turns") or () if isinstance(turn, str)}
    return frozenset(found)


def buried(lines: Iterable[str], lost: Erasure) -> Iterator[str]:
    """Give the ledger's lines, each with its line end, without what is forgotten."""
    for text in lines:
        value = read_object(text)
        if not value:
            if not _mentions(text, lost):
                yield text
        elif value.get("tombstone") or value.get("kind") in {KIND, "call"}:
            yield text
        else:
            after = {} if _is_gone(value, text, lost) else _less(value, lost)
            # a record that says nothing after what was taken out of it is a tombstone, too
            held = [after[name] for name in (*_HASHES, "ids") if name in after]
            if not after or (after != value and held and not any(held)):
                after = {name: value[name] for name in ("kind", "at") if name in value}
                after["tombstone"] = True
            shown = json.dumps(after, ensure_ascii=False, separators=(",", ":")) + "\n"
            yield text if after == value else shown


def _is_gone(value: Mapping[str, Any], text: str, lost: Erasure) -> bool:
    kind, session = value.get("kind"), value.get("session")
    # a part without an entry is named by its line, one without a line by its end
    parts = {value.get("entry"), value.get("line"), f"{session}:{value.get('end')}"}
    return (
        session in lost.sessions
        or (kind == "session" and not parts.isdisjoint(lost.entries))
        or (kind in _OF_RULE and value.get("id") in lost.rules)
        # a file that rules were promoted to is there all the same
        or (kind != "promote" and value.get("project") in lost.projects)
        or (kind == "hand" and _marks(f"{value.get('description')}", lost))
        or (kind == "mistake" and any(_within(value, span) for span in lost.spans))
        or (kind not in _OF_MANY and _mentions(text, lost))
    )


def _within(value: Mapping[str, Any], span: tuple[str, str, str]) -> bool:
    session, *times = span
    began, at, ended = (moment(text) or _NEVER for text in (times[0], value.get("at"), times[1]))
    return value.get("session") == session and began <= at <= ended


def _mentions(text: str, lost: Erasure) -> bool:
    if lost.match:
        # without JSON's escapes the strings are as they are meant
        plain = "\n".join(_strings(read_object(text))).casefold()
        if lost.match in text.casefold() or lost.match in plain:
            return True
    return any(name in text for name in lost.sessions)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, one in value.items():
            yield from (str(name), *_strings(one))
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)


def _less(value: Record, lost: Erasure) -> Record:
    """Take out of a record the notes, entries and rules that are gone."""
    found = dict(value)
    for field in _SAID:
        if isinstance(found.get(field), str) and _marks(found[field], lost):
            found[field] = ""
    for field in (*_HASHES, "ids", "rules"):
        held = found.get(field)
        if isinstance(held, dict):
            found[field] = {
                name: one
                for name, one in held.items()
                if not _is_over(field, name, lost)
                and not _holds(f"{name} {one}", lost)
                and not (field == "ids" and _marks(str(one), lost))
            }
        elif isinstance(held, list):
            found[field] = [one for one in held if not _is_over(field, str(one), lost)]
    return found


def _is_over(field: str, name: str, lost: Erasure) -> bool:
    if field == "wrote" and not name.startswith("daily/"):
        return name not in lost.notes
    return name in lost.entries or name in lost.rules


def _holds(text: str, lost: Erasure) -> bool:
    return bool(lost.match) and lost.match in text.casefold()


def _marks(text: str, lost: Erasure) -> bool:
    return _holds(text, lost) or lost.marks(text)
