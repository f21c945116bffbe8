"""Findings, Exchanges and Work -> Draft: the dozen lines that the log shows.

A reader has a minute, so lines are picked greedily by score, each only if no picked one says the
same, and then put back in the order of time. The trap: a session that ends in the middle is read
again to go on with it, so what is unfinished must be there, and what was finished must not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memoria.agents.claude_code.user_words import ask
from memoria.agents.transcript import Call, Interrupt, Say
from memoria.capture.extract.cues import is_chat
from memoria.capture.extract.exchanges.exchanges import offer
from memoria.capture.extract.exchanges.questions import flat, plan_title, shown
from memoria.capture.extract.findings import plan_context
from memoria.capture.extract.sentences import LONGEST, containment, stems, tidy
from memoria.capture.extract.user.user_decisions import is_decision
from memoria.text.prose import clipped, plain, split, units
from memoria.text.shell.actions import is_check
from memoria.vault.entry import Draft

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memoria.agents.transcript import Transcript, Turn
    from memoria.capture.extract.exchanges.exchanges import Exchange
    from memoria.capture.extract.findings import Finding
    from memoria.capture.extract.work import Work
    from memoria.vault.entry import FactKind, Statement

_SAME = 0.62  # of the smaller line's content words: from here on two lines say the same
_DECISIONS, _LESSONS, _ACTIONS = 4, 4, 2
_DECISION_FLOOR, _LESSON_FLOOR = 2.9, 2.5
_A_TURN = 2  # lines of one turn in a section: a long explanation must not fill it
_MOST = 12  # lines in all
_USER = "User: "  # before the user's own words


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    score: float
    turn: int


# "Committed: fix(scope): "
_CONVENTIONAL = re.compile(r"^(?:Committed: )?(?:\w{2,10}(?:\([^()]{1,40}\))?!?: )?")


@dataclass(slots=True)
class _Picked:
    """The lines taken so far, to keep out what says the same; `above` is title and context."""

    above: tuple[frozenset[str], ...]
    lines: list[frozenset[str]] = field(default_factory=list)

    def take(self, text: str, *, answer: bool = False) -> bool:
        """Take a line unless a taken one says the same, or title or context hold all of it.

        An `answer` may repeat the title: it is what came of it, or what the user decided.
        """
        new = stems(_CONVENTIONAL.sub("", text))
        if any(containment(new, old) > _SAME for old in self.lines):
            return False
        if not answer and any(len(new & old) > _SAME * len(new) for old in self.above):
            return False
        self.lines.append(new)
        return True


def draft(  # noqa: PLR0913 - an entry has something of all that was found
    title: str,
    transcript: Transcript,
    work: Work,
    found: Sequence[Finding],
    asked: Sequence[Exchange],
    *,
    said: Sequence[Statement] = (),
) -> Draft:
    """Compose the words of an entry; `said` are the rules that the user stated."""
    goal = _goal(transcript)
    picked = _Picked((stems(title), stems(goal)))
    talks = _talks(asked, picked)
    decisions = _best(found, {"decision"}, _DECISION_FLOOR, _DECISIONS, picked)
    lessons = _best(found, {"lesson", "fix"}, _LESSON_FLOOR, _LESSONS, picked)
    actions = tuple(dict.fromkeys(_actions(transcript, said)))[:_ACTIONS]
    worth = bool(decisions or lessons or actions or said) or _is_much(transcript, asked)
    if said and not (talks or decisions or lessons or actions):
        decisions = [_Line(f"{_USER}{one.quote}", one.score, 0) for one in said][:_DECISIONS]
    while len(talks) + len(decisions) + len(lessons) + len(actions) > _MOST:
        longest = max((talks, decisions, lessons), key=len)
        longest.remove(min(longest, key=lambda line: line.score))
    return Draft(
        title=title,
        context=f"{_closed(goal)} {_facts(work, troubled=_is_troubled(transcript))}".strip(),
        exchanges=_in_time(talks),
        decisions=_in_time(decisions),
        lessons=_in_time(lessons),
        actions=actions,
        worth_keeping=worth,
    )


def _in_time(lines: Iterable[_Line]) -> tuple[str, ...]:
    return tuple(line.text for line in sorted(lines, key=lambda line: line.turn))


# -- Picking --------------------------------------------------------------------------------------

# How many exchanges an entry shows, by how many there were.
_SHOWN = ((2, 2), (6, 4))
_MOST_SHOWN = 5
_CORRECTED = 1.0  # what the user had to put right is worth more than what went well
_SAYING = 12  # characters: "Done." and "Updated it." are no answers
_TALK_FLOOR = 0.9  # below it the answer was a status or half a sentence


def _talks(asked: Sequence[Exchange], picked: _Picked) -> list[_Line]:
    """Pick exchanges: the first with an answer always, then the best."""
    most = next((shown for count, shown in _SHOWN if len(asked) <= count), _MOST_SHOWN)
    answered = [one for one in asked if len(one.answer) >= _SAYING]
    rest = sorted(answered[1:], key=lambda one: -one.score - _CORRECTED * one.correction)
    lines: list[_Line] = []
    for one in answered[:1] + [one for one in rest if one.score > _TALK_FLOOR]:
        if len(lines) < most and picked.take(one.answer, answer=True):
            lines.append(_Line(one.text, one.score, one.turn))
    return lines


def _best(
    found: Sequence[Finding], kinds: set[FactKind], floor: float, most: int, picked: _Picked
) -> list[_Line]:
    """Pick the best findings of some kinds, at most _A_TURN of one turn's prose."""
    lines: list[_Line] = []
    taken: dict[int, int] = {}
    ranked = [one for one in found if one.kind in kinds and one.score >= floor]
    for one in sorted(ranked, key=lambda one: -one.score):
        room = one.origin == "user" or taken.get(one.turn, 0) < _A_TURN
        stated = one.text.startswith(_USER)
        if len(lines) < most and room and picked.take(one.text, answer=stated):
            taken[one.turn] = taken.get(one.turn, 0) + 1
            lines.append(_Line(one.text, one.score, one.turn))
    return lines


