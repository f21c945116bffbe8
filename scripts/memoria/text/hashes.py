"""Hash a text for a name or a mark: the same text has the same one on every machine."""

import hashlib

# hex digits, 48 bits: of a thousand texts in one file two share theirs once in 10^8 files
_HEX_DIGITS = 12


def hash_text(text: str, length: int = _HEX_DIGITS) -> str:
    """Give so many hex digits of a text's SHA-256; half of a character counts as "?"."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:length]
