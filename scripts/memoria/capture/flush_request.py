"""Ask a model for a session's entry, part by part, and look up what its answer cites.

Each part is asked with the draft so far, so that a later part can drop what it shows to be wrong.
What was answered is kept by the caller before the next part is asked: nothing is paid for twice.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from memoria.capture.digest import RecordSpan, digest
from memoria.capture.parts import Part
from memoria.errors import BadReply
from memoria.llm.flush_form import (
    FLUSH_SCHEMA,
    JUDGING_SCHEMA,
    NOTHING,
    SECTIONS,
    DraftLine,
    FlushAnswer,
    amend_answer,
    number_draft_lines,
    parse_answer,
)
from memoria.llm.port import FlushMaterial, Model, Reply, Request
from memoria.llm.prompts import build_flush_prompt, build_judging_prompt
from memoria.vault import package_files
from memoria.vault.entry import Conclusion, Fact, FactKind, Subject
from memoria.vault.project import label

Texts = Mapping[str, str]  # texts by the ids that the model names them by

_WORK_WEIGHT = 2  # of what work came to of which no commit says anything (capture/subjects.py)


def build_prompts(part: Part) -> list[str]:
    """Give the prompts that ask a language model for a part's entry, one a chunk, for estimates."""
    chunks = digest(part.transcript).chunks
    return [_build_prompt(part, chunks, number, {}, "(nothing)") for number in range(len(chunks))]


def ask(  # noqa: PLR0913, PLR0917 - what is asked, of whom, and what is known already
    model: Model,
    part: Part,
    chunks: Sequence[str],
    rules: Texts,
    items: Texts,
    printed: str,
    stored: Iterable[Reply],
    keep: Callable[[Sequence[Reply]], None],
) -> list[Reply]:
    """Ask about all chunks that have no stored reply; `keep` is given the replies after each.

    `rules` are to be judged, `items` are the open ones of earlier sessions of the project, and
    `printed` their notes with what tools printed of them now; the last part is asked about those.
    """
    replies, material = list(stored), FlushMaterial(part.transcript, part.extract)
    schema = JUDGING_SCHEMA if rules else FLUSH_SCHEMA
    for number in range(len(replies), len(chunks)):
        is_last = number == len(chunks) - 1
        known = _format_known(items, merge_replies(replies), printed if is_last else "")
        prompt = _build_prompt(part, chunks, number, rules, known)
        reply = model.ask(Request("flush", prompt, schema, material))
        try:
            parse_answer(reply.value)
        except BadReply:
            for paid in (*replies, reply):
                model.paid_in_vain("flush", paid)
            raise
        replies.append(reply)
        keep(replies)
    return replies


def _build_prompt(part: Part, chunks: Sequence[str], number: int, rules: Texts, items: str) -> str:
    """Write the prompt for one chunk of a record; `number` counts from 0."""
    return build_flush_prompt(
        package_files.read_text("prompts/flush.md"),
        {
            "project": label(part.project),
            "branch": part.extract.branch,
            "day": part.ended.date().isoformat(),
            "part": str(number + 1),
            "parts": str(len(chunks)),
        },
        session=chunks[number],
        known=items,
        judging=build_judging_prompt(package_files.read_text("prompts/judging.md"), rules),
    )


def _format_known(items: Texts, so_far: FlushAnswer, printed: str) -> str:
    """List the draft so far and the open items by their ids, and what earlier sessions noted."""
    parts = []
    if so_far.worth_keeping:
        numbered_lines = list(number_draft_lines(so_far))
        lists = {line: name for name in SECTIONS for line in getattr(so_far, name)}
        lines = [f"{name} ({lists[line]}): {line.text}" for name, line in numbered_lines]
        heads = [f"title: {so_far.title}", f"context: {so_far.context}"]
        parts.append("\n".join(["The draft so far:", *heads, *lines]))
    if items:
        open_lines = [f"{name}: {text}" for name, text in items.items()]
        parts.append("\n".join(["Open items of earlier sessions:", *open_lines]))
    if printed:
        head = "Notes of earlier sessions, each with lines that tools printed of its names in this:"
        parts.append(f"{head}\n{printed}")
    return "\n\n".join(parts) or "(nothing)"


def attach_conclusions(
    subjects: Iterable[Subject], answer: FlushAnswer, spans: Mapping[str, RecordSpan]
) -> tuple[Subject, ...]:
    """Give the subjects of a session with what a model says that they came to.

    Those are its decisions and lessons that rest on their turns, the heaviest first; a subject of
    which it has no such line came to what plain code found.
    """
    results = list(subjects)
    lines: dict[int, list[DraftLine]] = defaultdict(list)
    for line in sorted((*answer.decisions, *answer.lessons), key=lambda line: -line.weight):
        last = max((spans[cite].turn for cite in line.cites if cite in spans), default=-1)
        earlier = [at for at, subject in enumerate(results) if subject.turn <= last]
        if line.weight > 1 and earlier:
            lines[earlier[-1]].append(line)
    for at, subject_lines in lines.items():
        turn, old = results[at].turn, results[at].conclusions
        weight = max((line.weight for line in old), default=_WORK_WEIGHT)
        new = tuple(Conclusion(line.text, "assistant", turn, weight) for line in subject_lines)
        results[at] = replace(results[at], conclusions=new)
    return tuple(results)


# by weight: what a fact counts on the extractor's scale; the lightest are below what a page shows
_SCORES = {1: 2.5, 2: 3.5, 3: 4.5}


def build_results(answer: FlushAnswer, spans: Mapping[str, RecordSpan]) -> tuple[Fact, ...]:
    """Give what a model says that held when a session ended, in the order of time, for the pages.

    The pages tell what the entry tells: plain code would have chosen other lines of the session.
    """
    kinds: tuple[tuple[FactKind, Iterable[DraftLine]], ...] = (
        ("decision", answer.decisions),
        ("lesson", answer.lessons),
    )
    facts = [
        Fact(kind, line.text, "assistant", _SCORES[line.weight], turn)
        for kind, lines in kinds
        for line in lines
        for turn in [max((spans[cite].turn for cite in line.cites if cite in spans), default=0)]
    ]
    return tuple(sorted(facts, key=lambda fact: fact.turn))


def build_left(answer: FlushAnswer) -> tuple[Fact, ...]:
    """Give what a model says is open, with its weight."""
    return tuple(
        Fact("context", line.text, "assistant", _SCORES[line.weight], 0) for line in answer.actions
    )


def merge_replies(replies: Iterable[Reply]) -> FlushAnswer:
    """Join the answers to the parts of a session; raises BadReply for one that is no form."""
    so_far = NOTHING
    for reply in replies:
        so_far = amend_answer(so_far, parse_answer(reply.value))
    return so_far
