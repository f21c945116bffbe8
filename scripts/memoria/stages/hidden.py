r"""Text -> the same text without what a reader cannot see.

Terminal codes and invisible characters hide text from people and from search, and split a key so
that no scanner finds it. What scripts need stays: the joiners inside emoji, Arabic and Indic words,
the emoji selector, the tag sequences of three flags. The trap: "invisible" is no category of
Unicode; fillers are letters, selectors are marks, so the list below is written out.
"""

from __future__ import annotations

import re

# CSI, OSC (ended by BEL or ST; an unended one is cut at the line), other two-character sequences.
ANSI = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?"
    r"|\x1b[ -/]*[0-Z\\-~]"
)
_NEWLINE = re.compile("\r\n?|[\u2028\u2029]")
_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u27bf\u2934\u2935"
    "\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
# Arabic, Syriac and their relatives; the Indic scripts from Devanagari to Sinhala.
_JOINING = "\u0600-\u08ff\u0900-\u0dff\ufb50-\ufdcf\ufe70-\ufefc"
HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls but tab and newline
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, joiner, fillers
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"  # zero width, bidi
    "\ud800-\udfff\ufdd0-\ufdef\ufff0-\ufffb\ufffe\uffff"  # lone surrogates, non-characters
    "\ue000-\uf8ff\U000f0000-\U0010ffff"  # private use
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # format controls of shorthand and of music
    "\U000e0000-\U000e0fff"  # tags, variation selectors
)
_HIDDEN = re.compile(
    "(?P<kept>\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"
    f"|(?:(?<=[{_EMOJI}])|(?<=[{_EMOJI}]\ufe0f))\u200d(?=[{_EMOJI}])"
    f"|(?<=[{_JOINING}])[\u200c\u200d](?=[{_JOINING}])"
    f"|(?<=[{_EMOJI}])\ufe0f|(?<=[0-9#*])\ufe0f(?=\u20e3))"
    f"|[{HIDDEN}]"
)
_ANY = re.compile(f"[{HIDDEN}\u2028\u2029]")


def strip_ansi(text: str) -> str:
    """Delete terminal escape sequences."""
    return ANSI.sub("", text) if "\x1b" in text or "\x9b" in text else text


def strip_hidden(text: str) -> str:
    r"""Delete terminal codes and invisible characters; line ends become "\n". Idempotent."""
    if not _ANY.search(text):
        return text
    plain = _NEWLINE.sub("\n", strip_ansi(text))
    return _HIDDEN.sub(lambda match: match["kept"] or "", plain)
