"""Choose the sentences of a conversation that hold what it decided, as many as a hook can tell.

The agent proposes a figure, the user says "yes" or names another, and neither says it again. So
each sentence is weighed by its form and by what is said before and behind it, and the likeliest
are taken that say something new.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

from memoria.capture.extract.weights import FittedWeights, estimate_worth
from memoria.text.prose import split_sentences
from memoria.text.stems import stem
from memoria.text.terms import STOP

ROOM = 715  # characters of all that is told: a report with its day and link has 900
# what a sentence gains in the message of one that is told, and again behind or before it: a
# decision is said in one place
BESIDE = 0.5
# of what a sentence says at least so much is not yet told; and one of those that hardly ever hold a
# decision is not worth its room
_MIN_NEW_SHARE, _MIN_WORTH = 0.2, 0.08
_MIN_WORDS = 4  # of a sentence that stands alone
_MAX_CHARS, _MAX_VALUES = 300, 3  # beyond which more of them tell nothing
_TYPED_CHARS = 120  # a question mark is often left out of what is typed quickly
_FENCED = re.compile(r"(?s)```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)")
_BLOCK_MARK = re.compile(r"^\s*(?:[-*+>]|#{1,6}|\d{1,2}\\?[.)])\s+")  # "- ", "## ", "2. "
_TABLE_RULE = re.compile(r"[|:\s-]+")  # between the cells of a table's head and its rows
ANSWERED, CHOSE = " -> User:", " ->"  # between a question and the user's answer, or his choice
_WORD = re.compile(r"\d+(?:\.\d+)?%?|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+")  # "7.5%", "Max"
_VALUE = re.compile(  # "7 %", "MAX", "user_id", "readConfig", "a/b", what stands in quotes
    r"""`[^`]+`|"[^"]{1,40}"|\b0x\w+|\d+(?:[.,:]\d+)*\s?%?|\b[A-Z]{2,}\w*\b|\b\w+_\w+\b"""
    r"|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w*"
    r"|(?<!\S)\S+/\S+"  # from a word's beginning alone, or a long one is read once a letter
)
_QUESTION = re.compile(  # "and which one", "do we need it"
    r"(?i)\W*(?:(?:and|so|but|hm|ok|also)\W+)*(?:what|which|why|how|when|where|who|does|do we|do i"
    r"|is it|is there|are|can|could|should|would|shall|will)\b"
)
# "- Option B: ", "(2) ": the label of an option; "ok, take B": an answer that chooses one, not "2%"
_OPTION = re.compile(r"(?i)\s*(?:[-*]\s+)?\(?(?:option\s+)?([A-Fa-f]|[1-6])(?:[).:]|\s[-\u2013])\s")
_PICK = re.compile(
    r"(?i)\W*(?:(?:ok|yes|yep|hm|let's|take|go with|then|option|number|variant|i'd)\W+){0,3}"
    r"\(?([A-F]|[1-6])\b(?!\s?[%\w]|[.,:]\d)"
)
_ORDINAL = re.compile(r"(?i)\b(?:the|your) (first|second|third|fourth)\b")
_LABELS_OF_ORDINAL = {"first": "1A", "second": "2B", "third": "3C", "fourth": "4D"}
_MIN_OPTIONS = 2
_PROCESS = re.compile(  # "pushed", "tests pass": what is done to files and not what was decided
    r"(?i)\b(?:commit(?:s|ted)?|push(?:ed)?|PR|pull request|merged?|rebased?|branch"
    r"|tests? (?:pass|are)|suite|green|pass(?:es)?|cases|files? (?:are|is)|todo)\b"
)
_ASIDE = re.compile(  # "by the way", "for later": said beside the matter, or left for later
    r"(?i)\b(?:in passing|by the way|btw|aside|side (?:remark|note)s?"
    r"|while (?:i was|i'm|we're|at it)"
    r"|i(?:'d|'ve| would| have)? also|separate(?:ly)?|renam(?:e|ed)|clean(?:ed)? up|unrelated"
    r"|noticed|nitpick|typo|fixtures?|another matter|for later|could (?:move|be moved))\b"
)
_YES = re.compile(  # "yes", "sounds good": the user agrees in the first words ...
    r"(?i)\W*(?:yes|yep|yeah|yup|ok|okay|k\b|right|sure|exactly|fine|agreed|good|perfect|works?\b"
    r"|go\b|do (?:that|it)|sounds|great|correct|please do|deal|all\b|[a-d]\)?$|\U0001f44d|nice"
    r"|makes sense|true|alright|done|let's|take)"
)
_AGREES = re.compile(  # ... or further on: "go ahead", "you are right"
    r"(?i)\b(?:do it|do that|go ahead|go for|you(?:'re| are) right|sounds good|agreed|ship it"
    r"|keep it|like that|makes sense|good idea)\b"
)
_AGREEMENT_CHARS = 200  # of an answer, in which the user agrees
RECAP = re.compile(  # "So ...", "In short, ...", "Got it": the agent says what it came to
    r"(?i)\W*(?:so\b|noted|then\b|agreed|clear|understood|done|in short|to sum|summary"
    r"|that (?:makes|gives|replaces)|now\b|changed|good\b|ok|recorded|settled|decision|written"
    r"|got it|right|all )"
)
_LIMIT = re.compile(  # "at most three", "only once"
    r"(?i)\b(?:must|never|always|only|at most|at least|no more|not|no|without|except|instead|first"
    r"|last|before|after|until|per|each|every|whichever)\b"
)

# how likely a sentence holds what a later session needs of the decision
FITTED: Final = FittedWeights(
    command="python -m bench.delivery.fit_sentences",
    date="2026-11-24",
    data="1783 sentences of 104 chats",
    teams=("web", "pipeline", "service", "market", "shared", "billing meters", "museum tours"),
    intercept=-3.94,
    weights={
        "user": 0.56,
        "values": 0.56,
        "question": -0.5,
        "recap": 0.68,
        "limit": 0.42,
        "length": 0.76,
        "short": -0.84,
        "record": 0.53,
        "process": -1.01,
        "aside": -0.76,
        "opening": -0.94,
        "first_reply": 0.02,
        "confirmed": 0.27,
        "after": -1.22,
        "place": 1.11,
        "densest": 0.37,
        "listed": 0.67,
        "picked": 0.34,
        "central": 1.55,
        "answer": 0.72,
        "explanation": -0.96,
    },
)


class MessageSentence(NamedTuple):
    """A sentence of a message: `option` is the label of the option that it tells of, "" for none.

    `is_listed`: it stands in a list or a table. `asked` is the question that it answers,
    with the arrow behind it.
    """

    text: str
    option: str = ""
    is_listed: bool = False
    asked: str = ""


class Message(NamedTuple):
    """What one of the two said at a time: in which turn, and in which sentences.

    `is_record`: a plan that the user approved, or what a commit says. `is_after`: nothing was
    edited or committed any more.
    """

    is_users: bool
    turn: int
    sentences: tuple[MessageSentence, ...]
    is_record: bool = False
    is_after: bool = False

    @property
    def text(self) -> str:
        """All of it in a line."""
        return " ".join(sentence.text for sentence in self.sentences)


class ConclusionCandidate(NamedTuple):
    """A sentence of a conversation: who said it, in which turn, its words and values, its form.

    `is_marked`: it is the user's, and does not say so itself.
    """

    text: str
    is_users: bool
    turn: int
    things: frozenset[str]
    features: Mapping[str, float]
    message: int = 0
    is_marked: bool = False


def choose_sentences(
    pool: Sequence[ConclusionCandidate], room: int = ROOM, table: FittedWeights = FITTED
) -> list[ConclusionCandidate]:
    """Choose the sentences that are told, in their order."""
    worths = [estimate_worth(sentence.features, table) for sentence in pool]
    eligible = {
        at
        for at, line in enumerate(pool)
        if worths[at] >= _MIN_WORTH and len(line.things) > 1 and not line.text.endswith("?")
        # nor of a first reply that the talk went on from, which confirms nothing
        if line.features["first_reply"] <= line.features["recap"] or line.turn == pool[-1].turn
    }
    chosen: list[int] = []
    things: set[str] = set()
    while True:
        messages = {pool[at].message for at in chosen}
        beside = {at + side for at in chosen for side in (-1, 1)}
        gains: list[tuple[float, int]] = []
        for at in eligible.difference(chosen):
            share = len(pool[at].things - things) / len(pool[at].things)
            if share >= _MIN_NEW_SHARE and len(pool[at].text) < room:
                nearness = (pool[at].message in messages) * (1 + (at in beside))
                gains.append((worths[at] * share * (1 + BESIDE * nearness), at))
        if not gains:
            return [pool[at] for at in sorted(chosen)]
        best = max(gains)[1]
        chosen.append(best)
        things |= pool[best].things
        room -= len(pool[best].text) + 1


def build_candidates(messages: Sequence[Message]) -> Iterator[ConclusionCandidate]:
    """Give the sentences of a conversation with their form and place in it.

    Of options that the user chose from only the chosen one's.
    """
    words = [find_message_words(message.text) for message in messages]
    counts = Counter(chain.from_iterable(words))
    values = [0 if message.is_users else len(_find_values(message.text)) for message in messages]
    densest = max((1, *values))
    for at, message in enumerate(messages):
        is_asked_for, position = _describe_position(messages, at)
        picked = _find_picked_option(message, messages[at + 1 :])
        for sentence, option, is_listed, question in message.sentences:
            if picked and option and option != picked:
                continue
            sentence_words = find_message_words(sentence)
            # of its words, those that another message has, too
            shared = sum(counts[word] > (word in words[at]) for word in sentence_words)
            features = _text_features(sentence, message) | position
            is_reply = bool(is_asked_for or question) and not features["question"]
            features |= {
                "densest": float(values[at] == densest),
                "listed": float(is_listed and not message.is_users),
                "picked": float(bool(picked) and option == picked),
                "central": shared / max(1, len(sentence_words)),
                "answer": float(is_reply and message.is_users),
                "explanation": float(is_reply and not message.is_users),
            }
            text = f"{question} {sentence}" if question else sentence
            things = find_message_words(text) | _find_values(text)
            speaker = message.is_users, message.turn
            is_marked = message.is_users and not question
            yield ConclusionCandidate(text, *speaker, things, features, at, is_marked)


def _find_picked_option(message: Message, later: Sequence[Message]) -> str:
    """Give the label of the option of a message that the user's next words choose, or ""."""
    labels = {sentence.option for sentence in message.sentences} - {""}
    if len(labels) < _MIN_OPTIONS or message.is_users:
        return ""
    answer = next((reply.text for reply in later if reply.is_users), "")
    match, ordinal = _PICK.match(answer), _ORDINAL.search(answer[:_TYPED_CHARS])
    if match and match[1]:
        return match[1].upper() if match[1].upper() in labels else ""
    labels_of_ordinal = _LABELS_OF_ORDINAL[ordinal[1].lower()] if ordinal else ""
    return next((label for label in sorted(labels) if label in labels_of_ordinal), "")


def _text_features(text: str, message: Message) -> dict[str, float]:
    """Give what a sentence shows by itself."""
    value_count = min(_MAX_VALUES, len(_find_values(text)))
    is_question = text.endswith("?") or (message.is_users and _QUESTION.match(text))
    return {
        "user": float(message.is_users),
        "values": float(value_count),
        "question": float(bool(is_question)),
        "recap": float(not message.is_users and bool(RECAP.match(text))),
        "limit": float(bool(_LIMIT.search(text))),
        "length": min(_MAX_CHARS, len(text)) / 100,
        "short": float(len(text.split()) < _MIN_WORDS),
        "record": float(message.is_record),
        "process": float(bool(_PROCESS.search(text))),
        "aside": float(bool(_ASIDE.search(text))),
    }


def _describe_position(messages: Sequence[Message], at: int) -> tuple[bool, dict[str, float]]:
    """Give whether a message was asked for, and the features of its place."""
    is_users = messages[at].is_users
    previous = messages[at - 1].text if at else ""
    # the user's next words, past what was written down meanwhile
    reply = next((message.text for message in messages[at + 1 :] if message.is_users), "")
    is_agreed = bool(_YES.match(reply) or _AGREES.search(reply[:_AGREEMENT_CHARS]))
    is_typed = not is_users and len(previous) < _TYPED_CHARS and _QUESTION.match(previous)
    return previous.endswith("?") or bool(is_typed), {
        "opening": float(is_users and at == 0),
        "first_reply": float(not is_users and at <= 1 and not messages[at].is_record),
        "confirmed": float(not is_users and is_agreed),
        "after": float(messages[at].is_after),
        "place": at // 2 / max(1, (len(messages) - 1) // 2),
    }


def _find_values(text: str) -> frozenset[str]:
    return frozenset(value.strip('`"').lower() for value in _VALUE.findall(text))


