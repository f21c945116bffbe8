"""Find for each line written about a session where its words come from.

A model that sums up a session can be talked into anything by what it reads, so a line's origin is
not asked of it but found: by runs of four words, and who had them first (spans.py). What a page, a
file or a tool had first stays theirs although the assistant says it again; only the user takes
words over, by saying them. Such a line becomes a fact with a visible mark (marks.py), and no hook
ever says it.
"""

import unicodedata
from collections.abc import Iterable
from itertools import chain

from memoria.capture.provenance.spans import OTHERS, STRANGERS, USER, Span
from memoria.privacy.imperatives import gives_orders
from memoria.text.lazy_patterns import lazy_pattern

RUN = 4  # words: three are chance, five miss a sentence that was reworded here and there
_FOREIGN_SHARE = 0.5  # of a line's words: from here on it repeats what was read
# words of a run: a run that orders is a part of an order, however long the line around it is; so
# many of a page's or a paste's are a quote of it, whatever stands around them
_ORDER_RUN, _QUOTE_RUN = 5, 7
_TOKEN = lazy_pattern(  # scripts without spaces are read by the character
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]"
    r"|[^\W_]"
    "[^\\W_\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]*"
)
_ASCII_TOKEN = lazy_pattern(r"[a-z0-9]+")
# a sentence ends before a capital, a digit, a quote or a mark; not behind "e.g."
SENTENCE_END = lazy_pattern(r"(?<=[.!?:\u3002\uff01\uff1f])(?<!e\.g\.)(?<!i\.e\.)\s+(?=[^a-z\s])")
_PART_BORDER = lazy_pattern(r" -> |: | \(`")
_CHUNK = lazy_pattern(r"\S+")
# "src/app", "config.py", "no-explicit-any": a path, a file or a name of three words; not "x=f(y)"
_NAME = lazy_pattern(
    r"[`\"'(]{0,2}[\w.-]*(?:\w[/\\_]\w[\w./\\-]*|\w\.\w{1,4}|\w-\w{1,20}-\w+)[`\"')]{0,2}[,.;:]?"
)
_MIN_PROSE_WORDS = 3  # beside names: a line with fewer is code
# what a clause may begin behind
_JOINTS = frozenset(
    "and then but also or so instead just next now please always never to und et y e och".split()  # noqa: SIM905 - a word list reads best as words
)
_DENIAL_REACH = 3  # words before what is denied: "do not ever push the tags"
_DENIALS = frozenset(
    """
    not never no t dont without avoid stop nobody nothing instead than against neither nor cannot
    nicht nie niemals kein keine keinen ohne statt pas jamais ne sans aucun nunca sin tampoco nem
    sem non mai senza niet nooit geen zonder inte aldrig ikke aldri nigdy bez asla
    n\u00e3o jam\u00e1s hi\u00e7 \u043d\u0435 \u043d\u0456 \u0431\u0435\u0437
    \u043d\u0438\u043a\u043e\u0433\u0434\u0430 \u043d\u0435\u043b\u044c\u0437\u044f
    \u4e0d \u522b \u5225 \u52ff \u6ca1 \u6c92 \u65e0 \u7121 \u7981
    """.split()  # noqa: SIM905 - a word list reads best as words
)
# what code says of a session's work (capture/extract/entry_draft.py): names and counts are nobody's
# words, the subjects of commits may be others'
_SUBJECT = r'"[^"\n]{1,90}"'
_CODE_NAME = r"`[^`\s]+(?: [^`\s]+){0,2}`"
_WORK_ITEM = (
    rf"(?:branch {_CODE_NAME}|edited {_CODE_NAME}(?:, {_CODE_NAME}){{0,3}}(?: and \d+ more)?"
    rf"|\d+ commits?(?: (?:in|on) {_CODE_NAME}| elsewhere)?"
    rf"(?:(?::|, among them) {_SUBJECT}(?:, {_SUBJECT}){{0,2}})?|PR #\d+"
    rf"|(?:passing at the end|failing when last run): {_CODE_NAME}(?:, {_CODE_NAME}){{0,3}})"
)
_SUBJECTS = lazy_pattern(_SUBJECT)
_WORK = lazy_pattern(rf"(?i)(?:\A|(?<=[.!?\u2026] )){_WORK_ITEM}(?:; {_WORK_ITEM})*\.?\Z")


