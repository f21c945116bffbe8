"""Show a model the parts of its patch that were refused, to be mended at once."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from memoria.rules.model import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memoria.compile.patch import ArticleChange, RuleProposal

# bytes of all parts in a request, about what one long article takes; each reason stands besides
ROOM = 4_000
_CUT_MARK = " [...]"
# what is left out of a patch by code: a dead link, an amendment of a line that is not there. The
# rest of the change stands, so it is told in the log and not asked for again.
_LEFT_OUT = ("link ", "line ")


@dataclass(frozen=True, slots=True)
class Declined(Refusal):
    """A refused part with its JSON."""

    text: str


def build_declined(part: str, reason: str, proposed: ArticleChange | RuleProposal) -> Declined:
    """Make the refusal of a change or a rule."""
    values = asdict(proposed)
    # what code alone gives is no part of the form
    values.pop("key", None)
    values["retire"] = [{**cut, "by": "", "place": ""} for cut in values.pop("retired", ())]
    text = json.dumps(_drop_empty(values), ensure_ascii=False)
    return Declined(part, reason, _clip_bytes(text, ROOM))


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
