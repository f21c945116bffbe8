"""What the assistant said -> Findings: sentences whose words tell a cause, a choice, a definition.

The last text of a turn has seen all of it and counts more; what was said in the middle may have
been overtaken. The trap: what was only discussed is not decided. A sentence is a decision only if
its turn edited a file or made a commit.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.capture.extract.findings import CHANGE_START, Finding, fits

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from memoria.capture.extract.sentences import Passage, Sentence, Told
    from memoria.vault.entry import FactKind

_DEFINITION = 2.6
_FINAL = 0.9  # the last text of a turn has seen all of it
_FINAL_CAUSE = 0.6
_NOT_DONE = -1.2  # a decision in a turn without an edit is a proposal
_LATER = -0.8  # under a heading that says it is for later, or small
FLOOR = 2.3  # below it half of the sentences are noise (measured: 1.9 gave a ninth more, and worse)


def insights(texts: Told, busy: Container[int]) -> Iterator[Finding]:
    """Yield what was said that is worth keeping; `busy` are the turns that changed something."""
    for index, passages in enumerate(texts):
        yield from _prose(passages, index, done=index in busy)


_FOR_LATER = re.compile(
    r"recommend|suggest|option|alternativ|potential|next step|future|nice to have|consider|question"
    r"|testing|minor|nit",
    re.IGNORECASE,
)


def _prose(passages: Sequence[Passage], index: int, *, done: bool) -> Iterator[Finding]:
    for place, text in enumerate(passages):
        final = place == len(passages) - 1
        for sentence in text.sentences:
            if fits(sentence.text) and "open" not in sentence.cues:
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
    change = "plain-change" in cues or bool(CHANGE_START.match(sentence.text))
    if "decision" in cues and (change or not causal):
        return "decision"
    if "plain-change" in cues:
        return "change"
    return "lesson" if causal or {"gotcha", "mechanism"} & cues else None


_DEFINES = re.compile(
    r"""(?:[Tt]he\s+|[Aa]n?\s+)?(?P<term>`[^`]{2,50}`|[A-Z]\w+[A-Z]\w*|[A-Za-z]+(?:[ -][a-z]+){1,2})
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
    """
    this that these it there which what here the key main real core answer fix issue problem bug
    change changes code approach plan difference reason idea goal point first second next last
    other same one user function method test result output error verifies ensures uses returns
    shows both all each
    """.split()  # noqa: SIM905 - a word list reads best as words
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
    if not term or term[0] in _NO_TERM or term[-1] in _NO_TERM or CHANGE_START.match(term[0]):
        return 0.0
    return _DEFINITION + (_PREFERENCE if _PREFERRED.match(match["verb"]) else 0.0)
