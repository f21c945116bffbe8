"""Name the features of a clause that tell a lasting rule of the user from all else that is typed.

A rule has a sign that it lasts (from now on, every time, in this repository, we never ...) and is
said to the agent or of the way of working; a task, a product's requirement, a report, a question
and a text that is to be written have the same words in another frame. So each word of the clause
and of those around it is a feature as well, and what is worth anything, said by several writers,
has a weight (clause_weights.txt); all other names weigh nothing. Signs of others' words and texts
stand in the veto alone: as features beside the words they weigh nothing.
"""

import pkgutil
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from functools import cache, lru_cache
from itertools import combinations, islice, pairwise
from typing import NamedTuple

from memoria.capture.extract.user import clause_cues as cues
from memoria.capture.extract.user.clauses import Clause
from memoria.text.lazy_patterns import lazy_pattern

_DOUBTFUL = {"asks", "narrates", "refers", "half"}


class ClauseWeights(NamedTuple):
    """A bias and a weight for each feature: log-odds of a lasting rule."""

    bias: float
    weights: Mapping[str, float]

    def log_odds(self, names: Iterable[str]) -> float:
        """Give the log-odds of what has these features."""
        return self.bias + sum(self.weights.get(name, 0.0) for name in names)


@cache
def load_weights() -> ClauseWeights:
    """Read the table that bench/rules/fit.py writes: lines of a weight and the names that have it.

    A line that begins with a hash says where it comes from.
    """
    text = (pkgutil.get_data(__package__, "clause_weights.txt") or b"").decode("utf-8")
    rows = [line.split() for line in text.splitlines() if not line.startswith("#")]
    table = {name: float(weight) for weight, *names in rows for name in names}
    return ClauseWeights(table.pop("BIAS", 0.0), table)


# -- Features -------------------------------------------------------------------------------------


class _MaskedClause(NamedTuple):
    """A clause and its surroundings, quotes and code masked."""

    text: str
    sentence: str
    lead: str
    before: str
    after: str


_LASTING_SIGNS = {"now_on", "general", "told", "each_time", "remember"}
_LEAD_SIGNS = {"lead_now_on", "lead_general", "lead_told", "lead_remember"}
# with one of these "always ..." and "never ..." are no plain order
_HEDGES = {"supposes", "temporary", "narrated", "asks", "past", "awhile"}
_DIRECT_FORMS = {"head_never", "head_order", "head_lasting", "you_do", "we_do", "i_want"}


def find_features(parts: Sequence[Clause], place: int, how: str = "prompt") -> frozenset[str]:
    """Name the features of the clause at that place of a text; `how` it was said (user_words).

    What two signs mean together is a feature, too: "always" in an order, "always" in a report.
    """
    masked = _mask_clause(parts[place])
    signs = _find_signs(masked) | ({"scoped"} if _is_scoped(parts, place) else set())
    frame = _describe_frame(parts[place], masked, signs) | {
        "first": place == 0,
        "last": 0 < place == len(parts) - 1,
        f"how_{how}": how != "prompt",
    }
    signs |= {name for name, holds in frame.items() if holds}
    signs |= {name for name, form in _SHAPES.items() if _finds(form, masked.text.casefold())}
    pairs = {f"{first}&{other}" for first, other in combinations(sorted(signs), 2)}
    words = _word_features(masked.text, len(parts))
    return frozenset({*signs, *pairs, *words, *_surrounding_features(masked)})


def _find_signs(masked: _MaskedClause) -> set[str]:
    """Name the phrases and forms (clause_cues.py) that a clause has, and signs in its lead."""
    signs = {name for name in cues.PHRASES if _has_phrase(name, masked.text)}
    signs |= {name for name, form in cues.FORMS.items() if _finds(form, masked.text)}
    lead_signs = {f"lead_{name}" for name in _LASTING_SIGNS if _has_phrase(name, masked.lead)}
    return signs | (lead_signs & _LEAD_SIGNS)


