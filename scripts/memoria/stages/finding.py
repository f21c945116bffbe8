"""Transcript -> Findings: every sentence of it that is worth keeping, with its kind and origin.

Each signal of a session is read by its own small function: a commit, a plan, a refusal, an answer, a
compaction, a mended error, and the assistant's prose last, because the surest come first when two
say the same. The trap: what was only discussed is not decided; a sentence counts as a decision only
if its turn edited a file or made a commit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.stages.command import action
from memoria.stages.prose import clipped, plain, split, units
from memoria.stages.cue import is_chat, weigh
from memoria.stages.sentence import LONGEST, SHORTEST, is_named, passage, tidy
from memoria.stages.transcript import Call, Compaction
from memoria.stages.utterance import answers, ask, refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memoria.stages.entry import FactKind, Origin
    from memoria.stages.mistake import Mistake
    from memoria.stages.sentence import Passage, Sentence, Told
    from memoria.stages.transcript import Step, Transcript, Turn
    from memoria.stages.work import Commit, Work


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
_DEFINITION = 2.6
_FINAL = 0.9  # the last text of a turn has seen all of it
_FINAL_CAUSE = 0.6
_NOT_DONE = -1.2  # a decision in a turn without an edit is a proposal
_LATER = -0.8  # under a heading that says it is for later, or small
FLOOR = 2.3  # below it half of the sentences are noise (measured: 1.9 gave a ninth more, and worse)


def findings(
    transcript: Transcript, texts: Told, work: Work, mistakes: Iterable[Mistake]
) -> tuple[Finding, ...]:
    """Gather the findings of a transcript, signal by signal, the surest signal first."""
    found = [finding for commit in work.commits for finding in _commit(commit)]
    for index, turn in enumerate(transcript.turns):
        found += _plan(turn, index, done=index in work.busy)
        found += [finding for step in turn.steps for finding in _step(step, index)]
    found += _mended(mistakes)
    for index, passages in enumerate(texts):
        found += _prose(passages, index, done=index in work.busy)
    return tuple(found)


def _fits(text: str) -> bool:
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
    under = [unit for unit in found if unit.form != "heading" and _STATE.search(unit.heading)]
    text = under or [unit for unit in found if unit.form != "heading"]
    long = [unit for unit in text if len(unit.text) >= SHORTEST or unit.text.endswith(":")]
    if not long:
        return ""
    context = long[0].text
    items = [unit.text.rstrip(".;") for unit in found if unit.lead == context]
    return f"{context} {'; '.join(items)}" if items else context.rstrip(":")


def _plan(turn: Turn, index: int, *, done: bool) -> Iterator[Finding]:
    """Read a plan: its context is past, its causes last, its choices were made if work followed."""
    asked = ask(turn.prompt)
    if not asked.is_plan:
        return
    if context := plan_context(asked.text):
        yield Finding("context", clipped(context, LONGEST), "user", _PLAN_CONTEXT, index)
    for sentence in passage(asked.text).sentences:
        if not _fits(sentence.text):
            continue
        if {"cause", "diagnosis"} & sentence.cues and _STATE.search(sentence.heading):
            kind: FactKind = "context" if _PAST.search(sentence.text) else "lesson"
            yield Finding(kind, sentence.text, "user", _PLAN_CAUSE, index)
        elif done and _CHOICE.search(sentence.heading) and sentence.score > 1.0:
            yield Finding("decision", sentence.text, "user", _PLAN_CHOICE, index)


# -- Commits --------------------------------------------------------------------------------------

_CHANGE_START = re.compile(
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
    subject = subject[:1].upper() + subject[1:]
    if subject.startswith("Merge "):
        yield Finding("change", subject, "assistant", _MERGE, commit.turn)
    elif commit.is_housekeeping:
        yield Finding("change", subject, "assistant", _HOUSEKEEPING, commit.turn)
    else:
        yield Finding("decision", subject, "assistant", _SUBJECT, commit.turn)
    for unit in units(commit.body):
        for text in map(tidy, split(unit.text)):
            if _fits(text) and not is_chat(text):
                yield _body(text, commit.turn)


def _body(text: str, turn: int) -> Finding:
    cues, _ = weigh(text)
    cause = bool({"cause", "diagnosis"} & cues) or bool(_WAS.search(text))
    score = _BODY + (_BODY_CAUSE if cause else 0.0)
    score += _BODY_DECISION if "decision" in cues else 0.0
    score += _ALONE if {"dangling", "testing"} & cues else 0.0
    lesson = cause and not _CHANGE_START.match(text)
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
    reason = refusal(call)
    if reason and not _HANDS_OFF.match(reason.text):
        text = clipped(plain(reason.text.split("\n")[0]), LONGEST - 60)
        yield Finding("decision", f"User, {_what(call)}: {text}", "user", _REFUSAL, index)


def _what(call: Call) -> str:
    if call.name == "ExitPlanMode":
        return "on the plan"
    if file := call.argument("file_path").replace("\\", "/").rsplit("/", 1)[-1]:
        return f"refusing an edit of `{file}`"
    done = action(call.argument("command")).replace("`", "")
    return f"refusing `{done}`" if done else "refusing a step"


def _answered(call: Call, index: int) -> Iterator[Finding]:
    for answer in answers(call):
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
    if call.is_error or not call.answered or not _LASTING_FILE.search(call.argument("file_path")):
        return
    before = {unit.text for unit in units(call.argument("old_string"))}
    for unit in units(call.argument("new_string")):
        text = tidy(unit.text)
        if unit.form != "heading" and unit.text not in before and _fits(text) and is_named(text):
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
                if _fits(text) and telling and alone and score > _SURE:
                    yield Finding("lesson", text, "assistant", _COMPACTION, index)


# -- Errors and what mended them ------------------------------------------------------------------

# Mistakes in the use of the client's own tools: they repeat everywhere and concern no project.
_OWN_TOOLS = frozenset(
    "Edit Write Read MultiEdit NotebookEdit Glob Grep Skill Task Agent WebFetch WebSearch".split()
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


# -- Prose ----------------------------------------------------------------------------------------

_FOR_LATER = re.compile(
    r"recommend|suggest|option|alternativ|potential|next step|future|nice to have|consider|question"
    r"|testing|minor|nit",
    re.IGNORECASE,
)


def _prose(passages: Sequence[Passage], index: int, *, done: bool) -> Iterator[Finding]:
    for place, text in enumerate(passages):
        final = place == len(passages) - 1
        for sentence in text.sentences:
            if _fits(sentence.text) and "open" not in sentence.cues:
                yield from _judged(sentence, index, final=final, done=done)


def _judged(sentence: Sentence, index: int, *, final: bool, done: bool) -> Iterator[Finding]:
    """Give a sentence its kind by its cues, and its score; it may be a definition besides."""
    cues = sentence.cues
    score = sentence.score + (_FINAL if final else 0.0)
    score += _FINAL_CAUSE if final and "cause" in cues else 0.0
    score += _LATER if _FOR_LATER.search(sentence.heading) else 0.0
    kind = _kind(sentence)
    if kind == "decision" and not done:
        kind, score = "answer", score + _NOT_DONE
    if kind:
        yield Finding(kind, sentence.text, "assistant", score, index)
    if definition := _definition(sentence):
        yield Finding("definition", sentence.text, "assistant", definition, index)


def _kind(sentence: Sentence) -> FactKind | None:
    cues = sentence.cues
    causal = bool({"cause", "diagnosis", "fix"} & cues)
    change = "plain-change" in cues or bool(_CHANGE_START.match(sentence.text))
    if "decision" in cues and (change or not causal):
        return "decision"
    if "plain-change" in cues:
        return "change"
    return "lesson" if causal or {"gotcha", "mechanism"} & cues else None


_DEFINES = re.compile(
    r"""(?:the\s+|an?\s+)?(?P<term>`[^`]{2,50}`|[A-Z]\w+[A-Z]\w*|[A-Za-z]+(?:[ -][a-z]+){1,2})
    (?:\s+(?:command|branch|file|function|method|field|type|package|hook|flag))?\s+
    (?P<verb>is\s+(?:an?|the|where|what|how)|are\s+(?:the\s+)?\w+s\b|stores?|tracks?|holds?
      |contains?
    |represents?|removes?|means|lets|maps|describes|defines)\b""",
    re.VERBOSE,
)
_NO_DEFINITION = re.compile(
    r"""\b(?:would|should|could|might|currently|now|failing|fails?|failed|unused|misleading|wrong
    |incorrect|missing|bug|issue|problem|in\ this\ (?:pr|branch|case|commit)|lines?\ \d|this
      |that's|not
    |cannot|never|only|already|still|again|previously|fix(?:es|ed)?|empty|stale|dead|same|clean
      |clear
    |good|fine|correct|simple|straightforward|new|added|i|you|we|tests?)\b|n't\b|[:?]$|->|→""",
    re.IGNORECASE | re.VERBOSE,
)
_NO_TERM = frozenset(
    "this that these it there which what here the key main real core answer fix issue problem "
    "bug change "
    "changes code approach plan difference reason idea goal point first second next last other "
    "same one "
    "user function method test result output error verifies ensures uses returns shows both all "
    "each".split()
)
_PREFERRED = re.compile(
    r"is\s+(?:an?|where)|stores?|tracks?|represents?|holds?|means|lets", re.IGNORECASE
)
_PREFERENCE = 0.6
_DEFINITION_LENGTH = 200  # characters: a longer one explains a case


def _definition(sentence: Sentence) -> float:
    """Score a sentence as a definition of a term, 0.0 if it is none."""
    text = sentence.text
    match = _DEFINES.match(text)
    if not match or len(text) > _DEFINITION_LENGTH or _NO_DEFINITION.search(text):
        return 0.0
    term = match["term"].strip("`").lower().split()
    if not term or term[0] in _NO_TERM or term[-1] in _NO_TERM or _CHANGE_START.match(term[0]):
        return 0.0
    return _DEFINITION + (_PREFERENCE if _PREFERRED.match(match["verb"]) else 0.0)
