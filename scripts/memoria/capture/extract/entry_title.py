"""Name a session: what was worked on, readable without opening it.

The surest name comes first: the one the client gave, a plan's heading, the commit's subject or,
where there were several, the pull request's title. Only then what the user asked, what was done of
it, and what the entry tells; a branch holds the work of many sessions, so its words come late. A
clause with "this" or "I" and one that was cut in its middle name nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from math import log
from typing import TYPE_CHECKING, Literal

from memoria.agents.claude_code.user_words import ask
from memoria.capture.extract import title_clauses as clauses
from memoria.capture.extract.candidates import SHORTEST
from memoria.capture.extract.observing.commits import branch_words
from memoria.capture.extract.user.asks import flat, plan_title, unlead
from memoria.text.prose import capital, clipped, plain
from memoria.text.word_overlap import containment, stems

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memoria.agents.claude_code.user_words import Ask
    from memoria.capture.extract.observed import Observed

TitledBy = Literal["client", "plan", "pull-request", "commit", "ask", ""]
_WHOLE = 110  # characters of a title that names the work and what was done of it
_FIRST = 4  # asks: what is asked later is a detail of what came before
_SOON = 3  # asks: what comes after them is a part of the work
_SHARED = 2  # content words of a clause that were asked for: one alone is chance
_ABOUT = 0.5  # of a branch's words: where fewer come up, the session did something else on it
_NO_NAME = re.compile(
    r"`?[/<\[]|caveat:|(?:untitled|new) ?(?:session|chat|conversation)?$", re.IGNORECASE
)


def title(seen: Observed, lines: Sequence[str] = ()) -> tuple[str, TitledBy]:
    """Give the title of a session and what it was taken from; ("", "") where nothing names it.

    `lines` are those of its entry, the best first: they name it where the asks say little.
    """
    for text, by in _names(seen, lines):
        name = text if by == "ask" else _fitted(text, clauses.LENGTH)
        if name and not _NO_NAME.match(name):
            return name, by
    return "", ""


def _names(seen: Observed, lines: Sequence[str]) -> Iterator[tuple[str, TitledBy]]:
    """Yield what may name a session, the surest first."""
    asks = [asked for turn in seen.turns if (asked := ask(turn.turn.prompt)).text]
    given = plain(seen.transcript.title)
    begun = given.rstrip("….").lower()
    # a title that is the beginning of a prompt was not written for the session
    if seen.transcript.is_named or not any(
        flat(asked.text).lower().startswith(begun) for asked in asks
    ):
        yield given, "client"
    yield from ((plan_title(asked.text), "plan") for asked in asks if asked.is_plan)
    subjects = [one.subject for one in seen.kept if not one.is_housekeeping]
    pulls = [pull.title for pull in seen.pull_requests]
    for names in (subjects, pulls):  # changes of code first
        names.sort(key=lambda name: not _PRODUCT.match(name))
    if len(subjects) > 1:  # the first of several is often a part
        yield from ((plain(_bare(text)), "pull-request") for text in pulls)
    yield from ((plain(_bare(text)), "commit") for text in subjects)
    yield from ((plain(_bare(text)), "pull-request") for text in pulls)
    chores = (plain(_bare(one.subject)) for one in seen.kept if not _MERGES.match(one.subject))
    yield from ((text, "commit") for text in chores if clauses.names_alone(text))
    described = (text for text in _described(seen, asks, lines) if text)
    yield from ((_with_more(_fitted(text, _WHOLE), seen), "ask") for text in described)


_MERGES = re.compile(r"merge|wip|address|fixup|squash|review", re.IGNORECASE)
_PRODUCT = re.compile(r"(?:feat|fix|perf|refactor)\b|(?!\w+(?:\([^)]*\))?!?:)", re.IGNORECASE)
_KIND = re.compile(
    r"(?:(?:feat|fix|refactor|perf|docs?|tests?|chore|style|build|ci|revert)"
    r"(?:\([\w./ -]{1,40}\))?!?:|\[?[A-Z]{2,8}-\d+\]?:?)\s*",
    re.IGNORECASE,
)


def _bare(subject: str) -> str:
    """Take the kind and the ticket off a commit's subject."""
    for _ in range(2):  # "fix: ABC-12: ..."
        if kind := _KIND.match(subject):
            subject = subject[kind.end() :]
    return capital(subject)


