"""Shorten a text to its two ends, or for a person to one line.

The reader of transcripts and the failure hook ask here: an error is only found again if both
shorten it alike. Half a key is found by no redactor, so a text is cut between lines or words.
"""

# A line or a word is at most so long; of a longer one so much is left out as a key may have.
_MAX_BROKEN_CHARS = 1000


def shorten(text: str, bound: int) -> str:
    """Keep both ends of a text of more than `bound` characters; replace lone surrogates."""
    if len(text) > bound:
        half = bound // 2
        head, tail = _strip_broken_end(text[:half]), _strip_broken_end(text[-half:][::-1])[::-1]
        omitted = len(text) - len(head) - len(tail)
        text = f"{head}\n[... {omitted} characters left out ...]\n{tail}"
    if text.isascii():
        return text
    try:
        text.encode()  # twenty times faster than to search for what it refuses
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text


def clip_line(text: str, limit: int) -> str:
    """Give a text as one line of at most `limit` characters, cut at a word's end."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rsplit(" ", 1)[0] + "…"


def _strip_broken_end(text: str) -> str:
    """Leave out the last line, or two words, that a cut has broken; at most half of the text."""
    floor = max(len(text) - _MAX_BROKEN_CHARS, len(text) // 2)
    at = text.rfind("\n", floor)
    for border in (" ", ",", ";", '"'):
        if at < 0:
            at = text.rfind(border, floor, max(text.rfind(border, floor), 0))
    return text[: at + 1] if at >= 0 else text[:floor]
