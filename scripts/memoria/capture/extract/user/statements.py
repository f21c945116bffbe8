"""Find the clauses of a transcript in which the user said how work is to be done from now on.

Only the user's own words count: pasted reviews are full of "should" and "never", and a tool can
print the very line by which the client announces them. A clause is weighed with what stands around
it by fitted weights; a few frames are a veto whatever it weighs, and what the user takes back in
the next message is dropped.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from memoria.agents.claude_code.user_words import list_utterances, own_words
from memoria.agents.transcript import Transcript
from memoria.capture.extract.user.clause_features import (
    find_features,
    find_veto,
    is_doubtful,
    load_weights,
)
from memoria.capture.extract.user.clauses import Clause, split_clauses
from memoria.capture.extract.user.rule_text import classify_rule, format_rule_text, strip_lead_in
from memoria.text.lazy_patterns import lazy_pattern
from memoria.text.unicode import is_disguised
from memoria.vault.entry import Statement

# Probabilities, from the curve over writers who were left out that bench/rules/fit.py prints. What
# comes in force wrongly costs ten rules that are missed: at FOUND, ten times the wrong ones and the
# missed ones are fewest. From WEAK on most are rules: what waits is worth a person's look.
FOUND = 0.72
WEAK = 0.39

_MAX_CHARS, _MIN_CHARS = 300, 8  # of a rule: what its note takes
_MAX_CLAUSES = 300  # of one message: what is longer was not typed
# two are a fragment ("for all sessions" needs what holds in them), but for an order as sure as this
_MIN_WORDS, _SURE_SCORE = 3, 0.9
# without one of these signs a clause may be a rule, and is never in force by itself
_EXPLICIT_SIGNS = {"strong", "always", "never", "ever", "here_direct", "scope_holds", "we_do"}


def find_statements(transcript: Transcript) -> tuple[Statement, ...]:
    """Find what the user said about how things are to be done, in the order of time, each once.

    All score at least WEAK; those from FOUND on that are `standing` come in force by themselves.
    """
    utterances = list(list_utterances(transcript))
    by_text: dict[str, Statement] = {}
    texts = [own_words(utterance) for utterance in utterances]
    for utterance, text, following in zip(utterances, texts, [*texts, ""][1:], strict=True):
        for rule in _find_cached(text, utterance.how, following):
            by_text.setdefault(rule.text.casefold(), rule)
    return tuple(by_text.values())


def find_statements_in(
    text: str, how: str = "prompt", following: str = ""
) -> tuple[Statement, ...]:
    """Find the statements in a text of the user; `following` is what the user said next."""
    parts, opening = split_clauses(text), following[:_OPENING_CHARS]
    rules = []
    for place, clause in enumerate(parts[:_MAX_CLAUSES]):
        if not _MIN_CHARS <= len(clause.text) <= _MAX_CHARS or is_disguised(clause.text):
            continue
        rule = _weigh_clause(parts, place, how)
        rest = text[clause.end : clause.end + _REST_CHARS]
        if _is_corrected(clause, opening) or _TAKES_BACK.search(rest):
            rule = replace(rule, standing=False)
        if rule.score >= WEAK and _is_whole(rule) and not _is_taken_back(clause, parts, opening):
            rules.append(rule)
    return tuple(rules)


# a session is read for its extract and again where a model's quotes are looked up
_find_cached = lru_cache(maxsize=256)(find_statements_in)


def parse_statement(quote: str) -> Statement:
    """Read one sentence of the user's as a rule, alone; its score says whether it is one."""
    parts = split_clauses(quote)
    if not parts:
        text, category = format_rule_text(strip_lead_in(quote)), classify_rule(quote)
        return Statement(text, quote, category, standing=False, score=0.0)
    options = [_weigh_clause(parts, place, "prompt") for place in range(len(parts))]
    return max(options, key=lambda option: option.score)


def _weigh_clause(parts: Sequence[Clause], place: int, how: str) -> Statement:
    clause = parts[place]
    names = find_features(parts, place, how)
    veto = find_veto(parts, place) or _is_rest_of_fact(parts, place)
    chance = 1 / (1 + math.exp(-load_weights().log_odds(names)))
    if {"alone", "plain"} <= names and not names & {"here", "product", "third"}:
        chance = max(chance, FOUND)  # 52 of 52 such messages of 12 writers
    core = strip_lead_in(clause.text)
    return Statement(
        format_rule_text(core),
        clause.text,
        classify_rule(core),
        standing=bool(names & _EXPLICIT_SIGNS) and not is_doubtful(names, parts, place),
        score=0.0 if veto else round(chance, 2),
    )


def _is_rest_of_fact(parts: Sequence[Clause], place: int) -> bool:
    """Whether a clause tells where the agent is, or goes on with what the one before it tells."""
    clause = parts[place]
    if _TELLS_WHERE.match(strip_lead_in(clause.text)):
        return True
    is_rest = bool(clause.before) and clause.before in clause.sentence
    tells_of = is_rest and _TELLS_OF.match(strip_lead_in(clause.before))
    return bool(tells_of and _HAS_NOT.match(clause.text))