_TAIL = re.compile(r"(?:[\s:;,.!?…\u2013—(-]|\s[:;]-?[()D/|])$")


def _fitted(text: str, longest: int) -> str:
    """Fit a text into a heading: one line, no closing punctuation or function word."""
    text = " ".join(text.split())
    text = clauses.shortened(text, longest) or clipped(text, longest).removesuffix(" …")
    while (shorter := _TAIL.sub("", text)) != text:
        text = shorter
    return capital(text) + (")" if text.count("(") > text.count(")") else "")


# -- From what was asked and done, and from the branch --------------------------------------------


def _described(seen: Observed, asks: Sequence[Ask], lines: Sequence[str]) -> Iterator[str]:
    """Yield what the branch names with the part of it that was asked or done, then either alone."""
    words = branch_words(seen.branch) if seen.busy or asks else ""
    work, full = stems(words), len(stems(words)) >= clauses.FULL
    part = next(filter(None, _parts(seen, asks)), "")
    told = stems(part)
    both = f"{words}: {part}"
    if part and words and not (clauses.is_specific(part) and not _is_about(words, seen)):
        is_apart = len(work & told) <= _ABOUT * min(len(work), len(told))
        yield both if is_apart and len(both) <= _WHOLE else ""
    own = [_own_words(asked) for asked in asks if asked.own and not asked.trivial]
    yield part if clauses.is_specific(part) else ""
    yield words if full or _is_about(words, seen) else ""
    yield from map(clauses.statement, own[:1])
    yield from map(clauses.statement, lines)
    yield from _done_first(seen)
    yield words
    yield from (topic for topic in map(unlead, own[:1]) if not clauses.POINTS.search(topic))
    if name := _code_name("", seen):
        yield f"Work on `{name}`"
    yield from map(unlead, own)


_MORE = 0.85  # of the session's words that a clause covers: with less it is a detail
_APART = 0.34  # content words that two clauses may share
_OFTEN = 2  # texts that name it: what only one names may be a detail
_MOST_NAMES = 40  # that are looked for in the edits
_CLEAR = 6  # telling words: a title with so many needs no name of code
_PROSE = (".md", ".mdx", ".rst", ".txt")
# a name of code that is no plain word
_CODE_NAME = re.compile(r"\b([A-Za-z]\w*(?:[a-z][A-Z]|\w_)\w+)")


def _with_more(text: str, seen: Observed) -> str:
    """Add to what names a session its other large part, or else the code that it is about."""
    covered, part = _coverage(seen), text.partition(": ")[2]
    working = [ask(turn.turn.prompt) for turn in seen.turns if turn.index in seen.busy]
    own = [_own_words(asked) for asked in working if asked.own and not asked.trivial]
    parts = [task for text in own for task in clauses.tasks(text)]
    first = _own_words(ask(seen.turns[0].turn.prompt)) if seen.turns else ""
    if seen.busy and 0 not in seen.busy and stems(part or text) <= stems(first):
        parts += clauses.done(seen)  # it only asked
    apart = (one for one in parts if containment(stems(one), stems(text)) <= _APART)
    best = max(apart, key=covered, default="")
    if best and covered(best) >= _MORE:
        more = f"; {best[:1].lower()}{best[1:]}"
        for head in (text, part) if clauses.is_specific(part) else (text,):
            if len(head + more) <= _WHOLE:
                return capital(head + more)
    name = _code_name(text, seen)
    return f"{text} (`{name}`)" if name and len(f"{text} (`{name}`)") <= _WHOLE else text


