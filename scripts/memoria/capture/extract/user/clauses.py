"""Part what a user typed into clauses, each with the words around it.

A sentence often holds a task and a lasting rule ("build the page, and always use tabs here"), so a
rule is judged by the clause. A sentence that was typed without any marks is parted at its joining
words as well. The exact words stay: `start` and `end` are offsets into the text that was given.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from memoria.text.lazy_patterns import lazy_pattern

_SENTENCE_REACH = 300  # characters of its sentence on each side: one can be as long as a file
_INLINE_CODE = re.compile(r"`[^`\n]+`")
_ANY_MARK = re.compile(r"[.:;,!?()\u2013\u2014-]")
# what is handed on as a block: triple quotes, a fence, a line that begins with ">"
_BLOCK = re.compile(r'(?m)"""[\s\S]*?(?:"""|\Z)|```[\s\S]*?(?:```|\Z)|^[ \t]*>.*$')
# in quotes, of several sentences, too; not in '...': a mark within a word is an apostrophe
_QUOTATION = lazy_pattern(r""""[^"\n]{3,800}"|“[^”]{3,800}”|«[^»]{3,800}»|„[^“”]{3,800}[“”]""")
_BULLET = re.compile(r"\s*(?:(?:[-*+•]|\(?\d{1,2}[.)])\s+)?")  # "- x", "2. x", "(3) x"
_ABBREVIATION = lazy_pattern(  # whose full stop ends no sentence: "tabs, e.g."
    r"(?i)\b(?:e\.g|i\.e|etc|vs|usw|bzw|z\.b|d\.h|p\.ej|p\.ex|mr|dr|hr)\.$"
)
_LONGEST_ABBREVIATION = 6  # characters
# "done. ", "really?!) "; not "v1.2"
_SENTENCE_END = lazy_pattern(r"(?:[.!?…]+[\"')\]\u201d\u2019]*(?=\s)|[\u3002\uff01\uff1f]+)\s*")
_MAX_HEADING_WORDS = 6  # of a line without a mark: a longer one is a sentence
# "for commits: squash them"; not "remove the cache: it lies", where the order stands before it
_LEAD_COLON = lazy_pattern(r":\s+(?=\S)(?!(?:it|its|it's|they)\b)")
# a longer opening is a sentence of its own; "note: x" leads nothing
_MAX_LEAD_WORDS, _MIN_LED_WORDS = 14, 3
# an opening that orders something is a rule, and what follows its colon the reason
_ORDER_WORD = lazy_pattern(r"(?i)(?:use|never|always|don't|do not|keep|prefer|run|write|put|no)\b")
# "our conventions: tabs in Go, no globals" announces several: each comma parts two of them ...
_ANNOUNCES_RULES = lazy_pattern(r"""(?ix)
    \b(?:conventions?|rules|standards|guidelines|habits|how\ we\ \w+|regeln|règles|reglas
    |normas|regole|regras|правила)\b""")
# ... ", no globals at all", but for what depends on the one before: ", but not in tests"
_NEXT_RULE = lazy_pattern(r"""(?ix)
    ,\s+(?:(?:and|y|et|und|e|и)\s+)?(?=[^\s,]+(?:\s+[^\s,]+){2})
    (?!(?:and|or|but|not|if|when|where|which|who|that|so|because|since|unless|even|except|also|too
    |as|like|for|with|without|in|on|at|by|to|from|before|after|while|until|then|than|it|it's|they
    |i|we|you|he|she|otherwise|und|oder|aber|wenn|weil|die|der|das|et|ou|mais|si|qui|que|y|o|e|se
    |che|и|или|но|если)\b)""")
# words with which a second order begins, in the languages that developers type
_ORDER_OPENING = r"""(?:btw|also|please|pls|oh|from\ (?:now|here|this)|always|never|don'?t|do\ not
    |remember|as\ an?|in\ general|generally|henceforth|going\ forward|in\ (?:the\ )?future
    |for\ (?:any|all|the\ future|every|future)|(?:every|each)\ time|whenever
    |i\ (?:never|always|want|don'?t)|one\ (?:more\ )?(?:thing|rule)|siempre|nunca|toujours|jamais
    |dorénavant|désormais|immer|nie|ab\ (?:jetzt|sofort)|sempre|mai|a\ partir|d'ora|впредь
    |на\ будущее|всегда|никогда|in\ (?:this|our)\ (?:repo|project|code\s?base)|each|every|all
    |no(?=(?:\s+[^\s,]+){3})|as\ (?:always|usual|ever))\b"""
