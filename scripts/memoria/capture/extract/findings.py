"""Transcript -> Findings that are known by their form: no words have to be weighed for them.

A commit, a plan, a refusal with its reason, an answer to a question of the client, the sections
of a compact summary, an error and the edit that mended it: each is read by its own small
function. They are right in eight of ten cases and more, so they come first where two lines say
the same. The trap: a plan's context tells the state before the work, which is past by the time it
is read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.agents.claude_code.user_words import ask
from memoria.agents.transcript import Call, Compaction
from memoria.capture.extract.cues import is_chat, weigh
from memoria.capture.extract.sentences import LONGEST, SHORTEST, is_named, passage, tidy
from memoria.capture.extract.user.user_decisions import user_decisions
from memoria.text.prose import capital, clipped, plain, run, split, units
from memoria.text.shell.actions import action

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memoria.agents.transcript import Step, Transcript, Turn
    from memoria.capture.extract.work import Commit, Work
    from memoria.text.prose import Unit
    from memoria.vault.entry import FactKind, Mistake, Origin


@dataclass(frozen=True, slots=True)
class Finding:
    """A line worth keeping: what it is, who said it, how sure it is, and where it stood."""

    kind: FactKind
    text: str
    origin: Origin
    score: float
    turn: int


# Scores of what is known by its form and not by its words; the scale is that of `sentence`.
_REFUSAL = 5.0
_ANSWER = 5.0
_DECIDED = 5.0
_SUBJECT = 5.0
_HOUSEKEEPING = 3.5
_MERGE = 1.0
_PLAN_CONTEXT = 6.0
_PLAN_CAUSE = 4.5
_PLAN_CHOICE = 3.6
_COMPACTION = 4.0
_MEMORY = 3.4  # a line added to CLAUDE.md or AGENTS.md is meant to last
_BODY = 3.2
_BODY_CAUSE = 1.5
_BODY_DECISION = 0.8
_ALONE = -1.4  # a sentence of a body that needs the one before it, or is about tests
_MENDED = 3.2  # an error with the lines that mended it
_SLIP = 2.4  # the compiler said what was wrong, and will say so again


def findings(transcript: Transcript, work: Work, mistakes: Iterable[Mistake]) -> Iterator[Finding]:
    """Yield what is known by its form, the surest signal first."""
    for commit in work.commits:
        yield from _commit(commit)
    for index, turn in enumerate(transcript.turns):
        yield from _plan(turn, index, done=index in work.busy)
        for step in turn.steps:
            yield from _step(step, index)
    for stated in user_decisions(transcript):
        yield Finding("decision", f"User: {stated.text}", "user", _DECIDED, stated.turn)
    yield from _mended(mistakes)


def fits(text: str) -> bool:
    """Whether a line is long enough to say something and short enough to be read."""
    return SHORTEST <= len(text) <= LONGEST


# -- Plans ----------------------------------------------------------------------------------------

_STATE = re.compile(
    r"\b(?:context|background|problem|motivation|goal|summary|overview|current|issue|bug|root cause"
    r"|why)\b",
    re.IGNORECASE,
)
_CHOICE = re.compile(
    r"\b(?:decision|design|approach|rationale|solution|trade-?off|convention|note)", re.IGNORECASE
)
_PAST = re.compile(
    r"\b(?:current(?:ly)?|today|now|existing|at the moment|already|still|at present|right now"
    r"|before)\b",
    re.IGNORECASE,
)


def plan_context(plan: str) -> str:
    """Give the paragraph of a plan that says what it is for, "" where none does."""
    found = units(plan)
    for place, unit in enumerate(found):
        states = unit.form == "heading" and _STATE.search(unit.text)
        if states and (purpose := _purpose(found[place + 1 :])):
            return purpose
    return _purpose(found)


def _purpose(found: Sequence[Unit]) -> str:
    """Give the first unit that says something, with the list that it announces."""
    for place, unit in enumerate(found):
        items = "; ".join(one.text.rstrip(".;") for one in run(found, place + 1))
        if unit.form == "heading" and place == 0 and items:  # "Two bugs:" over a list
            return f"{unit.text}: {items}"
        if unit.text.endswith(":"):
            return f"{unit.text} {items}" if items else unit.text.rstrip(":")
        if unit.form != "heading" and len(unit.text) >= SHORTEST:
            return unit.text
    return ""


def _plan(turn: Turn, index: int, *, done: bool) -> Iterator[Finding]:
    """Read a plan: its context is past, its causes last, its choices were made if work followed."""
    asked = ask(turn.prompt)
    if not asked.is_plan:
        return
    if context := plan_context(asked.text):
        yield Finding("context", clipped(context, LONGEST), "user", _PLAN_CONTEXT, index)
    for sentence in passage(asked.text).sentences:
        if not fits(sentence.text):
            continue
        if {"cause", "diagnosis"} & sentence.cues and _STATE.search(sentence.heading):
            kind: FactKind = "context" if _PAST.search(sentence.text) else "lesson"
            yield Finding(kind, sentence.text, "user", _PLAN_CAUSE, index)
        elif done and _CHOICE.search(sentence.heading) and sentence.score > 1.0:
            yield Finding("decision", sentence.text, "user", _PLAN_CHOICE, index)


# -- Commits --------------------------------------------------------------------------------------

CHANGE_START = re.compile(
    r"""(?:add|allow|avoid|bump|call|change|check|clean|clear|consolidate|convert|create|default
        |delete
    |disable|drop|enable|ensure|extract|fall|fix|guard|handle|hide|ignore|implement|improve|include
    |initiali[sz]e|introduce|keep|limit|log|make|mark|merge|migrate|move|normali[sz]e|only|parse
      |pass
    |persist|prefer|preserve|prevent|put|raise|read|record|reduce|refactor|reject|remove|rename
      |replace
    |report|require|reset|resolve|restore|return|reuse|rewrite|run|set|show|simplify|skip|sort
      |split|start
    |stop|store|strip|support|switch|track|treat|trim|turn|unify|update|use|validate|wait|warn
      |wrap|write)
    (?:e?s|e?d|ing|ped|ted|lit)?\b""",
    re.IGNORECASE | re.VERBOSE,
)
_WAS = re.compile(
    r"\b(?:was|were|failed|never|previously|used to|root cause|because|caused)\b", re.IGNORECASE
)


def _commit(commit: Commit) -> Iterator[Finding]:
    """Read a commit: the subject is what was done, the body why."""
    subject = plain(commit.subject)
    subject = subject if commit.scope or ": " in subject else capital(subject)
    if subject.startswith("Merge "):
        yield Finding("change", subject, "assistant", _MERGE, commit.turn)
    elif commit.is_housekeeping:
        yield Finding("change", subject, "assistant", _HOUSEKEEPING, commit.turn)
    else:
        # a subject is worded as an order, and tells what was done
        yield Finding("decision", f"Committed: {subject}", "assistant", _SUBJECT, commit.turn)
    for unit in units(commit.body):
        for text in map(tidy, split(unit.text)):
            if fits(text) and not is_chat(text):
                yield _body(text, commit.turn)


def _body(text: str, turn: int) -> Finding:
    cues, _ = weigh(text)
    cause = bool({"cause", "diagnosis"} & cues) or bool(_WAS.search(text))
    score = _BODY + (_BODY_CAUSE if cause else 0.0)
    score += _BODY_DECISION if "decision" in cues else 0.0
    score += _ALONE if {"dangling", "testing"} & cues else 0.0
    lesson = cause and not CHANGE_START.match(text)
    return Finding("lesson" if lesson else "decision", text, "assistant", score, turn)


# -- What the user said in the middle, and what the client recorded -------------------------------

_HANDS_OFF = re.compile(
    r"(?:i'?ll|i will|let me|leave it|never ?mind|i can|i got|hold on|wait)\b", re.IGNORECASE
)
_PROCESS = re.compile(
    r"\b(?:ready to|proceed|continue|next\??$|do next|start (?:work|implement)|push|commit(?:ted)?"
    r"|merge|open (?:a )?pr|run (?:it|the tests)|looks? (?:good|right)|approve)\b",
    re.IGNORECASE,
)


def _step(step: Step, index: int) -> Iterator[Finding]:
    if isinstance(step, Compaction):
        yield from _compaction(step, index)
    elif isinstance(step, Call):
        yield from _refused(step, index)
        yield from _answered(step, index)
        yield from _memory(step, index)


def _refused(call: Call, index: int) -> Iterator[Finding]:
    """Read a refusal: with what was refused, so that the reason can be understood."""
    reason = ask(call.reason)
    if reason.text and not _HANDS_OFF.match(reason.text):
        text = clipped(plain(reason.text.split("\n")[0]), LONGEST - 60)
        yield Finding("decision", f"User, {_what(call)}: {text}", "user", _REFUSAL, index)


def _what(call: Call) -> str:
    if call.kind == "plan":
        return "on the plan"
    if file := call.path.replace("\\", "/").rsplit("/", 1)[-1]:
        return f"refusing an edit of `{file}`"
    done = action(call.command).replace("`", "")
    return f"refusing `{done}`" if done else "refusing a step"


def _answered(call: Call, index: int) -> Iterator[Finding]:
    for answer in call.answers:
        text = plain(answer.text.split("\n")[0])
        if answer.free:
            text = f"User: {clipped(text, LONGEST - 10)}"
            yield Finding("decision", text, "user", _ANSWER, index)
        elif not _PROCESS.search(answer.question):
            question = clipped(plain(split(answer.question)[-1]), LONGEST // 2)
            yield Finding("decision", f"{question} -> {text}", "user", _ANSWER, index)


_LASTING_FILE = re.compile(r"(?:^|[\\/])(?:CLAUDE|AGENTS|GEMINI)(?:\.local)?\.md$")


def _memory(call: Call, index: int) -> Iterator[Finding]:
    """Read what was added to the files that tell agents how to work in this project."""
    if call.is_error or not call.answered or not _LASTING_FILE.search(call.path):
        return
    before = {unit.text for unit in units("\n".join(hunk.old for hunk in call.hunks))}
    for unit in units("\n".join(hunk.new for hunk in call.hunks)):
        text = tidy(unit.text)
        if unit.form != "heading" and unit.text not in before and fits(text) and is_named(text):
            yield Finding("lesson", text, "assistant", _MEMORY, index)


_REMEMBERED = re.compile(
    r"errors? and fix|problem.solving|key (?:technical )?(?:concept|decision)", re.IGNORECASE
)
_SECTION = re.compile(r"(?:\d{1,2}[.)]\s*)?([A-Z][\w ,&]{3,50}):?$")
_SURE = 0.5  # own score of a sentence of a summary: what names a cause in plain words has it
_DONE_SO = re.compile(
    r"(?:solved|fix|fixed|identified|resolved|corrected|addressed|user)\b", re.IGNORECASE
)


def _compaction(step: Compaction, index: int) -> Iterator[Finding]:
    """Read the sections of a compact summary that say what went wrong and why."""
    section = ""
    for unit in units(step.summary.partition("Summary:")[2] or step.summary):
        top = _SECTION.match(unit.text)
        if unit.form == "heading" or top:
            nested = bool(_REMEMBERED.search(unit.heading))
            section = section if nested else (top[1] if top else unit.text)
        elif _REMEMBERED.search(f"{unit.heading} {section}"):
            for text in map(tidy, split(unit.text)):
                cues, score = weigh(text)
                telling = {"cause", "diagnosis", "decision"} & cues
                alone = not {"dangling", "passing"} & cues and not _DONE_SO.match(text)
                if fits(text) and telling and alone and score > _SURE:
                    yield Finding("lesson", text, "assistant", _COMPACTION, index)


# -- Errors and what mended them ------------------------------------------------------------------

# Mistakes in the use of the client's own tools: they repeat everywhere and concern no project.
_OWN_TOOLS = frozenset(
    {
        "user",  # a correction is no error that an edit mends
        "Edit",
        "Write",
        "Read",
        "MultiEdit",
        "NotebookEdit",
        "Glob",
        "Grep",
        "Skill",
        "Task",
        "Agent",
        "WebFetch",
        "WebSearch",
    }
)
_DIFF = 150  # characters of old and new together
_ERROR = 140  # characters of the error's line
_SHORT_ERROR = 12  # characters: "FAIL" alone names no error


def _mended(mistakes: Iterable[Mistake]) -> Iterator[Finding]:
    """Pair each error with the lines of the edit that mended it; the same edit only once."""
    seen: set[str] = set()
    for mistake in mistakes:
        solved = mistake.resolution
        own = mistake.tool in _OWN_TOOLS or mistake.turn < 0
        if own or not solved or solved.how != "edit" or solved.change in seen:
            continue
        seen.add(solved.change)
        change, line = _diff(solved.change), plain(mistake.line)
        if change and len(line) > _SHORT_ERROR:
            score = _SLIP if mistake.kind.startswith("compile") else _MENDED
            text = f"{clipped(line, _ERROR)} -> {change}"
            yield Finding("fix", text, "tool", score, mistake.turn)


def _diff(change: str) -> str:
    """Give a small diff as "`old` became `new`", "" where it is too long for a line."""
    before, after = (
        "; ".join(
            filter(None, (line[1:].strip() for line in change.splitlines() if line[:1] == sign))
        )
        for sign in "-+"
    )
    before, after = before.replace("`", "'"), after.replace("`", "'")
    if not before + after or len(before) + len(after) > _DIFF:
        return ""
    if not before:
        return f"added `{after}`"
    return f"`{before}` became `{after}`" if after else f"removed `{before}`"
