"""Read and write the links by which a line names what it was taken from: an entry, or a day.

An entry that Memoria wrote carries its id as a block id, `[[daily/2026-04-01#^e-0f3a12bc34de]]`;
what a person wrote has none, so its lines link to the day.
"""

from datetime import date
from typing import NamedTuple

from memoria.text.lazy_patterns import lazy_pattern
from memoria.vault.article import strip_source_links

# "e-0f3a12bc34de", and as a block id "^e-0f3a12bc34de"
_ID = lazy_pattern(r"e-[0-9a-f]{12}")
_BLOCK = lazy_pattern(r"\^(e-[0-9a-f]{12})")
# "[[daily/2026-04-01#^e-0f3a12bc34de|that day]]": the note, what of it, and words shown instead
_LINK = lazy_pattern(
    r"\[\[(daily/[^\[\]|#\n]{1,200})(?:#([^\[\]|\n]{0,200}))?(?:\|[^\[\]\n]{0,200})?\]\]"
)
# the same to the log of a day, for its day: not "[[daily/2026-04-01-notes]]"
_DAY = lazy_pattern(r"\[\[daily/(\d{4}-\d{2}-\d{2})(?:\.md)?(?:[|#][^\[\]\n]*)?\]\]")
# "- ", "2) [x] "
_BULLET = lazy_pattern(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
# '- "Never force-push" (on 2026-04-01 (shop))': the words, and where they were said
_QUOTE = lazy_pattern(
    r'^\s*[-*+]?\s*"(?P<words>.*)"\s*\((?P<where>[^()]*(?:\([^()]*\))?[^()]*)\)\s*$'
)


class Citation(NamedTuple):
    """A link to a note under daily/: `entry` is the id of the entry that it names, "" for none."""

    note: str
    entry: str = ""

    @property
    def target(self) -> str:
        """The target of the link, as it stands between the brackets."""
        return f"{self.note}#^{self.entry}" if self.entry else self.note

    @property
    def day(self) -> date | None:
        """The day of the log; None for an entry that a person wrote in a file of its own."""
        try:
            return date.fromisoformat(self.note.removeprefix("daily/"))
        except ValueError:
            return None


class Quote(NamedTuple):
    """The words of a rule's evidence, the note that shows them, or `where` else they were said."""

    words: str
    citation: Citation | None
    where: str

    @property
    def link(self) -> str:
        """The note under daily/ that shows them, "" for none."""
        return self.citation.note if self.citation else ""


def block_line(entry_id: str) -> str:
    """Give the line that makes an entry's id the block id of its heading, "" for an id by hand."""
    return f"^{entry_id}" if _ID.fullmatch(entry_id) else ""


def parse_block_id(line: str) -> str:
    """Give the id of the entry that a line marks as a block, "" for any other line."""
    match = _BLOCK.fullmatch(line.strip())
    return match[1] if match else ""


def cite(day: date, entry_id: str) -> Citation:
    """Cite an entry by its block, or the log of its day if it has no block id."""
    return Citation(f"daily/{day}", entry_id if _ID.fullmatch(entry_id) else "")


def parse_citations(line: str) -> tuple[Citation, ...]:
    """Give the links of a line to notes under daily/, each once."""
    links = (
        Citation(match[1].strip().removesuffix(".md"), parse_block_id(match[2] or ""))
        for match in _LINK.finditer(line)
    )
    return tuple(dict.fromkeys(links))


def with_days(text: str) -> str:
    """Put the day in the place of each link to its log or to an entry of it."""
    return _DAY.sub(r"\1", text)


def strip_mark_and_sources(line: str) -> str:
    """Give the words of a line of a note, without its mark and its sources."""
    return strip_source_links(_BULLET.sub("", line, count=1)).strip()


def parse_quote(line: str) -> Quote:
    """Read a line of a rule's evidence; a line of another form is all words."""
    match = _QUOTE.match(line)
    citation = next(iter(parse_citations(line)), None)
    where = match["where"] if match and not citation else ""
    return Quote(match["words"] if match else strip_mark_and_sources(line), citation, where)
