"""Entries and articles -> what of them a hook may say: reports, and nothing that orders.

A session is told rules and reports. Rules have their own way (the user's words, an approval of this
machine); of all else only lines are told that order nothing and do not come from a page, a file, a
tool or a paste. An entry's line may order in words that the user said on this machine (its request,
mostly): those stand in the extract beside it, which no pull brings. What is left out stays in its
note, where search and query find it. The trap: a name is said as well, in a title and in a path.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memoria.stages.article import summary as first_sentence
from memoria.stages.behest import can_title, orders
from memoria.stages.markup import next_fence
from memoria.stages.origin import is_marked, parted
from memoria.stages.passage import of_article

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from memoria.stages.article import Article
    from memoria.stages.entry import Entry

# what a session needs of an earlier one: its title and the lines that save an hour
_LINES, _LEFT = 4, 2
_ARROW = " -> "
# words outside of code: "added `x`" tells nothing without the question
_ENOUGH = 5
_CODE, _WORD = re.compile(r"`[^`\n]*`"), re.compile(r"[^\W\d_]{2,}")
_LIST = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")
# a sentence ends before a capital, a digit, a quote or a mark; not behind "e.g."
_END = re.compile(r"(?<=[.!?\u3002\uff01\uff1f])(?<!e\.g\.)(?<!i\.e\.)\s+(?=[^a-z\s])")


def entry(found: Entry, own: Container[str] = ()) -> str:
    """Give the lines of an entry for a later session; `own` are those in the user's words."""

    def told(lines: Iterable[str]) -> Iterator[str]:
        return filter(None, (_told(line, own) for line in lines))

    draft = found.draft
    said = [*told((*draft.lessons, *draft.decisions, *draft.exchanges))][:_LINES]
    left = [f"left open: {line}" for line in told(draft.actions)][:_LEFT]
    named = not is_marked(draft.title) and (draft.title in own or can_title(draft.title))
    title = draft.title if named else ""
    if not (title or said or left):
        return ""
    head = f"### {found.day} {found.at:%H:%M} {title}".rstrip()
    return "\n".join([head, *(f"- {line}" for line in [*said, *left])])


def is_named(article: Article) -> bool:
    """Whether an article's title and path may be said."""
    path = article.path.rpartition("/")[2]
    title = article.title.removeprefix("Q: ")
    if is_marked(title) or not can_title(title):
        return False
    # "go-git" is a name as it stands, and an order only when it is cut into words
    return path == title.casefold() or can_title(path.replace("-", " "))


def summary(article: Article) -> str:
    """Give the first sentence of an article's lead, "" where it may not be said."""
    lead = article.lead.strip()
    found = first_sentence(article)
    return "" if is_marked(lead) or is_marked(found) or orders(found) else found


def body(article: Article, headings: Container[str] = (), own: Container[str] = ()) -> str:
    """Give the text of an article without its lead, as far as it may be said.

    `headings` are those that all articles of its kind have; `own` as for entries.
    """
    whole = of_article(article, headings).text
    text = whole.removeprefix(article.lead).strip("\n") or whole
    return "\n".join(filter(None, (_line(line, own) for line in _unfenced(text))))


def _unfenced(text: str) -> Iterator[str]:
    """Give the lines outside of code fences: Memoria writes none, and some programs run them."""
    fence = ""
    for line in text.splitlines():
        # one may begin in an item, too
        before, fence = fence, next_fence(fence, _LIST.sub("", line, count=1))
        if not (fence or before):
            yield line


def _line(line: str, own: Container[str]) -> str:
    if line.lstrip().startswith("#"):
        return line if can_title(line.strip("# ")) else ""
    mark = _LIST.match(line)
    start = mark.end() if mark else 0
    kept = _told(line[start:], own)
    return line[:start] + kept if kept else ""


def _told(line: str, own: Container[str]) -> str:
    """Give what of a line may be said: all of it, its sentences that report, or what came out."""
    who, rest = parted(line)[-1]
    if who:
        return ""
    if rest != line:  # others asked
        return _answer(rest)
    if line in own:
        return line
    kept = " ".join(_reports(line))
    asked, arrow, answer = line.partition(_ARROW)
    # an answer without what was asked has to say something by itself
    return kept if not arrow or kept.startswith(f"{asked}{_ARROW}") else _answer(answer)


def _answer(text: str) -> str:
    enough = len(_WORD.findall(_CODE.sub(" ", text))) >= _ENOUGH
    return " ".join(_reports(text)) if enough else ""


def _reports(text: str) -> Iterator[str]:
    """Give the sentences that order nothing; none where they do so only together."""
    parts = [part for part in _END.split(text) if not orders(part)]
    return iter(parts if not orders(" ".join(parts)) else ())