# where a second clause begins: at a mark, or at a joining word with which an order goes on
_JOINT = lazy_pattern(rf"""(?ix)
    \s*;\s+(?!(?:it|they|he|she|that|this)\b)|\s+[\u2013\u2014]\s+|\s-{{1,2}}\s  # "x; y", "x - y"
    |\s*[(](?=\d[)])|\s+(?=\(?\d\)\s)  # "(1) x 2) y"
    |,?\s+(?:and|but|so|then|also|oh|plus|okay|ok|btw|y|et|und|e|aber|pero|mais|ma|и|но)\s+
      (?:yeah\s+)?(?={_ORDER_OPENING})  # "build it and never push"; not "build it and run it"
    |:\s+(?=(?:it|it's|its|they|they're)\b)|,\s+(?=that'?s\s+(?:how|just|the|what|why)\b)
    |,\s+(?=(?:that|this)(?:\s+one)?\s+(?:is|goes|holds|counts|applies)\s+(?:for|to)\b)
    |,\s+but\s+|,\s+and\s+(?=(?:say|use|keep|write|put|run|ask|leave|add|tell|make|show|give)\b)
    |,\s+(?=(?:and\s+)?(?:btw|by\ the\ way|from\ (?:now|here)\ on(?=,?\s)|also\b))
    |\s+(?=(?:btw|by\ the\ way)\s+(?:i|we|you|never|always|every|don'?t)\b)""")
# behind a comma: a reason, an aside, or a second statement, each with a subject of its own
_ASIDE_JOINT = lazy_pattern(r"""(?ix)
    ,\s+(?=(?:you\ (?:did|have|had|just|keep|needn't)|how\ (?:often|many)|ich|wir|die|der|das
        |sonst|denn|weil|damit|sinon|parce\ que|car|porque|se\ no|senão|lo|l'|потому|иначе|я|it
        |it's|its|they|they're|these|he|she|there|there's|theres|i|i'm|im|i've|ive|my|his|her|their
        |our|otherwise|because|since|that's|thats|that\ is|whatever|no\ joke|same
        |as\ (?:i|we|our|the|you)|pls|please|keep\ (?:it|that|to)|last\ \w+|reads|takes|so
        # "use tabs, the linter rejects spaces"; not "use tabs, not spaces"
        |(?:two\ )?other\ people|(?!(?:and|or|but|nor|not|no|never|only|always|also)\ )
        (?:(?:the|a|an|two|other|some)\ )?(?:[\w'-]+\ ){1,4}?(?:is|are|isn't|was|were|has|have|had
        |does|can't|can|will|would|takes?|took|wants?|needs?|gets?|got|breaks?|hates?|rejects?
        |refuses|checks?|runs?|keeps?|fails?|compiles?|imports?|loads?|lost|generates?|depends?|goes
        |mixes|upload|drift|drops?|cost|move|splits|leaves)|\w+ing\ (?:it|them))\b)
    |\s+(?=(?:otherwise|cuz|bc)\ \w)|\s+so\ (?=(?:that|the|i|we|it|they|you)\b)
    |\s+(?=doesn't\ matter\b|thats?\ (?:how|just|the)\b)""")
# "when you commit" has its order behind the comma; "from now on" is a part of the order
_CONDITION = lazy_pattern(r"""(?ix)
    \W*(?:(?:please|and|but|so|also|ok|no|yes|well)\b,?\ )*
    (?!(?:from\ (?:now|here|this|today)|(?:in|for)\ (?:the\ )?future|ab\ (?:jetzt|sofort))\b)
    (?:if|when(?:ever)?|where|before|after|until|unless|once|since|because|as|each|every|any|in
    |under|for|from|on|at|with|wenn|bei|im|für|avant|quand|si|cuando|antes|para|quando|se|prima
    |если|когда|перед|при|в)\b[^,]*$""")
_UNMARKED_WORDS = 32  # a sentence this long was typed, or dictated, without marks
_LOOSE_JOINT = lazy_pattern(r"""(?ix)
    ,?\s+(?=(?:and|so|but|okay|ok|oh|because|then|also|y|et|und|e|mais|pero|aber|one|two)\s+\w)
    |,\s+""")
_TWO_WORDS = re.compile(r"\s*\S+\s+\S")  # the fewest of a clause


class Clause(NamedTuple):
    """A clause with its surroundings, all as typed.

    `lead` are the words before a colon, or the line that a list hangs on; `before` and `after` the
    clauses next to it, "" at an end of the text; `alone` says that it begins the one sentence that
    was typed, `quoted` that it stands within a quotation.
    """

    text: str
    start: int
    end: int
    sentence: str
    lead: str
    before: str
    after: str
    listed: bool
    alone: bool
    quoted: bool = False


class _SentenceSpan(NamedTuple):
    start: int
    end: int
    lead: str
    listed: bool


class _ClauseSpan(NamedTuple):
    start: int
    end: int
    sentence: _SentenceSpan
    lead: str


