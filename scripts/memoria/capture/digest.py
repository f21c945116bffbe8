"""Show a session to a model as a numbered record: a few chunks of text, each line with its speaker.

What was said, called and refused gets a number and a mark of who said it ("U12"), so that a model
names what a line of its answer rests on and code looks that up. What tools printed is left out but
for the lines that tell an error. Turns are shortened evenly until all fits into a bounded number of
chunks, which bounds what a flush costs, and never cut off at the end: the decision may stand in the
first turn. Text can look like another speaker's, so a mark stands at the beginning of every line,
where no content can put one.
"""

import re
from bisect import bisect
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Literal

from memoria.agents.claude_code.user_words import parse_ask
from memoria.agents.transcript import (
    AssistantText,
    Call,
    Compaction,
    Interrupt,
    Steer,
    Step,
    Transcript,
    Turn,
)
from memoria.capture.extract.failures.faults import find_faults
from memoria.capture.extract.observing.call_outcomes import find_check_outcomes
from memoria.capture.provenance.spans import TOOL, find_result_source
from memoria.privacy.imperatives import gives_orders
from memoria.text.shorten import clip_line

# A flush is to cost at most a quarter of $0.02 to 0.05: 24,000 characters are about 6,000 tokens.
CHUNK = 24_000
MOST_CHUNKS = 6
# U the user's own words, P what the user pasted or a plan that was approved, A the assistant,
# T a tool call and what it said, -- where a turn begins.
Mark = Literal["U", "P", "A", "T"]

# Characters of one span when there is room. A final answer holds what was found out; what is said
# between two calls is mostly an announcement of the second.
_PROMPT, _STEER, _PLAN, _PASTED = 1_600, 800, 2_000, 700
_FINAL, _BETWEEN, _SUMMARY = 1_600, 280, 900
_CALL, _COMMIT, _ERROR = 110, 500, 160
_SUMMARY_HEAD = "(summary of what came before)"
# characters of a prompt that is said again by its name, and how many of them are looked through
_LONG_PROMPT, _LONG_PROMPTS = 300, 20
_LOG = 1_400  # of pasted output, however much room there is: its beginning and its end
_HUNK, _HUNKS = 240, 3  # of a file's last edit: what the session left there
_CALLS = 330  # of calls in a row that went well: what they read says little of what was found
_ANNOUNCEMENT = 140  # a shorter text that ends in a colon only names the call that follows
_MOST_FAULTS = 3  # of one call; a linter's run can have dozens of one kind
# of all that a command printed, "Everything up-to-date": such a result is an answer and no listing.
# Records of 24 real sessions grow by a fortieth.
_PRINTED = 160
# How far spans grow where all of the session has room in one chunk, and are shortened until it has
# room in all of them.
_GENEROUS = (32.0, 8.0, 4.0, 2.0, 1.4)
_FACTORS = (1.0, 0.7, 0.5, 0.35, 0.25, 0.18, 0.12, 0.08)
_QUIET = 0.3  # below this factor calls that went well are left out, below half of it announcements
_MIN_TURN = 160  # that a turn needs to say anything; with less to share, turns are sampled
_OPENING = 240  # of the first prompt, at the head of each later chunk
# behind a sentence or a line; at least so much of what has room is kept to end there
_BORDER, _KEPT_SHARE = re.compile(r"(?<=[.!?;])\s+|\n"), 0.7
_COMMIT_COMMAND = re.compile(r"\bgit(?: -C \S+)? commit\b")
_FOLDER_CHARS = 24  # of a folder that a command worked in: enough to tell it from another
# "/home/ana/code/" of a path: all but its last two names
_DEEP_FOLDERS = re.compile(r"(?<![\w:/.~\u2026-])/(?:[^\s/'\"]+/){2,}(?=[^\s/'\"]+/[^\s/'\"])")
_INPUTS = "command file_path notebook_path path pattern query url description skill prompt"


@dataclass(frozen=True, slots=True)
class RecordSpan:
    """A piece of text with its origin; `room` are its characters when nothing is shortened.

    `id` names it in the record, "U12"; `turn` is the number of its turn, from 0.
    """

    mark: Mark
    text: str
    room: int
    minor: bool = False
    id: str = ""
    turn: int = 0


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """What a model is shown of a session: its chunks in order, and the spans that it can cite."""

    chunks: tuple[str, ...] = ()
    spans: Mapping[str, RecordSpan] = field(default_factory=dict)