class Origins:
    """Where the words of some texts come from; other texts have none."""

    def __init__(self, spans: Iterable[Span], texts: Iterable[str]) -> None:
        """Look for the words of `texts` in what was said and read."""
        self._first: dict[tuple[str, ...], str] = {}
        # what the user said, with what he denied it by
        self._heard: dict[tuple[str, ...], frozenset[str]] = {}
        lines = tuple(texts)
        line_runs = {run for text in lines for run in _list_runs(fold_words(text))}
        # a part of a line may be shorter than a run: all of it has to be the user's then
        parts = (part for text in lines for part in _PART_BORDER.split(text))
        part_runs = {run for part in parts for run in _list_runs(fold_words(part))}
        sizes = {len(run) for run in line_runs}
        for speaker, text in spans:
            tokens = fold_words(text) if line_runs else []
            if speaker == USER:
                # a "no" denies nothing of the sentence after it
                for part in (tokens, *map(fold_words, SENTENCE_END.split(text))):
                    self._note_user_runs(part, line_runs | part_runs)
            for size in sizes:
                span_runs = zip(*(tokens[at:] for at in range(size)), strict=False)
                for run in line_runs.intersection(span_runs):
                    # what the user only denied is not his: others may have it after him
                    if speaker != USER or not self._heard.get(run):
                        self._first.setdefault(run, speaker)

    def _note_user_runs(self, tokens: list[str], runs: set[tuple[str, ...]]) -> None:
        for size in range(2, RUN + 1):
            for at in range(len(tokens) - size + 1):
                run = tuple(tokens[at : at + size])
                if run in runs:
                    denial = _find_denials(tokens, at)
                    # once said without a denial, it is his as it stands
                    self._heard[run] = min(self._heard.get(run, denial), denial, key=len)

    def find_name_origin(self, text: str) -> str:
        """Say who had a name; two or three words meet everywhere, so a short one is nobody's."""
        return self.of(text) if len(fold_words(text)) >= RUN else ""

    def of(self, text: str, share: float = _FOREIGN_SHARE) -> str:
        """Say who had a text that the user has not said: one of OTHERS, "" for none of them."""
        words = fold_words(text)
        size = min(RUN, len(words))
        covered: dict[int, str] = {}
        by_speaker: dict[str, list[range]] = {}
        for at, run in enumerate(_list_runs(words)):
            speaker = self._first.get(run, USER)
            if speaker in OTHERS and not self._is_said_by_user(run, words, at):
                covered |= dict.fromkeys(range(at, at + size), speaker)
                by_speaker.setdefault(speaker, []).append(range(at, at + size))
        if not covered:
            return ""
        names = _find_name_places(text, words)
        # one run of a speaker in a line of two and more is chance, and takes no place from others
        least = 1 + (len(words) >= 2 * size)
        runs = chain.from_iterable(runs for runs in by_speaker.values() if len(runs) >= least)
        places = {*chain.from_iterable(runs)} - names
        is_theirs = places and len(places) >= share * (len(words) - len(names))
        if is_theirs or _repeats_order_or_quote(text, covered):
            return max(by_speaker, key=lambda who: len({*chain.from_iterable(by_speaker[who])}))
        return ""

    def _is_said_by_user(self, run: tuple[str, ...], words: list[str], at: int) -> bool:
        """Whether the user said a run; what he denied is his as a denial only."""
        denied = self._heard.get(run)
        return denied is not None and denied <= _find_denials(words, at)

    def mask_user_words(self, text: str) -> str:
        """Give a text with an X in place of what the user said of it in his own words."""
        matches = list(_TOKEN.finditer(text))
        words = fold_words(text)
        if len(matches) != len(words):  # a letter that becomes two words when folded
            return text
        size = min(RUN, len(words))
        user_places: set[int] = set()
        for at, run in enumerate(_list_runs(words)):
            if self._is_said_by_user(run, words, at):
                user_places.update(range(at, at + size))
        result, end = "", 0
        for at, match in enumerate(matches):
            if not {at - 1, at} <= user_places:
                result += text[end : match.start()]
            if at not in user_places:
                result += match[0]
            elif at + 1 not in user_places:
                # a clause that begins behind his "and" is not his
                result += f"X {match[0]}" if words[at] in _JOINTS else "X"
            end = match.end()
        return result + text[end:]


def strip_own_summary(context: str) -> str:
    """Give an entry's context without what code says in it, which a file can say as well."""
    return _WORK.sub(lambda match: " ".join(_SUBJECTS.findall(match[0])), context)


def _repeats_order_or_quote(text: str, covered: dict[int, str]) -> bool:
    """Whether a long run of words that was read is an order, or a quote of a page."""
    matches = list(_TOKEN.finditer(text))
    run: list[int] = []
    for at in [*sorted(covered), -1]:
        if run and at == run[-1] + 1:
            run.append(at)
            continue
        if len(run) >= _QUOTE_RUN and all(covered[index] in STRANGERS for index in run):
            return True
        if len(run) >= _ORDER_RUN and run[-1] < len(matches):
            start, end = matches[run[0]].start(), matches[run[-1]].end()
            # "would get the same id" holds an order only when it is cut out
            if gives_orders(text[start:end]) and gives_orders(text):
                return True
        run = [at]
    return False


def _find_denials(tokens: list[str], at: int) -> frozenset[str]:
    """Give the words shortly before a place that turn what follows into its contrary."""
    return _DENIALS.intersection(tokens[max(0, at - _DENIAL_REACH) : at])


def _find_name_places(text: str, words: list[str]) -> set[int]:
    """Give the places of words that are parts of paths and identifiers, which say nothing."""
    matches = list(_TOKEN.finditer(text))
    if len(matches) != len(words):  # a letter that becomes two words when folded
        return set()
    places: set[int] = set()
    at = 0
    for chunk in _CHUNK.finditer(text):
        parts = []
        while at < len(matches) and matches[at].start() < chunk.end():
            parts.append(at)
            at += 1
        if _NAME.fullmatch(chunk[0]) and not gives_orders(" ".join(words[part] for part in parts)):
            places.update(parts)
    return places if len(words) - len(places) >= _MIN_PROSE_WORDS else set()


def fold_words(text: str) -> list[str]:
    """Cut a text into words, blind to case; of scripts without spaces, into characters."""
    if text.isascii():  # nearly all that is read; three times as fast
        return _ASCII_TOKEN.findall(text.casefold())
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold())


def _list_runs(words: list[str]) -> list[tuple[str, ...]]:
    size = min(RUN, len(words))
    # a single word is nobody's
    return list(zip(*(words[at:] for at in range(size)), strict=False)) if size > 1 else []
