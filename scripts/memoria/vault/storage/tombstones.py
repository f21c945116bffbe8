"""Take what is forgotten out of the ledger's lines and leave tombstones (kind and time) instead.

What must never be captured again is kept as salted hashes in a record of kind `forget`. Another
Memoria may name a session where we do not look, so every string of a line is searched.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memoria.text.json_text import read_object

Record = dict[str, Any]
KIND = "forget"
# hex digits: two turns of a person do not share them
_LENGTH = 24
# kinds that are about one rule, by `id`
_OF_RULE = frozenset({"rule", "reward", "opinion", "proposal", "guard"})
# kinds of which what does not mention it stays
_OF_MANY = frozenset({"compile", "wrote", "undo", "promote"})
# what a person or a model says of a rule; without the words the rest still counts
_SAID = ("context", "outcome", "quote")
# fields that hold several things, of which some stay; a record whose own are empty says nothing
_HELD, _RULES = ("entries", "wrote", "ids"), "rules"
OWED = "owed"  # of a compile: the parts that were refused, with their text


@dataclass(frozen=True, slots=True)
class Erasure:
    """What goes of the ledger.

    `sessions` and `entries` go as a whole. `rules` are ids that are gone, `notes` the paths that
    there are: hashes of others go. `projects` go with their experiments. `holds` says whether a
    text has the one that was asked for, `marks` whether it has a word that only what goes has.
    """

    sessions: frozenset[str] = frozenset()
    entries: frozenset[str] = frozenset()
    notes: frozenset[str] = frozenset()
    rules: frozenset[str] = frozenset()
    projects: frozenset[str] = frozenset()
    holds: Callable[[str], bool] = lambda _: False
    marks: Callable[[str], bool] = lambda _: False


def key(salt: str, name: str) -> str:
    """Hash a session's id, or a turn's key, so that it is known again."""
    return hashlib.sha256(f"{salt}:{name}".encode("utf-8", "replace")).hexdigest()[:_LENGTH]


def build_forget_record(at: str, salt: str, names: Iterable[str]) -> Record:
    """Make the record of what is never to be captured again."""
    forgot = sorted({key(salt, name) for name in names})
    return {"kind": KIND, "at": at, "salt": salt, "forgot": forgot}


def find_forgotten_names(lines: Iterable[str], lost: Erasure) -> frozenset[str]:
    """Give the turns of the parts that go, as the ledger keeps them, and the sessions' ids."""
    turns = set(lost.sessions)
    for text in lines:
        value = read_object(text)
        if value.get("kind") == "session" and _is_gone(value, text, lost):
            turns |= {turn for turn in value.get("turns") or () if isinstance(turn, str)}
    return frozenset(turns)


def remove_forgotten(lines: Iterable[str], lost: Erasure) -> Iterator[str]:
    """Give the ledger's lines, each with its line end, without what is forgotten."""
    for text in lines:
        value = read_object(text)
        if not value:
            if not _mentions(text, lost):
                yield text
        elif value.get("tombstone") or value.get("kind") in {KIND, "call"}:
            yield text
        else:
            after = {} if _is_gone(value, text, lost) else _remove_forgotten_parts(value, lost)
            # a record that says nothing after what was taken out of it is a tombstone, too
            groups = [after[name] for name in _HELD if name in after]
            if not after or (after != value and groups and not any(groups)):
                after = {name: value[name] for name in ("kind", "at") if name in value}
                after["tombstone"] = True
            shown = json.dumps(after, ensure_ascii=False, separators=(",", ":")) + "\n"
            yield text if after == value else shown


def _is_gone(value: Mapping[str, Any], text: str, lost: Erasure) -> bool:
    kind = value.get("kind")
    return (
        value.get("session") in lost.sessions
        or (kind == "session" and value.get("entry") in lost.entries)
        or (kind in _OF_RULE and value.get("id") in lost.rules)
        # a file that rules were promoted to is there all the same
        or (kind != "promote" and value.get("project") in lost.projects)
        or (kind == "hand" and lost.marks(f"{value.get('description')}"))
        or (kind not in _OF_MANY and _mentions(text, lost))
    )


def _mentions(text: str, lost: Erasure) -> bool:
    # without JSON's escapes the strings are as they are meant
    plain = "\n".join(_walk_strings(read_object(text)))
    return lost.holds(text) or lost.holds(plain) or any(name in text for name in lost.sessions)


def _walk_strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from (str(name), *_walk_strings(item))
    elif isinstance(value, list):
        for item in value:
            yield from _walk_strings(item)


def _remove_forgotten_parts(value: Record, lost: Erasure) -> Record:
    """Take out of a record the notes, entries and rules that are gone."""
    after = dict(value)
    for field in _SAID:
        if isinstance(after.get(field), str) and lost.marks(after[field]):
            after[field] = ""
    for field in (*_HELD, _RULES):
        things = after.get(field)
        if isinstance(things, dict):
            after[field] = {
                name: item
                for name, item in things.items()
                if not _is_removed(field, name, lost) and not lost.holds(f"{name} {item}")
            }
        elif isinstance(things, list):
            after[field] = [item for item in things if not _is_removed(field, str(item), lost)]
    if isinstance(after.get(OWED), list):
        after[OWED] = [row for row in after[OWED] if not _speaks_of(row, lost)]
    return after


def _speaks_of(row: object, lost: Erasure) -> bool:
    """Whether what a compile still owes is of an entry that goes, or says what goes."""
    text = "\n".join(_walk_strings(row))
    return lost.holds(text) or lost.marks(text) or any(name in text for name in lost.entries)


def _is_removed(field: str, name: str, lost: Erasure) -> bool:
    if field == "wrote" and not name.startswith("daily/"):
        return name not in lost.notes
    return name in lost.entries or name in lost.rules
