r"""Text -> secrets that are known by where they stand: key blocks, URLs, headers, tokens.

The value itself may be any word (a password in a URL), so the place has to be sure. The trap: keys
are pasted with their ends cut off, so a block without its first or last line, and lines of base64
alone, count as well; certificates, public keys, signatures and images look the same and do not.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import TYPE_CHECKING

from memoria.stages.secret_command import commanded
from memoria.stages.secret_name import Hit
from memoria.stages.secret_value import is_placeholder, is_random

if TYPE_CHECKING:
    from collections.abc import Iterator

_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
# A line of a block's body: base64, its checksum, a header, or empty; as it is quoted in code.
_LINE = re.compile(
    r"[ \t>|+\"'-]{0,12}"
    r"(?:[A-Za-z0-9+/]{16,80}={0,2}|=[A-Za-z0-9+/]{4}|[A-Z][A-Za-z-]{2,20}: [^\n]{1,80})?"
    r"[\"',+\\ \t]{0,4}\n"
)
# The last line may be short; then only its padding tells it from a word.
_LAST = r"(?:[A-Za-z0-9+/]{16,80}={0,2}|[A-Za-z0-9+/]{2,15}={1,2})"
_LAST_LINE = re.compile(rf"[ \t>|+\"'-]{{0,12}}{_LAST}")
# Before the END line it is certain what it is.
_LINE_BEFORE_END = re.compile(r"[ \t>|+\"'-]{0,12}[A-Za-z0-9+/]{1,80}={0,2}[\"',+\\ \t]{0,4}\n")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{16}")
# Not shorter: `anything` between the lines is an example, and a key has hundreds of characters.
_LEAST_BODY = 12
_LONGEST_BLOCK = 20_000
_RUN = re.compile(
    rf"(?:^[ \t]{{0,12}}[A-Za-z0-9+/]{{60,76}}\n){{3,500}}(?:[ \t]{{0,12}}{_LAST}$)?",
    re.MULTILINE,
)
_OTHER_BLOCK = re.compile(
    r"-----BEGIN (?!.*PRIVATE)[^\n]*-----(?:(?!-----END)[\s\S]){0,400}\Z"
    r"|data:[\w/+.-]+;base64,\s*\Z"
)
# What base64 of an image, an archive, a certificate or a font begins with.
_MAGIC = ("iVBOR", "/9j/", "R0lGOD", "UklGR", "PHN2Zy", "JVBER", "UEsDB", "H4sIA", "d09GM", "AAAB")

_LEAST_IN_URL = 3  # `user:xx@` is an example
_CREDENTIALS = re.compile(r"://([^\s:/@\"'<>]{0,80}):([^\s\"'<>/]{1,200})@(?=[\w.\[-])")
_URL_TOKEN = re.compile(r"://([^\s:/@\"'<>]{20,200})@(?=[\w.-])")
_AUTHORIZATION = re.compile(
    r"authorization[\"']?\s{0,3}[:=,]\s{0,3}[\"']?(?P<scheme>[a-z]{3,12}\s{1,3})?(?P<value>[\w+/=.~:%-]{6,4000})",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"\b(?:bearer|basic)\s{1,3}(?P<value>[\w+/=.~-]{16,4000})", re.IGNORECASE)
_COOKIE = re.compile(
    r"cookie[\"']?\s{0,2}[:=]\s{0,2}[\"']?(?P<pairs>[^\n\"']{8,4000})", re.IGNORECASE
)
_PAIR = re.compile(r"(?<![\w.-])[\w.-]{1,60}=([^;\s\"']{16,2000})")
_JWT = re.compile(r"(?<![\w.-])(eyJ[\w-]{10,}={0,2})\.(eyJ[\w-]{6,})(?:\.[\w-]{0,2000})?")
_JWT_IN_BASE64 = re.compile(r"(?<![A-Za-z0-9+/])ZXlK[A-Za-z0-9+/_-]{80,}={0,2}")
_MANIFEST = re.compile(r"kind:\s*Secret\b")
_DATA = re.compile(r"^(?:string)?[dD]ata:\s*\n((?:[ \t]+\S[^\n]*\n?)+)", re.MULTILINE)
_ENTRY = re.compile(
    r"^[ \t]{1,40}[\w.-]{1,253}:[ \t]{0,9}[\"']?([A-Za-z0-9+/]{8,}={0,2})[\"']?[ \t]*$",
    re.MULTILINE,
)
_SIGNATURE = re.compile(
    r"[?&](?:sig|X-Amz-Signature|X-Goog-Signature|X-Amz-Security-Token)=([\w%+/=.~-]{30,2000})"
)
_ENCODED = re.compile(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/]{40,8000}={0,2}(?![A-Za-z0-9+/_-])")


def _body_end(text: str, at: int) -> int:
    """Go forward over the lines of a block's body."""
    first = re.compile(r"[ \t\"',+\\]{0,12}\n").match(text, at)
    if first is None:
        return at
    at = first.end()
    while (line := _LINE.match(text, at)) and line.end() - at < _LONGEST_BLOCK:
        at = line.end()
    last = _LAST_LINE.match(text, at)
    return last.end() if last else at


