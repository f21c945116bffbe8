"""Extract <-> JSON of the file beside its entry.

The file is read by a later compile, perhaps of another version: a field that is missing gets its
default and an unknown one is passed over; what is no extract at all is None, and the compile then
uses the lines of the entry in the log.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from memoria.stages.entry import Draft, Extract, Fact, Statement

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT = 1


def encode(extract: Extract, sha: str) -> dict[str, Any]:
    """Give the JSON of an extract; `sha` is the hash of the block that it belongs to."""
    return {"format": FORMAT, "sha": sha, **asdict(extract)}


def decode(value: Mapping[str, Any]) -> Extract | None:
    """Read an extract, None where the value is not one."""
    try:
        return Extract(
            draft=_draft(value["draft"]),
            facts=tuple(_fact(item) for item in value["facts"]),
            statements=tuple(Statement(**item) for item in value["statements"]),
            branch=str(value.get("branch", "")),
            files=_texts(value.get("files")),
            checks=tuple((str(name), bool(ok)) for name, ok in value.get("checks", ())),
            scopes=_texts(value.get("scopes")),
            titled_by=value.get("titled_by", ""),
        )
    except (KeyError, TypeError, ValueError):
        return None


def _draft(value: Mapping[str, Any]) -> Draft:
    names = ("exchanges", "decisions", "lessons", "actions")
    exchanges, decisions, lessons, actions = (_texts(value.get(name)) for name in names)
    return Draft(
        str(value["title"]),
        str(value["context"]),
        exchanges,
        decisions,
        lessons,
        actions,
        worth_keeping=bool(value.get("worth_keeping", True)),
    )


def _fact(value: Mapping[str, Any]) -> Fact:
    return Fact(
        value["kind"],
        str(value["text"]),
        value["origin"],
        float(value["score"]),
        int(value["turn"]),
        _texts(value.get("terms")),
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list | tuple) else ()
