"""Weigh what may say of what a session was: asks, what was done and found, headings of answers.

Each is a clause that can be read alone. It counts by what it is, where it stands and how much of
the session it covers; `python -m bench.extract.titles` fits the weights on graded clauses.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

from memoria.agents.claude_code.user_words import parse_ask
from memoria.capture.extract import title_clauses as clauses
from memoria.capture.extract.observing.commits import branch_words
from memoria.capture.extract.observing.observations import ObservedSession, ObservedText
from memoria.capture.extract.user.asks import QUESTION, flatten_text, plan_title, strip_politeness
from memoria.text.prose import split_sentences, strip_markdown
from memoria.text.word_overlap import containment, stems

WEIGHTS: Final[Mapping[str, float]] = {
    "is summary": 5.99,
    "is merge": 5.94,
    "is plan": 4.69,
    "central": 4.04,
    "is order": 1.45,
    "late": -1.41,
    "idle": -1.33,
    "is cause": -1.24,
    "edits": 1.09,
    "is line": -0.85,
    "branch": 0.78,
    "side": -0.72,
    "is whole": -0.68,
    "first": 0.54,
    "is statement": -0.53,
    "is done": 0.42,
}
# "PR 12 Summary of the ", which names the rest; "Code review: ", which is a part of the name
_ABOUT = re.compile(
    r"(?i)((?:[\w#]+ ){0,2}summary(?: of(?: the)?|:| —)\s+)"
    r"|(?:[\w#]+ ){0,3}(?:review|comparison|analysis|fixed|proposal)(?: of| for|:| —)\s"
)
# what stands elsewhere
_ELSEWHERE = re.compile(r"(?i)\b(?:this|it|these|those|them|here|above|below|same)\b")


class TitlePart(NamedTuple):
    """A clause that may name a session; `turn` is -1 for a line of the entry."""

    text: str
    source: str
    turn: int = -1


TYPED = {"order", "statement", "whole"}
PROSE = (".md", ".mdx", ".rst", ".txt")
_MERGE_WORDS = re.compile(r"(?:remote-tracking )?branch |'| into .*")
# of a part's content words: so many stand in a text that was handed on, or in a later order
_PASTED_SHARE, _OVERRULED_SHARE = 0.7, 0.5


def find_title_parts(session: ObservedSession, lines: Sequence[str]) -> list[TitlePart]:
    """Give what may say of what a session was, each clause once."""
    parts = [
        *(TitlePart(clauses.find_statement(line), "line") for line in lines),
        *_find_written_parts(session),
        *(part for text in session.texts for part in _find_text_parts(text, session)),
    ]
    turns_apart = _find_turns_apart(session)
    pasted = [stems(text.text) for text in session.texts if text.speaker == "pasted"]
    orders = [(part.turn, stems(part.text)) for part in parts if part.source == "order"]
    kept = [
        part
        for part in parts
        if part.text and part.turn not in turns_apart
        if not any(containment(stems(part.text), words) > _PASTED_SHARE for words in pasted)
        if not (part.source in TYPED and _is_overruled(part, orders))
    ]
    # as it came first, at the place where it came last
    return list({part.text: part for part in reversed(kept)}.values())[::-1]


def _find_written_parts(session: ObservedSession) -> Iterator[TitlePart]:
    """Yield which branches were merged, and the headings of new documents."""
    for commit in session.kept:
        if commit.subject.lower().startswith("merge "):
            yield TitlePart(_MERGE_WORDS.sub("", commit.subject), "merge", commit.turn)
    for edit in session.edits:
        opening = edit.hunks[0].new if edit.hunks and not edit.hunks[0].old else ""
        if edit.path.endswith(PROSE) and opening.startswith("# "):
            heading = plan_title(opening.partition("\n")[0])
            yield TitlePart(clauses.find_statement(heading), "summary", edit.turn)


def _find_turns_apart(session: ObservedSession) -> set[int]:
    """Give the turns that are no part of the work."""
    # what was handed on to be worked on has nothing to do with what was asked before it
    speakers = {text.speaker for turn in session.busy for text in session.turns[turn].texts[:1]}
    idle = set(range(len(session.turns))) - session.busy if speakers == {"pasted"} else set()
    # notes that are written beside the work are no part of it
    code_turns = {edit.turn for edit in session.edits if not edit.path.endswith(PROSE)}
    of_notes = session.busy - code_turns - {commit.turn for commit in session.kept}
    return idle | of_notes if code_turns else idle


def _is_overruled(part: TitlePart, orders: Sequence[tuple[int, frozenset[str]]]) -> bool:
    """Whether something was asked again later, in other words: in these turns, with these."""
    words = stems(part.text) - clauses.ANY_SESSION
    return any(
        turn > part.turn and containment(order, words) >= _OVERRULED_SHARE for turn, order in orders
    )


def _find_text_parts(text: ObservedText, session: ObservedSession) -> Iterator[TitlePart]:
    """Yield the parts of one text of the session."""
    if text.place == "plan":
        yield TitlePart(plan_title(text.text), "plan", text.turn)
    elif text.place == "closing":
        yield from _find_closing_parts(text, is_busy=text.turn in session.busy)
    elif text.place == "prompt" and text.speaker == "user" and not text.is_trivial:
        yield from _find_prompt_parts(
            flatten_prompt(session.turns[text.turn].turn.prompt), text.turn
        )


def _find_closing_parts(text: ObservedText, *, is_busy: bool) -> Iterator[TitlePart]:
    """Yield causes, headings of answers and, of a turn that changed something, what was done."""
    for sentence in text.sentences:
        plain_text = strip_markdown(sentence.text)
        if sentence.form != "heading" and clauses.LABEL.match(plain_text):
            yield TitlePart(clauses.find_statement(plain_text), "cause", text.turn)
        elif sentence.form == "heading" and (about := _ABOUT.match(plain_text)):
            topic = clauses.find_statement(plain_text[len(about[1] or "") :])
            yield TitlePart(topic, "summary", text.turn)
        for clause in clauses.find_done_clauses(sentence.text) if is_busy else ():
            yield TitlePart(clause, "done", text.turn)


def _find_prompt_parts(prompt: str, turn: int) -> Iterator[TitlePart]:
    """Yield what a prompt orders and states, and its first sentence as it stands."""
    yield from (TitlePart(order, "order", turn) for order in clauses.find_orders(prompt))
    yield TitlePart(clauses.find_statement(prompt).partition(" - ")[0], "statement", turn)
    asked = strip_politeness(next(iter(split_sentences(prompt)), ""))
    topic = asked.rstrip(" .:;,?!()")
    is_part = QUESTION.search(asked) or _ELSEWHERE.search(topic)
    if len(topic) <= clauses.LENGTH and not is_part and len(stems(topic)) > 1:
        yield TitlePart(topic, "whole", turn)


def flatten_prompt(prompt: str) -> str:
    """Give what was typed as one line, without addresses and marks of a prompt's template."""
    return flatten_text(re.sub(r"https?://\S+|\[\[ ## \w+ ## \]\]", "", parse_ask(prompt).text))


