"""Keep the parts of a patch that were refused, so that what they say is not lost.

A refused part is shown with its reason to be mended, at once and, where that gave nothing, at the
next compile; the record of the compile holds it till then.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from memoria.rules.model import Refusal
from memoria.text.json_text import text_at, texts_at

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from memoria.compile.patch import ArticleChange, RuleProposal

# A part is mended as a rule at the first try, when its reason is told: one at once and two at later
# compiles are room for a bad day. A model that is wrong each time would else be paid at every
# compile for ever.
MOST_TRIES = 3
# bytes of all parts in a request, about what one long article takes; each reason stands besides
ROOM = 4_000
_CUT_MARK = " [...]"
# what is left out of a patch by code: a dead link, an amendment of a line that is not there. The
# rest of the change stands, so it is told in the log and not asked for again.
_LEFT_OUT = ("link ", "line ")


@dataclass(frozen=True, slots=True)
class Declined(Refusal):
    """A refused part with its JSON, "" for what is not asked for again.

    `entries` are those it draws on, `tries` says how often it was to be mended and was not.
    """

    text: str = ""
    entries: tuple[str, ...] = ()
    tries: int = 0


def build_declined(part: str, reason: str, proposed: ArticleChange | RuleProposal) -> Declined:
    """Make the refusal of a change or a rule."""
    values = asdict(proposed)
    names = values.get("entries") or (values.get("entry", ""),)
    # what code alone gives is no part of the form
    values.pop("key", None)
    values["retire"] = [{**cut, "by": "", "place": ""} for cut in values.pop("retired", ())]
    text = json.dumps(_drop_empty(values), ensure_ascii=False)
    return Declined(part, reason, _clip_bytes(text, ROOM), tuple(names))


def is_asked_again(refusal: Refusal) -> bool:
    """Whether a refused part is shown to the model to be mended."""
    return not refusal.part.startswith(_LEFT_OUT)


def show_declined(refused: Iterable[Refusal], room: int) -> str:
    """Show refused parts in their order, as long as there is room."""
    texts: list[str] = []
    room = min(room, ROOM)
    for refusal in refused:
        text = _clip_bytes(refusal.text, room) if isinstance(refusal, Declined) else ""
        room -= len(text.encode("utf-8", "replace")) + 1
        texts += [text] if text else []
    return "\n".join(texts)


def add_failed_try(refused: Sequence[Refusal], asked: Iterable[Refusal]) -> tuple[Refusal, ...]:
    """Count one try more on what is refused after `asked` were to be mended.

    A part may come back by another name, so that the most of their tries counts for each.
    """
    tries = 1 + max((part.tries for part in asked if isinstance(part, Declined)), default=0)
    return tuple(
        replace(part, tries=tries) if isinstance(part, Declined) and is_asked_again(part) else part
        for part in refused
    )


def is_owed(refusal: Refusal) -> bool:
    """Whether the next compile is to ask for a refused part again."""
    if not (isinstance(refusal, Declined) and is_asked_again(refusal)):
        return False
    return bool(refusal.text) and refusal.tries < MOST_TRIES


def build_owed_records(refused: Iterable[Refusal], ids: Collection[str]) -> list[dict[str, Any]]:
    """Give what the record of a compile of the entries `ids` keeps of the parts that are owed."""
    rows = [asdict(part) for part in refused if isinstance(part, Declined) and is_owed(part)]
    for row in rows:
        # a part may be refused for an entry that nobody showed
        row["entries"] = [name for name in row["entries"] if name in ids] or list(ids)
    return rows


def parse_owed_record(row: Mapping[str, Any]) -> Declined:
    """Read what `build_owed_records` gave."""
    tries = row.get("tries")
    return Declined(
        text_at(row, "part"),
        text_at(row, "reason"),
        text_at(row, "text"),
        tuple(texts_at(row, "entries")),
        # of a damaged record the part is asked for once
        tries if isinstance(tries, int) else MOST_TRIES - 1,
    )


def _drop_empty(value: object) -> object:
    """Leave out what is empty."""
    if isinstance(value, dict):
        return {name: _drop_empty(item) for name, item in value.items() if item}
    if isinstance(value, (list, tuple)):
        return [_drop_empty(item) for item in value]
    return value


def _clip_bytes(text: str, room: int) -> str:
    """Cut a text to so many bytes, "" where that leaves too little to be of use."""
    data = text.encode("utf-8", "replace")
    if len(data) <= room:
        return text
    head = data[: max(room - len(_CUT_MARK), 0)].decode("utf-8", "ignore")
    return head + _CUT_MARK if head else ""
