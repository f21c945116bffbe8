"""One sentence of the user -> Objection: does it say that the agent did wrong, and in which way.

Four ways are told apart because they end differently: the agent is told that it is wrong, that
what it made does not work, to take it back, or not to do what it is about to do. Each cue is
strong enough alone; a sentence without one is no objection however sharp its tone. The trap: the
same words describe a product ("the button does not work"), so a cue speaks of what was just done
("that", "you", "still") or names a check, and whether there was anything to object to is for the
caller to know.
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


def _any(*patterns: str) -> re.Pattern[str]:
    return lazy_pattern("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


_VERY = (
    r"(?:(?:just|simply|completely|totally|still|also|all|so|clearly|plain|again|really|quite|fully"
    r"|entirely|even|absolutely|obviously|once more|definitely|actually) )*"
)
_IT = r"(?:that|this|it|these|those|which)"
_NOT = r"(?:not|n't)"
# What an agent is blamed for having left out or done; a mere "you changed X" is a report.
_FAILED = (
    r"forgot|missed|ignored|broke|misunderstood|misread|messed|screwed|overlooked|skipped|failed to"
    r"|hallucinated|lied|invented|botched|ruined|overwrote|lost|duplicated|undid|wiped"
)
_DONE = (
    r"\w+ed|done|kept|known|read|run|made|put|left|written|seen|told|found|taken|gone|let|built"
    r"|begun|thought|stuck|set"
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
_WRONG = _any(
    # It is wrong.
    rf"\b{_IT}(?:'s| is| was| are| were|'re|) ?{_VERY}(?:wrong\b(?! with)|incorrect\b|false\b)",
    (
        rf"\b{_IT}(?: is| was| are| were|'s|'re)? ?{_NOT} {_VERY}(?:right|correct|true|accurate"
        rf"|it\W*$)\b"
    ),
    rf"(?:{_NOT}|n't) {_VERY}(?:what|how|the way|like|where|when) (?:i|we)(?:'ve| have|'d)? ?"
    r"(?:asked|wanted?|meant|mean|said|say|need\w*|requested|expect\w*|had|told|describ\w+|do"
    r"|did)\b",
    (
        r"^\W*(?:no\W+)?(?:wrong|incorrect|false|not (?:quite )?(?:right|correct"
        r"|true))\b(?= *(?:[.,!:]|$))"
    ),
    (
        r"\b(?:that|it|this)(?:'s| is| was) (?:in )?the wrong \w+|^\W*(?:no\W+)?wrong (?:file"
        r"|branch|place|dir\w*|folder|repo\w*|one|way|version|approach|order|path|project|port)\b"
    ),
    (
        r"\byou(?:'re| are|'ve| have| were)? (?:\w+(?:ed|ing|en|it|se|ok) )?(?:in |on "
        r"|at )?the wrong \w"
    ),
    (
        r"\byou (?:just |also |even |now |still |completely |simply )*(?:deleted|removed|reverted"
        r"|changed|dropped|overwrote|replaced) (?:my|our|all|everything|too much|half|what i)\b"
    ),
    rf"^\W*(?:no\W+)?{_NOT} (?:that|this|like (?:that|this)|there|here|again)\b",
    rf"\byou(?:'re| are) {_VERY}(?:wrong|mistaken|incorrect|confus\w+|missing (?:the|my)|ignoring"
    r"|misunderstanding|lying|hallucinating|making (?:that|this|it|things|stuff) up|guessing)\b",
    (
        r"\b(?:you|have you|did you) (?:just |have )?(?:made?|make|making|invent\w*) (?:it|that"
        r"|this|these|things|stuff) up\b"
    ),
    (
        r"\byour? (?:mistake|fault)\b|\b(?:the|that) same mistake\b|\byou made (?:a|an"
        r"|another) \w*(?:mistake|error)\b"
    ),
    # What was said before.
    (
        rf"\bi {_VERY}(?:did ?{_NOT}|didn't|never|haven't) (?:ask|say|said|tell|told|want(?!ed)"
        rf"|mean|request|approve|agree)\b"
    ),
    (
        r"\bi(?:'ve| have)? (?:already |just |clearly |explicitly |specifically |literally "
        r"|repeatedly |also )*(?:told|asked) you\b(?! about)"
    ),
    (
        r"\bi(?:'ve| have)? (?:already|clearly|explicitly|specifically|literally"
        r"|repeatedly) (?:said|asked|told|explained|mentioned|stated)\b"
    ),
    r"\b(?:as|like) i(?:'ve| have)? (?:already )?(?:said|told|asked|mentioned|explained)\b",
    (
        r"\bhow (?:many|often)\b.{0,20}\b(?:times|tell|say|ask|repeat)|\bi (?:keep"
        r"|have to keep) (?:telling|saying|asking|repeating)"
    ),
    # What the agent did or left.
    (
        rf"(?<!if )(?<!case )(?<!when )(?<!did )(?<!have )(?<!what )(?<!that )\byou(?:'ve"
        rf"| have)? {_VERY}(?:{_FAILED})\b"
    ),
    (
        rf"(?<!if )(?<!case )(?<!what )\byou {_VERY}(?:did|have|had) ?(?:not"
        rf"|n't) {_VERY}(?:{_DONE}|\w+)\b(?!.*\?)"
    ),
    rf"\byou should(?: ?not|n't)? have {_VERY}(?!received|gotten|needed)(?:{_DONE})\b",
    (
        r"\byou were (?:not )?(?:supposed|told|asked) to\b|\byou (?:always|constantly|keep"
        r"|kept) \w+ing\b"
    ),
    r"\byou (?:accidentally|mistakenly|wrongly|incorrectly|unnecessarily|needlessly)\b",
    rf"^\W*(?:\w+\W+){{0,3}}why (?:did|are|have|do|would|were) you {_VERY}(?:{_HARM})",
    (
        r"\bwhy (?:did|have|are|do|would|were)(?:n't| you not)\b(?: you)?|\bwhy (?:is|are|does"
        r"|do) (?:it|this|that|the \w+) still\b"
    ),
    r"\bwhy (?:did|are|have|do|would) you\b.*[?!]{2}",
    # What it is to leave.
    (
        rf"^\W*(?:(?:please|just|no|ok|okay|and|but|hey|wait|now|can you|could you"
        rf"|claude)\W+)*stop (?:{_WORK}|it|that|this)\b"
    ),
    r"\b(?:don't|do not|never) (?:ever )?do (?:that|this|it) again\b|\bnot again\b",
    # Without restraint.
    (
        r"\bwtf\b|\bwhat the (?:hell|heck|fuck)\b|\bare you (?:kidding|serious|stupid|dumb|blind"
        r"|insane|crazy|drunk)\b|\bffs\b"
    ),
    r"^\W*what (?:on earth |the \w+ )?(?:are|have) you (?:doing|done)\W*$",
)
_BEFORE = (
    r"^\W*(?:(?:please|no|nope|ok|okay|hmm+|wait|actually|and|so|then|now|just|can you|could you"
    r"|let's|lets|i want you to|you should|you need to|sorry|oh|well|hm|also|but|stop|first"
    r"|pls)\W+)*"
)
_WHAT = (
    r"(?:that|this|it|these|those|them|everything|all|both|your?|what you|(?:my|the) (?:last|latest"
    r"|previous|most recent|first|second|other|changes?|edits?|commits?|fix|refactor\w*|code)"
    r"|(?:those|these) \w+|back)\b"
)
_REVERT = _any(
    rf"{_BEFORE}(?:revert|undo|roll ?back|un-?do|unstage|discard)\W+(?:all (?:of )?)?{_WHAT}",
    rf"{_BEFORE}(?:revert|undo|roll ?back)\W*(?:please\W*)?$",
    (
        rf"{_BEFORE}(?:change|put|switch|bring|move|set|turn|take|roll|get) (?:it|that|this|them"
        rf"|all|everything) back\b"
    ),
    (
        rf"{_BEFORE}(?:go|get|change|switch|revert|restore|return)\b.{{0,30}} back to (?:how|what"
        rf"|the way|(?:the|my) (?:previous|old|original|last|earlier))\b"
    ),
    (
        rf"{_BEFORE}(?:go|move) back to (?:how|what|the way|(?:the|my) (?:previous|old|original"
        rf"|last|earlier))\b"
    ),
    rf"{_BEFORE}restore (?:it|that|this|them|what you|the \w+ you (?:removed|deleted|changed))\b",
    r"\b(?:bring|put|add) back (?:the|what) .{0,40}\byou (?:removed|deleted|dropped|changed|took)",
)
_CHECK = (
    r"(?:tests?|specs?|lint\w*|builds?|ci|checks?|type-?check\w*|compil\w+|pipeline|workflow"
    r"|mise run \S+"
    r"|(?:npm|pnpm|yarn|bun|make|cargo|go|uv run|just|task) (?:run )?[\w:.-]+|pytest|eslint"
    r"|mypy|tsc|ruff|x"
    r"|test[A-Z_]\w+|\w+_test|\w+\.(?:test|spec)\.\w+)"
)
_FAILING = _any(
    (
        rf"\b(?:still|again) {_VERY}(?:\w+ )?(?:fail\w*|broken|break\w*|wrong|crash\w*|not\b"
        rf"|doesn't|isn't|don't|won't|can't|the same|errors?\b|no\b)"
    ),
    (
        r"\bstill (?:get(?:ting)?|see(?:ing)?|hav(?:e|ing)|has|shows?|showing|says?|happen\w*"
        r"|giv\w+|throw\w*|there\b|an? |hangs?|missing|red\b|empty|blank)"
    ),
    (
        r"\bnow (?:it|this|that|everything|the \w+) (?:is |are |just )?(?:crash\w*|fail\w*|broken"
        r"|breaks?|hangs?|errors?|throws?)\b"
    ),
    (
        rf"\b{_IT}(?:'s|'re) {_VERY}not {_VERY}(?:work\w*|fix\w*|help\w*|compil\w+|build\w+"
        rf"|pass\w+|load\w+|show\w+)\b"
    ),
    rf"\b{_IT} {_VERY}(?:does ?n[o']t|did ?n[o']t|do ?n[o']t|is ?n[o']t|are ?n[o']t|wo n't"
    rf"|won't|doesnt|didnt|isnt) {_VERY}(?:seem to )?{_VERY}"
    r"(?:work\w*|fix\w*|help\w*|compil\w*|build|run|pass\w*|solve\w*|do anything"
    r"|change\w* anything|show\w*|load\w*|start\w*)",
    (
        r"^(?:\W|(?:ok|okay|hmm+|no|nope|sorry|but|and|well|hey|oh|ah|it|that|this|unfortunately"
        r"|now)\b)*(?:does ?n[o']t|did ?n[o']t|not|doesnt|didnt) (?:seem to )?work(?:ing)?\b"
    ),
    (
        rf"^(?:\W|(?:ok|okay|hmm+|no|but|and|now|i|i'm|we|it's|that's|still|get|got|getting|see"
        rf"|seeing|have|the)\b)*same (?:error|issue|problem|result|failure)\b"
        rf"|\b{_IT} {_VERY}(?:broke|breaks)\b"
    ),
    (
        rf"^(?:\W|(?:ok|okay|hmm+|no|but|and|well|hey|oh|ah|now|so|the|our|all|some|your|my|new"
        rf"|unit|integration|e2e|main branch|github|gh)\b)*{_CHECK}(?: \w+)?(?: (?:is|are|still"
        rf"|now|just|also|all))* (?:fail(?:s|ed|ing)?|broken|broke|breaks?|red|errors?(?: out)?)\b"
    ),
    (
        r"^(?:\W|(?:ok|okay|hmm+|but|and|oh|ah|now|so)\b)*(?:we|it|you) (?:now )?(?:fail|broke"
        r"|break|fails|failed) (?:the )?(?:build|ci|lint|tests?|pipeline|checks?)\b"
    ),
    (
        r"^(?:\W|(?:ok|okay|hmm+|but|and|oh|ah|now|so)\b)*(?:i'm|i am|i|we|we're|we are) (?:now "
        r"|also |just )?(?:get(?:ting)?|got|see(?:ing)?|hav(?:e|ing)) (?:this|these|an?"
        r"|the following|some|new|more|the same)? ?(?:\w+ )?(?:errors?|failures?|exception|crash"
        r"|warnings?)\b"
    ),
)
_NO = _any(
    r"^\W*(?:(?:no+\W+)*no+|nope|nah|hey no|wait no|hell no|uh no|umm? no"
    r"|oh no)(?:\W*[,.!:;\u2013\u2014-]+\W*\S|\s+(?:i|you|not|don't|do|it|it's|that|that's"
    r"|this|the|we"
    r"|use|keep|stop|just|wait|leave|only|put|make|should|because|please|there|they|he|go|try"
    r"|look|read)\b)",
    (
        r"^\W*(?:please|and|but|hey|wait|hold on|claude)?\W*(?:do not|don't|dont"
        r"|never)\b(?! (?:forget|you|worry|know|think|mind|hesitate|need|see|get)\b)"
    ),
)
# "No" that says yes, or answers nothing.
_MILD = _any(
    r"^\W*(?:no+|nope|nah)\W+(?:problem|worr\w+|need|idea|thanks?|thank you|rush|biggie|matter"
    r"|more\b|longer|such|luck|clue|doubt|dice"
    r"|offen[cs]e|wonder|pressure|go ahead|all good|looks? good|proceed|continue|nothing"
    r"|leave it|keep (?:it|going)|you can|you're good"
    r"|(?:please )?(?:continue|go ahead|proceed)|(?:that|it|this)(?:'s| is| was| looks"
    r"| sounds) (?:all |totally |perfectly )?(?:fine|ok\w*|good|great|perfect|it\b|all\b"
    r"|correct|right\b|not needed|enough|cool|nice))"
)
# Not of what the agent did: a condition, the user's own slip, a change of mind, a wish for a test.
_OTHER = _any(
    (
        r"\bmy (?:bad|mistake|fault|apologies)\b|\bi (?:was wrong|forgot|misread|misunderstood"
        r"|messed|changed my mind|screwed|broke|made a mistake)\b"
    ),
    (
        r"^\W*(?:on second thoughts?|thinking again|on reflection|i changed my mind"
        r"|actually,? i (?:think|want|prefer|like|need))\b"
    ),
    (
        r"^\W*(?:if|when|whenever|unless|in case|once|after|before|until|while|make sure|ensure"
        r"|assuming|suppose|let me know)\b"
    ),
)
_ASKED = re.compile(
    r"^\W*(?!what (?:on earth |the \w+ )?(?:are|have) you)(?:is|are|was|were|does|do|did|has"
    r"|have|can"
    r"|could|would|should|will|what|which|where|when|who|how)\b.*\?\W*$",
    re.IGNORECASE,
)
# What a failure is said to be for: it is wanted, feared or told of the program.
_WANTED = re.compile(
    r"\b(?:if|when|whenever|unless|until|should|would|could|might|must"
    r"|in case|because|since|expect\w*|ensure|make sure|what happens)\b[^,.;:!?]{0,60}"
    r"\b(?:fail\w*|break\w*|broken|crash\w*|errors?|work\w*|still|again)\b",
    re.IGNORECASE,
)
_CUES: tuple[tuple[Objection, re.Pattern[str]], ...] = (
    ("revert", _REVERT),
    ("wrong", _WRONG),
    ("failing", _FAILING),
    ("no", _NO),
)


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
    text = _read(sentence)
    return bool(_MILD.search(text) or _OTHER.search(text))


def _read(sentence: str) -> str:
    return " ".join(_NAMED.sub("X", sentence.replace("\u2019", "'")).split())[:_LONGEST]


def _is_otherwise(kind: Objection, text: str) -> bool:
    """Whether the words of a cue stand in a question, or tell of what should or may happen."""
    if kind == "failing":
        return bool(_ASKED.match(text) or _WANTED.search(text))
    return kind == "wrong" and bool(_ASKED.match(text)) and "?!" not in text and "??" not in text