def digest(transcript: Transcript, size: int = CHUNK, limit: int = MOST_CHUNKS) -> SessionRecord:
    """Give the record of a session in at most `limit` chunks of at most `size` characters.

    Empty where nothing was said. Chunks are cut where a turn begins; the later ones say in their
    first lines what the session began with.
    """
    finals, numbers = _find_final_edits(transcript), count(1)
    long_prompts: deque[RecordSpan] = deque(maxlen=_LONG_PROMPTS)
    turns = [
        [
            _name_repeat(replace(span, id=f"{span.mark}{next(numbers)}", turn=at), long_prompts)
            for span in spans
        ]
        for at, turn in enumerate(transcript.turns)
        if (spans := _turn_spans(turn, transcript.cwd, finals))
    ]
    if not turns:
        return SessionRecord()
    first = next((span for span in turns[0] if span.mark in "UP"), turns[0][0])
    opening = mark_lines(first.id, clip_middle(" ".join(first.text.split()), _OPENING))
    header = f"-- the session began with\n{opening}"
    chunks = _build_chunks(turns, size - len(header) - 1, limit)
    texts = ("\n".join([header, *chunk] if at else chunk) for at, chunk in enumerate(chunks))
    return SessionRecord(tuple(texts), {span.id: span for spans in turns for span in spans})


def _name_repeat(span: RecordSpan, long_prompts: deque[RecordSpan]) -> RecordSpan:
    """Give a span, by name alone where what it says stands above: a handoff pasted twice."""
    if span.id != "A1" and span.text.startswith(_SUMMARY_HEAD):
        return replace(span, text=_SUMMARY_HEAD)
    if span.mark not in "UP" or len(span.text) < _LONG_PROMPT:
        return span
    if above := next((other.id for other in long_prompts if span.text in other.text), ""):
        return replace(span, text=f"(the same as in {above})")
    long_prompts.append(span)
    return span


def _build_chunks(turns: Sequence[Sequence[RecordSpan]], room: int, limit: int) -> list[list[str]]:
    """Put the turns into chunks, with as much room for each span as they all leave."""
    for factor in _GENEROUS:
        texts = [_format_turn(spans, factor) for spans in turns]
        if sum(len(text) + 1 for text in texts) <= room:
            return [texts]
    texts, share = [_fit_turn(spans, room) for spans in turns], room * limit
    while len(chunks := _pack_chunks(texts, room)) > limit:
        texts = _condense_turns(turns, share)
        share = int(share * 0.9)  # turns do not fill a chunk to its brim
    return chunks


def _find_final_edits(transcript: Transcript) -> frozenset[str]:
    """Name the last edit of each file by its call's id: what the session left there."""
    last = {
        call.path: call.id
        for turn in transcript.turns
        for call in turn.calls
        if call.kind == "edit" and call.hunks and not call.is_error
    }
    return frozenset(last.values())


def _turn_spans(turn: Turn, cwd: str, finals: frozenset[str]) -> tuple[RecordSpan, ...]:
    """Give a turn's spans in order; calls that went well in a row are one."""
    spans = [*_prompt_spans(turn.prompt, _PROMPT)]
    texts = [at for at, step in enumerate(turn.steps) if isinstance(step, AssistantText)]
    for at, step in enumerate(turn.steps):
        spans += _step_spans(step, cwd, finals, closing=at in texts[-1:])
    merged: list[RecordSpan] = []
    for span in spans:
        last = merged[-1] if merged else None
        if not (last and last.mark == span.mark == "T" and last.minor and span.minor):
            merged.append(span)
        elif last.text.split("; ")[-1] != span.text:  # the same again at once says nothing new
            room = min(_CALLS, last.room + span.room)
            merged[-1] = RecordSpan("T", f"{last.text}; {span.text}", room, minor=True)
    return tuple(merged)


def _prompt_spans(text: str, room: int) -> Iterator[RecordSpan]:
    request = parse_ask(text)
    if request.text:
        foreign = _PLAN if request.is_plan else _PASTED if request.pasted else 0
        yield RecordSpan("P" if foreign else "U", request.text, foreign or room)
    if request.log:
        log = clip_middle(request.log, _LOG)
        yield RecordSpan("P", log if request.trace in log else f"{request.trace}\n{log}", _PASTED)


