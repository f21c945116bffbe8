"""Look up the words by which the user laid down what a model names by the id of a line.

A rule may only rest on the user, and a page that a model read can lead it to claim that the user
said something: so the claim names a line of the record, and the words are taken from what the user
really typed there, or in the line that says it where the wrong one was named. What the user pasted
(a review, a log, a plan) does not count as said. The trap: half a sentence can say the contrary
("do not always push to main"), so whole sentences are taken and judged.
"""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import ceil

from memoria.agents.claude_code.user_words import list_utterances, own_words
from memoria.agents.transcript import Transcript
from memoria.capture.digest import RecordSpan
from memoria.capture.extract.user.statements import FOUND, WEAK, find_statements
from memoria.capture.provenance.spans import list_texts_before_outside
from memoria.llm.flush_form import UserClaim, read_judgements
from memoria.text.word_overlap import containment, stems
from memoria.vault.entry import Statement

# of a quote: "yes" or "ok" would be found anywhere; what a rule's note does not take is no rule
_MIN_CHARS, _MAX_CHARS = 12, 300
_SENTENCE_BORDER = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])|\n+")
_BULLET = re.compile(r"(?:[-*+\u2022]|\d{1,2}[.)])\s+")
# "(refused Bash make) ", "(answered) ": what code writes before the user's words
_CALL_LABEL = re.compile(r"\((?:refused [^\n]*?|answered)\) ")
# of a claim's content words: with fewer the best sentence of the cited line says another thing
_CITED_SHARE = 0.3
# of a line that is not cited: as much as new prose has to have of a sentence that it says again,
# and two of its words at least, since the smaller set of words counts
_SAID_SHARE, _MIN_SHARED_WORDS = 0.6, 2


@dataclass(frozen=True, slots=True)
class QuotedStatements:
    """Statements that rest on words of the user, and how many claims rest on none."""

    statements: tuple[Statement, ...]
    unquoted: int


def verify_claims(
    claims: Iterable[UserClaim], spans: Mapping[str, RecordSpan], transcript: Transcript
) -> QuotedStatements:
    """Keep the claims that the user's own words bear out; score them by these words.

    The quote is the sentence of the cited line which has most words in common with what the model
    quotes or, where it quotes nothing, with the claim; where a model cites wrongly, the sentence of
    another line which says it. What code found to be lasting is kept in the user's
    words, whatever a model makes of it: in others it would not come in force. But what a model
    calls an order for the moment waits.
    """
    speeches = list_utterances(transcript)
    texts = {_collapse_spaces(speech.ask.text): own_words(speech) for speech in speeches}
    lines = {name: _split_sentences(_find_typed_text(span, texts)) for name, span in spans.items()}
    statements = find_statements(transcript)
    lasting = [rule for rule in statements if rule.standing and rule.score >= FOUND]
    results: dict[Statement, None] = {}
    passing: list[str] = []
    unquoted = 0
    for claim in claims:
        quote = _find_quote(claim, lines, spans)
        if claim.passing:
            passing.append(quote)
        elif not quote:
            unquoted += 1
        elif all(_says_all(claim, quote, rule) for rule in lasting if _is_in(rule, [quote])):
            # whether it lasts is judged by what stood around the words when they were said
            inside = [rule for rule in statements if _is_in(rule, [quote])]
            best = max(inside, key=lambda rule: rule.score, default=None)
            # what code takes for no rule, and a model for one, a person looks at
            standing, score = (best.standing, best.score) if best else (False, WEAK)
            stated = Statement(claim.text, quote, claim.category, standing=standing, score=score)
            results[stated] = None
    quotes = [rule.quote for rule in results]
    missed = (rule for rule in lasting if not _is_in(rule, quotes))
    demoted = (replace(rule, standing=not _is_in(rule, passing)) for rule in missed)
    return QuotedStatements((*results, *demoted), unquoted)


def _says_all(claim: UserClaim, quote: str, rule: Statement) -> bool:
    """Whether a claim is a part of a quote, to the letter, and no less than code found there."""
    text = claim.text.casefold().rstrip(" .!")
    return rule.text.casefold() in text and text in quote.casefold()


