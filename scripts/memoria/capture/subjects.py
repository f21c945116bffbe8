"""Find what a conversation came to.

A later prompt resembles the symptom that a conversation began with; what was decided stands turns
later. So a subject keeps all its words to be found by, and apart from them the lines that hold the
decision, the sentences that conclusions.py chooses.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, cast

from memoria.capture.conclusions import (
    ANSWERED,
    CHOSE,
    Message,
    MessageSentence,
    build_answer_sentence,
    build_candidates,
    choose_sentences,
    join_short_sentences,
    parse_message_sentences,
)
from memoria.vault.entry import Conclusion, Origin, Subject

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memoria.capture.extract.observing.observations import ObservedSession, ObservedTurn

_ORIGINS = ("assistant", "user")
# characters of a subject: chats of a dozen turns, which are about one thing, have up to 6,000; a
# session that goes on for longer has several subjects
_SUBJECT_CHARS = 6_000
_TURN_CHARS = 3_000  # of one turn, that tell what it is about: what is longer is a report with code
# of tools, for each turn: with more of them it was work, and what the user said were orders
_MAX_TALK_CALLS = 2
_NAME_CHARS = 600  # of the names of what a turn edited: more is a sweep through the repository
_DEFINED_NAME = re.compile(  # "def x", "func (s *Store) x"
    r"\b(?:def|class|function|func|fn|interface|type|struct|enum|const|sub|module)\s+"
    r"(?:\([^()\n]{0,60}\)\s*)?([A-Za-z_]\w{2,60})"
)
_HUMPED_NAME = re.compile(  # "readConfig", "Config::Reader": a name that is no plain word
    r"\b(?:[A-Z]\w{1,30}(?:::[A-Z]\w{1,30}){1,3}|[A-Z]?[a-z]{2,20}(?:[A-Z][a-z]{1,20}){1,4})\b"
)
# "the old rule", "we've changed our minds": says of itself that it changes what was said before
_AMENDS = re.compile(r"""(?ix)
    \b(?: amend(?:s|ed|ing|ments?)? | supersed(?:es?|ed|ing) | overrul(?:es?|ed|ing)
    | revis(?:es?|ed|ing) (?=\s(?:the|our|that|this|rule|decision|policy))
    | revised\s(?:rule|decision|policy|behaviou?r|contract)
    | (?:old|previous|earlier|former|prior|original)\s(?:rule|decision|policy|convention|agreement
      |behaviou?r)
    | going\sforward | from\snow\son | (?:we|i)(?:'ve|\shave)?\schanged\s(?:our|my)\sminds?
    | change\sof\s(?:plan|mind|policy) | no\slonger\s(?:the\s(?:rule|plan|policy)|holds|applies)
    )\b""")

# "too slow", "switch to x", "no longer": an earlier decision is changed, in ordinary words
_CHANGES = re.compile(r"""(?ix)
    \b(?: instead | no\slonger | any\s?more
    | (?:has|have|had|needs?|must)\sto\s(?:change|go)
    | (?:is|are|was|gets?)\s(?:dropped|gone|out|history|void|over) | drop | scrap | not\senough
    | too\s(?:low|high|long|short|small|large|big|slow|much|many|few|strict|loose|early|late|often)
    | replac(?:es?|ed|ing) | rather\sthan | from\s(?:here|\w+day|then)\son | after\sall | raise
    | lower | reduce | increase | (?:switch(?:ed|es)?|move[sd]?|down)\sto | go(?:es)?\s(?:down|up)
    | insists? | wants? | let'?s\s(?:take|make|use|go) | make\sit | only\snow | a\smistake
    | (?:the|those|these)\s(?:old|former|previous|earlier)
    | changed?(?=\s(?:the|our|to|from|it))
    )\b""")


class TurnExchange(NamedTuple):
    """A turn: what the user sent in it, what of that is his own, the reply that it ended with.

    `answers` are the agent's questions with what the user chose, `records` the plans that the user
    approved and the messages of commits, `names` the files that it edited and what is defined where
    it edited them, `calls` how many tools it used.
    """

    turn: int
    sent: str
    said: str
    reply: str
    answers: tuple[tuple[str, str], ...]
    records: tuple[str, ...]
    names: str
    calls: int


def find_subjects(seen: ObservedSession) -> tuple[Subject, ...]:
    """Give the subjects of a part of a session in their order; none for turns without words."""
    groups = _group_exchanges(build_exchanges(seen))
    return tuple(_build_subject(group, is_first=not at) for at, group in enumerate(groups))


def build_exchanges(seen: ObservedSession) -> Iterator[TurnExchange]:
    """Yield what was said in each turn; none for turns without words."""
    for turn in seen.turns:
        typed = [
            text for text in turn.texts if text.place in _TYPED_PLACES and text.speaker != "harness"
        ]
        asks = [text.text for text in typed if text.speaker == "user" and text.place != "answer"]
        answers = tuple(
            (f"{answer.question}{ANSWERED if answer.free else CHOSE}", answer.text)
            for seen_call in turn.calls
            for answer in seen_call.call.answers
        )
        reply = next((text.text for text in reversed(turn.texts) if text.place == "closing"), "")
        if typed or reply:
            sent = "\n".join(text.text for text in typed)
            names, calls = _find_edited_names(seen, turn.index), len(turn.calls)
            records = tuple(_find_records(seen, turn))
            yield TurnExchange(
                turn.index, sent, "\n".join(asks), reply, answers, records, names, calls
            )


def _find_records(seen: ObservedSession, turn: ObservedTurn) -> Iterator[str]:
    """Yield what a turn wrote down: plans that were not refused, messages of commits that stand."""
    refused = {text.call for text in turn.texts if text.place == "refusal"}
    plans = (text for text in turn.texts if text.place == "plan")
    yield from (text.text for text in plans if text.call not in refused)
    for commit in seen.kept:
        if commit.turn == turn.index and not commit.is_housekeeping:
            yield f"{commit.subject}.\n\n{commit.body}"


_TYPED_PLACES = frozenset({"prompt", "steer", "refusal", "answer"})


def _find_edited_names(seen: ObservedSession, turn: int) -> str:
    """Name what a turn edited: a later prompt has the function's name, and the talk may not."""
    edits = [edit for edit in seen.edits if edit.turn == turn]
    names = dict.fromkeys("/".join(edit.path.split("/")[-2:]) for edit in edits)
    for pattern in (_DEFINED_NAME, _HUMPED_NAME):
        for edit in edits:
            hunks = "\n".join(line for hunk in edit.hunks for line in (hunk.old, hunk.new))
            names |= dict.fromkeys(pattern.findall(hunks))
    return " ".join(names)[:_NAME_CHARS]


def _group_exchanges(exchanges: Iterable[TurnExchange]) -> list[list[TurnExchange]]:
    """Part the turns into subjects: neighbours, as many as one subject has room for."""
    groups: list[list[TurnExchange]] = []
    budget = 0
    for exchange in exchanges:
        size = min(_TURN_CHARS, len(exchange.sent)) + min(_TURN_CHARS, len(exchange.reply))
        if not groups or size > budget:
            groups.append([])
            budget = _SUBJECT_CHARS
        groups[-1].append(exchange)
        budget -= size
    return groups


def _build_subject(group: Sequence[TurnExchange], *, is_first: bool) -> Subject:
    texts = chain.from_iterable(
        (turn.sent, *chain(*turn.answers), turn.reply, *turn.records, turn.names) for turn in group
    )
    words = "\n".join(text[:_TURN_CHARS] for text in texts if text)
    conclusions = tuple(_find_conclusions(group))
    opening = group[0].said if is_first else ""
    amends = any(map(says_amended, [opening, *(line.text for line in conclusions)]))
    return Subject(group[0].turn, words, conclusions, amends)


def says_amended(text: str) -> bool:
    """Whether a text says of itself that it changes what was decided before."""
    return bool(_AMENDS.search(text))


def says_changed(text: str) -> bool:
    """Whether a text says in ordinary words that something is another one than before."""
    return bool(_CHANGES.search(text))


def _find_conclusions(group: Sequence[TurnExchange]) -> Iterator[Conclusion]:
    """Give what a talk came to: the replies' sentences, then the user's, each in their order.

    Of work only what its commits say, which are of many subjects: what the user said were orders.
    """
    is_work = sum(exchange.calls for exchange in group) > _MAX_TALK_CALLS * len(group)
    messages = tuple(build_messages(group))
    pool = list(build_candidates(messages))
    if is_work:
        pool = [line for line in pool if messages[line.message].is_record]
    places = {id(sentence): at for at, sentence in enumerate(pool)}
    last: tuple[int, int] | None = None
    for sentence in sorted(choose_sentences(pool), key=lambda sentence: sentence.is_users):
        at, origin = places[id(sentence)], cast("Origin", _ORIGINS[sentence.is_users])
        is_apart = last not in {None, (sentence.message, at - 1)}
        text = f"{'User: ' * sentence.is_marked}{sentence.text}"
        yield Conclusion(text, origin, sentence.turn, 2 if is_work else 3, is_apart)
        last = sentence.message, at


def build_messages(group: Sequence[TurnExchange]) -> Iterator[Message]:
    """Yield what the user and the assistant said in turn, where it has sentences."""
    busy = [exchange.turn for exchange in group if exchange.names or exchange.records]
    previous = ""
    for exchange in group:
        turn, is_after = exchange.turn, bool(busy) and exchange.turn > busy[-1]
        said = join_short_sentences(part.text for part in parse_message_sentences(exchange.said))
        users = [MessageSentence(text) for text in said]
        users[:1] = [build_answer_sentence(previous, user.text) for user in users[:1]]
        messages = [Message(True, turn, tuple(users), is_after=is_after)]
        for question, answer in exchange.answers:
            parts = [MessageSentence(sentence.text) for sentence in parse_message_sentences(answer)]
            parts[:1] = [part._replace(asked=question) for part in parts[:1]]
            messages.append(Message(True, turn, tuple(parts), is_after=is_after))
        messages += [
            Message(False, turn, tuple(parse_message_sentences(record)), is_record=True)
            for record in exchange.records
        ]
        reply = tuple(parse_message_sentences(exchange.reply))
        messages.append(Message(False, turn, reply, is_after=is_after))
        yield from (message for message in messages if message.sentences)
        previous = reply[-1].text if reply else ""
