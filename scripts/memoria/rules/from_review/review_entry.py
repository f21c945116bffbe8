"""Turn what an engine found in a code review into rules that a person may approve, as an entry.

Reviews are written by others, so nothing in one counts as the user's word: what comes out are
candidates, and the entry that holds them says `origin: review`. Every rule needs a quote that the
reviewers really wrote, which code looks up. A review that a robot wrote may speak to another robot;
it is data in here, and its words are made inert before they reach a file.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from memoria.llm.forms import CATEGORY, STRING, Form, array, closed_object
from memoria.rules.from_review.advice import Advice
from memoria.rules.from_review.remarks import Remark, remarks, said
from memoria.rules.model import MAX_RULE, MIN_RULE, Refusal, normal
from memoria.text.markdown import inert
from memoria.vault import frontmatter
from memoria.vault.file_names import slug
from memoria.vault.written.categories import CATEGORIES
from memoria.vault.written.written_entry import draft_mark, written

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date


ORIGIN = "review"
# what an entry's `origin` says whose words it holds: none of them are this vault's user's
ORIGINS: Mapping[str, str] = {
    ORIGIN: "out of a code review: written by others",
    "buildlog": "out of a buildlog: who wrote it is not known",
}
# a review with more general rules than this is a style guide, which is a file of its own
MOST_RULES = 40
# characters that one call reads: 10,000 tokens; three of four reviews have fewer than 4,000
_PART = 40_000
# words: fewer stand in any text
_SHORTEST_QUOTE = 3
_QUOTE = 200  # characters; of ten times as many the form says that it is none
# of the hash that a review is known by: 96 bits
_SHA = 24

# only shape is in the schema: the client sends the whole prompt again for each violation
LEARN_SCHEMA: Mapping[str, Any] = closed_object(
    rules=array(text=STRING, quote=STRING, category=CATEGORY)
)


@dataclass(frozen=True, slots=True)
class Critique:
    """A code review as it was handed in, redacted: material of `learn`.

    `name` is that of its file, "" for one from a pipe.
    """

    text: str
    name: str = ""

    @property
    def sha(self) -> str:
        """The hash by which the same review is known again, blind to spaces and line ends."""
        words = " ".join(self.text.split())
        return hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()[:_SHA]


def parts(review: Critique) -> tuple[Critique, ...]:
    """Cut a long review at its lines, so that a model reads it in several calls."""
    texts = [""]
    for line in review.text.split("\n"):
        for piece in (line[at : at + _PART] for at in range(0, max(1, len(line)), _PART)):
            if len(texts[-1]) + len(piece) < _PART:
                texts[-1] += f"\n{piece}" if texts != [""] else piece
            else:
                texts.append(piece)
    return tuple(replace(review, text=text) for text in texts)


# -- What an engine found --------------------------------------------------------------------------


def verified(value: object, review: Critique) -> tuple[tuple[Advice, ...], tuple[Refusal, ...]]:
    """Read the answer to `learn` and check it against the review; BadReply for one of no form.

    Gives the rules that the reviewers' own words support, each once, and what was refused.
    """
    spoken = f" {normal(said(review.text))} "
    sources = [(f" {normal(one.text)} ", one) for one in remarks(review.text)]
    kept: dict[str, Advice] = {}
    refused: list[Refusal] = []
    for item in Form(value).items("rules", MOST_RULES):
        text, quote = (" ".join(item.text(name, _QUOTE).split()) for name in ("text", "quote"))
        one = Advice(text, item.category(), quote)
        if fault := _fault(one, spoken):
            refused.append(Refusal(f"rule {text!r}"[:120], fault))
        else:
            words = f" {normal(quote)} "
            source = next((remark for own, remark in sources if words in own), Remark(""))
            one = replace(one, place=source.place)
            kept.setdefault(normal(text), one)
    return tuple(kept.values())[:MOST_RULES], tuple(refused)


def _fault(one: Advice, spoken: str) -> str:
    words = normal(one.quote)
    if not MIN_RULE <= len(one.text) <= MAX_RULE or not normal(one.text):
        return f"a rule has {MIN_RULE} to {MAX_RULE} characters"
    if len(words.split()) < _SHORTEST_QUOTE or f" {words} " not in spoken:
        return "the reviewers are not known to have written that"
    return ""


# -- Its entry -------------------------------------------------------------------------------------


def name(review: Critique) -> str:
    """Give the words by which a review's entry is called: its file's, else its hash."""
    return slug(review.name.rpartition(".")[0] or review.name) or review.sha[:8]


def title(review: Critique) -> str:
    """Give the entry's title."""
    return f"Review: {inert(review.name) or name(review)}"


def is_of(text: str, review: Critique) -> bool:
    """Whether an entry is the one of that review."""
    return written(text).session == review.sha


def origin(text: str) -> str:
    """Give the origin of an entry that holds others' words (a key of ORIGINS), else ""."""
    lines = text.removeprefix("\ufeff").split("\n---", 1)[0].split("\n")
    if lines[0].strip() != "---":
        return ""
    named = (line.strip().removeprefix("origin: ") for line in lines if "origin: " in line)
    return next((name for name in named if name in ORIGINS), "")


def entry(
    review: Critique, rules: Sequence[Advice], *, day: date, project: str, engine: str
) -> str:
    """Write the entry of a review: Improvements as a person's, marked as the words of others.

    A rule counts as the user's own once he has changed its line; what is unchanged is one sighting,
    that of the review.
    """
    meta = {
        "title": title(review),
        "origin": ORIGIN,
        "session": review.sha,
        "project": project,
        "engine": engine,
        "created": day,
    }
    front = "".join(frontmatter.emit(key, value) for key, value in meta.items() if value)
    goal = (
        "What the authors of a code review asked for in general. The words are theirs: no rule "
        "holds until you approve it with `memoria review`."
    )
    blocks = [f"# {title(review)}", "## The Goal", goal, "## Improvements", *_improvements(rules)]
    quotes = (
        f'- "{inert(one.quote)}"' + f" ({inert(one.place)})" * bool(one.place) for one in rules
    )
    blocks += ["## Quotes", "\n".join(quotes)]
    blocks.append(draft_mark(review.sha, [inert(one.text) for one in rules]))
    return f"---\n{front}---\n\n" + "\n\n".join(blocks) + "\n"


def _improvements(rules: Sequence[Advice]) -> Iterator[str]:
    for category in CATEGORIES:
        lines = [f"- {inert(one.text)}" for one in rules if one.category == category]
        if lines:
            yield f"### {category.replace('_', ' ').title()}\n\n" + "\n".join(lines)
