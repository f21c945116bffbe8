"""Replace the secrets in a text, each by `[REDACTED:kind]`.

The key's name stays, for "DB_PASSWORD was missing in CI" is worth keeping. A text is searched until
nothing more is found, so what comes out goes through unchanged the next time.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from memoria.privacy.secret_forms import BY_BEGINNING, INNER, WORD_BEGINNING, TokenForm, is_public
from memoria.privacy.secret_names import SecretSpan, find_named_secrets
from memoria.privacy.secret_structures import WORD, find_encoded_texts, find_structured_secrets
from memoria.privacy.secret_tables import (
    find_manifest_secrets,
    find_sentence_secrets,
    find_table_secrets,
)
from memoria.privacy.secret_values import is_placeholder, is_random
from memoria.text.lazy_patterns import lazy_pattern
from memoria.text.unicode import ANSI, HIDDEN, lowercase

# Shorter values occur by chance in other words.
MIN_VALUE = 8
# What replaces a secret can join its neighbours to a new one, once or twice.
_MAX_ROUNDS = 5
# The end of a line and the beginning of the next, each without a space; real keys are shorter.
_WRAPPED = lazy_pattern(
    r"(?<![\w.+/=-])([\w.+/=-]{5,400})\n[ \t]{0,4}([\w.+/=-]{4,400})(?![\w+/=-])"
)
_MARKER = lazy_pattern(r"\[REDACTED:[a-z0-9-]+\]")


class RedactedSecret(NamedTuple):
    """A secret that was replaced: its kind, and the line of the text it began in, from 1."""

    kind: str
    line: int


class RedactedText(NamedTuple):
    """A text without the secrets that were found in it, and what they were, in order."""

    text: str
    found: tuple[RedactedSecret, ...] = ()


# What each match of a costly pattern holds: it begins with one of two or three characters, so it is
# looked for ten times as fast as the pattern, which begins with any letter or digit.
_TRACES = {
    "facebook-token": lazy_pattern(r"[|%][\w-]{27}"),
    "discord-token": lazy_pattern(r"\.[\w-]{6}\.[\w-]{27}"),
    "salesforce-token": lazy_pattern(r"![\w.-]{80}"),
    "provider-key": lazy_pattern(r"[_-][A-Za-z0-9]{24}"),
}


def _is_key(token: TokenForm, value: str) -> bool:
    """Judge what has the form of a key by what follows its beginning."""
    tail = value[len(token.literal) :]
    if token.doubt > 1:
        return is_random(tail, 12)
    return not (token.doubt and is_placeholder(tail)) and not is_public(value)


def _find_wrapped_keys(text: str) -> Iterator[SecretSpan]:
    """Find keys that a terminal broke at the end of a line."""
    for match in _WRAPPED.finditer(text):
        head, both_pieces = match[1], match[1] + match[2]
        for begin in WORD_BEGINNING.finditer(head):
            for token in BY_BEGINNING.get(begin[1], ()):
                key = token.pattern.match(both_pieces, begin.start())
                if not key or key.end() <= len(head) or not _is_key(token, key[0]):
                    continue
                head_key = token.pattern.match(head, begin.start())
                if not head_key or not _is_key(token, head_key[0]):
                    end = match.start(2) + key.end() - len(head)
                    yield SecretSpan(match.start(1) + key.start(), end, token.kind)


def _find_tokens(text: str) -> Iterator[SecretSpan]:
    beginnings = set(WORD_BEGINNING.findall(text)) & BY_BEGINNING.keys()
    if beginnings and "\n" in text:
        yield from _find_wrapped_keys(text)
    for token in chain.from_iterable(
        BY_BEGINNING[beginning] for beginning in ("", *sorted(beginnings))
    ):
        at = text.find(token.literal)
        while at >= 0:
            match = token.pattern.match(text, at)
            if match and _is_key(token, match[0]):
                yield SecretSpan(*match.span(), token.kind)
            at = text.find(token.literal, match.end() if match else at + 1)
    for kind, part, pattern in INNER:
        if part in text and (kind not in _TRACES or _TRACES[kind].search(text)):
            matches = (match for match in pattern.finditer(text) if not is_placeholder(match[0]))
            yield from (SecretSpan(*match.span(), kind) for match in matches)


def _find_literals(text: str, values: Iterable[str]) -> Iterator[SecretSpan]:
    for value in values:
        at = text.find(value)
        while at >= 0:
            yield SecretSpan(at, at + len(value), "known-value")
            at = text.find(value, at + len(value))


def _find_in_plain(text: str) -> Iterator[SecretSpan]:
    lower = lowercase(text)
    yield from _find_tokens(text)
    words = frozenset(WORD.findall(lower))
    yield from find_structured_secrets(text, lower, words)
    yield from find_manifest_secrets(text)
    yield from find_table_secrets(text, lower)
    yield from find_named_secrets(text, lower)
    yield from find_sentence_secrets(text, lower)


def _find_secrets(text: str) -> Iterator[SecretSpan]:
    yield from _find_in_plain(text)
    for hit, decoded in find_encoded_texts(text):
        if any(_find_in_plain(decoded)):
            yield hit


def _remove_marked(hits: Iterable[SecretSpan], text: str) -> list[SecretSpan]:
    """Leave out what lies within an earlier marker; widen what reaches into one to all of it."""
    markers = [match.span() for match in _MARKER.finditer(text)]
    parts = []
    for start, end, kind in hits:
        touched_markers = [marker for marker in markers if marker[0] < end and start < marker[1]]
        starts, ends = zip(*touched_markers, (start, end), strict=True)
        widened = min(starts), max(ends)
        if widened not in touched_markers:
            parts.append(SecretSpan(*widened, kind))
    return parts


def _join_overlapping(hits: Iterable[SecretSpan]) -> list[SecretSpan]:
    """Join overlapping hits to one of the kind that was found first at that place."""
    spans: list[SecretSpan] = []
    for hit in sorted(hits, key=lambda hit: (hit.start, -hit.end)):
        if spans and hit.start < spans[-1].end:
            spans[-1] = spans[-1]._replace(end=max(spans[-1].end, hit.end))
        else:
            spans.append(hit)
    return spans


def _redact_once(text: str, values: tuple[str, ...]) -> RedactedText:
    view = build_view(text)
    candidates = chain(_find_secrets(view.text), _find_literals(view.text, values))
    hits = [SecretSpan(*view.span(hit.start, hit.end), hit.kind) for hit in candidates]
    if view.parts:
        hits += _find_literals(text, values)
    pieces, findings, at = [], [], 0
    for hit in _join_overlapping(_remove_marked(hits, text)):
        pieces += [text[at : hit.start], f"[REDACTED:{hit.kind}]"]
        findings.append(RedactedSecret(hit.kind, text.count("\n", 0, hit.start) + 1))
        at = hit.end
    return RedactedText("".join((*pieces, text[at:])), tuple(findings))


def redact(text: str, values: Iterable[str] = ()) -> RedactedText:
    """Replace the secrets in a text by `[REDACTED:kind]`; the names they stand behind stay.

    `values` are secrets known by their value (of the environment, say); those shorter than eight
    characters are not looked for. `redact(redact(x).text)` changes nothing.
    """
    literals = tuple(sorted({v for v in values if len(v) >= MIN_VALUE}, key=len, reverse=True))
    findings: tuple[RedactedSecret, ...] = ()
    for _ in range(_MAX_ROUNDS):
        result = _redact_once(text, literals)
        if not result.found:
            break
        text, findings = result.text, (*findings, *result.found)
    return RedactedText(text, findings)


# -- Disguises -------------------------------------------------------------------------------------

# A key after a colour code, with a zero-width space in it or in a URL is the same key. The trap: an
# escaped newline ends in the letter n, which glues to the next word.
_DISGUISE = lazy_pattern(
    rf"(?P<gone>{ANSI.pattern}|[{HIDDEN}]"
    # a colour code as JSON and shells write it
    r"|(?<!\\)\\{1,64}+(?:u001[bB]|x1[bB]|033|e)\[[0-9;]{0,20}[A-Za-z])"
    # a run of backslashes, but not those of \\server\share
    r"|(?<!\\)(?!\\\\[\w.-]{1,60}\\(?!\\))\\{1,64}+(?:(?P<space>[nrt])|(?P<plain>[\"'/&=])|u(?P<unicode>00[2-7][0-9a-fA-F]))"
    # "%2F", "&#61;", "&quot;"
    r"|%(?P<percent>[2-7][0-9a-fA-F])"
    r"|&(?:#0{0,3}(?P<decimal>\d{2,3})|#[xX]0{0,3}(?P<hex>[2-7][0-9a-fA-F])|(?P<name>quot|apos|lt|gt|amp));"
)
# what none of these is without
_ANY = lazy_pattern(rf"[\\%\x1b{HIDDEN}]")
_ANY_ENTITY = lazy_pattern("&(?:#|quot;|apos;|[lg]t;|amp;)")
_NAMED = {"quot": '"', "apos": "'", "lt": "<", "gt": ">", "amp": "&"}
# Letters as wide as a Chinese character, one for one.
_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_ANY_WIDE = lazy_pattern("[\uff01-\uff5e]")
_begin = itemgetter(0)


class PlainView(NamedTuple):
    """The plain form of a text, and its parts in order; none mean that it is the text itself.

    A part is where it begins in the view and in the original, and how long the original of its one
    character is, 0 where characters stand for themselves.
    """

    text: str
    parts: tuple[tuple[int, int, int], ...] = ()

    def _span_of(self, offset: int) -> tuple[int, int]:
        """Give the original span of one character."""
        if not self.parts:
            return offset, offset + 1
        start, original, width = self.parts[bisect_right(self.parts, offset, key=_begin) - 1]
        original += offset - start
        return original, original + (width or 1)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Give the original span of a non-empty span of the view."""
        return self._span_of(start)[0], self._span_of(end - 1)[1]


def _decode_disguise(match: re.Match[str]) -> str:
    if match["gone"]:
        return ""
    if match["space"]:
        return "\t" if match["space"] == "t" else "\n"
    if match["decimal"]:
        return chr(int(match["decimal"]))
    code = match["unicode"] or match["percent"] or match["hex"]
    return match["plain"] or (chr(int(code, 16)) if code else _NAMED[match["name"]])


def build_view(text: str) -> PlainView:
    """Undo what disguises a secret: invisible, wide and escaped characters (JSON, URL, HTML)."""
    if not text.isascii() and _ANY_WIDE.search(text):
        text = text.translate(_WIDE)
    if not _ANY.search(text) and not ("&" in text and _ANY_ENTITY.search(text)):
        return PlainView(text)
    pieces: list[str] = []
    parts: list[tuple[int, int, int]] = []
    length = at = 0
    for match in _DISGUISE.finditer(text):
        meaning = _decode_disguise(match)
        if match.start() > at:
            parts.append((length, at, 0))
            length += match.start() - at
        if meaning:
            parts.append((length, match.start(), len(match[0])))
            length += 1
        pieces += (text[at : match.start()], meaning)
        at = match.end()
    return PlainView("".join((*pieces, text[at:])), (*parts, (length, at, 0)))
