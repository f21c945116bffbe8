"""Remarks of a review -> Advice: those that hold beyond the code under review, as rules.

Most remarks mend one place ("rename this", "missing blank line"); a rule speaks of things in
general: of all of a kind, of tests or handlers in the plural, of what "we" do. Cues are added to
those that tell a lasting demand (demands.py). The traps: a general rule often stands behind the
line that it mends, so a place alone says nothing, words that point do; and "never"
and "always" report what a program does as often as they demand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.rules.from_review.demands import demand
from memoria.rules.model import normal
from memoria.text.lazy_patterns import LazyPattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memoria.rules.from_review.remarks import Remark
    from memoria.vault.entry import Category


@dataclass(frozen=True, slots=True)
class Advice:
    """A general rule that a review states: `quote` are its words there, `place` where they stand.

    `text` is the rule, understandable alone. `place` and `speaker` are as a Remark has them.
    """

    text: str
    category: Category
    quote: str
    place: str = ""
    speaker: str = ""


# measured on 20 reviews of many forms: from here on nine of ten hold in general
FOUND = 1.6
_SHORTEST, _LONGEST = 12, 300  # characters: what a rule's note takes
_LONGEST_READ = 2 * _LONGEST  # of a sentence: what is longer is no sentence
_FEWEST = 3  # words: "Avoid globals" names a thing, and says nothing of it


def advice(remarks: Iterable[Remark]) -> tuple[Advice, ...]:
    """Find the remarks that hold in general, in their order, each once."""
    found: dict[str, Advice] = {}
    for remark in remarks:
        for text in _clauses(remark.text) if len(remark.text) <= _LONGEST_READ else ():
            score, one = judged(text, remark)
            if score >= FOUND and _fits(one.text):
                found.setdefault(normal(one.text), one)
                break
    return tuple(found.values())


def judged(text: str, remark: Remark) -> tuple[float, Advice]:
    """Say how much a text of a remark is a general rule, and which; 0.0 where nothing says so."""
    found = demand(text, reasoned=bool(_EXPLAINS.match(remark.following)))
    general = _general(found.text, remark.heading)
    score = 0.0 if general is None else round(found.score + general, 2)
    # a review is of code: what is neither workflow nor tools says how code is built
    code = found.category == "domain_knowledge"
    category: Category = "architectural" if code else found.category
    return score, Advice(found.text, category, remark.text, remark.place, remark.speaker)


def _fits(text: str) -> bool:
    return _SHORTEST <= len(text) <= _LONGEST and len(text.split()) >= _FEWEST


def _clauses(text: str) -> Iterator[str]:
    """Yield a sentence, then its parts: one may be general and the other about the place."""
    yield text
    parts = [part.strip() for part in _BORDER.split(text)]
    if len(parts) > 1:
        yield from (part for part in parts if _fits(part))


def _general(text: str, heading: str) -> float | None:
    """Sum what makes a text general or not; None where nothing in it is."""
    bare = _NAMED.sub("X", text)
    first = _COMMA.split(bare)[0]
    universal = bool(_UNIVERSAL.search(first))
    cues = [weight for weight, pattern in _CUES if pattern.search(bare)]
    cues += [_HEADED] if _HEADING.search(heading) else []
    if not cues and not universal:
        return None
    against = [weight for weight, pattern in _SPOILERS if pattern.search(bare)]
    if not universal:
        against += [weight for weight, pattern in _SPECIFIC if pattern.search(bare)]
    pointing = _POINTING * min(_MOST_POINTING, len(_POINTS.findall(bare)))
    return sum(cues) + universal * _OF_ALL - sum(against) - pointing


# -- Cues ------------------------------------------------------------------------------------------


def _pattern(text: str) -> LazyPattern:
    return LazyPattern(text, re.IGNORECASE | re.VERBOSE)


_BORDER = re.compile(r";\s+|\s[\u2014\u2013-]{1,2}\s|(?<=\w\w):\s+")
_COMMA = re.compile(r"[,;]\s")
# what stands in quotes or backticks is named, not said
_NAMED = re.compile(r"`[^`\n]*`|\"[^\"\n]{3,}\"|\u201c[^\u201d\n]{3,}\u201d")
_EXPLAINS = re.compile(r"(?:it|they|that|this|otherwise|because|old|we|anything)\b", re.IGNORECASE)

# a plural at the front that stands for all of its kind: "Tests must", "Public functions have"
_NO_KIND = r"""(?!(?:the|an?|this|that|these|those|some|several|two|three|four|few|many|most|other
    |both|once|when|if|after|before|as|but|so|not|only|just|also|there|his|its|was|has|is|does|us
    |plus|less|thus)\b)"""
_WORD = rf"{_NO_KIND}[a-z][\w/-]*"
_KIND = rf"^(?!and\b){_NO_KIND}(?:{_WORD}\ ){{0,3}}{_WORD}(?<=[^s]s)"
# one thing that is not at hand
_NO_ONE = r"(?!(?:the|this|that|it|he|she|they|there|you|i|we)\b)"
_DONE = r"(?:\w+(?:ed|[^e]en)|kept|built|made|put|set|done|sent|held)"
_ORDERS = r"""(?:pin|catch|store|log|validate|escape|test|document|name|use|write|wrap|check|close
    |cache|hash|raise|throw|assert|mock|limit|rate[- ]limit|sort|import|declare|define|encode|quote
    |cover|keep|commit|review|version|prefix|sanitize|parse)"""
_NO_CHANGE = r"""(?!\ (?:changes?|need|idea|problems?|issues?|comments?|objections?|worries|further
    |more|blockers?|longer|one|tests?)\b)"""
_REPORTED = (
    r"""(?!\ (?:mind|see|seen|gets?|got|had|have|been|work\w*|happen\w*|was|is|saw|ran)\b)"""
)
_CUES = tuple(
    (weight, _pattern(text))
    for weight, text in (
        # all of a kind
        (
            1.6,
            rf"""{_KIND}\ (?:should|must|needs?|have\ to|may\ not|can't|cannot|never|always|don't
            |do\ not)\b""",
        ),
        (1.2, rf"{_KIND}\ (?:belong|go|come|live|have|take|get|stay|only)\b"),
        (
            1.4,
            rf"""{_KIND}\ are\ (?:never|always|not|only)\ \w+
            |{_KIND}\ are\ {_DONE}\b(?!\ (?:now|already))""",
        ),
        (
            1.6,
            rf"""{_KIND}\ that\ .{{3,60}}\b(?:should|must|need|have\ to|don't|do\ not|never|always
            |belong|go)\b""",
        ),
        (0.9, r"^new\ (?:code|\w+s)\b|\bin\ new\ code\b"),
        (0.8, rf"^{_NO_ONE}[\w-]+\ (?:must|should)\ (?:not|never|only|always)\b"),
        (
            1.6,
            rf"^{_NO_ONE}(?:[\w-]+\ ){{1,3}}(?:is|are)\ (?:always|never)\ {_DONE}\b",
        ),
        (1.0, r"\b(?:belongs?|do\ not\ belong|don't\ belong)\ (?:in|to|into|on)\b"),
        # an order about things in general
        (
            0.9,
            rf"""^(?:prefer|avoid|don't|do\ not|keep|no{_NO_CHANGE})\b
            (?![^,;:.]*\b(?:the|this|that)\b)""",
        ),
        (0.9, rf"^(?:never|always)\b{_REPORTED}"),
        (1.0, r"\bplease\ (?:don't|do\ not|never|always)\b"),
        (
            1.6,
            rf"""^(?:please\ )?{_ORDERS}\ {_NO_KIND}(?!X|it\b|them\b|here\b)(?:{_WORD}\ ){{0,2}}
            {_WORD}(?<=[^s]s)\b""",
        ),
        (0.6, r"^(?:please\ )?use\ .{2,60}\b(?:instead\ of|rather\ than|over)\b"),
        # what is agreed on
        (
            0.6,
            r"""\bwe\ (?:always|never|only|generally|use|put|prefer|avoid|wrap|keep|write|name
            |don't\ (?:use|put|write))\b""",
        ),
        (
            0.6,
            r"""\b(?:convention|style\ guide|guidelines?|house\ rule|policy|best\ practice
            |CONTRIBUTING)\b""",
        ),
        (0.8, r"^(?:as\ a\ (?:general\ )?rule|in\ general|generally|by\ convention)\b"),
    )
)
_UNIVERSAL = _pattern(
    rf"""\b(?:never|always){_REPORTED}\b
    |\b(?:every|each|all|any|everything|everywhere|whenever|in\ general)\b"""
)
_OF_ALL = 0.5
_SPOILERS = tuple(
    (weight, _pattern(text))
    for weight, text in (
        # nothing is asked
        (
            2.5,
            r"""\b(?:lgtm|approv\w+|blockers?|thanks|thank\ you|nice|great|good\ (?:catch|point|job)
            |looks\ (?:good|fine)|love\ (?:it|the|this)|cheers|congrat\w*|glad|happy\ to)\b""",
        ),
        # it speaks to a model, and not of code
        (
            5.0,
            r"""\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:instructions?|rules?|prompts?)\b
            |\b(?:ai|llm|agents?|assistants?|models?)\ (?:must|should|shall|will|has|have|are|is)\b
            |\bsystem\ prompt\b""",
        ),
        (1.2, r"\b(?:i|i'd|i'm|i've|you|you've|you're|your|me|my)\b"),
        (0.8, r"\b(?:here|above|below)\b|\bthat\ (?:kind|sort)\b"),
        (
            1.0,
            r"^(?:can|could|would|should|shall|may|might|is|are|do|does|why|what|how)\b",
        ),
    )
)
# against a rule only where nothing says that it is for all
_SPECIFIC = tuple(
    (weight, _pattern(text))
    for weight, text in (
        # orders that mend a place
        (
            1.5,
            r"""^(?:please\ )?(?:rename|remove|delete|add|move|extract|inline|fix|revert|replace
            |drop|change|swap|split|update|put|take|return|restore|bump|rebase|run|make|set|call
            |pass)\b""",
        ),
        (1.5, r"^X\b|^the\ \w+"),
        (
            0.8,
            r"""\b(?:this|that|the)\ (?:line|function|method|class|test|file|pr|change|block|loop
            |branch|condition|import|name|comment|variable|field|param(?:eter)?|argument|call|case
            |check)\b""",
        ),
        (0.8, r"\b(?:was|were|has\ been|had)\b"),
    )
)
_POINTS = _pattern(r"\b(?:this|these|here|it)\b(?!\ (?:repo|repository|project|code\ ?base|team))")
_POINTING, _MOST_POINTING = 0.3, 2
_HEADING = _pattern(r"\b(?:general|conventions?|guidelines?|next\ time|future|principles?|style)\b")
_HEADED = 0.8
