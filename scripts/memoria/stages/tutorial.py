"""A captured session -> the sections of a written entry: a tutorial draft, not a blank form.

Everything is taken from what was really asked, run, printed, edited and said; nothing is made up.
The journey keeps its wrong turns, since they are what a reader comes for. The trap: the draft's
improvements are mostly the assistant's words; who reads the note later must not take them for the
person's own, so they are given as a list beside the sections.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.stages.category import categorised
from memoria.stages.detour import detours, is_objection
from memoria.stages.fence import code, quoted
from memoria.stages.journey import Matter, journey
from memoria.stages.markup import inert
from memoria.stages.prose import clipped
from memoria.stages.question import plan_title
from memoria.stages.retelling import retold, settled
from memoria.stages.sample import edits, samples
from memoria.stages.sentence import containment, stems
from memoria.stages.title import title
from memoria.stages.transcript import Say
from memoria.stages.trial import trials
from memoria.stages.utterance import ask
from memoria.stages.work import work

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memoria.stages.entry import Entry, Extract, Statement
    from memoria.stages.mistake import Mistake
    from memoria.stages.sample import Edit
    from memoria.stages.transcript import Transcript
    from memoria.stages.trial import Trial
    from memoria.stages.work import Commit, Work

# characters: what was asked, a plan (its purpose stands first), outcome, a commit's message
_GOAL, _PLAN, _RESULT, _BODY = 1_600, 1_100, 1_800, 700
_SAYING = 120  # characters of an answer that can stand for the outcome
_FILES = 8  # that are listed
_SAME = 0.62  # of the smaller line's words, as stages/composition.py has it
_A_CATEGORY, _ALL = 4, 10  # improvements: a list of twenty is not read


@dataclass(frozen=True, slots=True)
class Tutorial:
    """A draft: its title, the bodies of its sections by their headings, and whose words it has.

    `improvements` are (category, line), the lines of the last section.
    """

    title: str
    sections: tuple[tuple[str, str], ...]
    improvements: tuple[tuple[str, str], ...]


def tutorial(
    transcript: Transcript,
    mistakes: Sequence[Mistake],
    extract: Extract,
    entries: Sequence[Entry] = (),
) -> Tutorial:
    """Write the draft of a session; `entries` are its blocks in the logs, as they stand there."""
    done = work(transcript)
    made = edits(transcript, done.files)
    outcome, words = _outcome(transcript, done)
    first = _first(transcript)
    told: set[str] = set()
    built = _built(done, made, retold(settled(words), _RESULT, told))
    found = detours(transcript, mistakes)
    objected = frozenset(
        one.turn for one in mistakes if is_objection(one) and not one.call and one.turn != first
    )
    matter = Matter(transcript, done, found, made, outcome, first, frozenset(told), objected)
    lessons = [fact.text for fact in extract.facts if fact.kind == "lesson"]
    lines = tuple(improvements(extract.statements, entries, lessons))
    about = list(_plain(one.text for one in extract.facts if one.kind in {"decision", "lesson"}))
    mended = [one.resolution.change for one in mistakes if one.resolution]
    name = next((entry.draft.title for entry in entries), "") or title(transcript, done)[0]
    sections = {
        "The Goal": _goal(transcript, first),
        "What We Built": built,
        "The Journey": journey(matter),
        "Test Results": _tested(trials(transcript)),
        "Code Samples": "\n\n".join(_sampled(made, about, mended)),
    }
    return Tutorial(
        inert(name),
        tuple((heading, public(body, transcript.cwd)) for heading, body in sections.items()),
        tuple((category, public(line, transcript.cwd)) for category, line in lines),
    )


def public(text: str, cwd: str) -> str:
    """Take the paths of the person's machine out of a text: what lies in the folder is relative."""
    short = _HOME.sub("~", cwd)
    for root in dict.fromkeys((cwd, cwd.replace("\\", "/"), short)):
        if len(root.strip("/\\")) > 1:
            text = re.sub(re.escape(root.rstrip("/\\")) + r"[/\\](?=\w|\.\w)", "", text)
            text = re.sub(re.escape(root.rstrip("/\\")) + r"(?![\w/\\.-])", ".", text)
    return _HOME.sub("~", text)


_HOME = re.compile(
    r"(?<![\w.])(?:/(?:home|Users)/|[A-Z]:[\\/]Users[\\/])[\w.-]+(?=[\\/\s'\"`:,)]|$)"
)


def _first(transcript: Transcript) -> int:
    """Give the turn that says what was to be done: a plan, else the first with content."""
    asks = [(index, ask(turn.prompt)) for index, turn in enumerate(transcript.turns)]
    asked = [(index, one) for index, one in asks if one.text and not one.trivial]
    plan = next((index for index, one in asked if one.is_plan), -1)
    return plan if plan >= 0 else next((index for index, _ in asked), -1)