def parse_message_sentences(text: str) -> Iterator[MessageSentence]:
    """Give the sentences of a message, without code and marks of Markdown."""
    header: list[str] = []
    for line in _FENCED.sub("\n", text).splitlines():
        content = " ".join(_BLOCK_MARK.sub("", line).replace("**", "").split())
        cells = [cell.strip() for cell in content.strip("|").split("|")] * content.startswith("|")
        if cells and header and not _TABLE_RULE.fullmatch(content):
            values = (f"{name}: {cell}" for name, cell in zip(header[1:], cells[1:], strict=False))
            yield MessageSentence(f"{cells[0]} - {'; '.join(values)}", is_listed=True)
        header = header or cells if cells else []
        # what only announces the lines below it says nothing
        if content and not cells and not content.endswith(":"):
            label = _OPTION.match(line.replace("**", ""))
            is_listed = bool(_BLOCK_MARK.match(line) or label)
            for part in split_sentences(content):
                yield MessageSentence(part, label[1].upper() if label else "", is_listed)


def join_short_sentences(texts: Iterable[str]) -> Iterator[str]:
    """Give sentences, a short one ("Seven.") with the next, which says what it is."""
    pending = ""
    for text in texts:
        sentence = f"{pending} {text}".strip()
        pending = sentence if len(sentence.split()) < _MIN_WORDS else ""
        if not pending:
            yield sentence
    if pending:
        yield pending


def build_answer_sentence(previous: str, text: str) -> MessageSentence:
    """Make the user's first sentence one that tells what it answers, where that is short."""
    is_short = len(text.split()) < _MIN_WORDS and bool(_VALUE.search(text))
    is_answer = is_short or (previous.endswith("?") and not text.endswith("?"))
    fits = 0 < len(previous) < _TYPED_CHARS and len(text) < _TYPED_CHARS
    return MessageSentence(text, asked=f"{previous}{ANSWERED}" if is_answer and fits else "")


def find_message_words(text: str) -> frozenset[str]:
    """Give the stems of the words that say something, and the numbers."""
    words = (match[0].lower() for match in _WORD.finditer(text))
    return frozenset(
        stem(word) for word in words if word not in STOP and (len(word) > 1 or word.isdigit())
    )
