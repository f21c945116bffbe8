"""Write an extract as the JSON of the file beside its entry, and read it.

The file may be of another version: a field that is missing gets its default and an unknown one is
passed over; what is no extract at all is None, and the compile uses the lines of the log.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from math import isfinite
from typing import Any, cast, get_args

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

FORMAT = 1
_KINDS, _ORIGINS, _CATEGORIES = get_args(FactKind), get_args(Origin), get_args(Category)
_TITLED = ("client", "plan", "pull-request", "commit", "ask", "")


def encode(extract: Extract, sha: str) -> dict[str, Any]:
    """Give the JSON of an extract; `sha` is the hash of the block that it belongs to."""
    return {"format": FORMAT, "sha": sha, **asdict(extract)}


def decode(value: Mapping[str, Any]) -> Extract | None:
    """Read an extract, None where the value is not one."""
    try:
        return Extract(
            draft=_draft(value["draft"]),
            facts=_facts(value["facts"]),
            statements=tuple(
                _statement(row) for row in value["statements"] if row["category"] in _CATEGORIES
            ),
            branch=str(value.get("branch", "")),
            files=_texts(value.get("files")),
            checks=tuple((str(name), bool(ok)) for name, ok in value.get("checks", ())),
            scopes=_texts(value.get("scopes")),
            titled_by=titled if (titled := value.get("titled_by")) in _TITLED else "",
            outside=value.get("outside") is not False,
            subjects=tuple(map(_subject, value.get("subjects", ()))),
            results=_facts(value.get("results", ())),
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return None


def _draft(value: Mapping[str, Any]) -> Draft:
    return Draft(
        title=str(value["title"]),
        context=str(value["context"]),
        exchanges=_texts(value.get("exchanges")),
        decisions=_texts(value.get("decisions")),
        lessons=_texts(value.get("lessons")),
        actions=_texts(value.get("actions")),
        worth_keeping=bool(value.get("worth_keeping", True)),
    )


def _facts(rows: Iterable[Mapping[str, Any]]) -> tuple[Fact, ...]:
    known = (row for row in rows if row["kind"] in _KINDS and row["origin"] in _ORIGINS)
    return tuple(map(_fact, known))


def _fact(value: Mapping[str, Any]) -> Fact:
    score, turn, words = _score(value["score"]), int(value["turn"]), _texts(value.get("terms"))
    return Fact(value["kind"], str(value["text"]), value["origin"], score, turn, words)


def _statement(value: Mapping[str, Any]) -> Statement:
    standing, score = value.get("standing") is True, _score(value.get("score", 0.0))
    text, quote = str(value["text"]), str(value["quote"])
    return Statement(text, quote, value["category"], standing=standing, score=score)


def _subject(value: Mapping[str, Any]) -> Subject:
    conclusions = tuple(
        Conclusion(
            str(row["text"]),
            row["origin"],
            int(row["turn"]),
            int(row.get("weight", 3)),
            is_apart=row.get("is_apart") is True,
        )
        for row in value["conclusions"]
        if row["origin"] in _ORIGINS
    )
    amends = value.get("amends") is True
    return Subject(int(value["turn"]), str(value["words"]), conclusions, amends)


def _score(value: object) -> float:
    score = float(cast("float", value))
    # what is no number would put an order out of order
    return score if isfinite(score) else 0.0


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list | tuple) else ()
