"""Say whether a sentence objects to what the agent did, and whether its reply admits a fault.

Four ways of objecting are told apart because they end differently: the agent is told that it is
wrong, that what it made does not work, to take it back, or not to do what it is about to do. Each
cue is strong enough alone; a sentence without one is no objection however sharp its tone. The same
words describe a product ("the button does not work"), so a cue speaks of what was just done
("that", "you", "still") or names a check, and whether there was anything to object to is for the
caller to know. Many corrections are put as a question, and nothing but the reply tells them from
curiosity; "good point" and a bare "you're right" greet any suggestion, so a reply must name the
fault, or fix it at once.
"""

from __future__ import annotations

import re
from typing import Literal

from memoria.text.lazy_patterns import lazy_pattern

Objection = Literal[
    "revert",  # what was done is to be taken back
    "wrong",  # the agent is told that it did, said or understood something wrong
    "failing",  # what it made does not work, or a check fails on it
    "no",  # "no, ..." and "don't ...": an objection only where no question was asked
]
# What the sentence names is not what it says: the word of an error may stand in quotes.
_NAMED = re.compile(r"`[^`\n]*`|\"[^\"\n]{3,}\"|\u201c[^\u201d\n]{3,}\u201d")
_LONGEST = 600  # characters of a sentence that are looked at: what is longer describes something
_OPENING = 350  # characters of a reply in which it says what it thinks of what was said


def objection(sentence: str) -> Objection | None:
    """Say how a sentence objects to what the agent did, None where it does not.

    Of several kinds the first in the order of their definition.
    """
    text = _read(sentence)
    if blames_nobody(text):
        return None
    for kind, cue in _CUES:
        if cue.search(text) and not _is_otherwise(kind, text):
            return kind
    return None


def blames_nobody(sentence: str) -> bool:
    """Say whether a sentence agrees, takes the fault on the user, or changes the user's mind."""
    return bool(_MILD.search(_read(sentence)))


def admits(reply: str) -> bool:
    """Say whether a reply of the agent begins by admitting a fault."""
    return bool(_ADMITS.search(reply.replace("\u2019", "'")[:_OPENING]))


def _read(sentence: str) -> str:
    return " ".join(_NAMED.sub("X", sentence.replace("\u2019", "'")).split())[:_LONGEST]


def _is_otherwise(kind: Objection, text: str) -> bool:
    """Whether the words of a cue stand in a question, or tell of what should or may happen."""
    if kind == "failing":
        return bool(_ASKED.match(text) or _WANTED.search(text))
    return kind == "wrong" and bool(_ASKED.match(text)) and "?!" not in text and "??" not in text


# -- Cues -----------------------------------------------------------------------------------------


def _pattern(text: str) -> re.Pattern[str]:
    """Make a pattern in which a line's end and its indentation stand for nothing."""
    return lazy_pattern(re.sub(r"\n\s*", "", text), re.IGNORECASE)