# -- Context --------------------------------------------------------------------------------------

_GOAL = 260  # characters of what was to be done


def _closed(sentence: str) -> str:
    return sentence if not sentence or sentence[-1] in ".!?…" else f"{sentence}."


def _goal(transcript: Transcript) -> str:
    """Give a plan's purpose, else a first ask that is too long for an exchange to show whole."""
    asks = [asked for turn in transcript.turns if (asked := ask(turn.prompt)).text]
    if plan := next((asked for asked in asks if asked.is_plan), None):
        return clipped(plan_context(plan.text), _GOAL)
    first = next((asked for asked in asks if not asked.trivial), None)
    if not first or first.is_command:
        return ""
    text = flat(first.text)
    return clipped(text, _GOAL).rstrip(":") if len(text) > _GOAL // 2 else ""


_FILES, _CHECKS = 4, 4


def _facts(work: Work, *, troubled: bool) -> str:
    """Say branch, files, commits, pull requests and checks, what there is of them."""
    facts = []
    # outside of a repository, and on no branch, the client says HEAD: that names nothing
    if work.branch and work.branch != "HEAD":
        facts.append(f"branch `{work.branch}`")
    if work.files:
        names = ", ".join(f"`{name}`" for name in _names(work.files[:_FILES]))
        more = len(work.files) - _FILES
        facts.append(f"edited {names}{f' and {more} more' if more > 0 else ''}")
    if work.commits:
        facts.append(f"{len(work.commits)} commit{'s' * (len(work.commits) > 1)}")
    elif work.files:
        facts.append("no commit")
    facts += [f"PR #{pull.number}" for pull in work.pull_requests[:2]]
    text = "; ".join([*facts, *_ended(work, troubled=troubled)])
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _ended(work: Work, *, troubled: bool) -> Iterator[str]:
    """Say which checks passed last, and which failed after the last one that passed.

    A later pass of another check usually means that the failure was mended, unless the session's
    last words are of a failure (`troubled`).
    """
    passed = [name for name, ended in work.checks if ended][-_CHECKS:]
    latest = max((place for place, (_, ended) in enumerate(work.checks) if ended), default=-1)
    rest = work.checks if troubled else work.checks[latest + 1 :]
    failed = [name for name, ended in rest if not ended][-_CHECKS:]
    if passed:
        yield "passing at the end: " + ", ".join(f"`{name}`" for name in passed)
    if failed:
        yield "failing when last run: " + ", ".join(f"`{name}`" for name in failed)


_TROUBLE = re.compile(r"\b(?:are|is|still|tests?) fail(?:s|ing|ed)\b|❌", re.IGNORECASE)


def _is_troubled(transcript: Transcript) -> bool:
    says = [say for turn in transcript.turns for say in turn.says]
    return bool(says) and bool(_TROUBLE.search(says[-1].text))


def _names(paths: Sequence[str]) -> list[str]:
    """Give the last names of paths, each with as many folders as tell it apart."""
    return [next((n for n in _tails(path) if _is_only(n, paths)), path) for path in paths]