def _describe_frame(
    clause: Clause, masked: _MaskedClause, signs: AbstractSet[str]
) -> dict[str, bool]:
    """Say what the signs of a clause come to, and in which frame it stands."""
    is_strong = bool(signs & {*_LASTING_SIGNS, *_LEAD_SIGNS, "scoped"})
    is_direct, is_hedged = bool(signs & _DIRECT_FORMS), bool(signs & _HEDGES)
    is_lasting_order = "head_lasting" in signs and bool(signs & {"head_order", "head_never"})
    task_forms = (cues.WANTS_THING, cues.FORMS["head_order"])
    leads_task = any(_finds(form, masked.lead) for form in task_forms)
    is_moment = _finds(cues.FORMS["awhile"], masked.lead) or _finds(cues.MOMENT, masked.before)
    return {
        "alone": clause.alone,
        "strong": is_strong,
        "no_sign": not is_strong and not signs & {"always", "never", "scope", "ever"},
        "direct": is_direct,
        "here_direct": is_direct and "here" in signs,
        "scope_holds": "scope" in signs and not is_hedged,
        "plain": is_lasting_order and not is_hedged,
        # "change the upload: always check the type" spells out a task
        "lead_task": bool(clause.lead) and not signs & _LEAD_SIGNS and leads_task,
        "beside_awhile": is_moment,
    }


def _is_scoped(parts: Sequence[Clause], place: int) -> bool:
    """Whether a clause beside it says that it lasts: "this goes for all modules"."""
    sentence = parts[place].sentence
    later = (part for part in parts[place + 1 : place + _MAX_NEARBY] if part.sentence != sentence)
    near = [*parts[place + 1 : place + 2], *islice(later, 1), *(parts[:1] if place == 1 else ())]
    texts = map(mask_code_and_quotes, [parts[place].lead, *(part.text for part in near)])
    return any(_says_scope(text) for text in texts)


def _says_scope(text: str) -> bool:
    """Whether a text says of something else that it lasts, and not only for a while."""
    phrases = ("now_on", "general", "told", "each_time", "every", "scope", "always")
    is_lasting = any(_has_phrase(name, text) for name in phrases)
    return _finds(cues.FORMS["refers"], text) and is_lasting and not _has_phrase("temporary", text)


_WORD_OR_MARK = re.compile(r"[^\W\d_](?:[^\W\d_]|')*|\d+|[?!:;]")  # "don't", "15", "?"
_FEW_CLAUSES, _SEVERAL_CLAUSES = 3, 7  # clauses of a message
_LENGTH_STEP, _MAX_STEPS = 4, 6  # words, and how many such steps of length are told apart
_SHAPES = {
    "contrasts": r",\ (?:not|never|no)\ |\bnot\ \w+$",  # "use tabs, not spaces"
    "object_it": r"\b(?:it|them)\b(?:\W*$|\ (?:to|in|from|as|by|and))",  # "fix it", "add them to x"
    "past_form": r"\b\w+ed\b",
    "passive": r"\b(?:is|are|was)\ \w+(?:ed|en)\b",
    "path": r"XC|[/_]|\w\.\w",  # masked code, "src/x", "a_b", "x.py"
    # "tests live in tests/"
    "plural_subject": r"""^[a-z]+s\ (?:\w+\ ){0,4}?(?:are|go|live|stay|belong|get|need|have|end
        |start)\b""",
}


def _word_features(text: str, count: int) -> Iterator[str]:
    """Name the words of a masked clause that is one of `count`, and its length."""
    lower = text.casefold()
    words = _find_tokens(lower)
    yield from (f"w:{word}" for word in words)
    yield from (f"{first}_{other}" for first, other in pairwise(["^", *words, "$"]))
    yield f"words_{min(_MAX_STEPS, len(words) // _LENGTH_STEP)}"
    sizes = ((1, "turn_1"), (_FEW_CLAUSES, "turn_few"), (_SEVERAL_CLAUSES, "turn_some"))
    yield next((name for limit, name in sizes if count <= limit), "turn_many")


