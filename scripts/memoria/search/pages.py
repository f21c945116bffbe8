"""Make of notes that search found the pages that an engine is shown, together within a budget.

A page is shown whole while it fits; of one that does not, its head and the parts that share most
with the question. So what a question costs does not grow with the vault, nor with one long note.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from itertools import groupby

from memoria.search.index.passages import split_passages
from memoria.text.word_overlap import stems
from memoria.vault.article import Article, normalise_line, render_article
from memoria.vault.citations import with_days
from memoria.vault.schema import BEFORE

# bytes: with the instructions around them 12,000 tokens of 3 bytes, the least that one of Markdown
# with code has; by bytes and not by characters, since a character of Chinese is a token by itself
BUDGET = 34_000
# bytes: below that there is no room for more than a heading and a sentence of another page
_MIN_ROOM = 1_000
_GAP = "[…]"
# "We render with Chrome. (until 2026-04-01, then: we do not)", as compile/amend.py writes it
_UNTIL = re.compile(r"(.*) \(until (\d{4}-\d\d-\d\d)(?:, .*)?\)")


@dataclass(frozen=True, slots=True)
class Page:
    """A note as it is shown: `path` is what a link to it names (concepts/x, daily/2026-04-01).

    `kind` is the article's, "entry" for an entry of a log; `front` the frontmatter as it stands.
    `block` cites an entry within its log, "" for none. `remark` says what the reader has to know of
    all of it, "" for nothing.
    """

    path: str
    title: str
    kind: str
    front: str
    text: str
    block: str = ""
    remark: str = ""

    @property
    def link(self) -> str:
        """The target of a link to just this."""
        return f"{self.path}#{self.block}" if self.block else self.path


def build_article_page(article: Article) -> Page:
    """Make a page of an article: all of it, with the days of its lines in place of their links."""
    fences = len(article.opening) + len(article.front) + len(article.closing)
    body = with_days(render_article(article)[fences:]).strip()
    return Page(article.path, article.title, article.kind, article.front.strip(), body)


def find_replaced_lines(articles: Iterable[Article]) -> dict[str, str]:
    """Give the lines that stand under Before the Change, without marks, with the day till when."""
    lines = (line for article in articles for line in article.section(BEFORE).splitlines())
    matches = map(_UNTIL.fullmatch, map(normalise_line, lines))
    return {match[1]: match[2] for match in matches if match}


def mark_replaced_lines(page: Page, days: Mapping[str, str]) -> Page:
    """Say behind the lines of an entry which something later replaced, and when."""
    lines = page.text.split("\n") if days else []
    for place, line in enumerate(lines):
        if day := days.get(normalise_line(line)):
            lines[place] = f"{line} (until {day})"
    return replace(page, text="\n".join(lines)) if days else page


def build_entry_page(day: date, title: str, text: str, link: str = "") -> Page:
    """Make a page of an entry, which `link` cites; its path is that of its log."""
    block = link.partition("#")[2]
    return Page(f"daily/{day}", title, "entry", "", with_days(text).strip(), block)


def build_colleague_page(author: str, title: str, text: str, link: str) -> Page:
    """Make a page of an entry that a colleague shared, marked as theirs."""
    path, _, block = link.partition("#")
    return Page(path, f"reported by {author}, a colleague: {title}", "entry", "", text, block)


def render_pages(pages: Iterable[Page]) -> str:
    """Give the text of pages, each headed by its link."""
    return "\n\n".join(map(_render_page, pages))


def _render_page(page: Page) -> str:
    kind = f"{page.kind}: {page.title}" if page.kind == "entry" else page.kind
    kind += f", {page.remark}" if page.remark else ""
    return "\n".join(part for part in (f"[[{page.link}]] ({kind})", page.front, page.text) if part)


def count_bytes(page: Page) -> int:
    """Give the bytes that a page takes up, with its heading and the line to the next."""
    return len(_render_page(page).encode("utf-8", "replace")) + len("\n\n")


def fit_pages(pages: Iterable[Page], question: str, budget: int = BUDGET) -> tuple[Page, ...]:
    """Take pages in their order while there is room; those that do not fit are cut."""
    question_stems = stems(question)
    fitted: list[Page] = []
    room_left = budget
    for page in pages:
        if room_left < _MIN_ROOM:
            break
        # one long note is not to take the place of all others
        room = room_left if room_left <= budget // 3 else room_left // 2
        fitting = page if count_bytes(page) <= room_left else _clip_page(page, question_stems, room)
        if fitting:
            fitted.append(fitting)
            room_left -= count_bytes(fitting)
    return tuple(fitted)


def _clip_page(page: Page, question_stems: frozenset[str], room: int) -> Page | None:
    """Keep the head and the best parts of a page, in their order; None where not even one fits."""
    parts = split_passages(page.text)
    shared = [len(question_stems & stems(part)) for part in parts]
    ranked_places = sorted(range(len(parts)), key=lambda place: (place > 0, -shared[place], place))
    room_left = room - count_bytes(replace(page, front="", text=_GAP))
    kept_places: set[int] = set()
    for place in ranked_places:
        need = len(f"{parts[place]}\n{_GAP}\n".encode("utf-8", "replace"))
        if need <= room_left:
            kept_places.add(place)
            room_left -= need
    lines: list[str] = []
    for is_kept, places in groupby(range(len(parts)), kept_places.__contains__):
        lines += [parts[place] for place in places] if is_kept else [_GAP]
    return replace(page, front="", text="\n".join(lines)) if kept_places else None
