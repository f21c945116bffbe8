"""Ask a model for a session's entry, part by part, and look up what its answer cites.

Each part is asked with the draft so far, so that a later part can drop what it shows to be wrong.
What was answered is kept by the caller before the next part is asked: nothing is paid for twice.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memoria.capture.digest import digest
from memoria.errors import BadReply
from memoria.llm.flush_form import (
    FLUSH_SCHEMA,
    JUDGING_SCHEMA,
    NOTHING,
    amended,
    answer,
    draft_lines,
)
from memoria.llm.port import Request
from memoria.llm.prompts import flush_prompt, judging_prompt
from memoria.vault import package_files as resource
from memoria.vault.project import label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from memoria.capture.day_logs import OpenItem
    from memoria.capture.parts import Part
    from memoria.llm.flush_form import Answer
    from memoria.llm.port import Model, Reply, Session


@dataclass(frozen=True, slots=True)
class Occasion:
    """What a model is told beside the record of a session.

    `day` is the day of its last turn, as in "2026-03-02". `open_items` are those of earlier
    sessions of the project, by ids of the prompt ("O1"); `rules` (id to text) are to be judged.
    """

    project: str
    branch: str = ""
    day: str = ""
    open_items: Mapping[str, str] = field(default_factory=dict)
    rules: Mapping[str, str] = field(default_factory=dict)


def prompt(chunks: Sequence[str], number: int, occasion: Occasion, so_far: Answer = NOTHING) -> str:
    """Write the prompt for one chunk of a record; `number` counts from 0."""
    judging = judging_prompt(resource.text("prompts/judging.md"), occasion.rules)
    known = _known(occasion, so_far)
    return flush_prompt(
        resource.text("prompts/flush.md"),
        {
            "project": occasion.project,
            "branch": occasion.branch,
            "day": occasion.day,
            "part": str(number + 1),
            "parts": str(len(chunks)),
        },
        session=chunks[number],
        known=known,
        judging=judging,
    )


def ask(  # noqa: PLR0913, PLR0917 - what is asked, of whom, and what is known already
    model: Model,
    chunks: Sequence[str],
    occasion: Occasion,
    material: Session,
    stored: Iterable[Reply] = (),
    keep: Callable[[Sequence[Reply]], None] = lambda _: None,
) -> list[Reply]:
    """Ask about all chunks that have no stored reply; `keep` is given the replies after each."""
    replies = list(stored)
    schema = JUDGING_SCHEMA if occasion.rules else FLUSH_SCHEMA
    for number in range(len(replies), len(chunks)):
        asked = prompt(chunks, number, occasion, joined(replies))
        reply = model.ask(Request("flush", asked, schema, material))
        try:
            answer(reply.value)
        except BadReply:
            for paid in (*replies, reply):
                model.paid_in_vain("flush", paid)
            raise
        replies.append(reply)
        keep(replies)
    return replies


def joined(replies: Iterable[Reply]) -> Answer:
    """Join the answers to the parts of a session; raises BadReply for one that is no form."""
    so_far = NOTHING
    for reply in replies:
        so_far = amended(so_far, answer(reply.value))
    return so_far


def _known(occasion: Occasion, so_far: Answer) -> str:
    """List what the model can name by id: lines of the draft so far, open items."""
    parts = []
    if so_far.worth_keeping:
        lines = [f"{name}: {line.text}" for name, line in draft_lines(so_far)]
        heads = [f"title: {so_far.title}", f"context: {so_far.context}"]
        parts.append("\n".join(["The draft so far:", *heads, *lines]))
    if occasion.open_items:
        items = [f"{name}: {text}" for name, text in occasion.open_items.items()]
        parts.append("\n".join(["Open items of earlier sessions:", *items]))
    return "\n\n".join(parts) or "(nothing)"


def occasion(
    part: Part, rules: Mapping[str, str] | None = None, items: Sequence[OpenItem] = ()
) -> Occasion:
    """Say what a model is told beside a part's record: rules to judge, items to close."""
    return Occasion(
        project=label(part.project),
        branch=part.extract.branch,
        day=part.ended.date().isoformat(),
        open_items={f"O{number}": item.text for number, item in enumerate(items, 1)},
        rules=rules or {},
    )


def prompts(part: Part) -> list[str]:
    """Give the prompts that ask a language model for a part's entry, one a chunk, for estimates."""
    chunks = digest(part.transcript).chunks
    told = occasion(part)
    return [prompt(chunks, number, told) for number in range(len(chunks))]