def _code_name(text: str, seen: Observed) -> str:
    """Give the edited code that most texts speak of, or a vague title's file; "" if it has one."""
    is_vague = not clauses.is_specific(text.rpartition(": ")[2])
    if "`" in text or _CODE_NAME.search(text) or len(stems(text) - clauses.ANY_SESSION) >= _CLEAR:
        return ""
    counts: Counter[str] = Counter()
    for one in seen.texts:
        if one.speaker in ("user", "pasted") or one.place == "closing":
            names = sorted(set(_CODE_NAME.findall(one.text)))
            counts.update(dict.fromkeys(names, 1 if one.speaker == "assistant" else _OFTEN))
    edited = " ".join(f"{h.old} {h.new}" for one in seen.edits for h in one.hunks)
    files = [path.rpartition("/")[2] for path in seen.files]
    file = next((one for one in files[:1] if not stems(one) & stems(text)), "")
    is_prose = all(one.endswith(_PROSE) for one in files)
    if file and is_prose:
        return file
    known = [
        name
        for name, count in counts.most_common(_MOST_NAMES)
        if count >= (1 if is_vague and not is_prose else _OFTEN)
        and (name in edited or not files)
        and not any(name in path for path in seen.files)
        if not (stems(name) <= stems(text) or name.lower().startswith("test"))
    ]
    best = max(known, key=lambda name: (counts[name], edited.count(name)), default="")
    return best or (file if is_vague and text else "")


def _own_words(asked: Ask) -> str:
    return flat(re.sub(r"https?://\S+", "", asked.text))


_ASKS = re.compile(r"(?:can|could|would|should|let|look|check|read|take|tell|see)\b", re.IGNORECASE)


def _parts(seen: Observed, asks: Sequence[Ask]) -> Iterator[str]:
    """Yield what a session did or was asked, the surest first; generic ones need a branch."""
    own = [_own_words(asked) for asked in asks if asked.own and not asked.trivial]
    asked_for = stems(" ".join(own[:_FIRST]))
    done = _done_first(seen)
    is_asked = bool(own) and bool(asks and asks[0].own)
    if seen.busy and 0 not in seen.busy:  # what came first changed nothing
        working = [ask(turn.turn.prompt) for turn in seen.turns if turn.index in seen.busy]
        texts = [_own_words(asked) for asked in working[:_SOON] if asked.own]
        yield from (task for text in texts for task in clauses.tasks(text))
        if not texts:
            return  # what was handed on to be mended, and not what was asked before it
    for text in own[: int(is_asked)]:
        # said again in other words: what was asked last of the same thing counts
        again = [order for later in own[1:_SOON] for order in clauses.orders(later)]
        for order in list(clauses.orders(text))[:1]:
            words = stems(order) - clauses.ANY_SESSION
            alike = [one for one in again if containment(stems(one), words) >= _ABOUT]
            yield alike[-1] if alike else order
        first = clauses.statement(text)
        yield first if not _ASKS.match(first) and " - " not in first else ""
        topic = unlead(text)
        is_open = clauses.POINTS.search(topic) or re.search(r"\?| - ", topic)
        is_short = len(topic) < SHORTEST and not is_open
        yield topic if is_short and len(stems(topic)) > 1 else ""
    for one in done:
        shared = len(stems(one) & asked_for)
        yield one if not is_asked or shared >= max(_SHARED, _ABOUT * len(stems(one))) else ""
    yield from (task for text in own[1:_SOON] for task in clauses.tasks(text))


def _done_first(seen: Observed) -> list[str]:
    """Give what the answers say was done, what has most of the session's words first."""
    return sorted(dict.fromkeys(clauses.done(seen)), key=_coverage(seen), reverse=True)


def _coverage(seen: Observed) -> Callable[[str], float]:
    """Give what tells how much of a session's words a clause has for its length."""
    said = [text for text in seen.texts if text.speaker == "user" or text.place == "closing"]
    counts: Counter[str] = Counter()
    for text in said:
        counts.update(dict.fromkeys(stems(text.text), 2 if text.speaker == "user" else 1))

    def covered(clause: str) -> float:
        words = sorted(stems(clause) - clauses.ANY_SESSION)
        return sum(log(1 + counts[stem]) for stem in words) / (len(words) + 2)

    return covered


def _is_about(words: str, seen: Observed) -> bool:
    """Whether a branch's words come up in what was said."""
    spoken = (text for text in seen.texts if text.speaker == "user" or text.place == "closing")
    said = frozenset(stem for text in spoken for stem in stems(text.text))
    named = stems(words)
    return len(named & said) >= _ABOUT * len(named)