def _goal(transcript: Transcript, first: int) -> str:
    if first < 0:
        return ""
    asked = ask(transcript.turns[first].prompt)
    if asked.is_plan:
        heading = plan_title(asked.text)
        # its first line is its title again
        body = asked.text.partition("\n")[2] if asked.text.startswith("#") else asked.text
        return "\n\n".join(filter(None, (f"**{inert(heading)}**", retold(body, _PLAN))))
    parts = [quoted(clipped(asked.text, _GOAL))]
    if asked.trace:
        parts.append(f"The error that came with it: {code(asked.trace)}")
    return "\n\n".join(parts)


def _outcome(transcript: Transcript, done: Work) -> tuple[int, str]:
    """Give the last answer that tells what was made, with its turn; (-1, "") for none."""
    closings = [
        (index, turn.steps[-1].text)
        for index, turn in enumerate(transcript.turns)
        if turn.steps and isinstance(turn.steps[-1], Say) and len(turn.steps[-1].text) >= _SAYING
    ]
    busy = [one for one in closings if one[0] in done.busy]
    # the longest of the last two: the very last may only say that it was pushed
    last = (busy or closings)[-2:]
    return max(last, key=lambda one: len(one[1]), default=(-1, ""))


def _built(done: Work, made: Sequence[Edit], words: str) -> str:
    parts = [words] if words else []
    if done.files:
        parts.append("**Files**\n\n" + "\n".join(_files(done, made)))
    if done.commits:
        parts.append("**Commits**\n\n" + "\n\n".join(_commit(one) for one in done.commits))
    parts += [
        f"Pull request #{pull.number}" + (f": {inert(pull.title)}" if pull.title else "")
        for pull in done.pull_requests
    ]
    return "\n\n".join(parts)


def _files(done: Work, made: Sequence[Edit]) -> Iterator[str]:
    for file in done.files[:_FILES]:
        mine = [edit for edit in made if edit.file == file]
        new = bool(mine) and not mine[0].old
        count = f", {len(mine)} edits" if len(mine) > 1 else ""
        yield f"- {code(file)} ({'written' if new else 'changed'}{count})"
    if len(done.files) > _FILES:
        yield f"- and {len(done.files) - _FILES} more"


def _commit(commit: Commit) -> str:
    body = retold(commit.body, _BODY)
    text = f"- {inert(commit.subject)}"
    lines = (f"  {line}".rstrip() for line in body.split("\n"))
    return "\n\n".join([text, "\n".join(lines)] if body else [text])


def _tested(found: Sequence[Trial]) -> str:
    parts = []
    for trial in found:
        parts.append(
            f"{code(trial.name)} **{'passed' if trial.passed else 'failed'}** when last run:"
        )
        parts.append(trial.shown)
    return "\n\n".join(parts)


def _sampled(made: Sequence[Edit], about: Sequence[str], mended: Sequence[str]) -> Iterator[str]:
    for sample in samples(made, about, mended):
        yield f"{code(sample.file)}" + (f": {inert(sample.caption)}" if sample.caption else "")
        yield sample.shown


# -- Improvements ---------------------------------------------------------------------------------

_USER = re.compile(r"User, (?:refusing|on) [^:]{1,80}: ")
_SUBJECT = re.compile(r"^\w{2,10}(?:\([^()]{1,40}\))?!?: ")
_PAIR = re.compile(r" -> | → ")


def improvements(
    statements: Sequence[Statement], entries: Sequence[Entry], lessons: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """Give what a session taught, with the category: what the user stated, then what was learned.

    `entries` are its blocks as they stand in the log; `lessons` come last, the best first.
    """
    taken: list[frozenset[str]] = []
    counts: dict[str, int] = {}
    for category, line in _candidates(statements, entries, lessons):
        words = stems(line)
        if any(containment(words, other) > _SAME for other in taken):
            continue
        if counts.get(category, 0) < _A_CATEGORY and len(taken) < _ALL:
            taken.append(words)
            counts[category] = counts.get(category, 0) + 1
            yield category, inert(line)


def _candidates(
    statements: Sequence[Statement], entries: Sequence[Entry], lessons: Iterable[str]
) -> Iterator[tuple[str, str]]:
    for statement in sorted(statements, key=lambda one: -one.score):
        yield statement.category, statement.text
    for line in _plain(line for entry in entries for line in entry.draft.lessons):
        yield categorised(line), line
    for line in _plain(line for entry in entries for line in entry.draft.decisions):
        yield categorised(line, "architectural"), line
    for line in _plain(lessons):
        yield categorised(line), line


def _plain(lines: Iterable[str]) -> Iterator[str]:
    """Leave out what is told elsewhere: subjects of commits, choices, errors with their change."""
    for line in lines:
        bare = _USER.sub("", line)
        if not _SUBJECT.match(bare) and not _PAIR.search(bare) and not bare.endswith("?"):
            yield bare
