"""Read a buildlog's files: its entries become written entries, its decisions ids.

Nobody can tell who wrote a buildlog, an agent or a person. So every entry says `origin: buildlog`
and counts as others' words, and no rule of it is in force before it is approved here.
"""

from __future__ import annotations

import hashlib
import json
import re

from memoria.vault import frontmatter

_FRONT = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?\r?\n)??---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_OURS = re.compile(r"(?:origin|session)\s*:")
_SHA = 24  # hex digits: 96 bits, as a review's hash has


def mark(text: str) -> str:
    """Give the frontmatter line by which an entry made of this text is known again.

    The hash is blind to white space.
    """
    digest = hashlib.sha256(" ".join(text.split()).encode("utf-8", "replace")).hexdigest()
    return f"session: {digest[:_SHA]}"


def entry(text: str) -> str:
    """Give a buildlog's entry as one of this vault: the same text, with where it is from."""
    ours = f"origin: buildlog\n{mark(text)}\n"
    match = _FRONT.match(text)
    if match and _is_sound(match[1] or ""):
        known = [line for line in (match[1] or "").splitlines() if not _OURS.match(line)]
        front = "".join(f"{line}\n" for line in known)
        return f"---\n{front}{ours}---\n{text[match.end() :]}"
    return f"---\n{ours}---\n\n{text}"


def _is_sound(front: str) -> bool:
    """Whether the frontmatter can be read; what cannot stays a part of the text."""
    try:
        frontmatter.values(front)
    except ValueError:
        return False
    return True


def skill_ids(text: str) -> tuple[str, ...]:
    """Read the rule ids of a promoted.json or rejected.json; a file that is none holds no id."""
    try:
        value = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        return ()
    ids = value.get("skill_ids") if isinstance(value, dict) else None
    return tuple(str(one) for one in ids) if isinstance(ids, list) else ()
