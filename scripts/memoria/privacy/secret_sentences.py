"""Find the secrets that a sentence names: "the password of x is y"; ten languages.

The trap: "the token is valid for 15 minutes" is what sentences with these words mostly say, so a
value needs digits or signs where a word has none.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from memoria.privacy.secret_names import Hit
from memoria.privacy.secret_values import is_chosen, is_password, is_random, is_technical
from memoria.text.lazy_patterns import lazy_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

# The words that announce what a person chose: English, German, Dutch, Spanish, French, Italian,
# Portuguese, Russian, Chinese, Japanese. Endings stand as patterns; a text is in lower case.
PASSWORDS = (
    r"password(?:'s|s)?|passphrase|passcode|pw",
    r"passwort|kennwort|zugangscode",
    r"wachtwoord",
    r"contrase\xf1a|contrasena|contra|clave",
    r"mots? de passe|mdp",
    r"parola d'ordine|parola chiave",
    r"senha|palavra[- ]passe",
    r"\u043f\u0430\u0440\u043e\u043b(?:\u044c|\u044f|\u044e|\u0435\u043c|\u0435)",
    r"\u5bc6\u7801|\u5bc6\u78bc|\u53e3\u4ee4",
    r"\u30d1\u30b9\u30ef\u30fc\u30c9|\u6697\u8a3c\u756a\u53f7|\u5408\u8a00\u8449",
)
# What a machine made.
_KEYS = (
    r"secret[ -]key|access[ -]key|api[ -]key|private[ -]key|token|secret",
    r"schl\xfcssel|api-schl\xfcssel|zugangsschl\xfcssel|zugriffstoken|zugangstoken",
    r"clave secreta|clave api|token de acceso",
    r"cl\xe9 (?:d'|d\u2019)?api|cl\xe9 secr\xe8te|jeton",
    r"chiave(?: segreta| api)?",
    r"chave(?: secreta| de api)?|token de acesso",
    r"\u0442\u043e\u043a\u0435\u043d|\u043a\u043b\u044e\u0447",
    r"\u5bc6\u94a5|\u5bc6\u9470|\u4ee4\u724c",
    r"\u30c8\u30fc\u30af\u30f3|\u30ad\u30fc|\u79d8\u5bc6\u9375",
)
# After these the value comes next: is, reads, was, to.
_LINKS = frozenset(
    """: = - \u2014 \u2013 is was are be as to now need ist lautet war hei\xdft w\xe4re auf es sigue
    siendo ser\xe1 est c'est devient \xe8 \xe9 era a \xe0 para \u044d\u0442\u043e
    \u0442\u0430\u043a\u043e\u0439 \u043d\u0430""".split()  # noqa: SIM905 - a table of words
)
# "X as the password", "X is the password".
_AS = r"as|als|comme|como|come|is|ist|est|es|\xe8|\xe9"
# Each way begins with a letter of its own, so that most of a text is passed over quickly.
_NOUN = lazy_pattern(rf"{'|'.join((*PASSWORDS, *_KEYS))}")
_PASSWORD = lazy_pattern("|".join(PASSWORDS))
_FIRST_CJK = 0x3000
_FOLLOWS = " \t\n:,.;!?"
_CJK = "\u3000-\u30ff\u3400-\u9fff"
# the rest of the sentence; code ends it
_CLAUSE = lazy_pattern(r"(?:(?![.!?;]\s|!=|==|# )[^\n(){}\[\]<>|\\$\u3002\uff01\uff1f]){1,80}")
_PIECE = lazy_pattern(rf"[^\s\"'`,\xab\xbb\u201e\u201c\u201d\u2018\u2019{_CJK}]+")
_BEFORE = lazy_pattern(
    rf"(?i)(?<!\S)[\"'`\u201e\u201c]?(?P<value>[^\s\"'`]{{6,40}})[\"'`\u201c\u201d]?\s(?:{_AS})\s(?:\w{{1,8}}\s){{0,2}}\Z"
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
            linked = piece[0] in _LINKS or piece[0][-1] == ":"
            continue
        if _is_value(value, password=password, linked=linked):
            kind = "password" if password else "secret"
            return Hit(piece.start(), piece.start() + len(value), kind)
        linked = piece[0] in _LINKS or piece[0][-1] == ":"
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
