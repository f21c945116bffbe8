"""Transcript and Work -> the title of an entry: what was worked on, readable without opening it.

The surest name comes first: the one the client gave, a plan's heading, a pull request's title, a
commit's subject. Only then what the user asked, which is often a complaint ("lint is failing"):
the branch's words in front of it say where. The trap: the first sentence of a prompt may be about
something else ("This is what I saw"), so a title needs words of content.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Literal

from memoria.agents.claude_code.user_words import ask
from memoria.capture.extract.exchanges.questions import (
    flat,
    is_order,
    plan_title,
    to_the_point,
    unlead,
)
from memoria.capture.extract.sentences import is_named, stems
from memoria.capture.extract.work import is_trunk
from memoria.text.prose import capital, clipped, plain, split

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoria.agents.claude_code.user_words import Ask
    from memoria.agents.transcript import Transcript
    from memoria.capture.extract.work import Work

TitledBy = Literal["client", "plan", "pull-request", "commit", "ask", ""]

_LENGTH = 78  # characters: a heading of a log that fits on one line
_FULL = 3  # content words: with fewer a title names nothing
_FEW = 2  # asks: with more, the first one no longer says what the session was about


def title(transcript: Transcript, work: Work) -> tuple[str, TitledBy]:
    """Give the title of a session and what it was taken from; ("", "") where nothing names it."""
    asks = [asked for turn in transcript.turns if (asked := ask(turn.prompt)).text or asked.trace]
    real = [asked for asked in asks if not asked.trivial] or asks
    given = _given(transcript, work, real)
    if given[0]:
        return given
    own = (commit.subject for commit in work.commits if not commit.is_housekeeping)
    subject = plain(_bare(next(own, "")))
    wanted = _asked(real)
    if subject and (not wanted or len(real) > _FEW or _is_vague(real[0], wanted)):
        return _fitted(subject), "commit"
    if wanted:
        return _fitted(_placed(wanted, real, transcript, work)), "ask"
    words = branch_words(work.branch)
    return (_fitted(words), "ask") if words and work.files else ("", "")


def _given(transcript: Transcript, work: Work, asks: Sequence[Ask]) -> tuple[str, TitledBy]:
    if transcript.title.strip():
        return _fitted(plain(transcript.title)), "client"
    plan = next((asked for asked in asks if asked.is_plan), None)
    if plan and (heading := plan_title(plan.text)):
        return _fitted(heading), "plan"
    pull = next((one.title for one in work.pull_requests if one.title), "")
    return (_fitted(plain(_bare(pull))), "pull-request") if pull else ("", "")


_KIND = re.compile(
    r"(?:(?:feat|fix|refactor|perf|docs?|tests?|chore|style|build|ci"
    r"|revert)(?:\([\w./ -]{1,40}\))?!?:"
    r"|\[?[A-Z]{2,8}-\d+\]?:?)\s*",
    re.IGNORECASE,
)


def _bare(subject: str) -> str:
    """Take the kind and the ticket off a subject."""
    for _ in range(2):  # "fix: ABC-12: ..."
        if kind := _KIND.match(subject):
            subject = subject[kind.end() :]
    return capital(subject)


_TAIL = re.compile(r"(?:[\s:;,.!?…\u2013—(-]|\s[:;]-?[()D/|])$")
_LAST = re.compile(
    r"\s(?:the|a|an|of|to|in|on|for|with|and|or|by|from|that|this|is|are|be|as|at|if|it|we|i|you"
    r"|can"
    r"|could|would|should|will|any|some|my|our|not|also|again|please|first)$",
    re.IGNORECASE,
)


def _fitted(text: str) -> str:
    """Fit a text into a heading: one line, no closing punctuation or function word."""
    text = clipped(" ".join(text.split()), _LENGTH)
    shorter = ""
    while text != shorter:
        shorter, text = text, _LAST.sub("", _TAIL.sub("", text))
    return capital(text) + (")" if text.count("(") > text.count(")") else "")


# -- From what was asked --------------------------------------------------------------------------

# A prompt that starts so complains, tells or asks; it says what happened, not what was worked on.
_COMPLAINT = re.compile(
    r"(?:i|i'm|we|you|he|it|my|our|this|that|these|there|when|why|how|what|is|are|does|do|did"
    r"|has|have"
    r"|seeing|getting|still)\b|.*\?$",
    re.IGNORECASE,
)
_BROKEN = re.compile(r"\b(?:fail(?:s|ed|ing|ures?)?|errors?|broken)\b", re.IGNORECASE)
_POINTER = re.compile(
    r"(?:this|that|these|it|he|she|they|here|there|see|seeing|have a look|take a look)\b",
    re.IGNORECASE,
)
# Words of any session: an ask that has only these needs the branch to say which one it was.
_ANY_SESSION = stems(
    """
    (?:add|create|write|implement|make|improve|handle)\b address branch broken bug bugbot build
    builds change changes check checks ci code comment comments commit conflict debug diff doc
    docs error errors fail failure feature feedback fix generate github help hook issue issues
    last latest linear lint local look main master me merge necessary need output plan please pr
    problem pull push repo resolve review session show suggest summary task test testing tests
    thought ticket try typo update work wrong
    """
)
_ADDS = re.compile(r"(?:add|create|write|implement|make|improve|handle)\b", re.IGNORECASE)
_HERE = re.compile(
    r"\s(?:on|in|of|from) (?:this|the|our|my)(?: local| current)? (?:branch|pr)\b|\sagain$",
    re.IGNORECASE,
)


def _asked(asks: Sequence[Ask]) -> str:
    """Give the first ask with enough words of content, as a title."""
    for asked in asks[:4]:  # what is asked later is a detail of what came before
        if not asked.is_plan and (candidate := _from(asked)):
            return candidate
    own = (_shortened(asked) for asked in asks if not asked.is_plan)
    return next((text for text in own if text), "")


def _from(asked: Ask) -> str:
    """Give the first sentence of an ask that names something and does not only point."""
    text = asked.text.partition(" ")[2] if asked.is_command else asked.text
    parts = [to_the_point(unlead(part)) for part in split(flat(text))]
    full = [part for part in parts if len(stems(part)) >= _FULL]
    return next((part for part in full if not _POINTER.match(part)), full[0] if full else "")


def _shortened(asked: Ask) -> str:
    return to_the_point(unlead(flat(asked.text.split("\n")[0]))) or plain(asked.trace)


def _is_vague(first: Ask, asked: str) -> bool:
    own = {stem for stem in stems(asked) - _ANY_SESSION if not stem.isdigit()}
    complains = _COMPLAINT.match(asked) or (_BROKEN.search(asked) and not _ADDS.match(asked))
    few = len(own) < 2 or bool(_HERE.search(asked))  # noqa: PLR2004 - one word may be a ticket
    return few or first.is_command or first.pasted or bool(complains)


def _placed(asked: str, asks: Sequence[Ask], transcript: Transcript, work: Work) -> str:
    """Say where a vague or complaining ask belongs: the branch's words, else the name most used."""
    clause = _clause(asked, _LENGTH)
    vague = _is_vague(asks[0], clause or asked)
    informs = bool(work.files) and not is_order(asks[0])  # then it is not what was done
    if clause and not vague and not informs:
        return clause
    words = branch_words(work.branch)
    several = len(words.split()) > 2  # noqa: PLR2004 - three words name something by themselves
    if words and stems(words) - stems(clause):
        rest = "" if asks[0].pasted else _clause(_HERE.sub("", asked), _LENGTH - len(words) - 2)
        rest = rest or ("" if several else asked)
        return f"{words}: {_lowered(rest)}" if rest else words
    if informs and several:
        return words
    if vague and not is_named(asked) and (name := _most_named(transcript)):
        return f"{clipped(asked, _LENGTH - len(name) - 5).rstrip('?!. ')} (`{name}`)"
    return clause or asked


