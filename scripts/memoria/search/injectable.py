"""Say what of entries and articles a hook may say, and what waits until the person has seen it.

A session is told rules and reports. Rules have their own way (the user's words, an approval of this
machine); of all else only lines are told whose key this machine's state holds
(vault/trust/known_lines.py): it wrote them itself of what the user said and the assistant did, or
the person adopted them with `memoria trust`. What a page, a file, a tool or a paste said, and what
a pull, a sync or an editor brought, stays in its note, where search and query find it. A name is
said as well, in a title and in a path.
"""

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

from memoria.capture.provenance import marks
from memoria.privacy.imperatives import gives_orders
from memoria.rules.model import Approvals, Rule, as_approved, is_approved, text_hash
from memoria.search.index.passages import build_article_document
from memoria.text.markdown import make_inert, strip_code_blocks
from memoria.text.unicode import is_disguised
from memoria.vault.article import Article, summary
from memoria.vault.daily_log import Block
from memoria.vault.schema import SCHEMA_FILE, schema_key
from memoria.vault.trust.known_lines import line_key, strip_line_marks


def list_sayable_lines(article: Article, headings: Container[str] = ()) -> tuple[str, ...]:
    """Give the lines of an article that a hook could say: path, title, lead and body."""
    text = build_article_document(article, headings).text
    names = (article.path, article.title, *article.lead.splitlines())
    return tuple(line for line in (*names, *strip_code_blocks(text)) if line.strip())


def is_named(article: Article, keys: Container[str]) -> bool:
    """Whether an article's title and path may be said."""
    names = (" ".join(name.split()) for name in (article.path, article.title))
    return all(name and sayable_part(name, keys) == name for name in names)


def sayable_part(line: str, keys: Container[str]) -> str:
    """Give what of a line may be said, "" for nothing; `keys` are those of what may be.

    It is what the key was made of and no more: what a key leaves out anybody may have written.
    """
    part = marks.find_sayable_part(line)
    return strip_line_marks(part) if part and line_key(part) in keys else ""


def sayable_summary(article: Article, keys: Container[str]) -> str:
    """Give the first sentence of an article if it may be said, or all of its lead may be."""
    first, lead = summary(article), list(filter(str.strip, article.lead.splitlines()))
    is_lead_sayable = bool(lead) and all(sayable_part(line, keys) for line in lead)
    return strip_line_marks(first) if is_lead_sayable else sayable_part(first, keys)


@dataclass(frozen=True, slots=True)
class UnknownLine:
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
        if self.path == SCHEMA_FILE:
            return schema_key(self.text)
        return text_hash(self.text) if self.rule else marks.build_line_key(self.text)


def find_unknown_in_log(blocks: Iterable[Block], keys: Container[str]) -> Iterator[UnknownLine]:
    """Give the lines of a log's entries that this machine does not know."""
    for block in blocks:
        lines = marks.list_sayable_lines(block.entry.draft)
        yield from _find_unknown(f"daily/{block.entry.day}.md", lines, keys)


def find_unknown_in_article(
    article: Article, headings: Container[str], keys: Container[str]
) -> Iterator[UnknownLine]:
    """Give the lines of an article that this machine does not know, its names among them."""
    lines = map(strip_line_marks, list_sayable_lines(article, headings))
    yield from _find_unknown(f"knowledge/{article.path}.md", lines, keys)


def find_unknown_in_schema(lines: Iterable[str]) -> Iterator[UnknownLine]:
    """Give lines of the schema region, which a compile's model is given as instructions."""
    yield from _find_unknown(SCHEMA_FILE, lines, ())


def find_unknown_rules(rules: Iterable[Rule], approvals: Approvals) -> Iterator[UnknownLine]:
    """Give the rules that are in force by their notes and were approved elsewhere, or for less."""
    for rule in rules:
        in_force = rule.status == "active" and not rule.superseded_by
        is_known = is_approved(rule, approvals)
        is_wider = is_known and as_approved((rule,), approvals) != (rule,)
        if in_force and (is_wider or not is_known):
            # a rule orders by its nature, so only what it hides is worth a mark
            reason = "disguised" if is_disguised(rule.text) else _describe_scope(rule) * is_wider
            yield UnknownLine(f"knowledge/{rule.path}.md", rule.text, reason, rule.id)


def _describe_scope(rule: Rule) -> str:
    """Say where a rule would hold that was approved for less."""
    scope = make_inert(rule.scope[0]) if len(rule.scope) == 1 else "all projects"
    return f"changed since you approved it, now for {scope}{', pinned' * rule.pinned}"


def _find_unknown(path: str, lines: Iterable[str], keys: Container[str]) -> Iterator[UnknownLine]:
    """Give the lines that are not known; one that this machine wrote and holds back is."""
    for line in lines:
        reason = "disguised" if is_disguised(line) else "of outside origin" * marks.is_marked(line)
        unknown = UnknownLine(path, line, reason or "like an order" * bool(gives_orders(line)))
        if line.strip() and unknown.key not in keys:
            yield unknown
