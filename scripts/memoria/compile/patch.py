"""Check what an engine proposes: a patch of article and rule changes, never a file written.

No model has tools. It names kinds and slugs, code builds every path; it names entries as sources,
code checks that it was shown them. What is refused is kept with its reason, so that it can be asked
for once more and logged after that.
"""

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace

from memoria.compile.amend import refuse_removals
from memoria.compile.declined import build_declined, is_asked_again
from memoria.rules.model import MAX_RULE, MIN_RULE, PREFIX, Refusal
from memoria.text.markdown import find_wikilinks, make_prose_inert
from memoria.text.unicode import is_disguised
from memoria.vault.article import MADE, Article
from memoria.vault.entry import Category, Entry
from memoria.vault.file_names import SLUG
from memoria.vault.schema import GENERATED, RESERVED, Schema

# a day's log touches 3 to 10 articles; more than this is a model out of hand
MAX_ARTICLES = 40
MAX_TITLE = 120
# lines are read one by one, so one has to be short; prose is a few paragraphs
MAX_LINE, MAX_PROSE, MAX_LINES = 600, 6_000, 80
# aliases, tags, links: what is more is no name, and no list that a person reads
MAX_NAME, MAX_NAMES = 200, 200
# what links two things needs two
_LEAST_CONNECTED = 2


