"""Tell which words of what the user said are the user's own, and which are handed on.

A person quotes, pastes a letter, tells what a reviewer wrote; rules may rest on the person's own
words alone. The trap: only what is marked as others' can be told from one's own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.text.lazy_patterns import lazy_pattern

if TYPE_CHECKING:
    from memoria.agents.claude_code.user_words import Utterance

_COMMAND = 400  # characters: longer arguments of a slash command are a task's description
# said while refusing a call or in place of an offered answer: "no" alone is meant
_SHORT_COUNTS = frozenset({"refusal", "answer"})
# what the person who typed it hands on: a triple-quoted or quoted block
_BLOCK = lazy_pattern(r'"""[\s\S]*?("""|\Z)|^\s*>.*$', re.MULTILINE)
# a line after which others speak
_HANDS_ON = lazy_pattern(
    r"""\b(?:feedback|comments?|review(?:er)?s?|findings?|page|article|issue|ticket|messages?|errors?
    |outputs?|logs?|response|slack|e-?mail|docs?|prompt|transcript|copied|pasted|says?|said|wrote
    |reads?|reported|replied|quote|mailed|posted|blog|wiki|website|forum|thread|newsletter)\b
    [^.!?\n]{0,60}:[ \t]*$
    |^[^.!?\n]{0,80}\b(?:wrote|posted|mailed|replied|sent\ (?:me|us|this)|said\ this)[ \t]*$
    |^(?:From|Subject):[ \t]\S.*\n(?:(?:From|To|Cc|Date|Subject):.*\n){1,4}  # a letter
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_SAYS_ON = lazy_pattern(
    r"\b(?<!i )(?<!as i )(?:says?|said|wrote|reads|replied|complains)\s?:[ \t]+\S.*$",
    re.IGNORECASE | re.MULTILINE,
)
_SPEAKS = lazy_pattern(
    r"\b(?:says?|said|wrote|reads?|reported|replied|posted|mailed|sent|from|subject)\b",
    re.IGNORECASE,
)
_MEMORY = lazy_pattern(r"</?user-memory-input>")


def own_words(utterance: Utterance) -> str:
    """Give the words of an utterance that are the user's own, "" for none."""
    text = _typed(utterance)
    found = _HANDS_ON.search(text)
    return text[: found.start()] if found else text


def handing(utterance: Utterance) -> str:
    """Give the end of the line with which the user hands on others' words, "" for none."""
    found = _HANDS_ON.search(_typed(utterance))
    # who tells what others say may do so in the same line
    alone = found is not None and "\n" not in found[0] and not _SPEAKS.search(found[0])
    return found[0] if found and alone else ""


def _typed(utterance: Utterance) -> str:
    """Give an utterance without what is marked as others' in it."""
    said = utterance.ask
    if said.is_plan or said.pasted:
        return ""
    if said.trivial and utterance.how not in _SHORT_COUNTS:
        return ""
    text = said.text
    if said.is_command:
        text = text.partition(" ")[2]
        text = text if len(text) <= _COMMAND else ""
    return _SAYS_ON.sub("", _BLOCK.sub("", _MEMORY.sub("", text)))


def handed(utterance: Utterance) -> str:
    """Give what of an utterance is others' words by the line with which they are handed on."""
    found = _HANDS_ON.search(_typed(utterance))
    return _typed(utterance)[found.end() :].strip() if found else ""