def _surrounding_features(masked: _MaskedClause) -> Iterator[str]:
    """Name the words of the clauses beside one, and of what leads in to it."""
    for mark in ("before", "after", "lead"):
        yield from (f"{mark}:{word}" for word in _find_tokens(getattr(masked, mark).casefold()))


def _find_tokens(text: str) -> list[str]:
    """Give the words of a masked text; that it has code or a quotation is a sign, and no word."""
    return [word for word in _WORD_OR_MARK.findall(text) if word not in {"xc", "xq"}]


# -- Vetoes ---------------------------------------------------------------------------------------

_MAX_NEARBY = 20  # clauses on each side that are looked at: a flood is read in linear time
_QUOTE_ENDS = ('"', "\u201c", "\u201d", "'", "XQ")  # one is enough: a quotation has sentences
# "# Setup", "you are a reviewer": a prompt that was written for an agent, or a file; in no message
# that has one was a rule stated, but under "## our rules"
_TITLE = r"^\#{1,4}\ \S|^\[\[\ \#\#|^you\ are\ (?:an?|the|working)\b"
_MINE = r"\b(?:my|our|for\ you|how\ (?:i|we))\b"
_MIN_BANNER_WORDS = 3  # most of them in capitals, "DO NOT EDIT": a comment of some file


def find_veto(parts: Sequence[Clause], place: int) -> str:
    """Say why a clause can be no rule in force whatever its words weigh, "" where nothing does."""
    clause, masked = parts[place], _mask_clause(parts[place])
    lead, text, sentence = masked.lead, masked.text, masked.sentence
    is_foreign = _is_foreign(lead) or _finds(cues.FOREIGN_LINE, clause.sentence)
    is_quoted = clause.quoted or text.startswith(_QUOTE_ENDS) or text.endswith(_QUOTE_ENDS)
    reasons = {
        "reported": _finds(cues.REPORTED, sentence) or is_foreign,
        "a text to write": _finds(cues.WRITES_TEXT, sentence) or _finds(cues.WRITES_TEXT, lead),
        "denied": _finds(cues.DENIED, sentence),
        "a part of a task": _finds(cues.WANTS_THING, lead) and not _has_phrase("now_on", text),
        "of a text that is handed over": place > 0 and _finds(cues.HANDLED, parts[0].text),
        "a document": _is_document(parts, place),
        "a quotation": is_quoted or _is_banner(clause.text),
    }
    return next((name for name, holds in reasons.items() if holds), "")


def _is_foreign(opening: str) -> bool:
    """Whether an opening hands on what others wrote."""
    is_lasting = _has_phrase("now_on", opening) or _has_phrase("general", opening)
    is_users = is_lasting or _finds(r"\b(?:i|you)\b", opening)
    return _finds(cues.FOREIGN, opening) and (not is_users or _finds(cues.COPIED, opening))


def _is_document(parts: Sequence[Clause], place: int) -> bool:
    """Whether a heading stands before a clause, or the message tells an agent its role."""
    parts_before = (parts[0], *parts[max(0, place - _MAX_NEARBY) : place + 1])
    return any(_finds(_TITLE, part.text) and not _finds(_MINE, part.text) for part in parts_before)


def _is_banner(text: str) -> bool:
    capitals = [word.isupper() for word in text.split()]
    return len(capitals) >= _MIN_BANNER_WORDS and sum(capitals) > len(capitals) / 2


def is_doubtful(names: AbstractSet[str], parts: Sequence[Clause], place: int) -> bool:
    """Whether a clause with these features may be a rule and is never in force by itself.

    It is half of something, holds for a while, tells what happens, or stands behind the order to
    write a text.
    """
    is_passing = names & {"awhile", "beside_awhile", "lead_task"} and "now_on" not in names
    earlier = (part.sentence for part in parts[:place] if part.sentence != parts[place].sentence)
    texts = map(mask_code_and_quotes, earlier)
    is_text = any(_finds(cues.WRITES_TEXT, text) for text in texts)
    return bool(names & _DOUBTFUL or is_passing or is_text)


# -- Patterns -------------------------------------------------------------------------------------