@dataclass(frozen=True, slots=True)
class PatchLine:
    """One self-contained statement and the entry that it comes from ("" = of no single entry).

    `replaces` is the id of the line of the article that it overrules, "" for none.
    """

    text: str
    entry: str = ""
    replaces: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A section of an article: prose first, then bullet lines; either may be empty.

    On an update, `lines` are added under what is there; `prose` replaces what it says again of the
    section's prose in an article that no person has edited, else it is added below it.
    """

    heading: str
    prose: str = ""
    lines: tuple[PatchLine, ...] = ()


@dataclass(frozen=True, slots=True)
class RelatedArticle:
    """A related article and how it connects."""

    target: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class RetiredLine:
    """A line of an article, by its id, that a newer entry says no longer holds.

    `by` is what replaces it, "" where nothing does, and `place` the section where that stands.
    """

    line: str
    entry: str
    by: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class ArticleChange:
    """Create an article, or add to it where it exists.

    `kind` is one that AGENTS.md declares (concept, connection, ...). `slug` is the file name
    without ending. `lead` is the two to four sentences under the title; "" on an update leaves the
    lead alone. `entries` are the ids of the entries that it draws on. `connects` is for
    connections: paths like "concepts/x". `key` is what the engine recognises the topic by in later
    compiles ("branch:fix-login", "term:shadow branch"); "" where it needs none. `retired` lines
    and those that others replace are moved to the section of what was before.
    """

    kind: str
    slug: str
    title: str
    lead: str
    sections: tuple[Section, ...]
    entries: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    related: tuple[RelatedArticle, ...] = ()
    connects: tuple[str, ...] = ()
    key: str = ""
    retired: tuple[RetiredLine, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleProposal:
    """A rule, the words that support it, and the entry in whose session they were said.

    `check` is the check that the engine proposes with it, as JSON, "" for none.
    """

    text: str
    category: Category
    quote: str
    entry: str
    check: str = ""


@dataclass(frozen=True, slots=True)
class Patch:
    """All that one compile of one day proposes."""

    articles: tuple[ArticleChange, ...] = ()
    rules: tuple[RuleProposal, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckedPatch:
    """What of a patch may be applied, and what was refused."""

    patch: Patch
    refused: tuple[Refusal, ...]


@dataclass(frozen=True, slots=True)
class PatchContext:
    """What a patch is checked and applied against.

    `entries` are those the engine was shown, by id. `articles` gives an article by its path and may
    load it when asked. `owned` says whether Memoria wrote the file as it stands: only then is prose
    replaced, else it is added below what the person wrote. `unreadable` are paths whose file
    is there but cannot be read; it is left untouched. `known` says of a line whether this machine
    wrote it; `revised` are entries that were compiled before and changed since.
    """

    schema: Schema
    entries: Mapping[str, Entry]
    articles: Mapping[str, Article]
    owned: Callable[[str], bool]
    unreadable: Container[str] = ()
    known: Callable[[str], bool] = lambda _: False
    revised: Container[str] = ()


def change_path(change: ArticleChange, schema: Schema) -> str:
    """Build the path of a checked change."""
    kind = schema.kind(change.kind)
    assert kind is not None  # noqa: S101 - check() refused unknown kinds
    return kind.path(change.slug)


def check_patch(patch: Patch, context: PatchContext) -> CheckedPatch:
    """Refuse what may not be written: bad slugs, unknown kinds and sources, dead links.

    Every other part of the patch stays; active content needs no refusal, as `apply` makes all text
    inert.
    """
    articles: list[ArticleChange] = []
    refused: list[Refusal] = []

    def is_bare(change: ArticleChange) -> bool:
        # it can only add to what another of the patch begins, and so comes behind it
        kind = context.schema.kind(change.kind)
        is_new = kind is not None and kind.path(change.slug) not in context.articles
        return is_new and not make_prose_inert(change.lead)

    for proposed in sorted(patch.articles[:MAX_ARTICLES], key=is_bare):
        paths = {change_path(article, context.schema) for article in articles}
        change = _move_unknown_sections(proposed, context.schema)
        if is_bare(change) and change_path(change, context.schema) not in paths:
            change = _add_missing_lead(change)
        if reason := _find_article_fault(change, context, paths):
            refused.append(_build_refusal(change, reason))
        else:
            change, faults = refuse_removals(change, change_path(change, context.schema), context)
            articles.append(change)
            refused += faults
    if len(patch.articles) > MAX_ARTICLES:
        refused.append(Refusal("articles", f"more than {MAX_ARTICLES} in one patch"))
    articles, faults = _remove_dead_links(articles, context)
    rules = []
    for rule in patch.rules:
        if reason := _find_rule_fault(rule, context):
            faults.append(build_declined(f"rule {rule.text!r}"[:120], reason, rule))
        else:
            rules.append(rule)
    return CheckedPatch(Patch(tuple(articles), tuple(rules)), (*refused, *faults))


def merge_answers(first: CheckedPatch, second: Patch, context: PatchContext) -> CheckedPatch:
    """Add to what was taken of a first answer what a second one mended; it holds only that."""
    names = {(change.kind, change.slug) for change in first.patch.articles}
    texts = {proposal.text for proposal in first.patch.rules}
    articles = (change for change in second.articles if (change.kind, change.slug) not in names)
    rules = (proposal for proposal in second.rules if proposal.text not in texts)
    both = Patch((*first.patch.articles, *articles), (*first.patch.rules, *rules))
    checked = check_patch(both, context)
    # dead links were taken out of the articles, so a second check does not find them
    links = [refusal for refusal in first.refused if not is_asked_again(refusal)]
    return replace(checked, refused=(*links, *checked.refused))


def _move_unknown_sections(change: ArticleChange, schema: Schema) -> ArticleChange:
    """Put sections of a heading that the kind does not have where its details go."""
    kind = schema.kind(change.kind)
    allowed = [name for name in kind.sections if name not in GENERATED] if kind else []
    details = next((name for name in ("Details", "Evidence", *allowed) if name in allowed), "")
    sections = tuple(
        section if section.heading in allowed or not details else replace(section, heading=details)
        for section in change.sections
    )
    return replace(change, sections=sections)


def _add_missing_lead(change: ArticleChange) -> ArticleChange:
    """Give a new article without a lead the first thing that it says; a connection needs none.

    With its title before it, so that it has another id than the sentence that it repeats.
    """
    if change.connects:
        return change
    lines = (line.text for section in change.sections for line in section.lines)
    texts = [*(section.prose for section in change.sections), *lines]
    first = next(filter(make_prose_inert, texts), "").split("\n")[0]
    return replace(change, lead=f"{change.title.strip()}: {first}" if first.strip() else "")


def _build_refusal(change: ArticleChange, reason: str) -> Refusal:
    return build_declined(f"{change.kind}/{change.slug}"[:120], reason, change)


def _remove_dead_links(
    articles: list[ArticleChange], context: PatchContext
) -> tuple[list[ArticleChange], list[Refusal]]:
    """Take out links to what is not there or was refused, and connections that lost their ends."""
    refused: list[Refusal] = []
    while True:
        paths = {change_path(change, context.schema) for change in articles}
        live = [_keep_live_links(change, paths, context) for change in articles]
        lone = _find_unconnected(live, context)
        if not lone:
            break
        # what links to one of these is looked at again
        refused += [_build_refusal(page, "it connects fewer than two articles") for page in lone]
        articles = [old for old, new in zip(articles, live, strict=True) if new not in lone]
    refused += [
        Refusal(f"link {target}"[:120], "no such article")
        for old, new in zip(articles, live, strict=True)
        for target in dict.fromkeys(_list_targets(old))
        if target not in _list_targets(new)
    ]
    return live, refused


def _find_unconnected(changes: list[ArticleChange], context: PatchContext) -> list[ArticleChange]:
    """Find the new connections that connect fewer than two other articles, all changes together."""
    ends: dict[str, set[str]] = {}
    for change in changes:
        kind, path = context.schema.kind(change.kind), change_path(change, context.schema)
        if kind and "connects" in kind.keys and path not in context.articles:
            ends.setdefault(path, set()).update({*change.connects} - {path})
    lone = {path for path, targets in ends.items() if len(targets) < _LEAST_CONNECTED}
    return [change for change in changes if change_path(change, context.schema) in lone]


def _list_targets(change: ArticleChange) -> list[str]:
    return [*(link.target for link in change.related), *change.connects]


def _keep_live_links(
    change: ArticleChange, paths: set[str], context: PatchContext
) -> ArticleChange:
    def lives(target: str) -> bool:
        # a person's file may have a name that no link can hold
        exists = target in paths or target in context.articles
        return exists and find_wikilinks(f"[[{target}]]") == (target,)

    related = tuple(link for link in change.related if lives(link.target))
    return replace(change, related=related, connects=tuple(filter(lives, change.connects)))


def _find_article_fault(change: ArticleChange, context: PatchContext, paths: Container[str]) -> str:
    """Say what of a change may not be, "" for nothing; the faults are looked for in their order."""
    kind = context.schema.kind(change.kind)
    if kind is None or not kind.proposed:
        return f"kind {change.kind!r} is not one that a compile may write"
    path = kind.path(change.slug)
    article, is_new = context.articles.get(path), path not in context.articles
    lines = [line for section in change.sections for line in section.lines]
    entries = [*change.entries, *filter(None, (line.entry for line in lines))]
    entries += [removal.entry for removal in change.retired]
    unknown = next((entry for entry in entries if entry not in context.entries), None)
    # a connection of the seeds has its text in its sections
    prose = next((section.prose for section in change.sections if section.prose.strip()), "")
    lead = change.lead or (prose if "connects" in kind.keys else "")
    faults = {
        "the slug must be lower-case letters, digits and hyphens, at most 80": (
            not SLUG.match(change.slug) or change.slug in RESERVED
        ),
        f"the title must have 1 to {MAX_TITLE} characters": (
            not change.title.strip() or len(change.title) > MAX_TITLE
        ),
        "Memoria writes this page anew from the logs": article is not None and MADE in article.meta,
        "its file cannot be read and is left as it is": (
            (not is_new and article is None) or path in context.unreadable
        ),
        f"unknown entry {unknown!r}": unknown is not None,
        "it names no entry as its source": not change.entries,
        f"the kind {kind.name!r} has no sections of its own": (
            change.sections and not set(kind.sections) - set(GENERATED)
        ),
        # what an earlier change of the patch makes is there, as it is when the patch comes again
        "a new article needs a lead": is_new and path not in paths and not make_prose_inert(lead),
    }
    return next((reason for reason, is_so in faults.items() if is_so), _find_size_fault(change))


def _find_size_fault(change: ArticleChange) -> str:
    texts = [change.lead, *(section.prose for section in change.sections)]
    lines = [line.text for section in change.sections for line in section.lines]
    reasons = [link.why for link in change.related]
    names = [*change.aliases, *change.tags, *_list_targets(change)]
    sizes = (
        (max(map(len, texts)), MAX_PROSE, f"a text is over {MAX_PROSE} characters"),
        (max(map(len, [*lines, *reasons, ""])), MAX_LINE, f"a line is over {MAX_LINE} characters"),
        (len(lines), MAX_LINES, f"over {MAX_LINES} lines"),
        (max(map(len, [*names, change.key])), MAX_NAME, f"a name is over {MAX_NAME} characters"),
        (len(names), MAX_NAMES, f"over {MAX_NAMES} names"),
    )
    return next((reason for size, limit, reason in sizes if size > limit), "")


def _find_rule_fault(proposal: RuleProposal, context: PatchContext) -> str:
    if proposal.entry not in context.entries:
        return f"unknown entry {proposal.entry!r}"
    if not MIN_RULE <= len(proposal.text.strip()) <= MAX_RULE:
        return f"a rule has {MIN_RULE} to {MAX_RULE} characters"
    if proposal.category not in PREFIX:
        return f"category {proposal.category!r} is not one of {', '.join(PREFIX)}"
    if is_disguised(proposal.text):
        return "it hides something, or mixes letters of two scripts in a word"
    return "" if proposal.quote.strip() else "it quotes nobody"