_VERY = (
    r"(?:(?:just|simply|completely|totally|still|also|all|so|clearly|plain|again|really|quite|fully"
    r"|entirely|even|absolutely|obviously|definitely|actually|already|explicitly|repeatedly) )*"
)
_IT = r"(?:that|this|it|these|those|which)"
_IS = r"(?:'s|'re| is| was| are| were)"
_NOT = r"(?:not|n't)"
_DOES_NOT = r"(?:(?:does|did|do|is|are|wo) ?n[o']t|won't|doesnt|didnt|isnt)"
_WHERE_FROM = r"(?<!if )(?<!case )(?<!when )(?<!did )(?<!have )(?<!what )(?<!that )"
# What an agent is blamed for having left out or done; a mere "you changed X" is a report.
_FAILED = (
    r"forgot|missed|ignored|broke|misunderstood|misread|messed|screwed|overlooked|skipped|failed to"
    r"|hallucinated|lied|invented|botched|ruined|overwrote|lost|duplicated|undid|wiped"
)
_HARM = (
    r"remov|delet|revert|drop|chang|commit|push|skip|ignor|disabl|comment|overwr|renam|replac|rewr"
    r"|mov|creat|add|touch|edit|modif|not |keep|still|again|even|stop|do (?:that|this|it)|mock"
    r"|hardcod|merg|run|writ|break|broke|lie|assum|start|mak|use another|go "
)
_WORK = (
    r"doing|adding|asking|using|committing|pushing|changing|editing|creating|writing|making|running"
    r"|trying|guessing|removing|deleting|apologi[sz]ing|ignoring|repeating|touching|reading|being"
    r"|over-?\w+ing|hallucinating|mocking|messing|skipping|summari[sz]ing|explaining|rewriting"
    r"|refactoring|assuming|inventing|going|suggesting|wasting|telling|saying|commenting|installing"
    r"|renaming|lying|looking|putting|generating|opening|replacing"
)
_WRONG = _pattern(
    # it is wrong
    rf"""\b{_IT}{_IS}? ?{_VERY}(?:wrong\b(?! with)|incorrect\b|false\b)
    |\b{_IT}{_IS}? ?{_NOT} {_VERY}(?:right|correct|true|accurate|it\W*$)\b
    |{_NOT} {_VERY}(?:what|how|the way|like|where|when) (?:i|we)(?:'ve| have|'d)?
     \ ?(?:asked|wanted?|meant|mean|said|say|need\w*|requested|expect\w*|had|told|describ\w+|did)\b
    |^\W*(?:no\W+)?(?:wrong|incorrect|false|not (?:quite )?(?:right|correct|true))(?= *(?:[.,!:]|$))
    |\b(?:that|it|this){_IS} (?:in )?the wrong \w+
    |^\W*(?:no\W+)?wrong (?:file|branch|place|folder|repo\w*|one|way|version|path|project)\b
    |\byou(?:'re| are|'ve| have| were)? (?:\w+(?:ed|ing|en|it|ok) )?(?:in |on |at )?the wrong \w
    |\byou {_VERY}(?:deleted|removed|reverted|changed|dropped|replaced)
     \ (?:my|our|all|everything|too much|half|what i)\b
    |^\W*(?:no\W+)?{_NOT} (?:that|this|like (?:that|this)|there|here|again)\b
    |\byou(?:'re| are) {_VERY}(?:wrong|mistaken|incorrect|confus\w+|hallucinating|guessing)\b
    |\b(?:you|have you|did you) (?:just |have )?(?:made?|make|making) (?:it|that|this|things) up\b
    |\byour? (?:mistake|fault)\b|\b(?:the|that) same mistake\b|\byou made an? \w*mistake\b"""
    # it was said before
    rf"""|\bi {_VERY}(?:did ?{_NOT}|didn't|never|haven't)
     \ (?:ask|say|said|tell|told|want(?!ed)|mean|request|approve|agree)\b
    |\bi(?:'ve| have)? {_VERY}(?:told|asked) you\b(?! about)
    |\bi(?:'ve| have)? (?:already|clearly|explicitly|literally) (?:said|asked|told|explained)\b
    |\b(?:as|like) i(?:'ve| have)? (?:already )?(?:said|told|asked|mentioned|explained)\b
    |\bhow (?:many|often)\b.{{0,20}}\b(?:times|tell|say|ask|repeat)
    |\bi (?:keep|have to keep) (?:telling|saying|asking|repeating)"""
    # what the agent did or left
    rf"""|{_WHERE_FROM}\byou(?:'ve| have)? {_VERY}(?:{_FAILED})\b
    |(?<!if )(?<!case )(?<!what )\byou {_VERY}(?:did|have|had) ?(?:not|n't) \w+\b(?!.*\?)
    |\byou should(?: ?not|n't)? have {_VERY}(?!received|gotten|needed)
     (?:\w+ed|done|kept|known|read|run|made|put|left|written|seen|told|found|taken|gone|let|set)\b
    |\byou were (?:not )?(?:supposed|told|asked) to\b|\byou (?:always|constantly|keep|kept) \w+ing\b
    |^\W*(?:\w+\W+){{0,3}}why (?:did|are|have|do|would|were) you {_VERY}(?:{_HARM})
    |\bwhy (?:did|have|are|do|would|were)(?:n't| you not)\b
    |\bwhy (?:is|are|does|do) (?:it|this|that|the \w+) still\b
    |\bwhy (?:did|are|have|do|would) you\b.*[?!]{{2}}"""
    # what it is to leave
    rf"""|^\W*(?:(?:please|just|no|ok|okay|and|but|hey|wait|now|can you|could you|claude)\W+)*
     stop (?:{_WORK}|it|that|this)\b
    |\b(?:don't|do not|never) (?:ever )?do (?:that|this|it) again\b|\bnot again\b
    |\bwtf\b|\bwhat the (?:hell|heck|fuck)\b|\bffs\b
    |\bare you (?:kidding|serious|stupid|dumb|blind|insane|crazy|drunk)\b
    |^\W*what (?:on earth |the \w+ )?(?:are|have) you (?:doing|done)\W*$"""
)
_BEFORE = (
    r"^\W*(?:(?:please|no|nope|ok|okay|hmm+|wait|actually|and|so|then|now|just|can you|could you"
    r"|let's|lets|i want you to|you should|you need to|sorry|oh|well|hm|also|but|stop|first"
    r"|pls)\W+)*"
)
_EARLIER = r"(?:how|what|the way|(?:the|my) (?:previous|old|original|last|earlier))\b"
_REVERT = _pattern(
    rf"""{_BEFORE}(?:revert|undo|roll ?back|unstage|discard)\W+(?:all (?:of )?)?
     (?:{_IT}|them|everything|all|both|your?|what you|back|(?:my|the) (?:last|latest|previous
     |most recent|first|second|other|changes?|edits?|commits?|fix|refactor\w*|code))\b
    |{_BEFORE}(?:revert|undo|roll ?back)\W*(?:please\W*)?$
    |{_BEFORE}(?:change|put|switch|bring|move|set|turn|take|roll|get) (?:{_IT}|them|all) back\b
    |{_BEFORE}(?:go|get|move|change|switch|revert|return)\b.{{0,30}} ?back to {_EARLIER}
    |\b(?:bring|put|add) back (?:the|what) .{{0,40}}\byou (?:removed|deleted|dropped|changed)"""
)
# what may stand before a complaint that begins a sentence
_AND = (
    r"^(?:\W|(?:ok|okay|hmm+|no|nope|sorry|but|and|well|hey|oh|ah|so|it|that|this|now|the|our|all"
    r"|some|your|my|new|unit|integration|e2e|main branch|i|i'm|we|it's|still|get|getting|see"
    r"|seeing)\b)*"
)
_CHECK = (
    r"(?:tests?|specs?|lint\w*|builds?|ci|checks?|type-?check\w*|compil\w+|pipeline|workflow"
    r"|mise run \S+|(?:npm|pnpm|yarn|bun|make|cargo|go|uv run|just|task) (?:run )?[\w:.-]+"
    r"|pytest|eslint|mypy|tsc|ruff|x|test[A-Z_]\w+|\w+_test|\w+\.(?:test|spec)\.\w+)"
)
_WORKS = (
    r"(?:work\w*|fix\w*|help\w*|compil\w*|build\w*|run|pass\w*|solve\w*|show\w*|load\w*|start\w*"
    r"|(?:do|change\w*) anything)"
)
_FAILING = _pattern(
    rf"""\b(?:still|again) {_VERY}(?:\w+ )?(?:fail\w*|broken|break\w*|wrong|crash\w*|not\b|doesn't
     |isn't|don't|won't|can't|the same|errors?\b|no\b)
    |\bstill (?:get(?:ting)?|see(?:ing)?|hav(?:e|ing)|has|shows?|showing|says?|happen\w*|giv\w+
     |throw\w*|there\b|an? |hangs?|missing|red\b|empty|blank)
    |\bnow (?:{_IT}|everything|the \w+) (?:is |are |just )?(?:crash\w*|fail\w*|broken|breaks?|hangs?
     |errors?|throws?)\b
    |\b{_IT}{_IS} {_VERY}not {_VERY}{_WORKS}\b
    |\b{_IT} {_VERY}{_DOES_NOT} {_VERY}(?:seem to )?{_VERY}{_WORKS}
    |{_AND}(?:{_DOES_NOT}|not) (?:seem to )?work(?:ing)?\b
    |{_AND}same (?:error|issue|problem|result|failure)\b|\b{_IT} {_VERY}(?:broke|breaks)\b
    |{_AND}{_CHECK}(?: \w+)?(?: (?:is|are|still|now|just|also|all))*
     \ (?:fail(?:s|ed|ing)?|broken|broke|breaks?|red|errors?(?: out)?)\b
    |{_AND}(?:you )?(?:fail|broke|break|fails|failed) (?:the )?(?:build|ci|lint|tests?|checks?)\b"""
)
_NO = _pattern(
    r"""^\W*(?:(?:no+\W+)*no+|nope|nah|hey no|wait no|hell no|uh no|umm? no|oh no)
     (?:\W*[,.!:;\u2013\u2014-]+\W*\S|\s+(?:i|you|not|don't|do|it|it's|that|that's|this|the|we|use
     |keep|stop|just|wait|leave|only|put|make|should|because|please|there|they|he|go|try|look
     |read)\b)
    |^\W*(?:please|and|but|hey|wait|hold on|claude)?\W*(?:do not|don't|dont|never)\b
     (?! (?:forget|you|worry|know|think|mind|hesitate|need|see|get)\b)"""
)
_MILD = _pattern(
    # "no" that says yes, or answers nothing
    r"""^\W*(?:no+|nope|nah)\W+(?:problem|worr\w+|need|idea|thanks?|thank you|rush|biggie|matter
     |more\b|longer|such|luck|clue|doubt|offen[cs]e|wonder|pressure|all good|looks? good|nothing
     |leave it|keep (?:it|going)|you can|you're good|(?:please )?(?:continue|proceed|go ahead)
     |(?:that|it|this)(?:'s| is| was| looks| sounds) (?:all |totally |perfectly )?(?:fine|ok\w*|good
     |great|perfect|it\b|all\b|correct|right\b|not needed|enough|cool|nice))"""
    # of the user's own slip, a change of mind, a condition
    r"""|\bmy (?:bad|mistake|fault|apologies)\b|\bi (?:was wrong|forgot|misread|misunderstood|messed
     |changed my mind|screwed|broke|made a mistake)\b
    |^\W*(?:on second thoughts?|thinking again|on reflection|i changed my mind
     |actually,? i (?:think|want|prefer|like|need))\b
    |^\W*(?:if|when|whenever|unless|in case|once|after|before|until|while|make sure|ensure|assuming
     |suppose|let me know)\b"""
)
_ASKED = _pattern(
    r"""^\W*(?!what (?:on earth |the \w+ )?(?:are|have) you)(?:is|are|was|were|does|do|did|has|have
    |can|could|would|should|will|what|which|where|when|who|how)\b.*\?\W*$"""
)
# What a failure is said to be for: it is wanted, feared or told of the program.
_WANTED = _pattern(
    r"""\b(?:if|when|whenever|unless|until|should|would|could|might|must|in case|because|since
    |expect\w*|ensure|make sure|what happens)\b[^,.;:!?]{0,60}
    \b(?:fail\w*|break\w*|broken|crash\w*|errors?|work\w*|still|again)\b"""
)
_CUES: tuple[tuple[Objection, re.Pattern[str]], ...] = (
    ("revert", _REVERT),
    ("wrong", _WRONG),
    ("failing", _FAILING),
    ("no", _NO),
)
_FIXES = (
    r"fix|correct|undo|restore|revert|re-?(?:trace|assess|check|think|consider|do\b|work|write"
    r"|examine|evaluate)"
)
_ADMITS = lazy_pattern(
    rf"""\bi\ was\ (?:wrong|mistaken|incorrect|confus\w+|framing|over\w+ing|too\ \w+)
    |\bi(?:'ve|\ have)?\ (?:just\ |also\ |only\ |\w+ly\ )?(?:misunderstood|misread|overlooked
      |misinterpreted|missed|forgot|broke|conflated|mixed\ up|overcomplicated|over-?engineered
      |made\ (?:an?|that|this|it)\ (?:\w+\ )?(?:mistake|error|up\b|assumption))
    |\bi\ should(?:n't|\ not)?(?:'ve|\ have)\b|\bi\ apologi[sz]e|\bapologies\b
    |\bmy\ (?:mistake|bad\b|error|fault|oversight)
    |\byou(?:'re|\ are)\ (?:\w+\ )?right\b(?:.{{0,200}}\blet\ me\ (?:{_FIXES})
      |.{{0,120}}\bdo\ it\ properly|\W{{1,3}}(?:my\ \w+|i\ (?:was|had|did|should))
      |.{{0,120}}\bmy\ (?:test|fix|change|edit|analysis|suggestion|code|claim|implementation
        |approach|earlier|previous|last|first)\b)""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
