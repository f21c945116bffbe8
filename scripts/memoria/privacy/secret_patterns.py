r"""The table of key forms -> what searches for them.

The literal of a form is searched first (fast), and its pattern is tried only there. The trap: three
hundred searches a text would be slow, so the forms are kept by how they begin, and a text is asked
once how its words begin.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import NamedTuple

from memoria.privacy.secret_forms import FORMS, INNER_FORMS, PUBLIC
from memoria.text.lazy_patterns import lazy_pattern


class Token(NamedTuple):
    """One form: `literal` begins the key, `pattern` matches from there.

    `doubt` says how closely its characters are looked at: 0 not at all (nothing else has this
    form), 1 it must be no placeholder, 2 it must be random (words have this form as well).
    """

    kind: str
    literal: str
    pattern: re.Pattern[str]
    doubt: int


# Not in the middle of another word; a path or an assignment may stand before it.
_BEFORE = r"(?<![A-Za-z0-9])"
TOKENS = tuple(
    Token(
        kind.rstrip("!?"),
        literal,
        lazy_pattern(("" if literal[0] == "." else _BEFORE) + re.escape(literal) + rest),
        {"!": 0, "?": 2}.get(kind[-1], 1),
    )
    for kind, literals, rest in FORMS
    for literal in literals.split()
)


# Most texts hold no word that begins like a key; this finds how their words begin.
WORD_BEGINNING = lazy_pattern(r"(?<![A-Za-z0-9])(?=([A-Za-z0-9][\w.$/~-]{2}))")
_LENGTH = 3


def _by_beginning() -> dict[str, tuple[Token, ...]]:
    found: dict[str, tuple[Token, ...]] = {}
    for token in TOKENS:
        searched = len(token.literal) >= _LENGTH and token.literal[0].isalnum()
        beginning = token.literal[:_LENGTH] if searched else ""
        found[beginning] = (*found.get(beginning, ()), token)
    return found


# The tokens by the first three characters of their literal; "" has those that always are tried.
BY_BEGINNING = _by_beginning()
# Forms whose fixed part does not stand at the beginning: kind, a part that must occur, the pattern.
INNER = tuple((kind, part, lazy_pattern(pattern)) for kind, part, pattern in INNER_FORMS)


def is_public(value: str) -> bool:
    """Say whether a key is one of those that documentation prints, so nobody's secret."""
    return sha256(value.encode(errors="replace")).hexdigest()[:16] in PUBLIC
