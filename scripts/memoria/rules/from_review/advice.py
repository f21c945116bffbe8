"""Find the sentences of a code review that hold beyond the code under review, as rules.

A review reaches us as a copied page, a mail or the output of a program, so lines are told by what
they look like: code, quotations and the furniture of the page are no remarks. Most remarks fix one
place ("rename this"); a rule speaks of things in general, of all of a kind: of tests or handlers in
the plural. Whether a clause demands something is weighed as a user's is, by fitted weights
(capture/extract/user/clause_features.py). What is found is to be right: half of the rules are
passed over, and a model or the person finds those.
"""

import json
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from memoria.capture.extract.user.rule_text import classify_rule, format_rule_text, strip_lead_in
from memoria.capture.extract.user.statements import parse_statement
from memoria.rules.model import normal
from memoria.text.lazy_patterns import lazy_pattern
from memoria.text.markdown import next_fence
from memoria.text.prose import split_sentences, strip_markdown
from memoria.vault.entry import Category


@dataclass(frozen=True, slots=True)
class Advice:
    """A general rule that a review states, understandable alone; `quote` is the sentence behind."""

    text: str
    category: Category
    quote: str


# score of a rule; on 20 reviews of many forms all 35 that are found from here on hold in general
MIN_SCORE = 1.0
_MIN_CHARS, _MAX_CHARS = 12, 300  # characters: what a rule's note takes
_MAX_SENTENCE = 2 * _MAX_CHARS  # of a sentence: what is longer is no sentence
_MIN_WORDS = 3  # words: "Avoid globals" names a thing, and says nothing of it


def advice(remarks: Iterable[str]) -> tuple[Advice, ...]:
    """Find the remarks that hold in general, in their order, each once."""
    rules: dict[str, Advice] = {}
    for remark in remarks:
        if len(remark) <= _MAX_SENTENCE and (rule := _read_rule(remark)):
            rules.setdefault(normal(rule.text), rule)
    return tuple(rules.values())


def _read_rule(remark: str) -> Advice | None:
    """Read a remark as a rule, None where it does not hold in general."""
    words = strip_lead_in(remark)
    rule, kind = format_rule_text(words), classify_rule(words)
    unnamed = _QUOTED.sub("X", rule.replace("\u2019", "'"))
    generality = sum(worth for worth, cue in _GENERAL_CUES if re.search(cue, unnamed, _FLAGS))
    is_rule_sized = _MIN_CHARS <= len(rule) <= _MAX_CHARS and len(rule.split()) >= _MIN_WORDS
    if not generality or not is_rule_sized or _SPOILER.search(unnamed):
        return None
    if generality + parse_statement(remark).score < MIN_SCORE:
        return None
    # a review is of code: what is neither workflow nor tools says how code is built
    return Advice(rule, "architectural" if kind == "domain_knowledge" else kind, remark)


# -- The sentences of a review ---------------------------------------------------------------------


def remarks(review: str) -> tuple[str, ...]:
    """Read the sentences of a review in their order, as plain text with inline code."""
    texts = (_LABEL.sub("", text) for text in comments(review))
    return tuple(sentence for text in texts for sentence in split_sentences(text))


def comments(review: str) -> list[str]:
    """Give the paragraphs and items of a review: no code, no quotation."""
    texts: list[str] = []
    fence, in_diff, lines = "", False, list[str]()
    for line in [*_read_bodies(review).splitlines(), ""]:  # a blank line ends the last paragraph
        old_fence, fence = fence, next_fence(fence, line.strip())
        in_diff = bool(line.strip()) and (in_diff or line.startswith("@@ "))
        marker = _PLACE_FIRST.match(line) or _LIST_MARKER.match(line)
        is_code = old_fence or fence or (in_diff and line[0] in "+- @")
        is_skipped = is_code or not line.strip() or _PAGE_FURNITURE.fullmatch(line)
        if is_skipped or marker:
            if words := strip_markdown(" ".join(lines)):
                texts.append(words)
            lines = []
        if not is_skipped:
            lines.append(line[marker.end() if marker else 0 :].strip())
    return texts


def _read_bodies(review: str) -> str:
    """Give the bodies of an interface's JSON as paragraphs, any other text as it is."""
    bodies: list[object] = []
    with suppress(ValueError, RecursionError):
        json.loads(review, object_hook=lambda row: bodies.append(row.get("body", row.get("note"))))
    return "\n\n".join(text for text in bodies if isinstance(text, str)) or review


