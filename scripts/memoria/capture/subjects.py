"""Find what a conversation came to: the reply that restates what the user said, and his words.

A later prompt resembles the symptom that a conversation began with; what was decided stands turns
later. So a subject keeps all its words to be found by, and apart from them the lines that hold the
decision: of a long talk the reply that repeats most of what the user had said before it, and the
sentences that conclusions.py chooses. A first reply repeats the first message and has decided
nothing, so the words of that message count little.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from memoria.capture.conclusions import Message, chosen, content_words, joined, said, sentences
from memoria.vault.entry import Conclusion, Subject

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memoria.capture.extract.observing.values import Observed

# characters of a subject: chats of a dozen turns, which are about one thing, have up to 6,000; a
# session that goes on for longer has several subjects
_ROOM = 6_000
# characters of one turn that tell what it is about: what is longer is a report with code
_TURN = 3_000
# characters of a restating reply that can be told whole; of a longer one its best sentences are
RESTATED = 620
# words of the user that it repeats where a talk is so long that it is worth more than sentences:
# such talks of the benchmark have 23 to 37, all others at most 16
_RECAP = 20.0
# of a word that the first message has
OPENING = 0.25
# what a reply has to repeat of the user's words, and words of it: fewer are an acknowledgement
_REPEATED, _ACKNOWLEDGED = 2.0, 5
# it says what comes next, and nothing of what was decided
_NEXT = "Let me "
# the share of its own words that are the user's: a report on work done has less. A short reply, and
# one of a conversation in which nothing was done, has to have less of them
_RESTATING, _SHORT_RESTATING, _TALKING = 0.4, 0.2, 0.08
_SHORT = 300
# calls of tools for each turn: with more of them it was work, and what the user said were orders
_CALLS = 2
# characters of the names of what a turn edited: more is a sweep through the whole repository
_NAMES = 600
_DEFINED = re.compile(
    r"\b(?:def|class|function|func|fn|interface|type|struct|enum|const|sub|module)\s+"
    r"(?:\([^()\n]{0,60}\)\s*)?([A-Za-z_]\w{2,60})"
)
# it says of itself that it changes what was said before
_AMENDS = re.compile(
    r"""(?ix)\b(?: amend(?:s|ed|ing|ments?)? | supersed(?:es?|ed|ing) | overrul(?:es?|ed|ing)
    | revis(?:es?|ed|ing) (?=\s(?:the|our|that|this|rule|decision|policy))
    | revised\s(?:rule|decision|policy|behaviou?r|contract)
    | (?:old|previous|earlier|former|prior|original)\s(?:rule|decision|policy|convention|agreement
      |behaviou?r)
    | going\sforward | from\snow\son | (?:we|i)(?:'ve|\shave)?\schanged\s(?:our|my)\sminds?
    | change\sof\s(?:plan|mind|policy) | no\slonger\s(?:the\s(?:rule|plan|policy)|holds|applies)
    )\b"""
)

# an earlier decision is changed, in ordinary words
_CHANGES = re.compile(
    r"""(?ix)\b(?: instead | no\slonger | any\s?more
    | (?:has|have|had|needs?|must)\sto\s(?:change|go)
    | (?:is|are|was|gets?)\s(?:dropped|gone|out|history|void|over) | drop | scrap | not\senough
    | too\s(?:low|high|long|short|small|large|big|slow|much|many|few|strict|loose|early|late|often)
    | replac(?:es?|ed|ing) | rather\sthan | from\s(?:here|\w+day|then)\son | after\sall | raise
    | lower | reduce | increase | (?:switch(?:ed|es)?|move[sd]?|down)\sto | go(?:es)?\s(?:down|up)
    | insists? | wants? | let'?s\s(?:take|make|use|go) | make\sit | only\snow | a\smistake
    | (?:the|those|these)\s(?:old|former|previous|earlier)
    | changed?(?=\s(?:the|our|to|from|it))
    )\b"""
)


class Exchange(NamedTuple):
    """A turn: what the user sent in it, what of that is his own, the reply that it ended with.

    `names` are the files that it edited and what is defined where it edited them, `calls` how many
    tools it used.
    """

    turn: int
    sent: str
    said: str
    reply: str
    names: str
    calls: int


class Restated(NamedTuple):
    """The reply of a turn that repeats most of what the user said, by its sentences.

    `weights` are the words that the user had said by then: those of the first message weigh less.
    """

    turn: int
    sentences: tuple[str, ...]
    weights: Mapping[str, float]


def subjects(seen: Observed) -> tuple[Subject, ...]:
    """Give the subjects of a part of a session in their order; none for turns without words."""
    groups = _groups(exchanges(seen))
    return tuple(_subject(group, is_first=not at) for at, group in enumerate(groups))


def exchanges(seen: Observed) -> Iterator[Exchange]:
    """Yield what was said in each turn; none for turns without words."""
    for turn in seen.turns:
        typed = [text for text in turn.texts if text.place in _TYPED and text.speaker != "harness"]
        said = [text.text for text in typed if text.speaker == "user"]
        reply = next((text.text for text in reversed(turn.texts) if text.place == "closing"), "")
        if typed or reply:
            sent = "\n".join(text.text for text in typed)
            names, calls = _names(seen, turn.index), len(turn.calls)
            yield Exchange(turn.index, sent, "\n".join(said), reply, names, calls)


_TYPED = frozenset({"prompt", "steer", "refusal", "answer"})


def _names(seen: Observed, turn: int) -> str:
    """Name what a turn edited: a later prompt has the function's name, and the talk may not."""
    names: dict[str, None] = {}
    for edit in (edit for edit in seen.edits if edit.turn == turn):
        hunks = "\n".join(line for hunk in edit.hunks for line in (hunk.old, hunk.new))
        names |= dict.fromkeys([edit.path.rsplit("/", 1)[-1], *_DEFINED.findall(hunks)])
    return " ".join(names)[:_NAMES]


def _groups(exchanges: Iterable[Exchange]) -> list[list[Exchange]]:
    """Part the turns into subjects: neighbours, as many as one subject has room for."""
    groups: list[list[Exchange]] = []
    left = 0
    for exchange in exchanges:
        size = min(_TURN, len(exchange.sent)) + min(_TURN, len(exchange.reply))
        if not groups or size > left:
            groups.append([])
            left = _ROOM
        groups[-1].append(exchange)
        left -= size
    return groups


def _subject(group: Sequence[Exchange], *, is_first: bool) -> Subject:
    texts = chain.from_iterable((turn.sent, turn.reply, turn.names) for turn in group)
    words = "\n".join(text[:_TURN] for text in texts if text)
    conclusions = tuple(_conclusions(group))
    opening = group[0].said if is_first else ""
    amends = any(map(says_amended, [opening, *(line.text for line in conclusions)]))
    return Subject(group[0].turn, words, conclusions, amends)


def says_amended(text: str) -> bool:
    """Whether a text says of itself that it changes what was decided before."""
    return bool(_AMENDS.search(text))


def says_changed(text: str) -> bool:
    """Whether a text says in ordinary words that something is another one than before."""
    return bool(_CHANGES.search(text))


def _conclusions(group: Sequence[Exchange]) -> Iterator[Conclusion]:
    """Give what a talk came to: the replies' sentences, then the user's, each in their order.

    Nothing for work: what the user said in it were orders.
    """
    if sum(exchange.calls for exchange in group) > _CALLS * len(group):
        return
    whole = recap(group)
    if whole:
        yield whole
    taken = chosen(tuple(said(tuple(messages(group)))), whole.text if whole else "")
    for sentence in sorted(taken, key=lambda one: one.is_users):
        text = f"User: {sentence.text}" if sentence.is_users else sentence.text
        yield Conclusion(text, "user" if sentence.is_users else "assistant", sentence.turn)


def messages(group: Sequence[Exchange]) -> Iterator[Message]:
    """Yield what the user and the assistant said in turn, where it has sentences."""
    for exchange in group:
        users = tuple(joined(sentences(exchange.said)))
        for is_users, texts in ((True, users), (False, tuple(sentences(exchange.reply)))):
            if texts:
                yield Message(is_users, exchange.turn, texts)


def recap(group: Sequence[Exchange]) -> Conclusion | None:
    """Give the reply that restates a long talk."""
    reply = restated(group)
    own = content_words(" ".join(reply.sentences)) if reply else ()
    if not reply or sum(reply.weights.get(word, 0.0) for word in own) < _RECAP:
        return None
    return Conclusion(_best(reply.sentences, reply.weights), "assistant", reply.turn)


def restated(group: Iterable[Exchange]) -> Restated | None:
    """Find the reply that repeats most of what the user said before it; of two the later one."""
    weights: dict[str, float] = {}
    best, least = None, _REPEATED
    for at, exchange in enumerate(group):
        for word in content_words(exchange.sent):
            weights.setdefault(word, 1.0 if at else OPENING)
        texts = tuple(sentences(exchange.reply))
        if not texts or texts[-1].endswith("?") or texts[0].startswith(_NEXT):
            continue
        words = content_words(" ".join(texts))
        score = sum(weights.get(word, 0.0) for word in words)
        if score >= least and score >= len(words) * _least_share(exchange, len(words)):
            best, least = Restated(exchange.turn, texts, dict(weights)), score
    return best


def _least_share(exchange: Exchange, words: int) -> float:
    """Say which share of a reply's words has to be the user's, so that it restates them."""
    if words < _ACKNOWLEDGED:
        return 1.0
    if not exchange.calls:
        return _TALKING
    return _SHORT_RESTATING if len(exchange.reply) <= _SHORT else _RESTATING


def _best(texts: Sequence[str], weights: Mapping[str, float]) -> str:
    """Give the sentences that say most of these words, in their order, as long as can be told."""
    if sum(map(len, texts)) + len(texts) <= RESTATED:
        return " ".join(texts)
    left, taken = RESTATED, set()
    known: set[str] = set()
    while True:
        worths = [
            (sum(weights.get(word, 0.0) for word in content_words(text) - known) / len(text), at)
            for at, text in enumerate(texts)
            if at not in taken and len(text) < left
        ]
        # of two that say as much the later one: a reply comes to its point at the end
        worth, at = max(worths, default=(0.0, -1))
        if not worth:
            return " ".join(texts[at] for at in sorted(taken))
        taken.add(at)
        known |= content_words(texts[at])
        left -= len(texts[at]) + 1
