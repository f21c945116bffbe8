"""Extract <-> JSON of the file beside its entry.

The file is read by a later compile, perhaps of another version: a field that is missing gets its
default and an unknown one is passed over; what is no extract at all is None, and the compile then
uses the lines of the entry in the log.
"""

from __future__ import annotations

from dataclasses import asdict
from math import isfinite
from typing import TYPE_CHECKING, Any, cast, get_args

from memoria.vault.entry import (
    Category,
    Conclusion,
    Draft,
    Extract,
    Fact,
    FactKind,
    Origin,
    Statement,
    Subject,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

FORMAT = 1
_KINDS, _ORIGINS, _CATEGORIES = get_args(FactKind), get_args(Origin), get_args(Category)
_TITLED = ("client", "plan", "pull-request", "commit", "ask", "")


def encode(extract: Extract, sha: str) -> dict[str, Any]:
    """Give the JSON of an extract; `sha` is the hash of the block that it belongs to."""
    return {"format": FORMAT, "sha": sha, **asdict(extract)}


def decode(value: Mapping[str, Any]) -> Extract | None:
    """Read an extract, None where the value is not one.

    A fact or statement of a kind or origin that this version does not know is left out.
    """
    try:
        return Extract(
            draft=_draft(value["draft"]),
            facts=tuple(_facts(value["facts"])),
            statements=tuple(_statements(value["statements"])),
            branch=str(value.get("branch", "")),
            files=_texts(value.get("files")),
            checks=tuple((str(name), bool(ok)) for name, ok in value.get("checks", ())),
            scopes=_texts(value.get("scopes")),
            titled_by=cast("Any", _one_of(_TITLED, value.get("titled_by"))),
            outside=value.get("outside") is not False,
            subjects=tuple(_subjects(value.get("subjects", ()))),
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
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


def _facts(values: list[Mapping[str, Any]]) -> Iterator[Fact]:
    for value in values:
        if value["kind"] in _KINDS and value["origin"] in _ORIGINS:
            yield Fact(
                value["kind"],
                str(value["text"]),
                value["origin"],
                _score(value["score"]),
                int(value["turn"]),
                _texts(value.get("terms")),
            )


def _statements(values: list[Mapping[str, Any]]) -> Iterator[Statement]:
    for value in values:
        if value["category"] in _CATEGORIES:
            yield Statement(
                str(value["text"]),
                str(value["quote"]),
                value["category"],
                standing=value.get("standing") is True,
                score=_score(value.get("score", 0.0)),
            )


def _subjects(values: Iterable[Mapping[str, Any]]) -> Iterator[Subject]:
    for value in values:
        conclusions = tuple(
            Conclusion(str(row["text"]), row["origin"], int(row["turn"]))
            for row in value["conclusions"]
            if row["origin"] in _ORIGINS
        )
        amends = value.get("amends") is True
        yield Subject(int(value["turn"]), str(value["words"]), conclusions, amends)


def _score(value: object) -> float:
    score = float(cast("float", value))
    # what is no number would put an order out of order
    return score if isfinite(score) else 0.0


def _one_of(known: tuple[str, ...], value: object) -> str:
    return next((word for word in known if word == value), "")


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list | tuple) else ()
