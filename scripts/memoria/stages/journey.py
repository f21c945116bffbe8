"""Transcript -> the journey: what was asked, found, tried and mended, in the order of time.

Chapters follow what the user asked; in each the assistant's own words tell the story, cut to the
sentences that say something, with the commands that failed where they failed. The trap: what the
user typed meanwhile steers the running turn, and a bare "yes" goes on with what was offered; both
belong to the chapter that they stand in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.stages.chapter import KEEP, Chapter, fitted, is_twice, telling
from memoria.stages.console import command, is_shell, subject
from memoria.stages.detour import told
from memoria.stages.fence import code, quoted
from memoria.stages.markup import inert
from memoria.stages.prose import clipped
from memoria.stages.question import shown
from memoria.stages.retelling import retold, settled
from memoria.stages.sentence import stems
from memoria.stages.transcript import Call, Interrupt, Say, Steer
from memoria.stages.trial import alike, is_run, passed
from memoria.stages.utterance import answers, ask, refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from memoria.stages.detour import Detour
    from memoria.stages.sample import Edit
    from memoria.stages.transcript import Step, Transcript, Turn
    from memoria.stages.utterance import Ask
    from memoria.stages.work import Work

MOST_CHAPTERS = 12  # a reader of one sitting; the rest is named
_LENGTH = 16_000  # characters of all chapters: a quarter of an hour of reading
_ROOM = (900, 3_200)  # characters of one chapter, least and most
_TITLE = 72  # characters of a chapter's heading
_ASKED = 700  # characters of an ask that is quoted
_CLOSING = 1_300  # characters of the answer that closes a chapter
_LONG, _EXPLAINED = 500, 700  # a text longer than the first is an explanation with a shape
_EDITED = 3  # files that are named where several were changed
_NAMED = 70  # characters of a command within a sentence
_BEGUN = 0.2  # the weight of one edit: a chapter of less was stopped before it began
_DETOURS = 4  # wrong turns of one chapter that are shown whole


@dataclass(frozen=True, slots=True)
class Matter:
    """What a story is told from.

    `found` are the detours by call; `aside` is the turn whose closing words are told elsewhere
    (-1: none), `known` the one whose ask is; `told` are lines that were told elsewhere, `objected`
    the turns whose prompts corrected what was done before.
    """

    transcript: Transcript
    work: Work
    found: Mapping[str, Detour]
    made: Sequence[Edit]
    aside: int = -1
    known: int = -1
    told: frozenset[str] = frozenset()
    objected: frozenset[int] = frozenset()


def journey(matter: Matter) -> str:
    """Tell the session; "" where nothing was asked."""
    chapters = list(_chapters(matter))
    ranked = sorted(range(len(chapters)), key=lambda index: (-chapters[index].weight, index))
    kept = set(ranked[:MOST_CHAPTERS])
    room = min(max(_LENGTH // max(len(kept), 1), _ROOM[0]), _ROOM[1])
    parts: list[str] = []
    passed_over: list[str] = []
    number = 0
    for index, chapter in enumerate(chapters):
        if index not in kept:
            passed_over.append(chapter.title)
            continue
        parts += _also(passed_over)
        number += 1
        parts.append(f"### {number}. {chapter.title}")
        parts += fitted(chapter.blocks, room)
    return "\n\n".join([*parts, *_also(passed_over)])


def _also(titles: list[str]) -> list[str]:
    line = [f"*Asked in between: {'; '.join(titles)}.*"] if titles else []
    titles.clear()
    return line


def _chapters(matter: Matter) -> Iterator[Chapter]:
    current: Chapter | None = None
    before = set(matter.told)
    for index, turn in enumerate(matter.transcript.turns):
        asked = ask(turn.prompt)
        title = _title(asked)
        if not asked.text and not asked.trace and not turn.steps:
            continue
        if current is None or (title and not asked.trivial):
            if current and not _was_asked_again(current, title):
                current.flush()
                yield current
            current = Chapter(inert(title) or "The beginning", turn.at, before)
            if index != matter.known:
                _quote(current, asked, title, objected=index in matter.objected)
        elif asked.text:
            if index in matter.objected:
                current.add("**The user objected:**", KEEP)
            current.quote(asked.text, 3.0)
        _tell(current, turn, index, matter)
    if current:
        current.flush()
        yield current


def _was_asked_again(chapter: Chapter, title: str) -> bool:
    """Whether a chapter holds nothing yet and the next one asks nearly the same."""
    return chapter.weight < _BEGUN and not chapter.edited and is_twice(chapter.title, title)


def _title(asked: Ask) -> str:
    """Give the heading of a chapter, "" where nothing was asked."""
    title = shown(asked, _TITLE)
    # a question that is all code has no clause to be cut at
    return title if re.search(r"\w", title) else clipped(" ".join(asked.text.split()), _TITLE)


def _quote(chapter: Chapter, asked: Ask, title: str, *, objected: bool) -> None:
    """Quote what was asked where the heading does not say all of it, or it is an objection."""
    if objected:
        chapter.add("**The user objected:**", KEEP)
        chapter.quote(clipped(asked.text, _ASKED), KEEP)
        chapter.weight += 1.5
    elif not asked.is_plan and not stems(asked.text) <= stems(title):
        chapter.quote(clipped(asked.text, _ASKED), KEEP)
    if asked.trace:
        chapter.add(f"> {code(asked.trace)}", 3.0)


def _tell(chapter: Chapter, turn: Turn, index: int, matter: Matter) -> None:
    last = max((i for i, step in enumerate(turn.steps) if isinstance(step, Say)), default=-1)
    following = matter.transcript.turns[index + 1 : index + 2]
    agreed = any(ask(one.prompt).trivial for one in following)
    failed = False
    for place, step in enumerate(turn.steps):
        if isinstance(step, Say):
            final = place == last and not _calls_after(turn, place)
            if not final or index != matter.aside:
                # what the user then agreed to is part of the story
                text = step.text if agreed or not final else settled(step.text)
                _say(chapter, text, final=final, failed=failed)
            failed = False
        elif isinstance(step, Call):
            failed = _call(chapter, step, index, matter) or failed
        else:
            _person(chapter, step)


def _calls_after(turn: Turn, place: int) -> bool:
    return any(isinstance(step, Call) for step in turn.steps[place + 1 :])


def _say(chapter: Chapter, text: str, *, final: bool, failed: bool) -> None:
    if final:
        chapter.add(retold(text, _CLOSING, chapter.told), KEEP - 1)
        chapter.weight += min(len(text), _CLOSING) / _CLOSING
    elif len(text) > _LONG:
        chapter.add(retold(text, _EXPLAINED, chapter.told), 2.5)
    elif said := telling(text, failed=failed):
        chapter.add(inert(" ".join(said)), 3.5 if failed else 1.5)


def _call(chapter: Chapter, call: Call, turn: int, matter: Matter) -> bool:
    """Tell a call that failed or was refused, note one that went well; True for a wrong turn."""
    if reason := refusal(call):
        typed = call.argument("command")
        what = command(typed) if typed else subject(call.name, call.arguments)
        words = f" and said:\n\n{quoted(reason.text)}" if reason.text else "."
        chapter.add(f"The user refused {code(what)}{words}", KEEP)
        chapter.weight += 1.5
        return False
    if detour := matter.found.get(call.id):
        _detour(chapter, detour, call, matter)
        return True
    for answer in answers(call):
        chapter.add(f"> **{inert(answer.question)}**\n>\n{quoted(answer.text)}", KEEP)
    _note(chapter, call, turn, matter)
    return False


def _detour(chapter: Chapter, detour: Detour, call: Call, matter: Matter) -> None:
    known = detour.signatures <= chapter.seen
    chapter.seen |= detour.signatures
    if known or (detour.is_slip and chapter.shown >= _DETOURS):
        # the same again: it is enough to know that it was not over yet
        chapter.done.setdefault(f"{_short(detour.typed or detour.about)} failed again")
        return
    chapter.shown += 1
    chapter.weight += 0.3 if detour.is_slip else 2.0
    following = _following(detour, call, matter)
    until = following.at if following else max((s.at for s in detour.solved), default=call.at)
    files = [edit.file for edit, at in _timed(matter) if call.at < at <= until]
    past = command(following.argument("command")) if following else None
    text = "\n\n".join(told(detour, tuple(dict.fromkeys(files))[:_EDITED], past))
    chapter.add(text, 1.0 if detour.is_slip else KEEP if chapter.shown <= _DETOURS else 2.0)


def _following(detour: Detour, call: Call, matter: Matter) -> Call | None:
    """Give the next run of the same check, if it failed of something else."""
    if not is_run(call):
        return None
    calls = matter.transcript.calls
    later = calls[next(i for i, one in enumerate(calls) if one is call) + 1 :]
    following = next(alike(call, filter(is_run, later)), None)
    other = matter.found.get(following.id) if following else None
    return following if other and not other.signatures & detour.signatures else None


def _timed(matter: Matter) -> Iterator[tuple[Edit, datetime]]:
    at = {call.id: call.at for call in matter.transcript.calls}
    return ((edit, at[edit.call]) for edit in matter.made)


def _note(chapter: Chapter, call: Call, turn: int, matter: Matter) -> None:
    """Keep in mind what went well, for the next line that says what was done."""
    for edit in matter.made:
        if edit.call == call.id:
            chapter.edited.setdefault(code(edit.file))
            chapter.weight += 0.2
    typed = call.argument("command")
    if is_shell(call.name) and is_run(call):
        how = "passed" if passed(call) else "failed"
        chapter.done.setdefault(f"{_short(command(typed))} {how}")
    for commit in matter.work.commits:
        if commit.turn == turn and "commit" in typed and commit.subject in typed + call.result:
            chapter.done.setdefault(f"committed {code(commit.subject)}")
            chapter.weight += 1.0


def _short(typed: str) -> str:
    """Give a command as it fits into a sentence."""
    line = " ".join(typed.split())
    return code(line if len(line) <= _NAMED else f"{line[:_NAMED].rsplit(' ', 1)[0]} …")


def _person(chapter: Chapter, step: Step) -> None:
    """Tell what the user did to a running turn."""
    if isinstance(step, Steer) and (said := ask(step.text)).text:
        chapter.quote(clipped(said.text, _ASKED), KEEP)
        chapter.weight += 1.0
    elif isinstance(step, Interrupt):
        chapter.add("*The user stopped the assistant here.*", 3.0)
