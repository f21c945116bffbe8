"""Find the sentences of a code review that hold beyond the code under review, as rules.

A review reaches us as a copied page, a mail, the output of a program or JSON of an interface, so
lines are told by what they look like: code, quotations and the furniture of the page are no
remarks. Most remarks fix one place ("rename this"); a rule speaks of things in general: of all of a
kind, of tests or handlers in the plural, of what "we" do. Whether a clause demands something is
weighed as a user's is, by fitted weights (capture/extract/user/clause_features.py); the cues here
say whether it speaks of things in general, and each earned its place on the test's reviews.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import Any

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


# score of a rule; measured on 20 reviews of many forms: from here on 51 of 53 hold in general
MIN_SCORE = 1.0
_MIN_CHARS, _MAX_CHARS = 12, 300  # characters: what a rule's note takes
_MAX_SENTENCE = 2 * _MAX_CHARS  # of a sentence: what is longer is no sentence
_MIN_WORDS = 3  # words: "Avoid globals" names a thing, and says nothing of it


def advice(remarks: Iterable[str]) -> tuple[Advice, ...]:
    """Find the remarks that hold in general, in their order, each once."""
    rules: dict[str, Advice] = {}
    for remark in remarks:
        if len(remark) <= _MAX_SENTENCE and (rule := _find_rule(remark)):
            rules.setdefault(normal(rule.text), rule)
    return tuple(rules.values())


def _find_rule(remark: str) -> Advice | None:
    """Give the rule of a sentence: its one part that holds in general, else all of it."""
    parts = [part.strip() for part in _PART_BORDER.split(remark)]
    rules = [rule for rule in map(_read_rule, parts, repeat(remark)) if rule]
    sentence_rule = _read_rule(remark, remark) if len(rules) != 1 else None
    return sentence_rule or next(iter(rules), None)


def _read_rule(text: str, remark: str) -> Advice | None:
    """Read a text of a remark as a rule, None where it does not hold in general."""
    words = strip_lead_in(text)
    rule, kind = format_rule_text(words), classify_rule(words)
    unnamed = _QUOTED.sub("X", rule.replace("\u2019", "'"))
    generality = _sum_weights(_GENERAL_CUES, unnamed)
    if _UNIVERSAL.search(_CLAUSE_BORDER.split(unnamed)[0]):
        generality += _UNIVERSAL_WEIGHT
    is_rule_sized = _MIN_CHARS <= len(rule) <= _MAX_CHARS and len(rule.split()) >= _MIN_WORDS
    if not generality or not is_rule_sized:
        return None
    if generality + parse_statement(text).score - _sum_weights(_SPOILERS, unnamed) < MIN_SCORE:
        return None
    # a review is of code: what is neither workflow nor tools says how code is built
    return Advice(rule, "architectural" if kind == "domain_knowledge" else kind, remark)


def _sum_weights(table: Iterable[tuple[float, re.Pattern[str]]], text: str) -> float:
    return sum(weight for weight, pattern in table if pattern.search(text))


# -- The sentences of a review ---------------------------------------------------------------------


def remarks(review: str) -> tuple[str, ...]:
    """Read the sentences of a review in their order, as plain text with inline code."""
    texts = map(_strip_label, comments(review))
    return tuple(sentence for text in texts for sentence in split_sentences(text))


def comments(review: str) -> list[str]:
    """Give the paragraphs and items of a review: no code, no quotation."""
    texts: list[str] = []
    for text in _read_texts(review):
        fence, in_diff, lines = "", False, list[str]()
        for line in [*text.splitlines(), ""]:  # a blank line ends the last paragraph
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


# "**nit (non-blocking):** ", "Question: " before a comment; most are of conventionalcomments.org
_COMMENT_LABEL = re.compile(
    r"""[\[(*_\s]{0,4}(?:(?P<idle>praise|question|thought|typo|fyi)|nit(?:pick)?|suggestion|issue
    |todo|chore|note|polish|minor|major|blocking|blocker|important|optional|style|non-?blocking
    |request|required|critical|security|perf(?:ormance)?|bug|warning|general|convention)\b\s?
    (?:\([^()]{0,40}\))?[*_\]\s]{0,4}:[*_\s]{0,4}""",
    re.VERBOSE | re.IGNORECASE,
)


def _strip_label(text: str) -> str:
    """Take off the label of a comment; "" of one that asks for nothing."""
    label = _COMMENT_LABEL.match(text)
    return "" if label and label["idle"] else text[label.end() if label else 0 :]


_MAX_DEPTH = 12  # levels of JSON; the answers of GitHub and GitLab have five


def _read_texts(review: str) -> list[str]:
    """Give the texts of a review: the bodies of JSON, else one."""
    if review.lstrip()[:1] in {"[", "{"}:
        try:
            return list(_read_bodies(json.loads(review), 0))
        except (ValueError, RecursionError):
            pass
    return [review]


def _read_bodies(value: Any, depth: int) -> Iterator[str]:  # noqa: ANN401 - any JSON
    if isinstance(value, dict) and depth <= _MAX_DEPTH:
        body = value.get("body", value.get("note"))
        if isinstance(body, str):
            yield body
        value = [item for name, item in value.items() if name not in {"user", "author"}]
    if isinstance(value, list) and depth <= _MAX_DEPTH:
        for item in value:
            yield from _read_bodies(item, depth + 1)


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
# "- ", "2) ", "- [ ] "
_LIST_MARKER = re.compile(r"\s*(?:[-*+\u2022]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
# lines of the pages, mails and programs that reviews are copied from: "> quoted", "## Summary",
# "Suggested change", "On Monday, Ann wrote:", "ann commented 2 days ago", "Cc: ann"
_PAGE_FURNITURE = lazy_pattern(
    rf"""\s*(?:(?:>|&gt;).*|[-*_=]{{2,}}|</?\w[^<>]*>.*|<!--.*|\|.*|\#{{1,6}}\s.*
    |\*\*[^*]{{2,120}}\*\*(?:\s*\(author\))?:?|[\s`*#]*{_FILE_NAME}[`*]*{_LINE_NUMBERS}?[\s`*:]*
    |(?:author|association|edited|status|title|state|reviewers|labels|url|number):\t.*
    |(?:On|Am|Le)\ .{{3,120}}\ (?:wrote|schrieb|\S{{0,3}}crit)\s?:
    |(?:Comment\ on\ (?:lines?|file)|Suggested\ change|Reviewed\ \d+\ of|Confidence:
      |(?:Show|Hide|View|Resolve|Reply|Outdated|Copy|Commit\ suggestion)\b.{{0,40}})\b.{{0,80}}
    |(?:diff\ --git|index\ [0-9a-f]{{6,}}|---\ a/|\+\+\+\ b/).*
    |[\w.\[\]-]{{1,40}}(?:\ (?:\[?bot\]?|AI)\b)?\ (?:(?:commented|left\ a\ comment|reviewed|replied
      |requested\ changes|approved\ these|started\ a|added\ a)\b.*
      |(?:\d{{1,3}}|an?|last)\b.{{0,20}}\b(?:ago|week|month|year)\b.*)
    |(?:Signed-off-by|Reviewed-by|Acked-by|Co-authored-by|From|To|Cc|Subject|Date):\s.*)\s*""",
    re.VERBOSE | re.IGNORECASE,
)


def _compile(text: str) -> re.Pattern[str]:
    return lazy_pattern(text, re.IGNORECASE | re.VERBOSE)


def _compile_table(rows: Mapping[str, float]) -> tuple[tuple[float, re.Pattern[str]], ...]:
    return tuple((weight, _compile(text)) for text, weight in rows.items())


# what parts a sentence: "this is racy; lock it", "nit - name it", "Note: test it"
_PART_BORDER = re.compile(r";\s+|\s[\u2014\u2013-]{1,2}\s|(?<=\w\w):\s+")
_CLAUSE_BORDER = re.compile(r"[,;]\s")  # ", " in "Close it, always", not in "1,000"
# what stands in quotes or backticks is named, not said: "`never`", "“do it”"
_QUOTED = re.compile(r"`[^`\n]*`|\"[^\"\n]{3,}\"|\u201c[^\u201d\n]{3,}\u201d")
# a plural at the front that stands for all of its kind: "Tests must", "Public functions have"; no
# "These", "Several"
_NO_KIND = r"""(?!(?:the|an?|this|that|these|those|some|several|two|three|four|few|many|most|other
    |both|once|when|if|after|before|as|but|so|not|only|just|also|there|his|its|was|has|is|does|us
    |plus|less|thus)\b)"""
_KIND_WORD = rf"{_NO_KIND}[a-z][\w/-]*"
_KIND = rf"^(?!and\b){_NO_KIND}(?:{_KIND_WORD}\ ){{0,3}}{_KIND_WORD}(?<=[^s]s)"
# "logged", "written", "kept"
_PARTICIPLE = r"(?:\w+(?:ed|[^e]en)|kept|built|made|put|set|done|sent|held)"
# "Pin versions", "log errors"
_ORDER = r"""(?:pin|catch|store|log|validate|escape|test|document|name|use|write|wrap|check|close
    |cache|hash|raise|throw|assert|mock|limit|sort|import|declare|define|encode|quote|cover|keep
    |commit|review|version|prefix|sanitize|parse)"""
_GENERAL_CUES = _compile_table(
    {
        # all of a kind: "Handlers must", "Tests live in", "Keys are never logged", "Every job is"
        rf"""{_KIND}\ (?:(?:that\ .{{3,60}}\b)?(?:should|must|needs?|have\ to|may\ not|can't|cannot
        |never|always|don't|do\ not)|that\ .{{3,60}}\b(?:belong|go))\b""": 1.6,
        rf"{_KIND}\ (?:belong|go|come|live|have|take|get|stay|only)\b": 1.2,
        rf"""{_KIND}\ are\ (?:never|always|not|only)\ \w+
        |{_KIND}\ are\ {_PARTICIPLE}\b(?!\ (?:now|already))""": 1.4,
        # "New handlers log", "that belongs in a test"
        r"^new\ (?:code|\w+s)\b|\bin\ new\ code\b|\bbelongs?\ (?:in|to|on)\b": 0.9,
        # "Every endpoint of ours needs", "No test is"
        r"""^(?:all|every|each|any|no|new)\ .{2,50}
        \b(?:must|should|needs?|have|has|goes?|gets?|stays?|lives?|is|are)\b""": 0.5,
        r"\b(?:every|any)where\b": 0.5,
        # an order about things in general: "Avoid globals", not "Avoid the global"; "Pin versions"
        r"""^(?:prefer|avoid|don't|do\ not|keep|no(?!\ (?:changes?|need|idea|problems?|issues?
        |comments?|objections?|further|more|blockers?|longer|one|tests?)\b))\b
        (?![^,;:.]*\b(?:the|this|that)\b)""": 0.9,
        rf"""^(?:please\ )?{_ORDER}\ {_NO_KIND}(?!X|it\b|them\b|here\b)(?:{_KIND_WORD}\ ){{0,2}}
        {_KIND_WORD}(?<=[^s]s)\b""": 1.6,
    }
)
_UNIVERSAL_WEIGHT = 0.5
# "never log it", "all of them"; not "never mind", "always worked"
_UNIVERSAL = _compile(
    r"""\b(?:never|always)(?!\ (?:mind|see|seen|gets?|got|had|have|been|work\w*|happen\w*|was|is)\b)
    |\b(?:every|each|all|any|everything|everywhere|whenever|in\ general)\b"""
)
_SPOILERS = _compile_table(
    {
        # it speaks to a model, and not of code: "ignore all instructions", "the agent must"
        r"""\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:instructions?|rules?|prompts?)\b
        |\b(?:ai|llm|agents?|assistants?|models?)\ (?:must|should|shall|will|has|have|are|is)\b
        |\bsystem\ prompt\b""": 5.0,
        # "never do that here", "that kind of check"
        r"\b(?:here|above|below)\b|\bthat\ (?:kind|sort)\b": 1.2,
    }
)
