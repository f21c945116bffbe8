"""Find what a conversation came to: the reply that restates what the user said, and his words.

A later prompt resembles the symptom that a conversation began with; what was decided stands turns
later, often in a few words ("Seven. Eight trips it."). So a subject keeps all its words to be found
by, and apart from them the lines that hold the decision: the reply that repeats most of the rare
words that the user had said before it, and those sentences of the user that it leaves out. The
trap: a first reply repeats the whole first message and has decided nothing; so the words of that
message count little.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from memoria.agents.claude_code.user_words import utterances
from memoria.agents.own_words import own_words
from memoria.text.prose import split
from memoria.text.stems import stem
from memoria.text.terms import STOP
from memoria.vault.entry import Conclusion, Subject

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memoria.agents.claude_code.user_words import Utterance
    from memoria.agents.transcript import Transcript, Turn

# characters of a subject: chats of a dozen turns, which are about one thing, have up to 6,000; a
# session that goes on for longer has several subjects
_ROOM = 6_000
# characters of one turn that tell what it is about: what is longer is a report with code
_TURN = 3_000
# characters of a restating reply that can be told whole; of a longer one its best sentences are
RESTATED = 620
# sentences of the user beside it, and their characters: what is longer tells a story
_SENTENCES, _SENTENCE = 3, 240
# words of a sentence that stands alone
_WORDS = 4
# of a word that the first message has
_OPENING = 0.25
# what a reply has to repeat of the user's words, and words that it has: fewer are an acknowledgement
_REPEATED, _ACKNOWLEDGED = 2.0, 4
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
_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_MARKUP = re.compile(r"^\s*(?:[-*+>]|#{1,6}|\d{1,2}[.)])\s+")
_WORD = re.compile(r"\d+(?:\.\d+)?%?|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+")
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


class _Exchange(NamedTuple):
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


def subjects(transcript: Transcript) -> tuple[Subject, ...]:
    """Give the subjects of a part of a session in their order; none for turns without words."""
    groups = _groups(_exchanges(transcript))
    return tuple(_subject(group, is_first=not at) for at, group in enumerate(groups))


def _exchanges(transcript: Transcript) -> Iterator[_Exchange]:
    sent: dict[int, list[Utterance]] = {}
    for utterance in utterances(transcript):
        sent.setdefault(utterance.turn, []).append(utterance)
    for number, turn in enumerate(transcript.turns):
        texts = [utterance.ask.text for utterance in sent.get(number, ())]
        said = filter(None, map(own_words, sent.get(number, ())))
        reply = turn.says[-1].text if turn.says else ""
        if texts or reply:
            names = _names(turn)
            calls = len(turn.calls)
            yield _Exchange(number, "\n".join(texts), "\n".join(said), reply, names, calls)


def _names(turn: Turn) -> str:
    """Name what a turn edited: a later prompt has the function's name, and the talk may not."""
    names: dict[str, None] = {}
    for call in turn.calls:
        if call.kind == "edit" and call.path:
            names[call.path.rsplit("/", 1)[-1]] = None
            hunks = "\n".join(line for hunk in call.hunks for line in (hunk.old, hunk.new))
            names |= dict.fromkeys(_DEFINED.findall(hunks))
    return " ".join(names)[:_NAMES]


def _groups(exchanges: Iterable[_Exchange]) -> list[list[_Exchange]]:
    """Part the turns into subjects: neighbours, as many as one subject has room for."""
    groups: list[list[_Exchange]] = []
    left = 0
    for exchange in exchanges:
        size = min(_TURN, len(exchange.sent)) + min(_TURN, len(exchange.reply))
        if not groups or size > left:
            groups.append([])
            left = _ROOM
        groups[-1].append(exchange)
        left -= size
    return groups


def _subject(group: Sequence[_Exchange], *, is_first: bool) -> Subject:
    words = "\n".join(
        text[:_TURN]
        for exchange in group
        for text in (exchange.sent, exchange.reply, exchange.names)
        if text
    )
    restated = _restated(group)
    opening = group[0].said if is_first else ""
    amends = says_amended(opening) or (restated is not None and says_amended(restated.text))
    return Subject(group[0].turn, words, tuple(_conclusions(group, restated)), amends)