# "src/app.py", "app.py", "src/bin/run": a name with an ending or in folders; not "e.g."
_FILE_NAME = r"(?:(?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,7}|(?:[\w.@+-]+/)+[\w.@+-]+)"
# ":12-14", "#L12", ", lines 3-5" behind a file
_LINE_NUMBERS = (
    r"(?:\s?[:#(@]\s?L?\d+(?:\s?[-\u2013:]\s?L?\d+)*\)?"
    r"|,?\s+(?:on\s+)?lines?\s+\d+(?:\s?[-\u2013]\s?\d+)?)"
)
# "- `src/app.py:12`: " and "app.py - " before what is said of it
_PLACE_FIRST = re.compile(
    rf"\s*(?:[-*+\u2022]\s+|\d{{1,3}}[.)]\s+)?[`*(\[]*{_FILE_NAME}"
    rf"(?:{_LINE_NUMBERS}[`*)\]]*\s*(?:[:\u2014\u2013-]+\s*)?|[`*)\]]*\s+[-\u2014\u2013]\s+)(?=\S)"
)
# "nit: ", "suggestion (non-blocking): " before a comment
_LABEL = re.compile(r"\A[\[(]?[A-Za-z-]{3,20}(?: \([^()]{0,40}\))?[\])]?: +")
# "- ", "2) ", "- [ ] "
_LIST_MARKER = re.compile(r"\s*(?:[-*+\u2022]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
# lines of pages and mails that reviews are copied from: "> quoted", "## Summary", "**src/db.py**",
# tables, HTML, "On Monday, Ann wrote:", "ann commented 2 days ago"
_PAGE_FURNITURE = re.compile(
    r"\s*(?:(?:>|&gt;|[|#<]).*|[-*_=]{2,}|\*\*[^*]{2,120}\*\*(?:, lines? \d+|:)?"
    r"|(?:On|Am|Le) .{3,120} \S{5,8}\s?:"
    r"|\S{1,40} (?:commented|left a comment|reviewed|replied|requested changes|approved).*)\s*"
)
# what stands in quotes or backticks is named, not said: "`never`", "“do it”"
_QUOTED = re.compile(r"`[^`\n]*`|\"[^\"\n]{3,}\"|\u201c[^\u201d\n]{3,}\u201d")
# a plural at the front that stands for all of its kind: "Tests must", "Public functions have"; no
# "These", "Several"
_NO_KIND = r"""(?!(?:the|an?|this|that|these|those|some|several|two|three|four|few|many|most|other
    |both|once|when|if|after|before|as|but|so|not|only|just|also|there|his|its|was|has|is|does|us
    |plus|less|thus)\b)"""
_KIND_WORD = rf"{_NO_KIND}[a-z][\w/-]*"
_KIND = rf"^(?!and\b){_NO_KIND}(?:{_KIND_WORD}\ ){{0,3}}{_KIND_WORD}(?<=[^s]s)"
_FLAGS = re.IGNORECASE | re.VERBOSE
_GENERAL_CUES = (
    # all of a kind: "Handlers must", "Tests that sleep should", "Every job needs", "Never log it"
    (1.6, rf"""{_KIND}\ (?:(?:that\ .{{3,60}}\b)?(?:should|must|needs?|have\ to|may\ not|can't
        |cannot|never|always|don't|do\ not)|that\ .{{3,60}}\b(?:belong|go))\b
        |^(?:every|each)\ .{{2,50}}\b(?:must|should|needs|gets)\b
        |^never\ (?!(?:mind|have|seen)\b)"""),
    # an order about things in general: "Avoid globals", not "Avoid the global"
    (0.9, r"""^(?:prefer|avoid|don't|do\ not|keep|no(?!\ (?:changes?|need|idea|problems?|issues?
        |comments?|objections?|further|more|blockers?|longer|one|tests?)\b))\b
        (?![^,;:.]*\b(?:the|this|that)\b)"""),
    # "never log it", "all of them"; not "never mind", "always worked"
    (0.5, r"""^[^,;]*\b(?:(?:never|always)(?!\ (?:mind|see|seen|gets?|got|had|have|been|work\w*
        |happen\w*|was|is)\b)|(?:every|each|all|any|everything|everywhere|whenever
        |in\ general)\b)"""),
)  # fmt: skip
# it speaks to a model and not of code, or of one place: "the agent must", "never do that here"
_SPOILER = lazy_pattern(
    r"""\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:instructions?|rules?|prompts?)\b
    |\b(?:ai|llm|agents?|assistants?|models?)\ (?:must|should|shall|will|has|have|are|is)\b
    |\bsystem\ prompt\b|\b(?:here|above|below)\b|\bthat\ (?:kind|sort)\b""",
    _FLAGS,
)