# -- What a clause weighs -------------------------------------------------------------------------

_SIDE = re.compile(r"(?i)\b(?:tests?|comments?|lint|imports?)\b")
# words of a session, and of them in a clause: more tell no more
_MAX_WORDS, _MAX_CLAUSE_WORDS = 12, 4


def count_turn_words(session: ObservedSession) -> list[Counter[str]]:
    """Count the words of each turn, of the user and of answers; what the user says counts twice."""
    turns = [Counter[str]() for _ in session.turns]
    for text in session.texts:
        is_own = text.speaker == "user" and not text.is_trivial
        if is_own or text.place in {"prompt", "closing"}:
            words = dict.fromkeys(sorted(stems(text.text)), 2 * is_own + (text.place == "closing"))
            turns[text.turn].update(words)
    return turns


def measure_mention_share(name: str, turns: Sequence[Counter[str]]) -> float:
    """Give the share of turns in which half of a name's telling words come up."""
    telling = stems(name) - clauses.ANY_SESSION
    spoken = [words.keys() for words in turns if words]
    return sum(2 * len(telling & words) >= len(telling) for words in spoken) / max(1, len(spoken))


def describe_parts(
    parts: Sequence[TitlePart], session: ObservedSession, turns: Sequence[Counter[str]]
) -> list[dict[str, float]]:
    """Describe the parts of a session as numbers from 0 to 1."""
    counts = Counter(chain.from_iterable(words.elements() for words in turns))
    telling = [stem for stem, _ in counts.most_common() if stem not in clauses.ANY_SESSION]
    central, branch = frozenset(telling[:_MAX_WORDS]), stems(branch_words(session.branch))
    code_turns = [edit.turn for edit in session.edits if not edit.path.endswith(PROSE)]
    edits = Counter(code_turns or [edit.turn for edit in session.edits])
    first = min((part.turn for part in parts if part.source in TYPED), default=0)
    words = {part: stems(part.text) - clauses.ANY_SESSION for part in parts}
    return [
        {
            f"is {part.source}": 1.0,
            "central": min(1.0, len(words[part] & central) / _MAX_CLAUSE_WORDS),
            "edits": edits[part.turn] / max(1, edits.total()),
            "branch": len(words[part] & branch) / max(1, len(words[part])),
            "first": float(part.source in TYPED and part.turn == first),
            "late": max(0, part.turn) / max(1, len(turns) - 1),
            "side": float(bool(_SIDE.search(part.text))),
            "idle": float(bool(session.busy) and part.turn >= 0 and part.turn not in session.busy),
        }
        for part in parts
    ]


def weigh_parts(
    session: ObservedSession, lines: Sequence[str], turns: Sequence[Counter[str]]
) -> dict[TitlePart, float]:
    """Say how well each part names its session, the best first, of equal ones the longest."""
    parts = find_title_parts(session, lines)
    weights = {
        part: sum(WEIGHTS.get(name, 0.0) * value for name, value in features.items())
        for part, features in zip(parts, describe_parts(parts, session, turns), strict=True)
    }
    ranked = sorted(parts, key=lambda part: (-round(weights[part], 2), -len(part.text)))
    return {part: weights[part] for part in ranked}
