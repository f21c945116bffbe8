"""Take out of a text what a reader cannot see, and find letters that pass for others.

Terminal codes and invisible characters hide text from people and from search, and split a key so
that no scanner finds it. What scripts need stays: the joiners inside emoji, Arabic and Indic words,
the emoji selector, the tag sequences of three flags. "Invisible" is no category of Unicode, so the
list is written out.
"""

from memoria.text.lazy_patterns import lazy_pattern

# CSI, OSC (ended by BEL or ST; an unended one is cut at the line), other two-character sequences.
ANSI = lazy_pattern(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?"
    r"|\x1b[ -/]*[0-Z\\-~]"
)
_NEWLINE = lazy_pattern("\r\n?|[\u2028\u2029]")
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
_HIDDEN = lazy_pattern(
    "(?P<kept>\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"
    f"|(?:(?<=[{_EMOJI}])|(?<=[{_EMOJI}]\ufe0f))\u200d(?=[{_EMOJI}])"
    f"|(?<=[{_JOINING}])[\u200c\u200d](?=[{_JOINING}])"
    f"|(?<=[{_EMOJI}])\ufe0f|(?<=[0-9#*])\ufe0f(?=\u20e3))"
    f"|[{HIDDEN}]"
)
_HIDDEN_RUN = lazy_pattern("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\U000e0000-\U000e0fff]{4}")
_ANY_HIDDEN = lazy_pattern(f"[{HIDDEN}\u2028\u2029]")


def lowercase(text: str) -> str:
    """Give a text in lower case, each letter in its place: one alone would become two."""
    return text.replace("\u0130", "i").lower()


def strip_ansi(text: str) -> str:
    """Delete terminal escape sequences."""
    return ANSI.sub("", text) if "\x1b" in text or "\x9b" in text else text


def strip_hidden(text: str) -> str:
    r"""Delete terminal codes and invisible characters; line ends become "\n". Idempotent."""
    if not _ANY_HIDDEN.search(text):
        return text
    visible_text = _NEWLINE.sub("\n", strip_ansi(text))
    return _HIDDEN.sub(lambda match: match["kept"] or "", visible_text)


# -- Letters that pass for others -----------------------------------------------------------------

# of Cyrillic, Greek, Armenian, Cherokee and the letter-like signs: what looks like a Latin letter
_LOOKALIKE = (
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u051b\u051d\u04bb\u04cf\u0475"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0423\u0406\u0408\u0405\u0500\u050c"
    "\u03bf\u03bd\u03c1\u03b9\u03ba\u03c5\u03c7\u03b1\u03f2\u03f3"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
    "\u0561\u0570\u0575\u0578\u057d\u0581\u0585\u0566\u0563\u13a0-\u13f4\uab70-\uabbf"
    "\u0251\u0261\u026a\u0280\u028f\u1d00-\u1d22\u2c9e\u2c9f\u2ca2\u2ca3"
)
# letters for formulas and enclosed ones: no word is written with them
_STYLED = "\U0001d400-\U0001d7cb\u24b6-\u24e9\U0001f130-\U0001f189\u2100-\u214f"
_LATIN = "A-Za-z\u00c0-\u024f"
# so many letters of a word at most between the two scripts: without a bound it is quadratic
_TWO_SCRIPTS = lazy_pattern(
    f"[{_LATIN}]\\w{{0,24}}[{_LOOKALIKE}]|[{_LOOKALIKE}]\\w{{0,24}}[{_LATIN}]"
)
_STYLED_WORD = lazy_pattern(f"[{_STYLED}]{{2}}|[{_STYLED}][{_LATIN}]|[{_LATIN}][{_STYLED}]")
_CYRILLIC = lazy_pattern("[\u0400-\u052f]+")
_LOOKALIKE_WORD = lazy_pattern(f"[{_LOOKALIKE}]{{2,}}")
_HEAP_OF_MARKS = lazy_pattern("[\u0300-\u036f\u0483-\u0489\u20d0-\u20ff]{3}")


def has_hidden_run(text: str) -> bool:
    """Say whether a text holds a run of invisible characters: terminal codes are none."""
    return bool(_HIDDEN_RUN.search(strip_ansi(text)))


def is_disguised(text: str) -> bool:
    r"""Say whether a text hides something or passes for another one.

    By invisible characters, a word of two scripts that look alike, foreign words all of whose
    letters look Latin, letters of formulas, or heaps of marks; a unit such as \u00b5s is none.
    """
    if text.isascii():
        return strip_hidden(text) != text
    if strip_hidden(text) != text or _STYLED_WORD.search(text) or _HEAP_OF_MARKS.search(text):
        return True
    if _TWO_SCRIPTS.search(text):
        return True
    foreign_words = _CYRILLIC.findall(text)
    return bool(foreign_words) and all(map(_LOOKALIKE_WORD.fullmatch, foreign_words))
