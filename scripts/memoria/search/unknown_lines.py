"""Logs, articles and rules -> what of them waits for the person: lines this machine does not know.

A pull, a sync or a person's own editor brought them. They are found by search and said by no hook
until the person has seen and adopted them (`memoria trust`). The trap: a line that this machine
wrote and holds back is known; to ask about it again and again would teach to say yes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.capture.provenance import marks
from memoria.capture.provenance.marks import is_marked
from memoria.privacy.imperatives import orders
from memoria.rules.model import text_hash
from memoria.search import injectable as tellable
from memoria.text.unicode import disguised
from memoria.vault.trust.known_lines import words

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Iterator, Mapping

    from memoria.rules.model import Rule
    from memoria.vault.article import Article
    from memoria.vault.daily import Block


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A line of a note, or a rule, that waits: `path` is its file's, relative to the vault.

    `rule` is the id of a rule, "" for a line. `marked` says why it is to be looked at first, "" for
    no reason.
    """

    path: str
    text: str
    marked: str = ""
    rule: str = ""

    @property
    def key(self) -> str:
        """What adopts it: the hash of a rule's words, the key of a line."""
        return text_hash(self.text) if self.rule else marks.known_by(self.text)


def of_log(blocks: Iterable[Block], known: Container[str]) -> Iterator[Newcomer]:
    """Give the lines of a log's entries that this machine does not know."""
    for block in blocks:
        for line in marks.of_draft(block.entry.draft):
            yield from _line(f"daily/{block.entry.day}.md", line, known)


def of_article(
    article: Article, headings: Collection[str], known: Container[str]
) -> Iterator[Newcomer]:
    """Give the lines of an article that this machine does not know, its names among them."""
    for line in tellable.of_note(article, headings):
        yield from _line(f"knowledge/{article.path}.md", words(line), known)


def of_rules(rules: Iterable[Rule], approvals: Mapping[str, str]) -> Iterator[Newcomer]:
    """Give the rules that are in force by their notes and were approved on another machine."""
    for one in rules:
        in_force = one.status == "active" and not one.superseded_by
        if in_force and approvals.get(one.id) != text_hash(one.text):
            # a rule orders by its nature, so only what it hides is worth a mark
            marked = "disguised" if disguised(one.text) else ""
            yield Newcomer(f"knowledge/{one.path}.md", one.text, marked, one.id)


def _line(path: str, line: str, known: Container[str]) -> Iterator[Newcomer]:
    one = Newcomer(path, line, _marked(line))
    # what stands beneath a mark of others is never said, so nobody is asked about it
    if line.strip() and one.key not in known:
        yield one


def _marked(line: str) -> str:
    if disguised(line):
        return "disguised"
    if is_marked(line):
        return "of outside origin"
    return "like an order" if orders(line) else ""