def split_clauses(text: str) -> tuple[Clause, ...]:
    """Part a text into clauses, in order; quoted blocks and fenced code are passed over."""
    unquoted = _BLOCK.sub(lambda block: " " * len(block.group()), text)
    # a mark within code ends nothing
    unmarked = _INLINE_CODE.sub(lambda code: _ANY_MARK.sub("x", code.group()), unquoted)
    spans = [
        span
        for sentence in _find_sentence_spans(unmarked)
        for span in _find_clause_spans(unmarked, sentence)
    ]
    quotes = [match.span() for match in _QUOTATION.finditer(unquoted)]
    words = ["", *(unquoted[span.start : span.end].strip() for span in spans), ""]
    return tuple(
        Clause(
            words[place + 1],
            span.start,
            span.end,
            _clip_sentence(unquoted, span),
            span.lead,
            words[place],
            words[place + 2],
            span.sentence.listed,
            place == 0 and spans[-1].sentence is span.sentence,
            any(start <= span.start and span.end <= end for start, end in quotes),
        )
        for place, span in enumerate(spans)
    )


def _clip_sentence(text: str, span: _ClauseSpan) -> str:
    """Give the sentence of a clause, as far as it is near."""
    start = max(span.sentence.start, span.start - _SENTENCE_REACH)
    return text[start : min(span.sentence.end, span.end + _SENTENCE_REACH)]


def _find_sentence_spans(text: str) -> Iterator[_SentenceSpan]:
    lead, at = "", 0
    for line in text.split("\n"):
        mark = _BULLET.match(line)
        start = mark.end() if mark else 0
        is_listed = bool(line[:start].strip())
        for begin, end in _find_sentence_bounds(line, start):
            yield _SentenceSpan(at + begin, at + end, lead if is_listed else "", is_listed)
        if line.strip() and not is_listed:
            lead = line.strip() if _is_heading(line) else ""
        at += len(line) + 1


def _is_heading(line: str) -> bool:
    """Whether a list can hang on a line: it ends with a colon, or is short and without a mark."""
    end = line.rstrip()[-1]
    return end == ":" or (end not in ".!?," and len(line.split()) <= _MAX_HEADING_WORDS)


def _find_sentence_bounds(line: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield begin and end of each sentence of a line, without the space around them."""
    for border in [*_SENTENCE_END.finditer(line, start), None]:
        stop = border.start() + len(border.group().rstrip()) if border else len(line)
        search_start = max(0, stop - _LONGEST_ABBREVIATION)
        # an abbreviation's mark ends no sentence
        if border and _ABBREVIATION.search(line, search_start, stop):
            continue
        part = line[start:stop]
        if part.strip():
            yield start + len(part) - len(part.lstrip()), start + len(part.rstrip())
        start = border.end() if border else stop


def _find_clause_spans(text: str, sentence: _SentenceSpan) -> Iterator[_ClauseSpan]:
    """Cut a sentence behind its lead and at its joints."""
    start, lead = sentence.start, sentence.lead
    if colon := _LEAD_COLON.search(text, start, sentence.end):
        opening, rest = text[start : colon.start()], text[colon.end() : sentence.end]
        is_short = len(opening.split()) <= _MAX_LEAD_WORDS and len(rest.split()) >= _MIN_LED_WORDS
        if is_short and ":" not in opening and not _ORDER_WORD.search(opening):
            lead, start = opening, colon.end()
    lists_rules = bool(_ANNOUNCES_RULES.search(lead)) and not sentence.listed
    for begin, end in _find_cuts(text[start : sentence.end], lists_rules=lists_rules):
        if text[start + begin : start + end].strip(" .,!?"):
            yield _ClauseSpan(start + begin, start + end, sentence, lead)


def _find_cuts(sentence: str, *, lists_rules: bool) -> Iterator[tuple[int, int]]:
    """Yield begin and end of each clause; one of a single word stays with its neighbour."""
    joints = {joint.span() for joint in _JOINT.finditer(sentence)}
    if lists_rules:
        joints |= {comma.span() for comma in _NEXT_RULE.finditer(sentence)}
    joints |= {
        joint.span()
        for joint in _ASIDE_JOINT.finditer(sentence)
        if joint.start() and not _CONDITION.match(sentence[: joint.start()])
    }
    if len(sentence.split()) > _UNMARKED_WORDS:
        joints |= {joint.span() for joint in _LOOSE_JOINT.finditer(sentence)}
    start = 0
    for joint_start, joint_end in sorted(joints):
        if _TWO_WORDS.match(sentence, start, joint_start) and _TWO_WORDS.match(sentence, joint_end):
            yield start, joint_start
            start = joint_end
    yield start, len(sentence)
