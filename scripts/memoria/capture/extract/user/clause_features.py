"""Features of a clause that tell a lasting rule of the user from all else that is typed.

A rule has a sign that it lasts (from now on, every time, in this repository, we never ...) and is
said to the agent or of the way of working; a task, a product's requirement, a report, a question
and a text that is to be written have the same words in another frame. So the words before and after
the clause count as well as its own. What each feature weighs was fitted (clause_weights.py); signs
by which others' words and texts are told stand in the veto alone, where words are features they
weigh nothing.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from memoria.capture.extract.user import clause_cues as cues
from memoria.capture.extract.user.clause_shape import around, shape
from memoria.capture.extract.user.rule_text import core, without_aside
from memoria.text.lazy_patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoria.capture.extract.user.clauses import Clause


class _Words(NamedTuple):
    """A clause and its surroundings, quotes and code masked."""

    text: str
    sentence: str
    lead: str
    before: str
    after: str


def features(parts: Sequence[Clause], place: int, how: str = "prompt") -> frozenset[str]:
    """Name the features of the clause at that place of a text; `how` it was said (user_words)."""
    clause = parts[place]
    words = _words(clause)
    own = {name for name in cues.PHRASES if _has(name, words.text)}
    forms = {name for name, form in cues.FORMS.items() if _finds(form, words.text)}
    lasting = _lasting(words, own)
    found = own | forms | lasting | _joined(own, forms, lasting, alone=clause.alone)
    found |= _orders(clause, how, found)
    found |= {f"how_{how}"} if how != "prompt" else set()
    found |= {"alone"} if clause.alone else set()
    if "?" in words.sentence and "question" not in own:
        found.add("question_later")
    found.update(around(words.before, words.after, words.lead))
    return frozenset(found | _size(words.text) | shape(words.text, place, len(parts)))


_SHORT, _LONG = 4, 28  # words of a clause


def _size(text: str) -> set[str]:
    count = len(text.split())
    return {"short"} if count < _SHORT else {"long"} if count > _LONG else set()


# -- Signs that it lasts --------------------------------------------------------------------------

_FAMILIES = ("now_on", "general", "told", "each_time", "remember")
_BRIEF, _SHORT_BEFORE = 8, 12  # words of a neighbour that only says how long the clause holds


def _lasting(words: _Words, own: set[str]) -> set[str]:
    """Name the signs that a clause lasts: its own, its lead's, those of its neighbours."""
    found = {name for name in (*_FAMILIES, "scope") if name in own}
    leads = ("now_on", "general", "remember", "told")
    found |= {f"lead_{name}" for name in leads if _has(name, words.lead)}
    if _has("holds", words.after):
        found.add("holds_after")
    brief = len(words.after.split()) <= _BRIEF
    if brief and any(_has(name, words.after) for name in ("ever", "now_on", "general")):
        found.add("lasts_after")
    short = len(words.before.split()) <= _SHORT_BEFORE and not _has("question", words.before)
    if short and any(_has(name, words.before) for name in ("now_on", "general", "told")):
        found.add("lasts_before")
    if _has("told", words.before):
        found.add("told_before")
    strong = len(found - {"scope"})
    return found | ({"strong"} if strong else set()) | ({"very_strong"} if strong > 1 else set())


# -- Features of several signs together ------------------------------------------------------------

_DIRECT = {"head_never", "head_no", "head_order", "head_lasting", "you_do", "we_do", "i_want"}


def _joined(own: set[str], forms: set[str], lasting: set[str], *, alone: bool) -> set[str]:
    """Name what only signs together tell."""
    direct = bool(forms & _DIRECT)
    strong, claims = "strong" in lasting, bool(own & {"always", "never"})
    here = bool(own & {"scope", "here"})
    obliges = bool(own & {"always", "never", "must", "every", "dont"})
    headed = bool(forms & {"head_lasting", "head_never", "head_order"})
    table = {
        "strong_direct": strong and direct,
        "alone_direct": alone and direct and (strong or claims or here),
        "alone_obliges": alone and obliges and "question" not in own,
        "alone_lasting": alone and "head_lasting" in forms,
        "alone_remember": alone and bool({"remember", "lead_remember"} & lasting),
        "alone_prefers": alone and "prefers" in forms,
        "no_sign": not (strong or claims or own & {"scope", "ever"}),
        "claims_headed": claims and headed,
        "claims_undirected": claims and not direct,
        "here": here,
        "here_direct": here and direct,
        "here_obliges": here and obliges,
        "process_lasting": "process" in own and (strong or claims),
        "product_undirected": "product" in own and not direct,
        "temporary_only": "temporary" in own and not strong,
        "lasting_narrated": (strong or claims) and "narrated" in forms and "i_want" not in forms,
        "lasting_question": (strong or claims) and "question" in own,
    }
    return {name for name, holds in table.items() if holds}