@cache
def _compile_pattern(text: str) -> re.Pattern[str]:
    """Compile a pattern when it is first used: the command line starts without them."""
    return re.compile(text, re.IGNORECASE | re.VERBOSE)


# the features and the veto of a clause ask the same of its surroundings
@lru_cache(maxsize=4096)
def _finds(pattern: str, text: str) -> bool:
    return bool(_compile_pattern(pattern).search(text))


@lru_cache(maxsize=4096)
def _has_phrase(name: str, text: str) -> bool:
    # most texts have no phrase of a kind: then its pattern, which takes long to compile, is not
    lowered = text.casefold()
    return any(word in lowered for word in _find_longest_words(name)) and bool(
        _compile_phrases(name).search(text)
    )


@cache
def _find_longest_words(name: str) -> frozenset[str]:
    """Give the longest run of letters of each phrase: a text without any has no phrase."""
    phrases = [phrase.strip().casefold() for phrase in cues.PHRASES[name].split(";")]
    runs = ((re.findall(r"[^\W_]+", phrase), phrase) for phrase in phrases if phrase)
    return frozenset(max(words, key=len, default=phrase) for words, phrase in runs)


@cache
def _compile_phrases(name: str) -> re.Pattern[str]:
    phrases = [" ".join(phrase.split()) for phrase in cues.PHRASES[name].split(";")]
    patterns = [_build_phrase_pattern(phrase) for phrase in phrases if phrase]
    return re.compile("|".join(patterns), re.IGNORECASE)


def _build_phrase_pattern(phrase: str) -> str:
    """Spell a phrase as a pattern; scripts that write no spaces have no borders of words."""
    pattern = re.escape(phrase).replace(r"\*", r"\w*").replace("_", r"\S+")
    has_borders = phrase[0].isalnum() and phrase[0] < "\u3040"  # from there on: kana and Chinese
    return rf"(?<!\w){pattern}(?!\w)" if has_borders else pattern


# `x`, and names too: "~/.claude/projects/x" says nothing of a project, "https://x" nothing of x
_CODE = lazy_pattern(r"`[^`\n]*`|\bhttps?://\S+|(?<!\S)[@\w.~-]*/[\w.@-]+/[\w./@-]*\w")
_QUOTED = lazy_pattern(  # in '...' from six letters on, between blanks: "the users' own" has none
    r"""\"[^\"\n]{3,}\"|“[^”\n]{3,}”|«[^»\n]{3,}»|„[^“”\n]{3,}[“”]|(?<!\w)'[^'\n]{6,}'(?!\w)"""
)
_NO_APOSTROPHE = re.compile(  # "dont", "wont"; not "want"
    r"(?i)\b(do|does|did|is|are|was|should|must|have|has|would|could|wo|ca)nt\b"
)
_SHORTHAND = """u=you ur=your urself=yourself w=with w/=with w/o=without w/out=without b4=before
    pls=please plz=please thru=through fwd=forward alwys=always allways=always nvr=never
    thats=that's im=i'm ive=i've id=i'd cant=can't cuz=because bc=because"""
_SHORT = dict(pair.split("=") for pair in _SHORTHAND.split())
_SHORT_WORD = re.compile(  # as words of their own: "run it w/ tabs"; not "w/x"
    rf"(?i)(?<![\w'/.-])(?:{'|'.join(sorted(map(re.escape, _SHORT), reverse=True))})(?![\w'/-])"
)


@lru_cache(maxsize=4096)
def mask_code_and_quotes(text: str) -> str:
    """Put XC for code and XQ for a quotation, named and not said; spell out "dont" and "u"."""
    spelled_out = _NO_APOSTROPHE.sub(r"\1n't", text.replace("\u2019", "'"))
    spelled_out = _SHORT_WORD.sub(lambda short: _SHORT[short.group().lower()], spelled_out)
    return _QUOTED.sub("XQ", _CODE.sub("XC", spelled_out))


def _mask_clause(clause: Clause) -> _MaskedClause:
    parts = (clause.text, clause.sentence, clause.lead, clause.before, clause.after)
    return _MaskedClause(*map(mask_code_and_quotes, parts))
