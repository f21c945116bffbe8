"""Read the forms that an engine fills in: JSON schemas, and the values that arrive.

A schema tells a model what to fill in; the reader says what of it arrived, and takes no type on
trust: an engine can be any program, and even a client that checks the schema lets through what has
the right shape and no meaning. A little too much is cut to size, since the answer is paid for; far
too much means that something has gone wrong, and is refused with the reason. The trap: standing and
score of a statement decide over rules, so no field of the form sets them; they are judged where the
quote is looked up (capture/provenance/quotes.py).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

from memoria import errors
from memoria.text.shorten import brief
from memoria.vault.entry import Category, Draft, Statement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CATEGORIES: tuple[Category, ...] = get_args(Category)
# An entry is read in a minute; what a session says beyond that stands in its transcript.
MOST_LINES = 12
MOST_STATEMENTS = 6  # in real sessions one of seven has a single one
TITLE, CONTEXT, LINE, QUOTE = 120, 900, 400, 300  # characters
# Ten times what was asked for is no longer long-windedness.
_EXCESS = 10
# Of a patch only what is absurd is refused here; its check knows what is too much for an article.
MOST_ITEMS, MOST_TEXT = 200, 20_000

STRING: dict[str, Any] = {"type": "string"}
STRINGS: dict[str, Any] = {"type": "array", "items": STRING}
CATEGORY: dict[str, Any] = {"type": "string", "enum": list(CATEGORIES)}


def closed_object(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """Make the schema of an object that has all these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def array(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """Make the schema of a list of such objects."""
    return {"type": "array", "items": closed_object(**properties)}


# Only shape is in the schemas: the client sends the whole prompt again for each violation.
FLUSH_SCHEMA: Mapping[str, Any] = closed_object(
    worth_keeping={"type": "boolean"},
    title=STRING,
    context=STRING,
    exchanges=STRINGS,
    decisions=STRINGS,
    lessons=STRINGS,
    actions=STRINGS,
    statements=array(text=STRING, quote=STRING, category=CATEGORY),
)
# for a session that was given rules, or from which some were withheld
JUDGING_SCHEMA: Mapping[str, Any] = closed_object(
    **FLUSH_SCHEMA["properties"],
    judgements=array(rule=STRING, kept={"type": "boolean"}, quote=STRING),
)


# -- The entry of a session -----------------------------------------------------------------------


def draft(value: object) -> tuple[Draft, tuple[Statement, ...]]:
    """Read the answer to a flush; raises BadReply with the place and the reason.

    What an engine wrote down it thought worth keeping, whatever the flag says: a page that talks it
    into "nothing here" would have to empty the lists as well.
    """
    form = Form(value)
    worth = form.flag("worth_keeping")
    found = Draft(
        form.line("title", TITLE),
        form.line("context", CONTEXT),
        form.lines("exchanges"),
        form.lines("decisions"),
        form.lines("lessons"),
        form.lines("actions"),
    )
    said = tuple(_statement(item) for item in form.items("statements", MOST_STATEMENTS))
    said = tuple(statement for statement in said if statement.text and statement.quote)
    written = [*found.exchanges, *found.decisions, *found.lessons, *found.actions]
    if not written and not said:
        if not worth:
            return Draft("", "", worth_keeping=False), ()
        if not found.context:
            raise errors.BadReply("worth keeping, it says, but there is no line to keep")
    first = next(iter([*written, *(statement.text for statement in said), found.context]))
    return replace(found, title=found.title or brief(first, TITLE)), said


def judgement_fields(value: object, most: int) -> Iterator[tuple[str, bool, str]]:
    """Read rule, kept and quote of each judgement; an answer without any has none."""
    form = Form(value)
    for item in form.items("judgements", most) if form.has("judgements") else ():
        yield item.line("rule", TITLE).lower(), item.flag("kept"), item.line("quote", QUOTE)


def _statement(form: Form) -> Statement:
    quote = form.line("quote", QUOTE)
    return Statement(form.line("text", QUOTE), quote, form.category(), standing=False, score=0.0)


def merge_drafts(drafts: Sequence[Draft]) -> Draft:
    """Make one draft of those of a session's chunks; each chunk keeps a fair share of the lines.

    Title and context come from the first that has something to keep: it saw what was asked for.
    """
    kept = [one for one in drafts if one.worth_keeping]
    if not kept:
        return Draft("", "", worth_keeping=False)
    return Draft(
        kept[0].title,
        kept[0].context,
        _shared([one.exchanges for one in kept]),
        _shared([one.decisions for one in kept]),
        _shared([one.lessons for one in kept]),
        _shared([one.actions for one in kept]),
    )


def _shared(lists: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Take lines by turns until there are enough; give them in their order, each once."""
    order = [(chunk, rank) for chunk, lines in enumerate(lists) for rank in range(len(lines))]
    seen: set[str] = set()
    taken: list[tuple[int, int]] = []
    for chunk, rank in sorted(order, key=lambda place: (place[1], place[0])):
        line = lists[chunk][rank].casefold()
        if line not in seen and len(taken) < MOST_LINES:
            seen.add(line)
            taken.append((chunk, rank))
    return tuple(lists[chunk][rank] for chunk, rank in sorted(taken))


# -- Reading a value whose type is not known ------------------------------------------------------

_BULLET = re.compile(r"^(?:[-*+\u2022]\s+)?(?:\[[ xX]?\]\s+)?")
_TYPES = {dict: "an object", list: "a list", tuple: "a list", str: "text", bool: "true or false"}


class Form:
    """An object of the answer, and where in it it stands, for the reasons."""

    def __init__(self, value: object, place: str = "") -> None:
        if not isinstance(value, Mapping):
            raise errors.BadReply(f"{place or 'the answer'}: {_kind(value)} instead of an object")
        self._value = value
        self._place = place

    def has(self, name: str) -> bool:
        """Whether the object has a field of that name."""
        return name in self._value

    def _at(self, name: str) -> str:
        return f"{self._place}.{name}" if self._place else name

    def _get(self, name: str, *types: type) -> Any:  # noqa: ANN401 - checked right here
        if name not in self._value:
            raise errors.BadReply(f"{self._at(name)}: is missing")
        value = self._value[name]
        if not isinstance(value, types):
            wanted = _TYPES[types[0]]
            raise errors.BadReply(f"{self._at(name)}: {_kind(value)} instead of {wanted}")
        return value

    def flag(self, name: str) -> bool:
        """Read true or false."""
        return bool(self._get(name, bool))

    def text(self, name: str, limit: int = MOST_TEXT) -> str:
        """Read text of several lines."""
        return self._bounded(self._get(name, str), name, limit)

    def line(self, name: str, limit: int) -> str:
        """Read text as one line."""
        return brief(self.text(name, limit), limit)

    def _bounded(self, text: str, name: str, limit: int) -> str:
        most = limit * _EXCESS
        if len(text) > most:
            raise errors.BadReply(f"{self._at(name)}: {len(text)} characters, at most {most}")
        return text.strip()

    def data(self, name: str, limit: int) -> str:
        """Read JSON that others understand, as text or as it is; "" for none, or one too long."""
        value = self._value.get(name)
        if isinstance(value, Mapping):
            value = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
        text = value.strip() if isinstance(value, str) else ""
        return text if len(text) <= limit and text != "{}" else ""

    def lines(self, name: str) -> tuple[str, ...]:
        """Read a list of lines of an entry; empty ones are dropped, too many are left out."""
        texts = self._each(name, MOST_LINES, LINE)
        lines = (_BULLET.sub("", brief(text, LINE)) for text in texts)
        return tuple(dict.fromkeys(line for line in lines if line))[:MOST_LINES]

    def names(self, name: str) -> tuple[str, ...]:
        """Read a list of names or ids."""
        texts = self._each(name, MOST_ITEMS, TITLE)
        return tuple(dict.fromkeys(line for text in texts if (line := brief(text, TITLE))))

    def _each(self, name: str, most: int, limit: int) -> Iterator[str]:
        for index, item in enumerate(self._list(name, most)):
            place = f"{name}[{index}]"
            if not isinstance(item, str):
                raise errors.BadReply(f"{self._at(place)}: {_kind(item)} instead of text")
            yield self._bounded(item, place, limit)

    def _list(self, name: str, most: int) -> Sequence[object]:
        items: Sequence[object] = self._get(name, list, tuple)
        if len(items) > most * _EXCESS:
            reason = f"{len(items)} items, at most {most * _EXCESS}"
            raise errors.BadReply(f"{self._at(name)}: {reason}")
        return items

    def items(self, name: str, most: int) -> Iterator[Form]:
        """Read a list of objects; those past `most` are left out."""
        for index, item in enumerate(self._list(name, most)[:most]):
            yield Form(item, self._at(f"{name}[{index}]"))

    def category(self) -> Category:
        """Read the category of a rule, also one that is spelled in words."""
        said = self.line("category", TITLE)
        name = re.sub(r"[\s-]+", "_", said.lower())
        found = next((known for known in CATEGORIES if known == name), None)
        if found is None:
            known = ", ".join(CATEGORIES)
            raise errors.BadReply(f"{self._at('category')}: {said!r} is none of {known}")
        return found


def _kind(value: object) -> str:
    if value is None:
        return "nothing"
    return _TYPES.get(type(value), "a number")