def _step_spans(
    step: Step, cwd: str, finals: frozenset[str], *, closing: bool
) -> Iterator[RecordSpan]:
    if isinstance(step, AssistantText):
        text = step.text.strip()
        if closing or len(text) > _ANNOUNCEMENT or not text.endswith(":"):
            yield RecordSpan("A", text, _FINAL if closing else _BETWEEN, minor=not closing)
    elif isinstance(step, Steer):
        yield from _prompt_spans(step.text, _STEER)
    elif isinstance(step, Interrupt):
        yield RecordSpan("U", "(stopped the assistant)", _ERROR)
    elif isinstance(step, Compaction):
        yield RecordSpan("A", f"{_SUMMARY_HEAD} {step.summary}", _SUMMARY)
    else:
        yield from _call_spans(step, cwd, finals)


def _call_spans(call: Call, cwd: str, finals: frozenset[str]) -> Iterator[RecordSpan]:
    text = f"{call.name} {_format_argument(call, cwd)}".strip()
    if answers := call.answers:
        for answer in answers:
            yield RecordSpan("A", f"(asked) {answer.question}", _ERROR)
            yield RecordSpan("U" if answer.free else "P", f"(answered) {answer.text}", _STEER)
    elif call.is_refused:
        yield _refusal_span(call, text)
    elif errors := find_faults(call)[:_MOST_FAULTS]:
        lines = "\n".join(clip_middle(fault.line.strip(), _ERROR) for fault in errors)
        yield RecordSpan("T", f"{text} -> failed\n{lines}", _CALL + _ERROR * len(errors))
    elif not call.answered:
        yield RecordSpan("T", f"{text} -> (its end is not recorded)", _COMMIT)
    elif _COMMIT_COMMAND.search(call.command):
        yield RecordSpan("T", text, _COMMIT)
    elif call.id in finals:
        yield RecordSpan("T", f"{text}\n{_format_hunks(call)}", _CALL + _HUNK)
    elif call.kind != "tasks":
        ending = _format_ending(call)
        yield RecordSpan("T", f"{text}{ending}", _CALL + len(ending), minor=True)


def _format_ending(call: Call) -> str:
    """Tell how a call ended that no error tells of: its check, or what it printed if that is short.

    What a stranger can have written is not told.
    """
    # a pipe hides how a check ended: without its closing line nobody knows
    states = {outcome.state for _, outcome in find_check_outcomes(call)}
    if states:
        return " -> failed" if "failed" in states else " -> passed" * (states == {"passed"})
    lines = filter(None, (" ".join(line.split()) for line in call.result.splitlines()))
    printed = " / ".join(lines)
    # of an output that was asked for later nobody knows here which command printed it
    is_told = call.kind == "shell" and 0 < len(printed) <= _PRINTED
    is_own = find_result_source(call) == TOOL and not gives_orders(printed)
    return f" -> {printed}" if is_told and is_own else ""


def _refusal_span(call: Call, text: str) -> RecordSpan:
    """Tell of a call that did not run: it is the user's word only where the user refused it."""
    if call.is_skipped:
        return RecordSpan("T", f"{text} -> (not run: a call beside it failed)", _CALL, minor=True)
    if call.kind == "plan" and not call.reason:
        # the client says the same where the person carries it out with a cleared context
        end = "(refused, or carried out in another session)"
        return RecordSpan("T", f"{call.name} -> {end}", _COMMIT)
    return RecordSpan("U", f"(refused {text}) {parse_ask(call.reason).text}".strip(), _STEER)


def _format_hunks(call: Call) -> str:
    """Give what an edit put in, and what it took out, line by line.

    A comment that orders something is left out: an agent that was talked into it wrote it there.
    """
    lines: list[str] = []
    for hunk in call.hunks[:_HUNKS]:
        old, new = hunk.old.splitlines(), hunk.new.splitlines()
        lines += [f"- {line}" for line in old if line.strip() and line not in new]
        lines += [f"+ {line}" for line in new if line.strip() and line not in old]
    return "\n".join(line for line in lines if not gives_orders(line))