_ANSWERS = frozenset({"refusal", "answer", "steer"})
_LED = frozenset(
    {"lead_now_on", "lead_general", "lead_told", "lead_remember"}
)  # "as I said: never commit to main"
# "never lets you leave", "never seen that", "every time you run it" tell of something
_TELLS = r"\b(?:always|never)\ (?:\w+(?<!s)s|\w+ed|seen|been|had)\b|\btime\ you\b[^,]*$"
_TO_AGENT = r"\b(?:i|me|my)\b"


def _orders(clause: Clause, how: str, found: set[str]) -> set[str]:
    """Name what a plain lasting order is: sure to be meant for the agent, or about the work."""
    ordered = "head_lasting" in found and bool(found & {"head_order", "head_never"})
    # "change the upload: always check the type" spells out a task
    is_detail = bool(clause.lead) and not found & _LED
    if not ordered or is_detail or found & _OTHERWISE or _finds(_TELLS, clause.text):
        return set()
    # a reason behind the order may name people
    order = without_aside(core(clause.text))
    if how not in _ANSWERS and any(_has(name, order) for name in _OF_PRODUCTS):
        return set()
    meant = clause.alone or how in _ANSWERS or bool(found & _LED)
    if meant or "`" in clause.text or _finds(_TO_AGENT, clause.text):
        return {"plain_order", "sure_order"}
    of_work = found & {"process", "you"} and not clause.listed
    return {"plain_order", "work_order"} if of_work else {"plain_order"}


_OTHERWISE = frozenset({"question", "supposes", "temporary", "fault", "narrated", "asks"})
_OF_PRODUCTS = frozenset({"third", "product", "reports", "past"})  # an answer is about the work


# -- Whose words they are, and what for -----------------------------------------------------------

_AROUND = 20  # clauses before it that are looked at: a flood is read in linear time


def _frames(parts: Sequence[Clause], place: int, words: _Words) -> dict[str, bool]:
    """Say which frames a clause stands in: others' words, or a text to be written."""
    return {
        "reported": _finds(cues.REPORTED, words.sentence)
        or _is_foreign(words.lead)
        or _finds(cues.FOREIGN_LINE, parts[place].sentence),
        "a text to write": _finds(cues.WRITES_TEXT, words.sentence)
        or _finds(cues.WRITES_TEXT, words.lead),
    }


def _is_foreign(opening: str) -> bool:
    """Whether an opening hands on what others wrote."""
    own = _has("now_on", opening) or _has("general", opening) or _finds(r"\b(?:i|you)\b", opening)
    return _finds(cues.FOREIGN, opening) and (not own or _finds(cues.COPIED, opening))


# -- Vetoes ---------------------------------------------------------------------------------------


def veto(parts: Sequence[Clause], place: int) -> str:
    """Say why a clause can be no rule in force whatever its words weigh, "" where nothing does."""
    words = _words(parts[place])
    asks = _finds(cues.ASKS, words.text) and not (
        _finds(cues.POLITE, words.text) or _finds(cues.TOLD_BEFORE, words.text)
    )
    lasts = _has("now_on", words.text) or _finds(cues.FORMS["keeps_off"], words.text)
    reasons = {
        "a question": asks,
        "for a while": _finds(cues.FOR_A_WHILE, f"{words.lead} {words.text}") and not lasts,
        **_frames(parts, place, words),
        "narrated": _finds(cues.NARRATED, words.text) or _muses(words.text),
        "denied": _finds(cues.DENIED, words.sentence),
        "about other code": _finds(cues.ELSEWHERE, words.text),
        "a part of a task": _finds(cues.WANTS_THING, words.lead) and not lasts,
        "about another clause": _finds(cues.REFERS, words.text),
        "about one thing": _finds(cues.ONE_THING, words.text),
        "of a text that is handed over": place > 0 and _finds(cues.HANDLED, parts[0].text),
        "quoted": words.text.startswith(_QUOTES) or words.text.endswith(_QUOTES),
        "a document": _is_document(parts, place),
        "within a quotation": parts[place].quoted or _is_banner(parts[place].text),
    }
    return next((name for name, holds in reasons.items() if holds), "")


