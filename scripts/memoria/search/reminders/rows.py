"""The rules in force and the articles -> what the prompt hook looks a prompt's words up in.

All judgement that takes word lists and Markdown is done here, beforehand, so that the hook only
counts: a rule becomes its weighted words, an article its telling words and its passages. A rule
often names its occasion ("before you commit", "when a migration fails"); those words are marked,
since a prompt that brings the occasion needs the rule however little else they share. The trap: the
words must come from `recall.words`, which the hook cuts the prompt with.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.rules.model import text_hash
from memoria.search import injectable as tellable
from memoria.search.passages import of_article, passages
from memoria.search.reminders import prompt_match as recall
from memoria.text.terms import GENERIC, STOP

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping

    from memoria.rules.model import Rule
    from memoria.vault.article import Article

# words of an article that is found by them; real ones have up to 200 telling words
_MOST_WORDS = 400
# passages of an article, of some 400 characters: what is longer is a page that somebody pasted
_MOST_PASSAGES = 64
_LEAST = 0.02
# a clause of more telling words is no occasion, it is half of the rule
_MOST_OCCASION = 3
_OCCASION = re.compile(
    r"(?i)\b(?:before|after|when(?:ever)?|while|if|unless|once|until|every time|as soon as)\b"
    r"([^.,;:!?()\n]{3,80})"
)
_GRAMMAR = """
    a about after again all also although always am an and another any anyone anything are as at
    be because been before being both but by can cannot could do does doesn doing don each
    either else ever every everyone everything for from had has have he her here his how however
    i if in instead into is isn it its itself just least less let like likely ll many may maybe
    me might more most much must my neither never no nobody none nor not nothing now of off
    often ok on once one only or other others otherwise our out over own per please possible
    quite rather re really same shall she should so some someone something soon still such sure
    than that the their them then there these they thing this those though through thus to
    together too under unless until up upon us use used using usually ve very via want was way
    we well were what whatever when whenever where whether which while who whole whose why will
    with within without won would yes yet you your
"""
# they say when of anything: "before you start", "after every change", "if needed"
_ANY_TIME = """
    change code done edit file finish make need necessary new part project run session start step
    task time turn work write
"""


def _stems(text: str) -> frozenset[str]:
    return frozenset(recall.words(text))


GRAMMAR, ANY_TIME = _stems(_GRAMMAR), _stems(_ANY_TIME)
COMMON = _stems(" ".join((*STOP, *GENERIC)))


@dataclass(frozen=True, slots=True)
class Known:
    """A rule as the hook needs it: `words` are (word, weight, whether it tells the occasion).

    `scope` is the project where it holds, "" for all; `since` the moment of a person's decision
    that brought it in force, in seconds of the epoch, 0.0 where it was there anyway.
    """

    name: str
    hash: str
    text: str
    scope: str
    since: float
    words: tuple[tuple[str, float, bool], ...]

    @property
    def total(self) -> float:
        """The weight of all words."""
        return sum(weight for _, weight, _ in self.words)

    @property
    def occasions(self) -> int:
        """How many words tell its occasion."""
        return sum(occasion for _, _, occasion in self.words)


@dataclass(frozen=True, slots=True)
class Found:
    """An article as the hook needs it; `scopes` are its projects, ("",) for all."""

    path: str
    sha: str
    title: str
    day: str
    scopes: tuple[str, ...]
    words: tuple[str, ...]
    passages: tuple[str, ...]


def known(rules: Iterable[Rule], since: Mapping[str, float]) -> tuple[Known, ...]:
    """Make the rows of rules, in their order; `since` maps ids to when a person decided on them."""
    cut = [(found, dict.fromkeys(_telling(found.text))) for found in rules]
    having = Counter(word for _, words in cut for word in words)
    return tuple(
        Known(
            found.id,
            text_hash(found.text),
            found.text,
            found.scope[0] if len(found.scope) == 1 else "",
            since.get(found.id, 0.0),
            tuple(_weighed(found.text, words, having, len(cut))),
        )
        for found, words in cut
    )


def _telling(text: str) -> Iterator[str]:
    return (word for word in recall.words(text) if word not in GRAMMAR)


def _weighed(
    text: str, words: Iterable[str], having: Mapping[str, int], of: int
) -> Iterator[tuple[str, float, bool]]:
    occasion = _occasion(text)
    for word in words:
        weight = recall.weight(having[word], of) * (recall.COMMON_WEIGHT if word in COMMON else 1.0)
        # what nearly all rules say would only be looked up in vain
        if weight > _LEAST or word in occasion:
            yield word, round(weight, 4), word in occasion


def _occasion(text: str) -> frozenset[str]:
    """Give the words that tell when a rule is to be thought of; none where that is any time."""
    for clause in _OCCASION.findall(text):
        words = frozenset(_telling(clause))
        if words and len(words) <= _MOST_OCCASION and not words <= ANY_TIME:
            return words - ANY_TIME
    return frozenset()


def found(
    article: Article,
    headings: Container[str] = (),
    told: Container[str] = (),
    clean: Callable[[str], str] = str,
) -> Found:
    """Make the row of an article; `headings` are those that all articles of its kind have.

    `told` are the keys of the lines that a hook may say. `clean` takes secrets out of a text: a
    person may have written one into a note.
    """
    document = of_article(article, headings)
    # a hook says these lines: what others said, and what a pull brought, stays in the note
    named = tellable.is_named(article, told)
    body = clean(tellable.body(article, headings, told)) if named else ""
    title = clean(document.title)
    names = clean(" ".join((title, *article.names("aliases"))))
    words = dict.fromkeys(word for word in recall.words(f"{names}\n{body}") if word not in GRAMMAR)
    return Found(
        article.path,
        article.sha,
        title,
        document.date,
        article.names("projects") or ("",),
        tuple(words)[:_MOST_WORDS],
        passages(body)[:_MOST_PASSAGES],
    )