_TELLS_WHERE = lazy_pattern(r"(?i)you(?:'?re| are) (?:in|on|inside) (?:an?|the|my) [\w-]+\W*$")


# "(you're in a vm so) do not have access to docker"
_HAS_NOT = lazy_pattern(r"(?i)(?:don'?t|do not) (?:have|need|know|own|exist|work|see|support)\b")
# "you're in a vm"; not "you must use tabs (and don't have tests without names)"
_TELLS_OF = lazy_pattern(
    r"(?i)(?:you|u|i|we|they|it|there|this|that)(?:'?(?:re|s|m|ve)?)\b"
    r"(?! (?:must|should|shall|need|have to|can|could|want)\b)"
)


def _is_whole(rule: Statement) -> bool:
    """Whether a rule can be read alone: "use tabs" can, where it is sure to be an order."""
    words = len(rule.text.split())
    if rule.standing and rule.score >= _SURE_SCORE:
        return words > 1 or not rule.text.isascii()
    if _REASON.match(rule.text):
        return False
    return len(rule.text) >= _MIN_CHARS and (words >= _MIN_WORDS or not rule.text.isascii())


# "since it breaks", "which is slow": why another clause holds; not "since v2 use x"
_REASON = lazy_pattern(
    r"(?i)(?:because|since (?!v?\d)|otherwise|which|so that|weil|denn|sonst|sinon|porque)\b"
)


# -- What is taken back in the next message --------------------------------------------------------

# "forget it", "on second thought", "actually no", "scratch that"
_TAKES_BACK = lazy_pattern(r"""(?ix)
    \b(?:forget\ \w+|scrap\ (?:that|it|the)|take\ (?:it|that)\ back|i\ take\ back|never\s?mind
    |on\ second\ thoughts?|changed\ my\ mind|(?:like|as)\ before|as\ you\ did|do\ as\ you
    |undo\ (?:that|the)\ rule|ignore\ (?:me|that|what\ i|(?:the|my)\ last)|was\ a\ mistake
    |wrong\ window|(?:was|i'm|just)\ (?:kidding|joking)|my\ mistake|actually,?\ (?:no|don't|dont)\b
    |(?:don't|dont)\ do\ that|scratch\ that|disregard|was\ meant\ for|i\ was\ wrong|go\ back\ to
    |after\ all|let's\ not|on\ reflection|withdraw|wait,?\ no|no,?\ wait|(?:a\ bit|too)\ much
    |mixed\ (?:that|this|it)\ up|(?:cancel|drop|strike)\ that|not\ a\ rule
    |wie\ bisher|quatsch|ach\ nein|lass\ (?:das|mal)|nein,\ lass|vergiss\ (?:das|es)|doch\ nicht
    |finalement\ non|oublie|laisse\ tomber|mejor\ no|olvida(?:lo)?|melhor\ não|esquece
    |anzi\ no|lascia\ (?:stare|perdere)|dimentica|забудь|отмена|算了)\b""")
# "keep it", "not here": little words with which what was just ordered is ordered otherwise
_CORRECTS = lazy_pattern(
    r"(?i)\b(?:again|back|ignore|instead|keep|leave|no|not|normal|nvm|rather|same|sorry|then|too"
    r"|wrong|doch|nein|wieder)\b"
)
_STARTLED = lazy_pattern(r"(?i)\W*(?:oh|ah|wait|hm+|hang on|actually|nvm|oops|argh)\b")
_OPENING_CHARS = 200  # of the next message: what comes later is about other things
_REST_CHARS = 120  # of the same message, in which an order is taken back at once
_STEM_LETTERS = 5  # "answer" and "answers" are one word here
_CONTENT_WORD = lazy_pattern(r"""(?ix)  # words of four letters and more that say what it is about
    \b(?!(?:that|this|with|from|have|will|would|your|they|them|what|when|just|like|want|been
    |before|after|ones?|there|back|doesn|every|never|always|more|some|then|take|forget|mistake
    |also)\b)[^\W\d_]{4,}""")


def _is_taken_back(clause: Clause, parts: Sequence[Clause], opening: str) -> bool:
    """Whether the next message takes this clause back, and not another one of the same text."""
    if not _TAKES_BACK.search(opening):
        return False
    words = _stems(opening)
    shared_by_others = (len(words & _stems(part.text)) for part in parts if part is not clause)
    return len(words & _stems(f"{clause.lead} {clause.text}")) >= max(shared_by_others, default=0)


def _is_corrected(clause: Clause, opening: str) -> bool:
    """Whether the next message begins by speaking of the same thing otherwise: then it waits."""
    is_about_it = _STARTLED.match(opening) or _stems(opening) & _stems(clause.text)
    return bool(_CORRECTS.search(opening) and is_about_it)


def _stems(text: str) -> set[str]:
    return {word[:_STEM_LETTERS].casefold() for word in _CONTENT_WORD.findall(text)}