_QUOTES = ('"', "\u201c", "\u201d", "'", "XQ")  # one end of it is enough: a quotation has sentences


def _muses(text: str) -> bool:
    """Whether it is a task, a thought or half a sentence, without a word like "always"."""
    if any(_has(name, text) for name in ("always", "never", "each_time", "general", "remember")):
        return _finds(cues.FRAGMENT, text) or _finds(cues.WONDERED, text)
    return any(_finds(cue, text) for cue in (cues.REQUESTED, cues.MUSED, cues.FRAGMENT))


# a prompt that was written for an agent, or a file: in no message that has one was a rule stated
_TITLE = r"^\#{1,4}\ \S|^\[\[\ \#\#|^you\ are\ (?:an?|the|working)\b"


def _is_document(parts: Sequence[Clause], place: int) -> bool:
    """Whether a heading stands before a clause, or the message tells an agent its role."""
    near = (parts[0], *parts[max(0, place - _AROUND) : place + 1])
    return any(_finds(_TITLE, part.text) and not _finds(_MINE, part.text) for part in near)


_MINE = r"\b(?:my|our|for\ you|how\ (?:i|we))\b"
_BANNER = 3  # words, most of them in capitals: a comment of some file


def _is_banner(text: str) -> bool:
    words = text.split()
    return len(words) >= _BANNER and sum(word.isupper() for word in words) > len(words) / 2


# -- Patterns -------------------------------------------------------------------------------------


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """Compile a pattern when it is first used: the command line starts without them."""
    return re.compile(text, re.IGNORECASE | re.VERBOSE)


# the features and the veto of a clause ask the same of its surroundings
@lru_cache(maxsize=4096)
def _finds(pattern: str, text: str) -> bool:
    return bool(_pattern(pattern).search(text))


def _has(name: str, text: str) -> bool:
    # most texts have no phrase of a kind: then its pattern, which takes long to compile, is not
    return any(word in _folded(text) for word in _needles(name)) and bool(
        _phrases(name).search(text)
    )


@lru_cache(maxsize=256)
def _folded(text: str) -> str:
    return text.casefold()


@cache
def _needles(name: str) -> frozenset[str]:
    """Give the longest run of letters of each phrase: a text without any has no phrase."""
    phrases = [phrase.strip().casefold() for phrase in cues.PHRASES[name].split(";")]
    runs = ((_LETTERS.findall(phrase), phrase) for phrase in phrases if phrase)
    return frozenset(max(words, key=len, default=phrase) for words, phrase in runs)


_LETTERS = re.compile(r"[^\W_]+")


@cache
def _phrases(name: str) -> re.Pattern[str]:
    phrases = [" ".join(phrase.split()) for phrase in cues.PHRASES[name].split(";")]
    return re.compile("|".join(_spelled(phrase) for phrase in phrases if phrase), re.IGNORECASE)


def _spelled(phrase: str) -> str:
    """Spell a phrase as a pattern; scripts that write no spaces have no borders of words."""
    spelled = re.escape(phrase).replace(r"\*", r"\w*").replace("_", r"\S+")
    spaced = phrase[0].isalnum() and phrase[0] < _UNSPACED
    return rf"(?<!\w){spelled}(?!\w)" if spaced else spelled


_UNSPACED = "\u3040"  # from here on: kana and Chinese characters


# a path's folders and an address are names too: "~/.claude/projects/x" says nothing of a project
_CODE = lazy_pattern(r"`[^`\n]*`|\bhttps?://\S+|(?<!\S)[@\w.~-]*/[\w.@-]+/[\w./@-]*\w")
_QUOTED = lazy_pattern(
    r"""\"[^\"\n]{3,}\"|“[^”\n]{3,}”|«[^»\n]{3,}»|„[^“”\n]{3,}[“”]|(?<!\w)'[^'\n]{6,}'(?!\w)"""
)
_APOSTROPHE = re.compile(
    r"\b(do|does|did|is|are|was|should|must|have|has|would|could)nt\b", re.IGNORECASE
)


@lru_cache(maxsize=4096)
def mask(text: str) -> str:
    """Put XC for code and XQ for a quotation: they are named, not said; "dont" becomes "don't"."""
    typed = _APOSTROPHE.sub(r"\1n't", text.replace("\u2019", "'"))
    return _QUOTED.sub("XQ", _CODE.sub("XC", typed))


def _words(clause: Clause) -> _Words:
    parts = (clause.text, clause.sentence, clause.lead, clause.before, clause.after)
    return _Words(*(mask(part) for part in parts))