def _find_quote(
    claim: UserClaim, lines: Mapping[str, Sequence[str]], spans: Mapping[str, RecordSpan]
) -> str:
    """Give the sentence of the user's that bears out a claim, "" where none does.

    Where a quote is not found, a sentence that only sounds like the claim would be a false one.
    """
    sentences, all_sentences = lines.get(claim.cite, ()), [*chain.from_iterable(lines.values())]
    if claim.quote:
        nearest = _find_quoted(claim, sentences, 1)
        nearest = nearest or _find_quoted(claim, all_sentences, _MIN_SHARED_WORDS)
    else:
        nearest = _find_nearest(claim.text, sentences, _CITED_SHARE)
        fewest = _MIN_SHARED_WORDS
        nearest = nearest or _find_nearest(claim.text, all_sentences, _SAID_SHARE, fewest)
    # a line of one sentence can be meant whatever its words are, where no others are quoted of it
    span = spans.get(claim.cite)
    is_whole = span and len(sentences) == 1 == len(_split_sentences(span.text))
    is_meant = is_whole and claim.quote.strip(" .!").casefold() in sentences[0].casefold()
    return nearest or (sentences[0] if is_meant and _is_quotable(sentences[0]) else "")


def _find_quoted(claim: UserClaim, sentences: Sequence[str], fewest: int) -> str:
    """Give the sentence that a claim quotes, of several the one that the claim is about."""
    found = []
    for part in _split_sentences(claim.quote):
        # of the quote's words: a short sentence has all of its own in many a long quote
        words = max(fewest, ceil(_SAID_SHARE * len(stems(part))))
        found.append(_find_nearest(part, sentences, _SAID_SHARE, words))
    return _find_nearest(claim.text, found, 0, 0)


def _is_in(rule: Statement, quotes: Iterable[str]) -> bool:
    return any(rule.quote.casefold() in quote.casefold() for quote in quotes)


def _find_typed_text(span: RecordSpan, own_texts: Mapping[str, str]) -> str:
    """Give what the user typed in a span of the record; "" for what is another's."""
    text = _collapse_spaces(_CALL_LABEL.sub("", span.text)) if span.mark in {"U", "P"} else ""
    return own_texts.get(text, "") if text else ""


def _find_nearest(claim: str, sentences: Iterable[str], share: float, fewest: int = 1) -> str:
    """Give the sentence that a claim is about, "" where all have too few of its words."""
    words = stems(claim)
    # of equal ones the sentence that says least besides
    ranked = [
        (containment(words, stems(text)), -len(text), -at, text)
        for at, text in enumerate(sentences)
        if _is_quotable(text) and len(words & stems(text)) >= fewest
    ]
    nearest, *_, best = max(ranked, default=(0.0, 0, 0, ""))
    return best if nearest >= share else ""


def _is_quotable(sentence: str) -> bool:
    return _MIN_CHARS <= len(sentence) <= _MAX_CHARS


def _split_sentences(text: str) -> list[str]:
    parts = (_BULLET.sub("", part.strip(), count=1) for part in _SENTENCE_BORDER.split(text))
    return [" ".join(part.split()) for part in parts if part.strip()]


def _collapse_spaces(text: str) -> str:
    return " ".join(text.split())


MOST = 12  # a session has occasion for a few rules; more is a model that judges all it was shown


@dataclass(frozen=True, slots=True)
class RuleJudgement:
    """Whether a rule was kept in a session, and the cited words that show it."""

    rule: str
    kept: bool
    quote: str


def parse_judgements(value: object, spans: Mapping[str, RecordSpan]) -> tuple[RuleJudgement, ...]:
    """Read the judgements of an answer to a flush; raises BadReply with the place and reason."""
    rows = (row for row in read_judgements(value, MOST) if row[-1] in spans)
    return tuple(RuleJudgement(rule, is_kept, spans[cite].text) for rule, is_kept, cite in rows)


def verify_judgements(
    claims: Iterable[RuleJudgement],
    transcript: Transcript,
    rules: Container[str],
    *,
    is_tainted: bool = False,
) -> tuple[RuleJudgement, ...]:
    """Keep the judgements of given rules whose quote stands in what was said; a rule once.

    Once a session has read something of outside, the agent's words are no evidence any more;
    `is_tainted` says that it had before this part of it.
    """
    said = (own_words(speech) for speech in list_utterances(transcript))
    by_agent = () if is_tainted else list_texts_before_outside(transcript)
    texts = [*map(_fold_text, chain(said, by_agent))]
    by_rule: dict[str, RuleJudgement] = {}
    for claim in claims:
        quote = _fold_text(claim.quote)
        if (
            claim.rule in rules
            and len(quote) >= _MIN_CHARS
            and any(quote in text for text in texts)
        ):
            earlier = by_rule.get(claim.rule)
            # of two that contradict each other the worse one counts
            if earlier is None or (earlier.kept and not claim.kept):
                by_rule[claim.rule] = claim
    return tuple(by_rule.values())


def _fold_text(text: str) -> str:
    return _collapse_spaces(text.casefold())