def _body_start(text: str, at: int) -> int:
    """Go back over the lines of a block's body."""
    floor, form = max(0, at - _LONGEST_BLOCK), _LINE_BEFORE_END
    while at > floor:
        begin = text.rfind("\n", floor, at - 1) + 1
        if not form.fullmatch(text, begin, at):
            break
        at, form = begin, _LINE
    return at


def _blocks(text: str) -> Iterator[Hit]:
    """Private key blocks, also without their last or their first line."""
    for head in _BEGIN.finditer(text):
        end = _END.search(text, head.end(), head.end() + _LONGEST_BLOCK)
        inside = text[head.end() : end.start()] if end else ""
        if end and "-----BEGIN" not in inside:
            if len(inside.strip()) >= _LEAST_BODY:
                yield Hit(head.start(), end.end(), "private-key")
        elif _BASE64.search(text, head.end(), stop := _body_end(text, head.end())):
            yield Hit(head.start(), stop, "private-key")
    for end in _END.finditer(text):
        begin = _body_start(text, end.start())
        if _BASE64.search(text, begin, end.start()):
            yield Hit(begin, end.end(), "private-key")


def _runs(text: str) -> Iterator[Hit]:
    """Three lines of base64 and more: the middle of a key block."""
    for run in _RUN.finditer(text):
        first = run[0].strip()
        varied = all(
            re.search(r"[a-z]", line) and re.search(r"[A-Z]", line) and re.search(r"[0-9]", line)
            for line in first.split("\n")[:3]
        )
        other = _OTHER_BLOCK.search(text, max(0, run.start() - 500), run.start())
        if varied and not first.startswith(_MAGIC) and not other:
            yield Hit(run.start(), run.end(), "base64-block")


def _urls(text: str) -> Iterator[Hit]:
    for match in _CREDENTIALS.finditer(text):
        value = match[2].rstrip("@")
        # The greedy match goes to the last @, for a password may hold one.
        if len(value) >= _LEAST_IN_URL and not is_placeholder(value):
            yield Hit(*match.span(2), "url-password")
    for match in _URL_TOKEN.finditer(text):
        if is_random(match[1], 20):
            yield Hit(*match.span(1), "url-token")


def _is_basic(value: str) -> bool:
    try:
        return b":" in base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return False


def _headers(text: str) -> Iterator[Hit]:
    for match in _AUTHORIZATION.finditer(text):
        value, scheme = match["value"], (match["scheme"] or "").strip().lower()
        basic = scheme == "basic" and _is_basic(value)
        if basic or is_random(value, 12 if scheme else 16):
            yield Hit(*match.span("value"), "authorization")
    for match in _SCHEME.finditer(text):
        if is_random(match["value"], 20):
            yield Hit(*match.span("value"), "authorization")


def _cookies(text: str) -> Iterator[Hit]:
    for header in _COOKIE.finditer(text):
        for pair in _PAIR.finditer(text, *header.span("pairs")):
            if is_random(pair[1]):
                yield Hit(*pair.span(1), "cookie")


def _is_header(encoded: str) -> bool:
    try:
        padded = encoded.rstrip("=") + "=" * (-len(encoded.rstrip("=")) % 4)
        return "alg" in json.loads(base64.urlsafe_b64decode(padded))
    except (ValueError, TypeError):
        return False


def _jwts(text: str) -> Iterator[Hit]:
    for match in _JWT.finditer(text):
        if _is_header(match[1]):
            yield Hit(*match.span(), "jwt")
    for match in _JWT_IN_BASE64.finditer(text):
        yield Hit(*match.span(), "jwt")


def _manifests(text: str) -> Iterator[Hit]:
    """The values of a Kubernetes secret, whatever their names."""
    for manifest in _MANIFEST.finditer(text):
        following = text.find("\nkind:", manifest.end())
        stop = manifest.end() + _LONGEST_BLOCK if following < 0 else following
        for data in _DATA.finditer(text, manifest.end(), stop):
            for entry in _ENTRY.finditer(text, *data.span(1)):
                yield Hit(*entry.span(1), "kubernetes-secret")


def _signatures(text: str) -> Iterator[Hit]:
    for match in _SIGNATURE.finditer(text):
        if not is_placeholder(match[1]):
            yield Hit(*match.span(1), "signature")


# Each search with the texts (lower case) of which one must occur for it to be worth while.
_SEARCHES = (
    (_blocks, ("private key",)),
    (_urls, ("://",)),
    (_headers, ("authorization", "bearer ", "basic ")),
    (_cookies, ("cookie",)),
    (_jwts, ("eyj", "zxlk")),
    (_manifests, ("kind: secret",)),
    (_signatures, ("sig=", "signature=", "security-token=")),
)


def structured(text: str) -> Iterator[Hit]:
    """Find secrets by where they stand."""
    lower = text.lower()
    for search, needles in _SEARCHES:
        if any(needle in lower for needle in needles):
            yield from search(text)
    yield from commanded(text, lower)
    yield from _runs(text)


def encoded(text: str) -> Iterator[tuple[Hit, str]]:
    """Yield runs of base64 that hold text, with that text: a settings file may be in there."""
    for match in _ENCODED.finditer(text):
        try:
            plain = base64.b64decode(match[0], validate=True).decode("ascii")
        except (binascii.Error, ValueError):
            continue
        if all(c.isprintable() or c in "\n\r\t" for c in plain):
            yield Hit(*match.span(), "base64"), plain
