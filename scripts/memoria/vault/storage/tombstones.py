"""Take what is forgotten out of the ledger's lines and leave tombstones (kind and time) instead.

What must never be captured again is kept as salted hashes in a record of kind `forget`. Another
Memoria may name a session where we do not look, so every string of a line is searched.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memoria.text.hashes import hash_text
from memoria.text.json_text import read_object
from memoria.vault.storage.ledger_records import FORGET, Record, format_line

# hex digits: two turns of a person do not share them
_KEY_LENGTH = 24
# kinds of records that are about one rule, by `id`
_RULE_KINDS = frozenset({"rule", "reward", "opinion", "proposal", "guard"})
# kinds of which what does not mention it stays
_SHARED_KINDS = frozenset({"compile", "wrote", "undo", "promote"})
# what a person or a model says of a rule; without the words the rest still counts
_WORD_FIELDS = ("context", "outcome", "quote")
# fields that hold several things, of which some stay; a record whose own are empty says nothing
_LIST_FIELDS, _RULES = ("entries", "wrote", "ids"), "rules"


@dataclass(frozen=True, slots=True)
class Erasure:
    """What goes of the ledger."""

    sessions: frozenset[str] = frozenset()  # these and the entries go as a whole
    entries: frozenset[str] = frozenset()
    notes: frozenset[str] = frozenset()  # the paths that there are: hashes of others go
    rules: frozenset[str] = frozenset()  # ids that are gone
    projects: frozenset[str] = frozenset()  # they go with their experiments
    # whether a text has the one that was asked for; and a word that only what goes has
    holds: Callable[[str], bool] = lambda _: False
    marks: Callable[[str], bool] = lambda _: False

    def mentions(self, text: str) -> bool:
        """Whether a line names what goes, in whatever field."""
        # without JSON's escapes the strings are as they are meant
        plain = "\n".join(_walk_strings(read_object(text)))
        return self.holds(text) or self.holds(plain) or any(name in text for name in self.sessions)

    def takes_record(self, record: Mapping[str, Any], text: str) -> bool:
        """Whether a record goes as a whole; `text` is its line."""
        kind = record.get("kind")
        return (
            record.get("session") in self.sessions
            or (kind == "session" and record.get("entry") in self.entries)
            or (kind in _RULE_KINDS and record.get("id") in self.rules)
            # a file that rules were promoted to is there all the same
            or (kind != "promote" and record.get("project") in self.projects)
            or (kind == "hand" and self.marks(f"{record.get('description')}"))
            or (kind not in _SHARED_KINDS and self.mentions(text))
        )

    def takes_name(self, field: str, name: str) -> bool:
        """Whether a note, an entry or a rule goes that a field of a record names."""
        if field == "wrote" and not name.startswith("daily/"):
            return name not in self.notes
        return name in self.entries or name in self.rules


def hash_name(salt: str, name: str) -> str:
    """Hash a session's id, or a turn's key, so that it is known again."""
    return hash_text(f"{salt}:{name}", _KEY_LENGTH)


def build_forget_record(at: str, salt: str, names: Iterable[str]) -> Record:
    """Make the record of what is never to be captured again."""
    forgot = sorted({hash_name(salt, name) for name in names})
    return {"kind": FORGET, "at": at, "salt": salt, "forgot": forgot}


def find_forgotten_names(lines: Iterable[str], erasure: Erasure) -> frozenset[str]:
    """Give the turns of the parts that go, as the ledger keeps them, and the sessions' ids."""
    turns = set(erasure.sessions)
    for text in lines:
        record = read_object(text)
        if record.get("kind") == "session" and erasure.takes_record(record, text):
            turns |= {turn for turn in record.get("turns") or () if isinstance(turn, str)}
    return frozenset(turns)


def remove_forgotten(lines: Iterable[str], erasure: Erasure) -> Iterator[str]:
    """Give the ledger's lines, each with its line end, without what is forgotten."""
    for text in lines:
        record = read_object(text)
        if not record:
            if not erasure.mentions(text):
                yield text
        elif record.get("tombstone") or record.get("kind") in {FORGET, "call"}:
            yield text
        else:
            new = {} if erasure.takes_record(record, text) else _remove_parts(record, erasure)
            # a record that says nothing after what was taken out of it is a tombstone, too
            groups = [new[name] for name in _LIST_FIELDS if name in new]
            if not new or (new != record and groups and not any(groups)):
                new = {name: record[name] for name in ("kind", "at") if name in record}
                new["tombstone"] = True
            yield text if new == record else format_line(new)


def _walk_strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from (str(name), *_walk_strings(item))
    elif isinstance(value, list):
        for item in value:
            yield from _walk_strings(item)


def _remove_parts(record: Record, erasure: Erasure) -> Record:
    """Take out of a record the notes, entries and rules that are gone."""
    new = dict(record)
    for field in _WORD_FIELDS:
        if isinstance(new.get(field), str) and erasure.marks(new[field]):
            new[field] = ""
    for field in (*_LIST_FIELDS, _RULES):
        values = new.get(field)
        if isinstance(values, dict):
            new[field] = {
                name: item
                for name, item in values.items()
                if not erasure.takes_name(field, name) and not erasure.holds(f"{name} {item}")
            }
        elif isinstance(values, list):
            new[field] = [item for item in values if not erasure.takes_name(field, str(item))]
    return new
