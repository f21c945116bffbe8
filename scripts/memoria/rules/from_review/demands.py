"""Say how much a remark of a review asks for a lasting way of working.

Cues are added up, because no single one tells a general demand from a wish for one place. The trap:
most sentences with "never" or "always" report how a program behaves. What a *user* says is weighed
by clauses with fitted weights (capture/extract/user/clause_features.py).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from memoria.capture.extract.user.rule_text import category, core, rule_text
from memoria.text.lazy_patterns import LazyPattern

if TYPE_CHECKING:
    from memoria.vault.entry import Category


class Demand(NamedTuple):
    """What a sentence asks for: the `text` of the rule in it, and how much it is one (`score`)."""

    text: str
    category: Category
    score: float


def demand(sentence: str, *, reasoned: bool = False) -> Demand:
    """Read a sentence; `reasoned` says that the next one gives its reason."""
    words = core(sentence)
    bare, whole = _masked(words), _masked(sentence)
    matched = {name for name, cue in _CUES.items() if cue.pattern.search(bare)}
    if _LASTS.search(whole):  # who says "remember:" demands, even in the voice of a report
        matched = (matched | {"lasts"}) - {"report"}
    if reasoned:
        matched.add("reason")
    score = sum(_CUES[name].weight for name in matched)
    score -= _POINTING * min(len(_POINTS.findall(bare)), _MOST_POINTING)
    return Demand(rule_text(words), category(words), round(score, 2))


# -- Cues ------------------------------------------------------------------------------------------


class _Cue(NamedTuple):
    """A pattern and what it adds to the score, once, wherever it matches."""

    weight: float
    pattern: LazyPattern


def _pattern(text: str) -> LazyPattern:
    return LazyPattern(text, re.IGNORECASE | re.VERBOSE)


def _cue(weight: float, text: str) -> _Cue:
    return _Cue(weight, _pattern(text))


# What rules are about: the way of working, and the means of it.
_PROCESS = r"""commit|push|merg|rebas|squash|branch|prs?\b|pull\ request|review|tests?\b|testing
    |ci\b|lint|format|comments?\b|docs?\b|documentation|documented|readme|changelog|markdown|token
    |secret|credential|accounts?\b|migrat|types?\b|schema|functions?\b|typed|typing|depend|librar
    |packages?\b|release|version|deploy|production|prod\b|staging|databases?\b|db\b|mock|fixture
    |snapshot|scripts?\b|naming|convention|styles?\b|emoji|abbreviat|indent|tabs?\b|spaces\b
    |imports?\b|error\ messages?|logging|log\ messages?|backward|compatib|refactor|abstraction
    |worktree|docker|servers?\b|environment|env\b|english|german|french|spanish|chinese|japanese
    |portuguese|italian|dutch|danish|swedish|norwegian|finnish|polish|czech|ukrainian|russian
    |turkish|arabic|persian|hebrew|hindi|korean|vietnamese|indonesian
    |npm\b|pnpm\b|yarn\b|uv\b|pip\b|poetry\b|bun\b|git\b|gh\b|cli\b|flags?\b|folders?\b|director
    |generated|code\b|todo|plan\b|permission"""
# Verbs that say how to work; orders for the moment begin with others (fix, add, implement, create).
_STYLE = r"""(?:use|prefer|keep|avoid|follow|stick|name|put|ask|document|write|treat|skip|leave|run
    |pull|rebase|squash|commit|push|answer|reply|speak|respond|begin|start|end|target|branch|assume
    |format|wrap|think|explain|show|tell|check|verify|confirm|read|consult|limit|sign|work)"""
_HERE = r"(?:repo|repository|project|code\ ?base|team|company)"
# Words by which a sentence says that it lasts; the last lines say so in other languages.
_LASTING = rf"""\b(?:from\ (?:now|here)\ on|(?:going|moving)\ forward
    |in\ (?:the\ )?future|henceforth|for\ the\ future|every\ (?:single\ )?time|next\ time
    |at\ all\ times|without\ exception|no\ exceptions?|(?:never|ever)\ again
    |as\ a\ (?:general\ )?rule|rule\ of\ thumb
    |(?:the|our|my|one|house|team)\ (?:rule|convention|policy)
    |i\ keep\ (?:telling|saying|asking|repeating|having)|(?:as|like)\ i(?:'ve)?\ (?:already\ )?said
    |(?:i|we)(?:'ve|\ have)?\ (?:already\ )?(?:told|asked)\ you|i(?:'ve|\ have)?\ (?:already\ )?said
    |how\ (?:many|often)\ .{{0,20}}\b(?:times|tell|say)|remember\ (?:that|to|we|i)
    |(?:do\ not|don't)\ forget\ (?:that|to)|(?:do\ not|don't|never)\ ever
    |(?:save|note|store|keep)\ (?:this|that|it)\ (?:as\ a\ rule|in\ mind)
    |(?:add|put|save|write|store|note)\ .{{0,60}}\b(?:to|in|into)\ (?:your\ |the\ |our\ )?
     (?:claude\.md|agents\.md|memory)|in\ (?:this|our)\ {_HERE}
    |across\ the\ (?:board|code\ ?base|project))\b|\bremember:
    |\b(?:ab\ (?:jetzt|sofort)|künftig|zukünftig|in\ zukunft|grundsätzlich|désormais|dorénavant
    |à\ partir\ de\ maintenant|a\ partir\ de\ (?:ahora|agora)|de\ ahora\ en\ adelante
    |daqui\ em\ diante|впредь|отныне)\b|以后|今后|今後|これから|从现在|앞으로"""
# A demand, and a claim on every case, in those languages.
_DEMANDED = r"""\b(?:bitte|muss|müssen|soll(?:en|st)?|darf|dürfen|niemals|nie|il\ faut|doit|devez
    |jamais|debe|debes|deve|nunca|никогда|нельзя)\b|不要|必须|禁止|不能|别|必ず|しないで|ください
    |하지\ 마|반드시"""
_EVERYWHERE = r"""\b(?:immer|niemals|nie|toujours|jamais|siempre|nunca|sempre|всегда|никогда)\b
    |总是|始终|一律|永远|都|常に|必ず|いつも|항상|절대"""

_LASTS = _pattern(_LASTING)
_CUES = {
    # It demands or forbids.
    "order": _cue(
        1.2,
        rf"""^(?:never|always|don't|do\ not|stop\ \w+ing|avoid|refrain|under\ no|no\ more
          |only\ ever)\b
        |\b(?:must(?!\ (?:be\ (?:a|an|the|some)|have\ been))|mustn't|shall|make\ sure|be\ sure\ to
          |ensure|(?:is|are)\ (?:strictly\ )?(?:forbidden|mandatory|required|banned|off\ limits)
          |(?:is|are)\ not\ allowed|only\ (?:when|if|after|ever|use|commit|push|run))\b
        |{_DEMANDED}""",
    ),
    "ought": _cue(
        0.9,
        r"""\b(?:should(?!\ (?:have|work|be\ (?:fine|ok|okay|good|enough|possible|able|easy|there)))
        |shouldn't|ought|needs?\ to|(?:have|has)\ to|supposed\ to)\b""",
    ),
    "wish": _cue(
        1.2,
        r"""\b(?:i|we)\ (?:really\ )?(?:don't|do\ not|never)\ (?:ever\ )?
          (?:want|like|use|allow|mock|commit|merge|push|write|do|need)\b
        |\b(?:i|we)(?:'?d|\ would)?\ (?:much\ |strongly\ |always\ |generally\ )?
          (?:prefer|rather|insist)\b
        |\bi\ hate\b|\bi\ want\ (?:all|every|each)\b
        |\b(?:did\ not|didn't|never)\ (?:say|tell|ask|told|said|asked)\b""",
    ),
    "custom": _cue(
        0.9,
        r"""\bwe\ (?:always|never|only|generally|usually|normally|use|avoid|follow|stick|write|keep
          |name|target|work|run|deploy)\b
        |\bwe\ (?:don't|do\ not)\ .{2,60}\bhere\b""",
    ),
    "choice": _cue(
        0.8,
        r"""\b(?:instead\ of|rather\ than|in\ favou?r\ of)\b|,\ (?:not|never|no)\b
        |^no\ (?!need|idea|problem|worries)\w+""",
    ),
    "means": _cue(
        0.5,
        r"""^prefer\b|^use\ (?:the\ )?[\w.-]+(?:\ [\w.-]+)?,?\ (?:instead|not|rather|over
        |for\ (?:all|every|any))\b""",
    ),
    # It holds in every case.
    "always": _cue(
        1.1,
        rf"""\b(?:always|never|everywhere|anywhere|wherever|whenever|by\ default|explicitly|at\ all
        |under\ no\ circumstances)\b|\bever\W*$|{_EVERYWHERE}""",
    ),
    "every": _cue(
        0.8,
        r"""\b(?:every|each\ time|unless|except|nowhere|throughout|when\ you(?:'re)?|no\ matter
        |(?:before|after)\ (?:you|every|each|any|\w+ing))\b""",
    ),
    "all": _cue(0.4, r"\b(?:all|any|each|both|only)\b"),
    "occasion": _cue(
        1.2,
        r"""^(?:whenever|(?:before|after)\ (?:every|each|any)|(?:on|for)\ every|when\ \w+ing)\b""",
    ),
    "when": _cue(
        0.6,
        r"""^(?:before|after|when|if)\ you\b
        (?!\ (?:are\ |have\ )?(?:done|finish|ready|start|continue|proceed))""",
    ),
    "habit": _cue(0.8, r"^stop\ \w+ing\b|\b(?:you|claude)\ (?:keep|always|never)\b"),
    # Without "the", "this" or a number it speaks of things in general.
    "general": _cue(
        0.5,
        rf"""^(?!.*\b(?:the|this|that|these|those|here|there|my|your|me|\d+|first|second
          |option)\b)
        (?:don't|do\ not|never|always|stop|avoid|prefer|{_STYLE})\b(?!\ an?\b)(?:\W+\w+){{3,}}""",
    ),
    "subject": _cue(
        0.9,
        r"""^(?:all|every|each|any|no|new)\ .{2,50}
        \b(?:must|should|needs?|have|has|goes?|gets?|stays?|lives?|is|are)\b""",
    ),
    "lasts": _Cue(1.7, _LASTS),
    # It gives its reason.
    "reason": _cue(
        0.9,
        r"""\b(?:because|since\ (?:it|we|they|that|the|i)|as\ (?:that|it|they)|to\ avoid|otherwise
          |so\ that|or\ else|too\ (?:slow|long|much|many|expensive|noisy|hard|big|brittle|flaky)
          |ruins?|breaks?|to\ not|not\ to|so\ (?:we|it|they|i)|that'?s\ why|wastes?
          |it'?s\ (?:too|slow|faster|flaky|expensive|noisy))\b
        |,\ (?:it|they|we|nobody|no\ one|everyone|others?|people)
          (?:'s|'re|\ (?:is|are|get|have|has|want|will|can|agents?|people))\b""",
    ),
    # It is about the way of working.
    "process": _cue(0.7, rf"(?<![-\w])(?:{_PROCESS})"),
    "style": _cue(0.6, rf"^(?:only\ |always\ |never\ |don't\ ever\ |by\ default,?\ )?{_STYLE}\b"),
    # It asks or muses.
    "question": _cue(-1.6, r"[?\uff1f]"),
    "musing": _cue(
        -1.2,
        r"""\b(?:if\ we|i\ (?:think|guess|wonder|feel|reckon|suppose|assume)|wondering|maybe|might
        |theoretically|perhaps|what\ if|seems?|let'?s\ say|assuming|could\ be|not\ sure|possibly
        |probably|would(?!\ (?:prefer|rather|like)))\b""",
    ),
    # It reports.
    "report": _cue(
        -1.6,
        r"""\b(?:is|are|was|were|has|have|had|does|did|gets?|got|being|been)\ (?:also\ |still\ )?
          (?:never|always)\ \w+
        |\b(?:always|never)\ \w+(?<!s)s\b(?<!tests)
        |\b(?:docs?|comment|spec|readme|error|it|he|she|they)\ (?:says?|claims?|states?)\b
        |\b(?:when|if|whether)\ (?:a|the|an|he|she|users?|someone)\b|\bconsider\b
        |\b(?:it|this|that|he|she|they|users?|which|who|there)\ (?:always|never)\b
        |\b(?:it|this)\ only\b
        |\bnever\ (?:actually|really|been|called|worked|happen\w*|reach\w*|seen|gets?|got|had|mind
          |once)\b
        |^(?:i|we|he|she|they)\ (?:just\ |also\ |already\ )?\w+ed\b|:\s*$|^(?:since|because|as)\b
        |\b(?:i|we)\ (?:always|never)\ (?:get|see|got|had|have|end|run\ into)\b
        |\b(?:i|we)\ (?:don't|do\ not)\ (?:see|know|understand|remember|get|think|care|have|need
          |mind)\b""",
    ),
    "fault": _cue(
        -1.2,
        r"""\b(?:(?:an?|the|this|that|gets?|getting|got|same|following)\ (?:\w+\ )?
          (?:errors?|exception)|fails?|failing|failed|crash(?:es|ed)?|broken|bugs?|wrong
          |(?:doesn't|not)\ work(?:ing)?)\b(?!\ (?:messages?|handling|codes?|types?))""",
    ),
    # It holds for the moment, or for the thing at hand.
    "moment": _cue(
        -1.3,
        rf"""\b(?:yet|for\ now|right\ now|this\ time|today|tonight|tomorrow|yesterday|currently
          |temporar(?:y|ily)|(?:for|at)\ the\ moment|until|just\ this|this\ once|again|anyway|later
          |so\ far|meanwhile|(?:in|on|for)\ this\ (?!{_HERE})\w+|the\ next\ (?:step|task|one)
          |in\ a\ (?:second|minute|bit))\b(?<!never\ again)(?<!ever\ again)""",
    ),
    "sequence": _cue(
        -0.6,
        r"""^(?:now|then|next|first|let'?s)\b|\b(?:first|now|instead)\W*$
        |\bjust\ (?:a|the|do|commit|push|run)\b""",
    ),
    "at hand": _cue(
        -0.5,
        r"""\bthe\ (?:first|second|third|last|two|three|other|above|current)\b
        |\b(?:step|point|option|suggestion|item|task|pr|issue)\ \#?\d""",
    ),
    # It describes a product, or one place of the code.
    "screen": _cue(
        -0.9,
        r"""\b(?:padding|margin|colou?rs?|buttons?|render(?:s|ed)?|icons?|fonts?|pixels?|layout|css
        |dropdown|modal|tooltip|navbar|sidebar|hover|dialog|popup|checkbox|check\ ?mark|page
        |screen)\b""",
    ),
    "place": _cue(-0.8, r"[\w/]+\.\w{1,5}:\d+|\blines?\ \d+|\b(?=[a-f]*\d)[0-9a-f]{7,40}\b"),
    "identifier": _cue(-0.5, r"\b(?-i:[a-z]+[A-Z]\w*)|\b\w+\(\)|\b[a-z]+_[a-z_]+\b"),
}
_POINTING = 0.35  # each "this", "that", "it": the sentence is about something at hand
_MOST_POINTING = 3
_POINTS = _pattern(
    rf"""\b(?:this|these)\b(?!\ {_HERE})|\b(?:it|those)\b
    |\bthat\b(?=[.,!?]|$|\ (?:one|way|thing|file|test|function|branch))"""
)
# What stands in quotes or backticks is named, not said.
_NAMED = re.compile(r"`[^`\n]*`|\"[^\"\n]{3,}\"|“[^”\n]{3,}”")


# "dont" is how it is typed
_APOSTROPHE = re.compile(r"\b(do|does|did|is|are|was|should|must)nt\b", re.IGNORECASE)


def _masked(sentence: str) -> str:
    return _NAMED.sub("X", _APOSTROPHE.sub(r"\1n't", sentence.replace("\u2019", "'")))
