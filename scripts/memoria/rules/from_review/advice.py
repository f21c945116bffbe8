"""Find the sentences of a code review that hold beyond the code under review, as rules.

A review reaches us as a copied page, a mail, the output of a program or JSON of an interface, so
lines are told by what they look like: code, quotations and the furniture of the page are no
remarks. Most remarks fix one place ("rename this"); a rule speaks of things in general: of all of a
kind, of tests or handlers in the plural, of what "we" do. Cues are added up, since no single one
tells a general demand from a wish for one place; each is here because reviews of the test's set are
read worse without it. What a *user* says is weighed by clauses with fitted weights
(capture/extract/user/clause_features.py).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memoria.capture.extract.user.rule_text import category, core, rule_text
from memoria.rules.model import normal
from memoria.text.lazy_patterns import lazy_pattern
from memoria.text.markdown import next_fence
from memoria.text.prose import plain, split

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memoria.vault.entry import Category


@dataclass(frozen=True, slots=True)
class Advice:
    """A general rule that a review states, understandable alone: `quote` are its words there."""

    text: str
    category: Category
    quote: str


# measured on 20 reviews of many forms: from here on nine of ten hold in general
FOUND = 1.6
_SHORTEST, _LONGEST = 12, 300  # characters: what a rule's note takes
_LONGEST_READ = 2 * _LONGEST  # of a sentence: what is longer is no sentence
_FEWEST = 3  # words: "Avoid globals" names a thing, and says nothing of it


def advice(remarks: Iterable[str]) -> tuple[Advice, ...]:
    """Find the remarks that hold in general, in their order, each once."""
    rules: dict[str, Advice] = {}
    for remark in remarks:
        for clause in _clauses(remark) if len(remark) <= _LONGEST_READ else ():
            score, rule = _judged(clause, remark)
            if score >= FOUND and _fits(rule.text):
                rules.setdefault(normal(rule.text), rule)
                break
    return tuple(rules.values())


def _fits(text: str) -> bool:
    return _SHORTEST <= len(text) <= _LONGEST and len(text.split()) >= _FEWEST


def _clauses(text: str) -> Iterator[str]:
    """Yield a sentence, then its parts: one may be general and the other about the place."""
    yield text
    parts = [part.strip() for part in _BORDER.split(text)]
    if len(parts) > 1:
        yield from (part for part in parts if _fits(part))


def _judged(text: str, remark: str) -> tuple[float, Advice]:
    """Say how much a text of a remark is a general rule, and which; 0.0 where nothing says so."""
    words = core(text)
    rule, kind = rule_text(words), category(words)
    bare = _masked(rule)
    general = _sum(_GENERAL, bare) + _OF_ALL * bool(_UNIVERSAL.search(_COMMA.split(bare)[0]))
    against = _sum(_SPOILERS, bare) + _REPORTING * bool(_REPORTS.search(bare))
    # a review is of code: what is neither workflow nor tools says how code is built
    about: Category = "architectural" if kind == "domain_knowledge" else kind
    score = round(general + _sum(_DEMANDS, bare) - against, 2) if general else 0.0
    return score, Advice(rule, about, remark)


def _masked(sentence: str) -> str:
    return _NAMED.sub("X", sentence.replace("\u2019", "'"))


def _sum(table: Iterable[tuple[float, re.Pattern[str]]], text: str) -> float:
    return sum(weight for weight, pattern in table if pattern.search(text))


# -- The sentences of a review ---------------------------------------------------------------------


def remarks(review: str) -> tuple[str, ...]:
    """Read the sentences of a review in their order, as plain text with inline code."""
    return tuple(
        sentence for comment in comments(review) for sentence in split(_unlabelled(comment))
    )


def comments(review: str) -> list[str]:
    """Give the paragraphs and items of a review: no code, no quotation."""
    texts: list[str] = []
    for text in _texts(review):
        fence, in_diff, lines = "", False, list[str]()
        for line in [*text.splitlines(), ""]:
            before, fence = fence, next_fence(fence, line.strip())
            in_diff = bool(line.strip()) and (in_diff or line.startswith("@@ "))
            mark = _PLACE_FIRST.match(line) or _ITEM.match(line)
            is_code = before or fence or (in_diff and line[0] in "+- @")
            skipped = is_code or not line.strip() or _FURNITURE.fullmatch(line)
            if skipped or mark:
                texts += filter(None, [plain(" ".join(lines))])
                lines = []
            if not skipped:
                lines.append(line[mark.end() if mark else 0 :].strip())
    return texts


# labels of what a comment is (conventionalcomments.org, and what people write without knowing it)
_LABEL = re.compile(
    r"""[\[(*_\s]{0,4}(?:(?P<idle>praise|question|thought|typo|fyi)|nit(?:pick)?|suggestion|issue
    |todo|chore|note|polish|minor|major|blocking|blocker|important|optional|style|non-?blocking
    |request|required|critical|security|perf(?:ormance)?|bug|warning|general|convention)\b\s?
    (?:\([^()]{0,40}\))?[*_\]\s]{0,4}:[*_\s]{0,4}""",
    re.VERBOSE | re.IGNORECASE,
)


def _unlabelled(text: str) -> str:
    """Take off the label of a comment; "" of one that asks for nothing."""
    label = _LABEL.match(text)
    return "" if label and label["idle"] else text[label.end() if label else 0 :]


_DEEPEST = 12  # levels of JSON; the answers of GitHub and GitLab have five


def _texts(review: str) -> list[str]:
    """Give the texts of a review: the bodies of JSON, else one."""
    if review.lstrip()[:1] in {"[", "{"}:
        try:
            return list(_bodies(json.loads(review), 0))
        except (ValueError, RecursionError):
            pass
    return [review]


def _bodies(value: Any, depth: int) -> Iterator[str]:  # noqa: ANN401 - any JSON
    if isinstance(value, dict) and depth <= _DEEPEST:
        body = value.get("body", value.get("note"))
        if isinstance(body, str):
            yield body
        value = [item for name, item in value.items() if name not in {"user", "author"}]
    if isinstance(value, list) and depth <= _DEEPEST:
        for item in value:
            yield from _bodies(item, depth + 1)


# a file: a name with an ending, perhaps in folders; "e.g." and a sentence's end are none
_FILE = r"(?:(?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,7}|(?:[\w.@+-]+/)+[\w.@+-]+)"
_LINES = (
    r"(?:\s?[:#(@]\s?L?\d+(?:\s?[-\u2013:]\s?L?\d+)*\)?"
    r"|,?\s+(?:on\s+)?lines?\s+\d+(?:\s?[-\u2013]\s?\d+)?)"
)
_PLACE_FIRST = re.compile(
    rf"\s*(?:[-*+\u2022]\s+|\d{{1,3}}[.)]\s+)?[`*(\[]*{_FILE}"
    rf"(?:{_LINES}[`*)\]]*\s*(?:[:\u2014\u2013-]+\s*)?|[`*)\]]*\s+[-\u2014\u2013]\s+)(?=\S)"
)
_ITEM = re.compile(r"\s*(?:[-*+\u2022]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
# lines of the pages and programs that reviews are copied from; the last but one says who speaks
_FURNITURE = lazy_pattern(
    rf"""\s*(?:(?:>|&gt;).*|[-*_=]{{2,}}|</?\w[^<>]*>.*|<!--.*|\|.*|\#{{1,6}}\s.*
    |\*\*[^*]{{2,120}}\*\*(?:\s*\(author\))?:?|[\s`*#]*{_FILE}[`*]*{_LINES}?[\s`*:]*
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


# -- Cues ------------------------------------------------------------------------------------------


def _pattern(text: str) -> re.Pattern[str]:
    return lazy_pattern(text, re.IGNORECASE | re.VERBOSE)


def _table(rows: Mapping[str, float]) -> tuple[tuple[float, re.Pattern[str]], ...]:
    return tuple((weight, _pattern(text)) for text, weight in rows.items())


_BORDER = re.compile(r";\s+|\s[\u2014\u2013-]{1,2}\s|(?<=\w\w):\s+")
_COMMA = re.compile(r"[,;]\s")
# what stands in quotes or backticks is named, not said
_NAMED = re.compile(r"`[^`\n]*`|\"[^\"\n]{3,}\"|\u201c[^\u201d\n]{3,}\u201d")
# verbs that say how to work; orders for the moment begin with others (fix, add, implement, create)
_STYLE = r"""(?:use|prefer|keep|avoid|follow|name|put|ask|document|write|treat|skip|leave|run
    |pull|rebase|squash|commit|push|begin|start|end|format|wrap|think|explain|show|check|verify
    |read|limit|sign)"""
_PROCESS = r"""commit|push|merg|rebas|squash|branch|prs?\b|pull\ request|review|tests?\b|testing
    |ci\b|lint|format|comments?\b|docs?\b|document|readme|changelog|token|secret|credential|migrat
    |types?\b|schema|functions?\b|typed|depend|librar|packages?\b|release|version|deploy|production
    |databases?\b|mock|fixture|snapshot|naming|styles?\b|abbreviat|indent|imports?\b|logging
    |error\ messages?|compatib|refactor|environment|flags?\b|folders?\b|generated|code\b|todo"""
_DEMANDS = _table(
    {
        # it demands or forbids
        r"""^(?:never|always|don'?t|do\ not|stop\ \w+ing|avoid|no\ more)\b
        |\b(?:must(?!\ (?:be\ (?:a|an|the|some)|have\ been))|shall|make\ sure|ensure|is\ forbidden
          |(?:is|are)\ not\ allowed|only\ (?:when|if|after|use|commit|push|run))\b""": 1.2,
        r"""\b(?:should(?!\ (?:have|work|be\ (?:fine|ok|okay|good|enough|possible|able|easy)))
        |needs?\ to|(?:have|has)\ to)\b""": 0.9,
        # it holds in every case
        r"\b(?:always|never|everywhere|anywhere|whenever|by\ default|explicitly|at\ all)\b": 1.1,
        r"\b(?:every|each\ time|unless|except|(?:before|after)\ (?:you|each|any))\b": 0.8,
        r"""^(?:all|every|each|any|no|new)\ .{2,50}
        \b(?:must|should|needs?|have|has|goes?|gets?|stays?|lives?|is|are)\b""": 0.9,
        # without "the", "this" or a number it speaks of things in general
        rf"""^(?!.*\b(?:the|this|that|these|those|here|there|my|your|me|\d+|first|second)\b)
        (?:don't|do\ not|never|always|stop|{_STYLE})\b(?!\ an?\b)(?:\W+\w+){{3,}}""": 0.5,
        # it is about the way of working, or gives a reason
        rf"(?<![-\w])(?:{_PROCESS})": 0.7,
        rf"^(?:only\ |always\ |never\ )?{_STYLE}\b": 0.6,
    }
)
_REPORTING = 1.6
_REPORTS = _pattern(
    r"""\b(?:is|are|was|were|has|have|had|does|did|gets?)\ (?:also\ |still\ )?(?:never|always)\ \w+
    |\b(?:always|never)\ \w+(?<!s)s\b(?<!tests)|\bconsider\b
    |\b(?:it|this|that|he|she|they|users?|which|who|there|i|we)\ (?:always|never)\b
    |\b(?:docs?|comment|spec|readme|error)\ (?:says?|claims?)\b|:\s*$|^(?:since|because|as)\b
    |\b(?:when|if|whether)\ (?:a|the|an|users?|someone)\b|\bnever\ (?:mind|been|called|reach\w*)\b
    |^(?:i|we|he|she|they)\ (?:just\ |also\ |already\ )?\w+ed\b|\b(?:i|we)\ (?:don't|do\ not)\ """
)
# a plural at the front that stands for all of its kind: "Tests must", "Public functions have"
_NO_KIND = r"""(?!(?:the|an?|this|that|these|those|some|several|two|three|four|few|many|most|other
    |both|once|when|if|after|before|as|but|so|not|only|just|also|there|his|its|was|has|is|does|us
    |plus|less|thus)\b)"""
_WORD = rf"{_NO_KIND}[a-z][\w/-]*"
_KIND = rf"^(?!and\b){_NO_KIND}(?:{_WORD}\ ){{0,3}}{_WORD}(?<=[^s]s)"
_DONE = r"(?:\w+(?:ed|[^e]en)|kept|built|made|put|set|done|sent|held)"
_ORDERS = r"""(?:pin|catch|store|log|validate|escape|test|document|name|use|write|wrap|check|close
    |cache|hash|raise|throw|assert|mock|limit|sort|import|declare|define|encode|quote|cover|keep
    |commit|review|version|prefix|sanitize|parse)"""
_GENERAL = _table(
    {
        # all of a kind
        rf"""{_KIND}\ (?:(?:that\ .{{3,60}}\b)?(?:should|must|needs?|have\ to|may\ not|can't|cannot
        |never|always|don't|do\ not)|that\ .{{3,60}}\b(?:belong|go))\b""": 1.6,
        rf"{_KIND}\ (?:belong|go|come|live|have|take|get|stay|only)\b": 1.2,
        rf"""{_KIND}\ are\ (?:never|always|not|only)\ \w+
        |{_KIND}\ are\ {_DONE}\b(?!\ (?:now|already))""": 1.4,
        r"^new\ (?:code|\w+s)\b|\bin\ new\ code\b|\bbelongs?\ (?:in|to|on)\b": 0.9,
        # an order about things in general
        r"""^(?:prefer|avoid|don't|do\ not|keep|no(?!\ (?:changes?|need|idea|problems?|issues?
        |comments?|objections?|further|more|blockers?|longer|one|tests?)\b))\b
        (?![^,;:.]*\b(?:the|this|that)\b)""": 0.9,
        rf"""^(?:please\ )?{_ORDERS}\ {_NO_KIND}(?!X|it\b|them\b|here\b)(?:{_WORD}\ ){{0,2}}
        {_WORD}(?<=[^s]s)\b""": 1.6,
    }
)
_OF_ALL = 0.5
_UNIVERSAL = _pattern(
    r"""\b(?:never|always)(?!\ (?:mind|see|seen|gets?|got|had|have|been|work\w*|happen\w*|was|is)\b)
    |\b(?:every|each|all|any|everything|everywhere|whenever|in\ general)\b"""
)
_SPOILERS = _table(
    {
        # it speaks to a model, and not of code
        r"""\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:instructions?|rules?|prompts?)\b
        |\b(?:ai|llm|agents?|assistants?|models?)\ (?:must|should|shall|will|has|have|are|is)\b
        |\bsystem\ prompt\b""": 5.0,
        r"\b(?:i|i'd|i'm|i've|you|you've|you're|your|me|my)\b": 1.2,
        r"\b(?:here|above|below)\b|\bthat\ (?:kind|sort)\b": 0.8,
        r"^(?:can|could|would|should|shall|may|might|is|are|do|does|why|what|how)\b": 1.0,
    }
)