def _format_argument(call: Call, cwd: str) -> str:
    """Give the input that says what a call is about, in one line: for a commit, its message."""
    value = next((text for name in _INPUTS.split() if (text := call.argument(name))), "")
    line = " ".join(value.split())
    if cwd:
        folder = re.escape(cwd)
        line = re.sub(rf"^cd ([\"']?){folder}/?\1 ?(?:&&|;) ", "", line)
        line = line.replace(f"{cwd}/", "").replace(f"{cwd}\\", "")
    line = _DEEP_FOLDERS.sub("\u2026/", line)
    folder, own = (name.replace("\\", "/").rstrip("/") for name in (call.argument("workdir"), cwd))
    if folder not in {"", own}:  # a worktree, another repository
        line = f"(in {clip_line(folder.rpartition('/')[2], _FOLDER_CHARS)}) {line}"
    return clip_middle(line, _COMMIT if _COMMIT_COMMAND.search(value) else _CALL)


def clip_middle(text: str, length: int) -> str:
    """Shorten a text to at most `length` characters by leaving out its middle.

    Where a sentence or a line ends near the cut, it is cut there: half a sentence misleads.
    """
    if len(text) <= length:
        return text
    gap = " [...] "
    if length <= 2 * len(gap):
        return text[:length]
    head = (length - len(gap)) * 2 // 3  # the beginning tells more than the end
    tail = length - len(gap) - head
    start, limit = len(text) - tail, len(text) - int(tail * _KEPT_SHARE)
    ends = [match.end() for match in _BORDER.finditer(text, int(head * _KEPT_SHARE), head)]
    begin = _BORDER.search(text, start, limit)
    first, last = (ends or [head])[-1], begin.end() if begin else start
    return f"{text[:first].rstrip()}{gap}{text[last:].lstrip()}"


def mark_lines(mark: str, text: str) -> str:
    """Put the mark before every line; what a model could take for a line's end counts as one."""
    return "\n".join(f"{mark}| {line.rstrip()}" for line in text.splitlines() if line.strip())


def _format_turn(spans: Sequence[RecordSpan], factor: float) -> str:
    """Write a turn with its spans shortened to `factor` of their room."""
    lines = ["--"]
    for span in spans:
        quiet = _QUIET if span.mark == "T" else _QUIET / 2
        if not (span.minor and factor < quiet):
            lines.append(mark_lines(span.id, clip_middle(span.text, int(span.room * factor))))
    return "\n".join(line for line in lines if line)


def _fit_turn(spans: Sequence[RecordSpan], size: int) -> str:
    """Write a turn in at most `size` characters."""
    text = ""
    for factor in _FACTORS:
        text = _format_turn(spans, factor)
        if len(text) <= size:
            return text
    return _clip_middle_lines(text.split("\n"), size)


def _clip_middle_lines(lines: Sequence[str], size: int) -> str:
    """Keep as many lines as fit, from both ends towards the middle; each keeps its mark."""
    gap = "-- [...]"
    longest = size // 4  # so that at least the first and the last thing said are among them
    ends: tuple[list[str], list[str]] = ([], [])
    budget = size - len(gap)
    for number in range(len(lines)):
        line = clip_middle(lines[-1 - number // 2 if number % 2 else number // 2], longest)
        budget -= len(line) + 1
        if budget < 0:
            break
        ends[number % 2].append(line)
    return "\n".join([*ends[0], gap, *reversed(ends[1])])


def _condense_turns(turns: Sequence[Sequence[RecordSpan]], budget: int) -> list[str]:
    """Write all turns in about `budget` characters: none gets more than an equal share needs."""
    room = max(1, budget // _MIN_TURN)
    if len(turns) > room:
        turns = [turns[at * len(turns) // room] for at in range(room)]
    lengths = [len(_format_turn(spans, 1.0)) + 1 for spans in turns]
    # the largest with which they are not too long
    shares = range(1, budget + 1)
    share = bisect(shares, budget, key=lambda size: sum(min(size, length) for length in lengths))
    return [_fit_turn(spans, max(share, _MIN_TURN)) for spans in turns]


def _pack_chunks(texts: Sequence[str], size: int) -> list[list[str]]:
    """Put turns into chunks of at most `size`."""
    chunks: list[list[str]] = [[]]
    budget = size
    for text in texts:
        if chunks[-1] and len(text) + 1 > budget:
            chunks.append([])
            budget = size
        chunks[-1].append(text)
        budget -= len(text) + 1
    return chunks
