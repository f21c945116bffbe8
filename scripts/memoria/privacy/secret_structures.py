r"""Find secrets that are known by where they stand: key blocks, URLs, headers, tokens.

The value itself may be any word (a password in a URL), so the place has to be sure. The trap: keys
are pasted with their ends cut off, so a block without its first or last line, and lines of base64
alone, count as well; certificates, public keys, signatures and images look the same and do not.
"""

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256

from memoria.privacy.secret_contexts import PLACES, SecretContext
from memoria.privacy.secret_names import SecretSpan
from memoria.privacy.secret_values import is_chosen, is_placeholder, is_random, is_wordlike
from memoria.text.lazy_patterns import lazy_pattern

_KEY_BEGIN = lazy_pattern(r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = lazy_pattern(r"-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
# Before a line: the signs of quotes, diffs, comments and frames; the number that a reader, `cat -n`
# or grep puts there, with the file's name.
_NUMBER = r"(?:[^\s:]{1,120}[:-])?\d{1,6}(?:[ \t]{0,2}[:|\u2192\u2502-]|[ \t])[ \t]{0,4}"
_LEAD = rf"[ \t>|+#*/;\"'\u2502-]{{0,12}}(?:{_NUMBER})?"
_LEAD_ALONE, _MAX_LEAD = lazy_pattern(_LEAD), 150
# A line of a block's body: base64, its checksum, a header, or empty; as it is quoted in code.
_LINE = lazy_pattern(
    rf"{_LEAD}[+-]?"
    r"(?:[A-Za-z0-9+/]{16,80}={0,2}|=[A-Za-z0-9+/]{4}|[A-Z][A-Za-z-]{2,20}: [^\n]{1,80})?"
    r"[\"',+\\ \t]{0,4}\n"
)
# The last line may be short; then only its padding tells it from a word.
_LAST = r"(?:[A-Za-z0-9+/]{16,80}={0,2}|[A-Za-z0-9+/]{2,15}={1,2})"
_LAST_LINE = lazy_pattern(rf"{_LEAD}[+-]?{_LAST}")
# Before the END line it is certain what it is.
_LINE_BEFORE_END = lazy_pattern(rf"{_LEAD}[+-]?[A-Za-z0-9+/]{{1,80}}={{0,2}}[\"',+\\ \t]{{0,4}}\n")
_LINE_END = lazy_pattern(r"[ \t\"',+\\]{0,12}\n")  # behind BEGIN, also as quoted in code
_BASE64 = lazy_pattern(r"[A-Za-z0-9+/]{16}")
# Not shorter: `anything` between the lines is an example, and a key has hundreds of characters.
_MIN_BODY = 12  # characters
_MAX_BLOCK = 20_000  # characters
_BASE64_LINES = lazy_pattern(
    rf"(?:^[ \t]{{0,12}}(?:{_NUMBER}|-)?[A-Za-z0-9+/]{{60,76}}\n){{3,500}}"
    rf"(?:[ \t]{{0,12}}(?:{_NUMBER}|-)?{_LAST}$)?",
    re.MULTILINE,
)
_BASE64_LINE = lazy_pattern(r"[A-Za-z0-9+/]{60,76}(?=\n)")
# what before a run of base64 says that it is no key: "-----BEGIN CERTIFICATE-----", a data: URL
_OTHER_BLOCK = lazy_pattern(
    r"-----BEGIN (?!.*PRIVATE)[^\n]*-----(?:(?!-----END)[\s\S]){0,400}\Z"
    r"|data:[\w/+.-]+;base64,\s*\Z"
)
# What base64 of an image, an archive, a certificate or a font begins with.
_MAGIC = ("iVBOR", "/9j/", "R0lGOD", "UklGR", "PHN2Zy", "JVBER", "UEsDB", "H4sIA", "d09GM", "AAAB")

# "Cookie: session=...; theme=dark", and a long value of it
_COOKIE = lazy_pattern(r"(?i)cookie[\"']?\s{0,2}[:=]\s{0,2}[\"']?(?P<pairs>[^\n\"']{8,4000})")
_COOKIE_PAIR = lazy_pattern(r"(?<![\w.-])[\w.-]{1,60}=([^;\s\"']{16,2000})")
_TO_STANDARD = str.maketrans("-_", "+/")
# a run of base64 of either alphabet
_ENCODED = lazy_pattern(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{40,8000}={0,2}(?![A-Za-z0-9+/_-])")


def _find_body_end(text: str, at: int) -> int:
    """Go forward over the lines of a block's body."""
    first = _LINE_END.match(text, at)
    if first is None:
        return at
    at = first.end()
    while (line := _LINE.match(text, at)) and line.end() - at < _MAX_BLOCK:
        at = line.end()
    last = _LAST_LINE.match(text, at)
    return last.end() if last else at


def _find_body_start(text: str, at: int) -> int:
    """Go back over the lines of a block's body, from its END line or what stands before that."""
    line = text.rfind("\n", max(0, at - _MAX_LEAD), at) + 1
    at = line if _LEAD_ALONE.fullmatch(text, line, at) else at
    floor, form = max(0, at - _MAX_BLOCK), _LINE_BEFORE_END
    while at > floor:
        begin = text.rfind("\n", floor, at - 1) + 1
        if not form.fullmatch(text, begin, at):
            break
        at, form = begin, _LINE
    return at


def _find_key_blocks(text: str) -> Iterator[SecretSpan]:
    """Private key blocks, also without their last or their first line."""
    for head in _KEY_BEGIN.finditer(text):
        end = _KEY_END.search(text, head.end(), head.end() + _MAX_BLOCK)
        inside = text[head.end() : end.start()] if end else ""
        if end and "-----BEGIN" not in inside:
            if len(inside.strip()) >= _MIN_BODY:
                yield SecretSpan(head.start(), end.end(), "private-key")
        elif _BASE64.search(text, head.end(), stop := _find_body_end(text, head.end())):
            yield SecretSpan(head.start(), stop, "private-key")
    for end in _KEY_END.finditer(text):
        begin = _find_body_start(text, end.start())
        if _BASE64.search(text, begin, end.start()):
            yield SecretSpan(begin, end.end(), "private-key")


def _find_base64_runs(text: str) -> Iterator[SecretSpan]:
    """Three lines of base64 and more: the middle of a key block."""
    for run in _BASE64_LINES.finditer(text):
        lines = _BASE64_LINE.findall(run[0])[:3]
        kinds = ("[a-z]", "[A-Z]", "[0-9]")
        is_varied = all(re.search(kind, line) for line in lines for kind in kinds)
        other_block = _OTHER_BLOCK.search(text, max(0, run.start() - 500), run.start())
        if is_varied and not lines[0].startswith(_MAGIC) and not other_block:
            yield SecretSpan(run.start(), run.end(), "base64-block")


_MIN_IN_URL = 3  # `user:xx@` is an example
_MIN_VALUE = 4  # shorter words of a command line are options
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_FUNCTION_WORDS = frozenset("the and for with are was not but from has have its".split())  # noqa: SIM905 - as text
WORD = lazy_pattern(r"[a-z0-9]+")  # of a text in lower case
_IN_WORD = lazy_pattern(r"[\w-]")


def _is_basic(value: str) -> bool:
    try:
        return b":" in base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return False


def _is_jwt(value: str) -> bool:
    head = value.partition(".")[0].rstrip("=")
    try:
        return "alg" in json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except (ValueError, TypeError, RecursionError):
        return False


def _is_wif(value: str) -> bool:
    """Say whether the checksum at the end of base 58 is right."""
    number = 0
    for letter in value:
        number = number * 58 + _BASE58.index(letter)
    raw = number.to_bytes(38, "big").lstrip(b"\0")
    return sha256(sha256(raw[:-4]).digest()).digest()[:4] == raw[-4:]


_JUDGES: Mapping[str, Callable[[str], bool]] = {
    "any": lambda value: (
        len(value) >= _MIN_VALUE and not is_placeholder(value) and "$" not in value[:2]
    ),
    "chosen": is_chosen,
    "handed": lambda value: _is_basic(value) or is_random(value, 12),
    "jwt": _is_jwt,
    "letters": lambda value: not is_wordlike(value.replace(" ", "")),
    "long": lambda value: is_random(value, 20),
    "random": is_random,
    "sure": lambda _: True,
    "url": lambda value: len(value) >= _MIN_IN_URL and not is_placeholder(value),
    "wif": _is_wif,
    # no list of words that a wallet's keys are made of has these
    "words": lambda value: not _FUNCTION_WORDS & set(value.split()),
}


# A pattern that is tried at its needle, by the longest word of that; the others by their needles.
_BY_WORD: dict[str, list[SecretContext]] = {}
_BY_TEXT: list[tuple[str, SecretContext]] = []
for _place in PLACES:
    _words = sorted(re.findall("[a-z0-9]+", _place.needles[0]), key=len)
    if _place.at_needle and _words:
        _BY_WORD.setdefault(_words[-1], []).append(_place)
    else:
        _BY_TEXT += [(needle, _place) for needle in _place.needles]


def _find_matches(place: SecretContext, text: str, lower: str) -> Iterator[re.Match[str]]:
    if not place.at_needle:
        yield from place.pattern.finditer(text)
        return
    needle = place.needles[0]
    at = lower.find(needle)
    while at >= 0:
        end = at + len(needle)
        inside = needle[0].isalnum() and at and _IN_WORD.match(lower, at - 1)
        match = None if inside else place.pattern.match(text, end)
        if match:
            yield match
        at = lower.find(needle, match.end() if match else end)


def _find_in_contexts(text: str, lower: str, words: frozenset[str]) -> Iterator[SecretSpan]:
    """Find what stands where a command, an address, a header or a call has its secret."""
    places = [place for word in _BY_WORD.keys() & words for place in _BY_WORD[word]]
    texts = {needle: lower if needle == needle.lower() else text for needle, _ in _BY_TEXT}
    places += [place for needle, place in _BY_TEXT if needle in texts[needle]]
    for place in dict.fromkeys(places):
        for match in _find_matches(place, text, lower):
            start, end = match.span("value")
            value = match["value"].rstrip("." if place.judge == "chosen" else "@")
            if _JUDGES[place.judge](value):
                end = end if place.judge == "url" else start + len(value)
                yield SecretSpan(start, end, place.kind)


def _find_cookies(text: str) -> Iterator[SecretSpan]:
    for header in _COOKIE.finditer(text):
        for pair in _COOKIE_PAIR.finditer(text, *header.span("pairs")):
            if is_random(pair[1]):
                yield SecretSpan(*pair.span(1), "cookie")


def find_structured_secrets(text: str, lower: str, words: frozenset[str]) -> Iterator[SecretSpan]:
    """Find secrets by where they stand; `lower` is the text in lower case."""
    if "private key" in lower:
        yield from _find_key_blocks(text)
    if "cookie" in lower:
        yield from _find_cookies(text)
    yield from _find_in_contexts(text, lower, words)
    yield from _find_base64_runs(text)


def find_encoded_texts(text: str) -> Iterator[tuple[SecretSpan, str]]:
    """Yield runs of base64 that hold text, with that text: a settings file may be in there.

    The alphabet of addresses (`-` and `_`) counts, too, and is mostly written without padding.
    """
    for match in _ENCODED.finditer(text):
        letters = match[0].rstrip("=")
        try:
            padded = letters.translate(_TO_STANDARD) + "=" * (-len(letters) % 4)
            decoded = base64.b64decode(padded, validate=True).decode("ascii")
        except (binascii.Error, ValueError):
            continue
        if all(c.isprintable() or c in "\n\r\t" for c in decoded):
            yield SecretSpan(*match.span(), "base64"), decoded