def _tails(path: str) -> Iterator[str]:
    """Give ever longer ends of a path."""
    parts = path.split("/")
    return ("/".join(parts[-length:]) for length in range(1, _DEEP))


def _is_only(name: str, paths: Sequence[str]) -> bool:
    return sum(f"/{path}".endswith(f"/{name}") for path in paths) == 1


_DEEP = 4  # names of a path: longer ones are not read


# -- What is unfinished ---------------------------------------------------------------------------

_ROUTINE = re.compile(
    r"(?:commit|push|run|continue|proceed|explain|elaborate|see|know|show|adjust|make any"
    r"|anything|help"
    r"|create (?:a|the) (?:commit|pr|pull)|open a (?:pr|pull)|take a look|go ahead)\b",
    re.IGNORECASE,
)


def _actions(transcript: Transcript, said: Sequence[Statement]) -> Iterator[str]:
    """Say what the session left open: an ask without an answer, a choice, an offer."""
    turns = [turn for turn in transcript.turns if ask(turn.prompt).text or turn.steps]
    asked = ask(turns[-1].prompt) if turns else None
    if asked is None or asked.trivial:
        return
    if is_decision(asked.text) or asked.text in {one.quote for one in said}:
        return  # it was to be known, not to be done
    if _was_cut(turns[-1]):
        what = plan_title(asked.text) if asked.is_plan else shown(asked)
        if what:
            yield f"Not finished when the session ended: {what}"
    elif choice := _choice(turns[-1]):
        yield choice
    elif (offered := offer(turns[-1])) and not _ROUTINE.match(offered):
        yield f"Offered, not answered: \u201c{clipped(offered, LONGEST // 2)}\u201d"


def _was_cut(turn: Turn) -> bool:
    """Whether a turn ended without an answer: stopped, silent, or about to do something."""
    last = next((step for step in reversed(turn.steps) if isinstance(step, Say | Interrupt)), None)
    if not isinstance(last, Say):
        return True
    after = turn.steps[turn.steps.index(last) + 1 :]
    closing = split(plain(last.text[-_ASKING:].replace("\n", " ")))
    announced = bool(closing) and is_chat(closing[-1])
    checked = any(isinstance(step, Call) and is_check(step.command) for step in after)
    return bool(after) and announced and not checked


_ALTERNATIVE = re.compile(
    r"(?:option|approach|alternative|choice)\s+(?:\d"
    r"|[A-D])\b\s*[:.)—\u2013-]\s*(?P<what>\S.{3,120})",
    re.IGNORECASE,
)
_ASKS_WHICH = re.compile(r"\b(?:which|prefer|preference)\b|\byou like me to:", re.IGNORECASE)
_TO_DO = re.compile(r"\byou like me to\b", re.IGNORECASE)
_ASKING = 400  # characters at the end of a text, where it asks
_OPTION = 80  # characters of an option: three of them fit in a line


def _choice(turn: Turn) -> str:
    """Give the alternatives that a turn ends by asking about, "" if it does not."""
    text = turn.says[-1].text.strip() if turn.says else ""
    asking = _ASKS_WHICH.search(text[-_ASKING:])
    if not asking or "?" not in text[-_ASKING:] or not isinstance(turn.steps[-1], Say):
        return ""
    found = units(text)
    named = [match["what"] for unit in found if (match := _ALTERNATIVE.match(unit.text))]
    listed = [unit.text for unit in found if _TO_DO.search(f"{unit.lead} {unit.heading}")]
    options = [clipped(tidy(split(option)[0]).rstrip(".:?"), _OPTION) for option in named or listed]
    several = [f"\u201c{option}\u201d" for option in dict.fromkeys(options)]
    return clipped(f"Undecided: {'; or '.join(several)}", LONGEST) if len(several) > 1 else ""


# -- Whether it is worth a block ------------------------------------------------------------------

_FEW_CALLS = 6  # tool calls: with fewer, no finding and at most two asks hardly anything happened
_FEW_ASKS = 2
_ANSWERED = 0.5  # the score of a question's answer that says something


def _is_much(transcript: Transcript, asked: Sequence[Exchange]) -> bool:
    """Whether a session without decision or lesson is worth keeping for what was answered."""
    if len(transcript.calls) >= _FEW_CALLS or len(asked) > _FEW_ASKS:
        return bool(asked)
    return any(
        len(one.answer) >= _SAYING and one.score >= _ANSWERED and not one.order for one in asked
    )