_CLAUSE = re.compile(
    r"[,;:.?!](?=\s)|\s[\u2013—-]\s"
    r"|\s(?=(?:because|since|which|so|but|and|when|where|while|although|in order|to make)\b)"
)


def _clause(text: str, length: int) -> str:
    """Give the longest run of whole clauses that fits, "" where not even one with content does."""
    if len(text) <= length:
        return text
    for border in reversed([match.start() for match in _CLAUSE.finditer(text[: length + 1])]):
        part = text[:border]
        whole = part.count("(") == part.count(")") and not part.count("`") % 2
        if whole and len(stems(part)) >= _FULL:
            return part
    return ""


def _lowered(text: str) -> str:
    """Start in lower case, unless a name or "I" stands there."""
    first = text.split(" ", 1)[0]
    keep = (
        is_named(first) or first.startswith("I'") or first[1:] != first[1:].lower() or first == "I"
    )
    return text if keep else text[:1].lower() + text[1:]


# -- From the branch, and from what was talked about ----------------------------------------------

_TICKET = re.compile(
    r"(?:[a-z]{2,8}-\d+|\d{4,8})(?:[-_/]|$)"
    r"|(?:feature|feat|fix|bugfix|hotfix|chore|refactor|docs|test|wip|issue|claude|codex)[/_]",
    re.IGNORECASE,
)


def branch_words(branch: str) -> str:
    """Give the words of a branch's name without its owner and ticket, "" for a trunk."""
    if is_trunk(branch):
        return ""
    name = branch
    if "/" in name and not _TICKET.match(name):
        name = name.partition("/")[2]
    for _ in range(3):  # a kind, an owner and a ticket at most
        if prefix := _TICKET.match(name):
            name = name[prefix.end() :]
    words = re.sub(r"[-_/]+|(?<=[a-z])(?=[A-Z][a-z])", " ", name.rpartition("/")[2]).strip()
    return capital(words) if re.search(r"[A-Za-z]{3}", words) else ""


_CODE = re.compile(r"`([A-Za-z_]\w{2,40}(?:\.\w{1,40})?)(?:\(\))?`")


def _most_named(transcript: Transcript) -> str:
    """Give the name in backticks that the assistant used most, "" where none came twice."""
    counts = Counter(
        name
        for turn in transcript.turns
        for say in turn.says
        for name in _CODE.findall(say.text)
        if is_named(name)
    )
    best = max(sorted(counts), key=lambda name: counts[name], default="")
    return best if counts[best] > 1 else ""
