"""Read what a model answers to a flush: lines that cite the record, amended part by part.

A line says by ids which lines of the record it rests on (capture/digest.py); code looks them up.
The trap: standing and score of a statement decide over rules, so no field of the form sets them; a
model can only say that a rule was for the moment.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from memoria import errors
from memoria.llm.forms import (
    CATEGORY,
    LINE,
    MOST_LINES,
    QUOTE,
    STRING,
    STRINGS,
    TITLE,
    Form,
    array_schema,
    closed_object_schema,
)
from memoria.text.shorten import clip_line
from memoria.vault.entry import Category, Draft

MOST_STATEMENTS = 6  # in real sessions one of seven has a single one
_MAX_CONTEXT = 900  # characters
_MAX_WEIGHT = 3
_USUAL_WEIGHT = 2  # the weight of a line that names none

Section = Literal["exchanges", "decisions", "lessons", "actions"]
SECTIONS: tuple[Section, ...] = ("exchanges", "decisions", "lessons", "actions")

_LINES = array_schema(text=STRING, cites=STRINGS, weight={"type": "integer"})
# Only shape is in the schemas: the client sends the whole prompt again for each violation.
FLUSH_SCHEMA: Mapping[str, Any] = closed_object_schema(
    worth_keeping={"type": "boolean"},
    title=STRING,
    context=STRING,
    exchanges=_LINES,
    decisions=_LINES,
    lessons=_LINES,
    actions=_LINES,
    drop=STRINGS,
    closed=STRINGS,
    statements=array_schema(
        text=STRING,
        cite=STRING,
        quote=STRING,
        lasts={"type": "string", "enum": ["now", "project", "always"]},
        category=CATEGORY,
    ),
)
# for a session that was given rules, or from which some were withheld
JUDGING_SCHEMA: Mapping[str, Any] = closed_object_schema(
    **FLUSH_SCHEMA["properties"],
    judgements=array_schema(rule=STRING, kept={"type": "boolean"}, cite=STRING),
)


@dataclass(frozen=True, slots=True)
class DraftLine:
    """A line of an answer: `cites` are ids of the record, `weight` is 1 to 3."""

    text: str
    cites: tuple[str, ...] = ()
    weight: int = _USUAL_WEIGHT


@dataclass(frozen=True, slots=True)
class UserClaim:
    """What the user is said to have laid down, the id of the line that says it, and its sentence.

    `passing`: it was an order for the moment, whatever plain code reads in it.
    """

    text: str
    cite: str
    category: Category
    passing: bool = False
    quote: str = ""


@dataclass(frozen=True, slots=True)
class FlushAnswer:
    """An answer to a flush, or those to all parts so far.

    `drop` are ids of the draft so far (see `number_draft_lines`), `closed` ids of the open items
    that the prompt listed.
    """

    worth_keeping: bool
    title: str = ""
    context: str = ""
    exchanges: tuple[DraftLine, ...] = ()
    decisions: tuple[DraftLine, ...] = ()
    lessons: tuple[DraftLine, ...] = ()
    actions: tuple[DraftLine, ...] = ()
    drop: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    claims: tuple[UserClaim, ...] = ()

    @property
    def lines(self) -> tuple[DraftLine, ...]:
        """All lines, section by section."""
        return (*self.exchanges, *self.decisions, *self.lessons, *self.actions)

    def draft(self) -> Draft:
        """Give the draft of the entry, in each section the heaviest lines first."""
        if not self.worth_keeping:
            return Draft("", "", worth_keeping=False)
        exchanges, decisions, lessons, actions = (
            tuple(line.text for line in sorted(getattr(self, name), key=lambda line: -line.weight))
            for name in SECTIONS
        )
        return Draft(self.title, self.context, exchanges, decisions, lessons, actions)


NOTHING = FlushAnswer(worth_keeping=False)


def parse_answer(value: object) -> FlushAnswer:
    """Read the answer to a flush; raises BadReply with the place and the reason.

    What an engine wrote down it thought worth keeping, whatever the flag says: a page that talks it
    into "nothing here" would have to empty the lists as well.
    """
    form = Form(value)
    worth = form.flag("worth_keeping")
    title, context = form.line("title", TITLE), form.line("context", _MAX_CONTEXT)
    sections = [_read_lines(form, name) for name in SECTIONS]
    claims = tuple(_read_claims(form))
    texts = [line.text for lines in sections for line in lines]
    texts += [claim.text for claim in claims if not claim.passing]
    drop, closed = _read_ids(form, "drop"), _read_ids(form, "closed")
    if not texts:
        if not worth:
            return replace(NOTHING, drop=drop, closed=closed)
        if not context:
            raise errors.BadReply("worth keeping, it says, but there is no line to keep")
    title = title or clip_line(next(iter([*texts, context])), TITLE)
    ends = {"drop": drop, "closed": closed, "claims": claims}
    fields: dict[str, Any] = dict(zip(SECTIONS, sections, strict=True)) | ends
    return FlushAnswer(True, title, context, **fields)


def amend_answer(draft: FlushAnswer, answer: FlushAnswer) -> FlushAnswer:
    """Amend the draft so far by the answer to the next part.

    Title, context and open actions are those of the later one, which has seen both; of all else
    only what it drops goes. Of too many lines the lightest go, of equals the later ones.
    """
    if not draft.worth_keeping:
        return answer
    dropped = {line for name, line in number_draft_lines(draft) if name in set(answer.drop)}
    sections: dict[str, Any] = {
        name: _choose_heaviest(
            [line for line in getattr(draft, name) if line not in dropped], getattr(answer, name)
        )
        for name in SECTIONS[:-1]
    }
    return replace(
        draft,
        **sections,
        title=answer.title or draft.title,
        context=answer.context or draft.context,
        actions=answer.actions if answer.worth_keeping else draft.actions,
        drop=(),
        closed=tuple(dict.fromkeys((*draft.closed, *answer.closed))),
        claims=(*draft.claims, *answer.claims)[:MOST_STATEMENTS],
    )


def _choose_heaviest(
    old_lines: Sequence[DraftLine], new_lines: Sequence[DraftLine]
) -> tuple[DraftLine, ...]:
    texts = {line.text.casefold() for line in old_lines}
    lines = [*old_lines, *(line for line in new_lines if line.text.casefold() not in texts)]
    positions = sorted(range(len(lines)), key=lambda at: (-lines[at].weight, at))[:MOST_LINES]
    return tuple(lines[at] for at in sorted(positions))


def number_draft_lines(so_far: FlushAnswer) -> Iterator[tuple[str, DraftLine]]:
    """Give the lines of the draft so far with the ids by which a later part can drop them."""
    for number, line in enumerate(so_far.lines, 1):
        yield f"D{number}", line


def read_judgements(value: object, max_items: int) -> Iterator[tuple[str, bool, str]]:
    """Read rule, kept and cited id of each judgement; an answer without any has none."""
    form = Form(value)
    for item in form.items("judgements", max_items) if form.has("judgements") else ():
        yield item.line("rule", TITLE).lower(), item.flag("kept"), item.line("cite", TITLE)


def _read_lines(form: Form, name: Section) -> tuple[DraftLine, ...]:
    """Read the lines of a section; one that is mere text cites nothing."""
    lines = {}
    for item in form.texts_or_items(name, MOST_LINES, LINE):
        if isinstance(item, str):
            line = DraftLine(item)
        else:
            weight = max(1, min(item.integer("weight", _USUAL_WEIGHT), _MAX_WEIGHT))
            line = DraftLine(item.line("text", LINE), _read_ids(item, "cites"), weight)
        lines[line.text] = line
    return tuple(line for line in lines.values() if line.text)[:MOST_LINES]


def _read_ids(form: Form, name: str) -> tuple[str, ...]:
    return form.names(name) if form.has(name) else ()


def _read_claims(form: Form) -> Iterator[UserClaim]:
    """Read what the user is said to have laid down."""
    for item in form.items("statements", MOST_STATEMENTS):
        text, cite = item.line("text", QUOTE), item.line("cite", TITLE)
        passing = item.has("lasts") and item.line("lasts", TITLE) == "now"
        if text:
            quote = item.line("quote", QUOTE) if item.has("quote") else ""
            yield UserClaim(text, cite, item.category(), passing, quote)