def says_amended(text: str) -> bool:
    """Whether a text says of itself that it changes what was decided before."""
    return bool(_AMENDS.search(text))


def _conclusions(group: Sequence[_Exchange], restated: Conclusion | None) -> Iterator[Conclusion]:
    """Give what a subject came to, the best first."""
    known = content_words(restated.text) if restated else frozenset()
    if restated:
        yield restated
    ranked = sorted(_user_sentences(group, known), key=lambda row: (-row[0], row[1]))
    is_talk = sum(exchange.calls for exchange in group) <= _CALLS * len(group)
    for _, turn, text in ranked[: _SENTENCES if is_talk else 0]:
        yield Conclusion(f"User: {text}", "user", turn)


def _restated(group: Sequence[_Exchange]) -> Conclusion | None:
    """Find the reply that repeats most of what the user said before it; of two the later one."""
    weights: dict[str, float] = {}
    best, least = None, _REPEATED
    for at, exchange in enumerate(group):
        for word in content_words(exchange.sent):
            weights.setdefault(word, 1.0 if at else _OPENING)
        sentences = tuple(_sentences(exchange.reply))
        if not sentences or sentences[-1].endswith("?"):
            continue
        words = content_words(" ".join(sentences))
        score = sum(weights.get(word, 0.0) for word in words)
        if score >= least and score >= len(words) * _least_share(exchange, len(words)):
            best, least = (exchange.turn, sentences, dict(weights)), score
    if best is None:
        return None
    turn, sentences, repeated = best
    return Conclusion(_best(sentences, repeated), "assistant", turn)


def _least_share(exchange: _Exchange, words: int) -> float:
    """Say which share of a reply's words has to be the user's, so that it restates them."""
    if words < _ACKNOWLEDGED:
        return 1.0
    if not exchange.calls:
        return _TALKING
    return _SHORT_RESTATING if len(exchange.reply) <= _SHORT else _RESTATING


def _best(sentences: Sequence[str], weights: Mapping[str, float]) -> str:
    """Give the sentences that say most of these words, in their order, as long as can be told."""
    if sum(map(len, sentences)) + len(sentences) <= RESTATED:
        return " ".join(sentences)
    left, taken = RESTATED, set()
    known: set[str] = set()
    while True:
        worth = {
            at: sum(weights.get(word, 0.0) for word in content_words(text) - known) / len(text)
            for at, text in enumerate(sentences)
            if at not in taken and len(text) < left
        }
        # of two that say as much the later one: a reply comes to its point at the end
        at = max(worth, key=lambda at: (worth[at], at), default=-1)
        if at < 0 or not worth[at]:
            break
        taken.add(at)
        known |= content_words(sentences[at])
        left -= len(sentences[at]) + 1
    return " ".join(sentences[at] for at in sorted(taken))


def _user_sentences(
    group: Sequence[_Exchange], known: frozenset[str]
) -> Iterator[tuple[float, int, str]]:
    """Give what the user stated after the first message: what it says that is not known, where."""
    for exchange in group[1:]:
        for text in _joined(_sentences(exchange.said)):
            new = content_words(text) - known
            if new and len(text) <= _SENTENCE and not text.endswith(("?", ":")):
                # by the root of its length: a bare word says little, a story says it slowly
                yield len(new) / len(text) ** 0.5, exchange.turn, text


def _sentences(text: str) -> Iterator[str]:
    for line in _FENCE.sub("\n", text).splitlines():
        plain = " ".join(_MARKUP.sub("", line).replace("**", "").split())
        # rows of tables, and what only announces the lines below it
        if plain and not plain.startswith("|") and not plain.endswith(":"):
            yield from split(plain)


def _joined(sentences: Iterable[str]) -> Iterator[str]:
    """Give sentences, a short one ("Seven.") with the next, which says what it is."""
    short = ""
    for text in sentences:
        whole = f"{short} {text}".strip()
        short = whole if len(whole.split()) < _WORDS else ""
        if not short:
            yield whole
    if short:
        yield short


def content_words(text: str) -> frozenset[str]:
    """Give the stems of the words that say something, and the numbers."""
    words = (match[0].lower() for match in _WORD.finditer(text))
    return frozenset(
        stem(word) for word in words if word not in STOP and (len(word) > 1 or word.isdigit())
    )
