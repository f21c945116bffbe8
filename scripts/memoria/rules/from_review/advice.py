"""Remarks of a review -> Advice: those that hold beyond the code under review, as rules.

Most remarks mend one place ("rename this", "missing blank line"); a rule speaks of things in
general: of all of a kind, of tests or handlers in the plural, of what "we" do. Cues are added up,
since no single one tells a general demand from a wish for one place; each is here because reviews
of the test's set are read worse without it. The traps: a general rule often stands behind the line
that it mends, so a place alone says nothing, words that point do; and "never" and "always" report
what a program does as often as they demand. What a *user* says is weighed by clauses with fitted
weights (capture/extract/user/clause_features.py).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.capture.extract.user.rule_text import category, core, rule_text
from memoria.rules.model import normal
from memoria.text.lazy_patterns import lazy_pattern

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
    words = core(text)
    rule, kind = rule_text(words), category(words)
    general = _general(rule, remark.heading)
    reasoned = bool(_EXPLAINS.match(remark.following))
    score = 0.0 if general is None else round(_demand(text, words, reasoned) + general, 2)
    # a review is of code: what is neither workflow nor tools says how code is built
    found: Category = "architectural" if kind == "domain_knowledge" else kind
    return score, Advice(rule, found, remark.text, remark.place, remark.speaker)


def _fits(text: str) -> bool:
    return _SHORTEST <= len(text) <= _LONGEST and len(text.split()) >= _FEWEST


def _clauses(text: str) -> Iterator[str]:
    """Yield a sentence, then its parts: one may be general and the other about the place."""
    yield text
    parts = [part.strip() for part in _BORDER.split(text)]
    if len(parts) > 1:
        yield from (part for part in parts if _fits(part))


def _demand(sentence: str, words: str, reasoned: bool) -> float:  # noqa: FBT001 - of the sentence
    """Sum how much a sentence asks for a lasting way of working."""
    bare = _masked(words)
    score = sum(weight for weight, pattern in _DEMANDS if pattern.search(bare))
    score += _GIVES_REASON * (reasoned or bool(_REASONS.search(bare)))
    # who says "remember:" demands, even in the voice of a report
    lasts = bool(_LASTS.search(_masked(sentence)))
    score += _LASTING if lasts else _REPORTING * bool(_REPORTS.search(bare))
    return score - _AT_HAND * min(_MOST_AT_HAND, len(_AT_HANDS.findall(bare)))


def _masked(sentence: str) -> str:
    typed = _APOSTROPHE.sub(r"\1n't", sentence.replace("\u2019", "'"))
    return _NAMED.sub("X", typed)


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
    against += [_OF_PLACE] if not universal and _PLACE.search(bare) else []
    pointing = _POINTING * min(_MOST_POINTING, len(_POINTS.findall(bare)))
    return sum(cues) + universal * _OF_ALL - sum(against) - pointing


# -- Cues ------------------------------------------------------------------------------------------


def _pattern(text: str) -> re.Pattern[str]:
    return lazy_pattern(text, re.IGNORECASE | re.VERBOSE)


def _table(*rows: tuple[float, str]) -> tuple[tuple[float, re.Pattern[str]], ...]:
    return tuple((weight, _pattern(text)) for weight, text in rows)


_BORDER = re.compile(r";\s+|\s[\u2014\u2013-]{1,2}\s|(?<=\w\w):\s+")
_COMMA = re.compile(r"[,;]\s")
# what stands in quotes or backticks is named, not said
_NAMED = re.compile(r"`[^`\n]*`|\"[^\"\n]{3,}\"|\u201c[^\u201d\n]{3,}\u201d")
# "dont" is how it is typed
_APOSTROPHE = re.compile(r"\b(do|does|did|is|are|was|should|must)nt\b", re.IGNORECASE)
_EXPLAINS = re.compile(r"(?:it|they|that|this|otherwise|because|old|we|anything)\b", re.IGNORECASE)

# a demand, and a claim on every case, in other languages
_DEMANDED = r"""\b(?:bitte|muss|müssen|soll(?:en|st)?|darf|dürfen|niemals|nie|il\ faut|doit|devez
    |jamais|debe|debes|deve|nunca|никогда|нельзя)\b|不要|必须|禁止|不能|别|必ず|しないで|ください"""
_EVERYWHERE = r"""\b(?:immer|niemals|nie|toujours|jamais|siempre|nunca|sempre|всегда|никогда)\b
    |总是|始终|一律|永远|都|常に|必ず|いつも|항상|절대"""
# verbs that say how to work; orders for the moment begin with others (fix, add, implement, create)
_STYLE = r"""(?:use|prefer|keep|avoid|follow|name|put|ask|document|write|treat|skip|leave|run
    |pull|rebase|squash|commit|push|begin|start|end|format|wrap|think|explain|show|check|verify
    |read|limit|sign)"""
_PROCESS = r"""commit|push|merg|rebas|squash|branch|prs?\b|pull\ request|review|tests?\b|testing
    |ci\b|lint|format|comments?\b|docs?\b|documentation|documented|readme|changelog|token|secret
    |credential|accounts?\b|migrat|types?\b|schema|functions?\b|typed|typing|depend|librar
    |packages?\b|release|version|deploy|production|databases?\b|mock|fixture|snapshot|scripts?\b
    |naming|styles?\b|abbreviat|indent|imports?\b|error\ messages?|logging|log\ messages?
    |compatib|refactor|docker|servers?\b|environment|flags?\b|folders?\b|generated|code\b|todo"""
_DEMANDS = _table(
    # it demands or forbids
    (
        1.2,
        rf"""^(?:never|always|don't|do\ not|stop\ \w+ing|avoid|refrain|under\ no|no\ more
          |only\ ever)\b
        |\b(?:must(?!\ (?:be\ (?:a|an|the|some)|have\ been))|mustn't|shall|make\ sure|be\ sure\ to
          |ensure|(?:is|are)\ (?:strictly\ )?(?:forbidden|mandatory|required|banned|off\ limits)
          |(?:is|are)\ not\ allowed|only\ (?:when|if|after|ever|use|commit|push|run))\b
        |{_DEMANDED}""",
    ),
    (
        0.9,
        r"""\b(?:should(?!\ (?:have|work|be\ (?:fine|ok|okay|good|enough|possible|able|easy|there)))
        |shouldn't|ought|needs?\ to|(?:have|has)\ to|supposed\ to)\b""",
    ),
    (0.8, r"\b(?:instead\ of|rather\ than|in\ favou?r\ of)\b|,\ (?:not|never|no)\b|^no\ \w+"),
    # it holds in every case
    (
        1.1,
        rf"""\b(?:always|never|everywhere|anywhere|wherever|whenever|by\ default|explicitly|at\ all
        |under\ no\ circumstances)\b|\bever\W*$|{_EVERYWHERE}""",
    ),
    (0.8, r"\b(?:every|each\ time|unless|except|throughout|(?:before|after)\ (?:you|each|any))\b"),
    (0.4, r"\b(?:all|any|each|both|only)\b"),
    (
        0.9,
        r"""^(?:all|every|each|any|no|new)\ .{2,50}
        \b(?:must|should|needs?|have|has|goes?|gets?|stays?|lives?|is|are)\b""",
    ),
    # without "the", "this" or a number it speaks of things in general
    (
        0.5,
        rf"""^(?!.*\b(?:the|this|that|these|those|here|there|my|your|me|\d+|first|second)\b)
        (?:don't|do\ not|never|always|stop|{_STYLE})\b(?!\ an?\b)(?:\W+\w+){{3,}}""",
    ),
    # it is about the way of working
    (0.7, rf"(?<![-\w])(?:{_PROCESS})"),
    (0.6, rf"^(?:only\ |always\ |never\ |don't\ ever\ |by\ default,?\ )?{_STYLE}\b"),
    # it holds for the moment, or of a screen
    (
        -1.3,
        r"""\b(?:yet|for\ now|right\ now|this\ time|today|tomorrow|currently|temporar(?:y|ily)
        |(?:for|at)\ the\ moment|until|this\ once|again|anyway|later|so\ far|meanwhile
        |(?:in|on|for)\ this\ (?!repo|project|code\ ?base|team)\w+)\b(?<!ever\ again)""",
    ),
    (
        -0.9,
        r"""\b(?:padding|margin|colou?rs?|buttons?|render(?:s|ed)?|icons?|fonts?|pixels?|layout|css
        |dropdown|modal|tooltip|sidebar|hover|dialog|popup|page|screen)\b""",
    ),
)
_LASTING, _REPORTING, _GIVES_REASON = 1.7, -1.6, 0.9
_LASTS = _pattern(
    r"""\b(?:from\ (?:now|here)\ on|(?:going|moving)\ forward|in\ (?:the\ )?future|henceforth
    |every\ (?:single\ )?time|next\ time|at\ all\ times|without\ exception|no\ exceptions?
    |(?:never|ever)\ again|as\ a\ (?:general\ )?rule|rule\ of\ thumb|(?:the|our|house|team)
    \ (?:rule|convention|policy)|i\ keep\ (?:telling|saying|asking|repeating)|remember\ (?:that|to)
    |(?:do\ not|don't)\ (?:forget|ever)|in\ (?:this|our)\ (?:repo|repository|project|code\ ?base)
    |across\ the\ (?:board|code\ ?base|project))\b|\bremember:"""
)
_REASONS = _pattern(
    r"""\b(?:because|since\ (?:it|we|they|that|the|i)|as\ (?:that|it|they)|to\ avoid|otherwise
    |so\ that|or\ else|too\ (?:slow|long|much|many|expensive|noisy|hard|big|brittle|flaky)
    |ruins?|breaks?|to\ not|not\ to|so\ (?:we|it|they|i)|that'?s\ why|wastes?)\b
    |,\ (?:it|they|we|nobody|no\ one|everyone|others?|people)
      (?:'s|'re|\ (?:is|are|get|have|has|want|will|can|agents?|people))\b"""
)
_REPORTS = _pattern(
    r"""\b(?:is|are|was|were|has|have|had|does|did|gets?|got|being|been)\ (?:also\ |still\ )?
      (?:never|always)\ \w+
    |\b(?:always|never)\ \w+(?<!s)s\b(?<!tests)
    |\b(?:docs?|comment|spec|readme|error|it|he|she|they)\ (?:says?|claims?|states?)\b
    |\b(?:when|if|whether)\ (?:a|the|an|he|she|users?|someone)\b|\bconsider\b
    |\b(?:it|this|that|he|she|they|users?|which|who|there)\ (?:always|never)\b|\b(?:it|this)\ only\b
    |\bnever\ (?:actually|really|been|called|worked|happen\w*|reach\w*|seen|gets?|got|had|mind)\b
    |^(?:i|we|he|she|they)\ (?:just\ |also\ |already\ )?\w+ed\b|:\s*$|^(?:since|because|as)\b
    |\b(?:i|we)\ (?:always|never)\ (?:get|see|got|had|have|end|run\ into)\b
    |\b(?:i|we)\ (?:don't|do\ not)\ (?:see|know|understand|remember|get|think|care|have|need)\b"""
)
_AT_HAND, _MOST_AT_HAND = 0.35, 3  # each "this", "that", "it" speaks of something at hand
_AT_HANDS = _pattern(
    r"""\b(?:this|these)\b(?!\ (?:repo|repository|project|code\ ?base|team))|\b(?:it|those)\b
    |\bthat\b(?=[.,!?]|$|\ (?:one|way|thing|file|test|function|branch))"""
)

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
_CUES = _table(
    # all of a kind
    (
        1.6,
        rf"""{_KIND}\ (?:(?:that\ .{{3,60}}\b)?(?:should|must|needs?|have\ to|may\ not|can't|cannot
        |never|always|don't|do\ not)|that\ .{{3,60}}\b(?:belong|go))\b""",
    ),
    (1.2, rf"{_KIND}\ (?:belong|go|come|live|have|take|get|stay|only)\b"),
    (
        1.4,
        rf"""{_KIND}\ are\ (?:never|always|not|only)\ \w+
        |{_KIND}\ are\ {_DONE}\b(?!\ (?:now|already))""",
    ),
    (0.9, r"^new\ (?:code|\w+s)\b|\bin\ new\ code\b"),
    (0.8, rf"^{_NO_ONE}[\w-]+\ (?:must|should)\ (?:not|never|only|always)\b"),
    (1.6, rf"^{_NO_ONE}(?:[\w-]+\ ){{1,3}}(?:is|are)\ (?:always|never)\ {_DONE}\b"),
    (1.0, r"\b(?:belongs?|do\ not\ belong|don't\ belong)\ (?:in|to|into|on)\b"),
    # an order about things in general
    (
        0.9,
        rf"""^(?:prefer|avoid|don't|do\ not|keep|no{_NO_CHANGE})\b
        (?![^,;:.]*\b(?:the|this|that)\b)""",
    ),
    (1.0, r"\bplease\ (?:don't|do\ not|never|always)\b"),
    (
        1.6,
        rf"""^(?:please\ )?{_ORDERS}\ {_NO_KIND}(?!X|it\b|them\b|here\b)(?:{_WORD}\ ){{0,2}}
        {_WORD}(?<=[^s]s)\b""",
    ),
)
_UNIVERSAL = _pattern(
    rf"""\b(?:never|always){_REPORTED}\b
    |\b(?:every|each|all|any|everything|everywhere|whenever|in\ general)\b"""
)
_OF_ALL = 0.5
_SPOILERS = _table(
    # it speaks to a model, and not of code
    (
        5.0,
        r"""\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:instructions?|rules?|prompts?)\b
        |\b(?:ai|llm|agents?|assistants?|models?)\ (?:must|should|shall|will|has|have|are|is)\b
        |\bsystem\ prompt\b""",
    ),
    (1.2, r"\b(?:i|i'd|i'm|i've|you|you've|you're|your|me|my)\b"),
    (0.8, r"\b(?:here|above|below)\b|\bthat\ (?:kind|sort)\b"),
    (1.0, r"^(?:can|could|would|should|shall|may|might|is|are|do|does|why|what|how)\b"),
)
# against a rule only where nothing says that it is for all
_OF_PLACE = 0.8
_PLACE = _pattern(
    r"""\b(?:this|that|the)\ (?:line|function|method|class|test|file|pr|change|block|loop|branch
    |condition|import|name|comment|variable|field|param(?:eter)?|argument|call|case|check)\b"""
)
_POINTS = _pattern(r"\b(?:this|these|here|it)\b(?!\ (?:repo|repository|project|code\ ?base|team))")
_POINTING, _MOST_POINTING = 0.3, 2
_HEADING = _pattern(r"\b(?:general|conventions?|guidelines?|next\ time|future|principles?|style)\b")
_HEADED = 0.8
