"""A line of a note -> its key: by what this machine knows a line again wherever it stands.

A hook says only lines whose key this machine's state holds: those that its own captures and
compiles wrote and found sayable, and those that the person adopted with `memoria trust`. The trap:
the same line stands as an item in a log, with a link to that log in an article, and ticked off; so
the key is made of its words without these, and of nothing else about where it stands.
"""

from __future__ import annotations

import hashlib
import re

from memoria.vault.article import unsourced

_ITEM = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(?:\[[ xX]\]\s+)?")
KEY = re.compile(r"[0-9a-f]{16}")


def words(line: str) -> str:
    """Take the list mark, the box and the link to its log off a line."""
    return " ".join(unsourced(_ITEM.sub("", line, count=1)).split())


def key(line: str) -> str:
    """Hash the words of a line."""
    return hashlib.sha256(words(line).encode("utf-8", "replace")).hexdigest()[:16]
