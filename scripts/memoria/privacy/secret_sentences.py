r"""Text -> the secrets that a sentence names: "the password of x is y"; ten languages.

No grammar: a word for a secret, and after it within the sentence the first value that is no word of
a language. The trap: "the token is valid for 15 minutes" and "password reset" are what sentences
with these words mostly say, so a value needs digits or signs where a word has none.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from memoria.privacy.secret_names import Hit
from memoria.privacy.secret_values import is_chosen, is_password, is_random, is_technical
from memoria.privacy.secret_words import AS, KEYS, LINKS, PASSWORDS
from memoria.text.lazy_patterns import lazy_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

# Each way begins with a letter of its own, so that most of a text is passed over quickly.
_NOUN = lazy_pattern(rf"{'|'.join((*PASSWORDS, *KEYS))}")
_PASSWORD = lazy_pattern("|".join(PASSWORDS))
_FIRST_CJK = 0x3000
_FOLLOWS = " \t\n:,.;!?"
_CJK = "\u3000-\u30ff\u3400-\u9fff"
# the rest of the sentence; code ends it
_CLAUSE = lazy_pattern(r"(?:(?![.!?;]\s|!=|==|# )[^\n(){}\[\]<>|\\$\u3002\uff01\uff1f]){1,80}")
_PIECE = lazy_pattern(rf"[^\s\"'`,\xab\xbb\u201e\u201c\u201d\u2018\u2019{_CJK}]+")
_BEFORE = lazy_pattern(
    rf"(?i)(?<!\S)[\"'`\u201e\u201c]?(?P<value>[^\s\"'`]{{6,40}})[\"'`\u201c\u201d]?\s(?:{AS})\s(?:\w{{1,8}}\s){{0,2}}\Z"
)
_WORDS, _BACK = 9, 80  # so far from its name a value is looked for
_LEAST_KEY = 20
_NOUNS = 3  # of a clause; more are a text made against this


def _is_value(value: str, *, password: bool, linked: bool) -> bool:
    if is_technical(value):
        return False
    if not password:
        return linked and is_random(value, _LEAST_KEY)
    near = linked and is_password(value, quoted=False)
    return near or is_chosen(value) or (linked and is_random(value, _LEAST_KEY))


def _after(noun: re.Match[str], text: str, *, password: bool) -> Hit | None:
    clause = _CLAUSE.match(text, noun.end())
    if clause is None:
        return None
    linked = True
    for piece in islice(_PIECE.finditer(text, *clause.span()), _WORDS):
        value = piece[0].rstrip(".?;:")
        if value.isalpha() and len(value) < _LEAST_KEY:
            linked = piece[0] in LINKS or piece[0][-1] == ":"
            continue
        if _is_value(value, password=password, linked=linked):
            return Hit(
                piece.start(), piece.start() + len(value), "password" if password else "secret"
            )
        linked = piece[0] in LINKS or piece[0][-1] == ":"
    return None


def _is_word(noun: re.Match[str], lower: str) -> bool:
    """Say whether a noun stands by itself; Chinese and Japanese have no spaces."""
    start, end = noun.span()
    if ord(noun[0][0]) >= _FIRST_CJK:
        return True
    before, after = lower[start - 1 : start] if start else " ", lower[end : end + 1]
    return not ((before.isalnum() and ord(before) < _FIRST_CJK) or before in "_./-") and (
        not after or after in _FOLLOWS
    )


def said(text: str, lower: str) -> Iterator[Hit]:
    """Find what sentences call a password or a key; `lower` is the text in lower case."""
    done = clause_end = nouns = 0
    for noun in _NOUN.finditer(lower):
        if noun.start() >= clause_end:
            clause_end, nouns = noun.end() + _BACK, 0
        if noun.start() < done or nouns == _NOUNS or not _is_word(noun, lower):
            continue
        nouns += 1
        password = bool(_PASSWORD.fullmatch(noun[0]))
        hit = _after(noun, text, password=password)
        if hit is None and password:
            before = _BEFORE.search(text, max(0, noun.start() - _BACK), noun.start())
            if before and _is_value(before["value"], password=True, linked=True):
                hit = Hit(*before.span("value"), "password")
        if hit:
            done = hit.end
            yield hit
