"""Clauses that can name a session: what was asked as an order, what the answer says was done.

A title is read without the session, so a clause with "this" or "I", one that begins with a
preposition and one that was cut in its middle are none; better a plainer name than a fragment. The
trap: people type as they speak, so most prompts hold no such clause at all.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.capture.extract.sentences import stems, tidy
from memoria.capture.extract.user.asks import flat, unlead
from memoria.text.prose import capital, split

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memoria.agents.claude_code.user_words import Ask
    from memoria.capture.extract.observed import Observed

LENGTH = 78  # characters: a heading of a log that fits on one line
FULL = 3  # content words: with fewer a clause names little
_FIRST = 4  # asks: what is asked later is a detail of what came before

# Words of any session: a clause that has only these does not say which one it was.
_ANY_SESSION = stems(
    """
    address branch broken bug build change check ci code comment commit create diff error issues
    explain fail failure feedback file fix generate help hook issue last line lint local look main
    make merge message output plan pr problem pull push read resolve review second see session show
    skill suggest summary take test tests update work write wrong debug outstanding right places
    verify correctly added behavior behaviour
    """
)
# What points at something that stands elsewhere, and who speaks.
_POINTS = re.compile(
    r"\b(?:i|i'm|i've|we|we're|you|your|my|me|us|our|he|she|they|their|this|these|those|it|its"
    r"|here|there|following|above|below|them|same|something|things?|yesterday|what)\b"
    r"|\b(?:for|in|of|with|on|to|from|by|about) that\b"
    r"|\bthat(?='s|\W*$|[,;:]|\s+(?:is|was|one|way|as|would|should|we|i|you)\b)",
    re.IGNORECASE,
)
# A clause that begins so is a part of a longer one.
_BEGINS = re.compile(
    r"(?:in|on|at|of|for|to|from|with|by|as|but|and|or|so|then|also|when|if|while|where|why|how|who"
    r"|which|is|are|was|were|does|do|did|can|could|should|would|will|has|have|not|no|yes|because"
    r"|the (?:fix|issue|problem|tests?|change|file|code|other|first)(?! (?:at|in|of) `)|since"
    r"|thinking|still|gah|ah|oh|ok|okay|option|doesn't|don't|failed|error|uses|using|allows"
    r"|looking|back|hey)\b|\W*$|[^\w`\"'.~/<$@]",
    re.IGNORECASE,
)
_ORDERS = re.compile(
    r"(?:completely |also |always |never )?(?:add|adapt|adjust|allow|apply|avoid|bump|build|bring"
    r"|change|clean|consolidate|convert|cover|create|cut|deduplicate|delete|deploy|disable|document"
    r"|drop|enable|enforce|ensure|expand|expose|extend|extract|fetch|fix|format|handle|hide|implement"
    r"|improve|include|increase|inline|install|integrate|introduce|keep|limit|link|load|make"
    r"|migrate|move|normali[sz]e|optimi[sz]e|parse|port|prevent|print|publish|raise|reduce|refactor"
    r"|release|remove|rename|render|reorder|reorgani[sz]e|replace|report|reset|resolve|restore"
    r"|restructure|retry|return|revert|rework|reword|rewrite|save|separate|set|simplify|skip|sort"
    r"|speed|split|stop|store|strip|support|swap|switch|sync|test|tidy|track|transform|trim|turn"
    r"|unify|update|upgrade|use|validate|verify|wire|wrap|write)\b(?! (?:to|in|on|for|of|by)\b)",
    re.IGNORECASE,
)


def is_clean(clause: str) -> bool:
    """Whether a clause can be read alone: whole, no pronouns, no beginning in the middle."""
    fits = len(clause) <= LENGTH and clause[-1:] not in ("?", "…", ":")
    whole = not clause.count("`") % 2 and clause.count("(") == clause.count(")")
    return fits and whole and not _BEGINS.match(clause) and not _POINTS.search(clause)


def is_order(clause: str) -> bool:
    """Whether a clause orders to make or change something."""
    return bool(_ORDERS.match(clause))


def is_specific(clause: str) -> bool:
    """Whether a clause has words that do not stand in any session."""
    own = {stem for stem in stems(clause) - _ANY_SESSION if not stem.isdigit()}
    return len(own) >= FULL - 1


_PARTS = re.compile(
    r"\sand then\s|[;!?]\s+|\.(?=\s|$)|:\s+|,\s+|\s[\u2013\u2014-]{1,2}\s|\s\((?=\S)|\n"
)
# an address, a greeting, and how one came to ask
_NO_WORDS = re.compile(
    r"https?://\S+|^(?i:hey|hi|hello)(?: (?:folks|all|there|\[?@?[A-Z][a-z]\w*\]?))?[,!]\s+"
    r"(?:(?:[Ii](?: was|'m|'ve been) )?(?:just )?(?:looking|digging|poking|reviewing|going|reading"
    r"|checking|hitting)(?: (?:back|out|at|into|in|through|around))* )?"
)


def began(text: str) -> str:
    """Give the first sentence of a text, which says what a conversation is about; else ""."""
    # people who type fast begin no sentence with a capital
    sentence = next(iter(split(_NO_WORDS.sub("", text))), "").partition(". ")[0]
    first = unlead(sentence).rstrip("?")
    heads = (first[: match.start()] for match in _PARTS.finditer(first) if len(first) > LENGTH)
    return next((head for head in (*heads, first) if is_specific(head)), "")


def head(text: str) -> str:
    """Give the first clause of a text that names anything, however it reads."""
    parts = (part.strip(" .:;,") for part in _PARTS.split(_NO_WORDS.sub("", text)))
    return next((unlead(part) for part in parts if len(stems(part)) > 1), "")


def statement(text: str) -> str:
    """Give the first sentence of a text, or its head, where that can be read alone; else ""."""
    first = next(iter(split(_NO_WORDS.sub("", text))), "")
    heads = (first, _PARTS.split(first)[0])
    fitted = (shortened(unlead(head.strip(" .:;,"))) for head in heads)
    return next((one for one in fitted if is_clean(one) and is_specific(one)), "")


def order_clauses(asks: Iterable[Ask]) -> Iterator[str]:
    """Yield the clauses of what was asked first that order a change, the politeness taken off."""
    for asked in [asked for asked in asks if asked.own and not asked.trivial][:_FIRST]:
        for sentence in split(flat(_NO_WORDS.sub("", asked.text))):
            clauses = (unlead(part.strip(" .:;,")) for part in (sentence, *_PARTS.split(sentence)))
            yield from filter(is_order, clauses)


# -- What was done --------------------------------------------------------------------------------

# a verb in the past, and how an order says it
_BASES = {
    past: base
    for base, past in (
        pair.split("/")
        for pair in """
        make/made write/wrote rewrite/rewrote build/built split/split fix/fixed add/added
        extend/extended restore/restored reword/reworded convert/converted extract/extracted
        refactor/refactored implement/implemented document/documented revert/reverted
        create/created update/updated replace/replaced remove/removed rename/renamed move/moved
        change/changed resolve/resolved restructure/restructured consolidate/consolidated
        migrate/migrated delete/deleted introduce/introduced enable/enabled disable/disabled
        upgrade/upgraded simplify/simplified improve/improved harden/hardened
        """.split()  # noqa: SIM905 - a list of words reads best as words
    )
}
_DONE = re.compile(rf"(?P<did>{'|'.join(_BASES)})\b:?\s+", re.IGNORECASE)
_TAILS = re.compile(
    r"\s(?:in both|in all|instead of|rather than|so that|so|because|since|which"
    r"|with (?:the|an?) (?:following|explanation)"
    r"|to (?:ensure|verify|make)|and (?:all|the|tests?|everything|verified|it|also)|while|but"
    r"|using|via|when|from|by|in|(?<!account )(?<!wait )(?<!look )for|with|to)\s",
    re.IGNORECASE,
)


def done_clauses(seen: Observed) -> Iterator[str]:
    """Yield what the answers say was done."""
    for text in seen.texts:
        for sentence in (
            text.sentences if text.place == "closing" and text.turn in seen.busy else ()
        ):
            whole = _done(sentence.text.rstrip(".:"))
            for clause in (whole, *map(_done, _PARTS.split(sentence.text)), shortened(whole)):
                # of names of code alone nothing can be told
                named = is_clean(clause) and is_specific(_CODE.sub("", clause))
                # what follows a dash explains a name
                if named and " \u2014 " not in clause:
                    yield clause


_CODE = re.compile(r"`[^`]*`")


def _done(text: str) -> str:
    """Word "Added X to Y so that Z" as "Add X to Y", "" for a text that tells nothing done."""
    # "Fixed: ..." tells what was done, "Fixed. Added ..." only begins
    told = text if _DONE.match(text) else tidy(text)
    match = _DONE.match(told)
    if not match:
        return ""
    kept = _THE.sub("", told[match.end() :], count=1)
    return capital(f"{_BASES[match['did'].lower()]} {kept}")


_THE = re.compile(r"\Athe ", re.IGNORECASE)


def shortened(clause: str, length: int = LENGTH) -> str:
    """Cut a clause where a phrase ends, so that what is left is whole; "" where none does."""
    while len(clause) > length:
        ends = [match.start() for match in _TAILS.finditer(clause) if match.start() <= length]
        full = [end for end in ends if _is_closed(clause[:end])]
        if not full:
            return ""
        clause = clause[: full[-1]]
    return clause


def _is_closed(clause: str) -> bool:
    closed = not clause.count("`") % 2 and clause.count("(") <= clause.count(")")
    return closed and len(stems(clause)) >= FULL
