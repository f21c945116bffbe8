"""Apply a checked patch: give the articles as they will be.

Linking is code: Sources, Related Concepts and the links back come from the patch and the articles,
never from the model, so they cannot drift. Lines are added, or moved below what was before where a
newer entry overrules them (compile/amend.py); what a person wrote into an article stays. A second
compile of the same day changes nothing.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from memoria.compile.amend import (
    find_statements,
    is_newer,
    is_overruled,
    keep_unsaid_sentences,
    list_removals,
    retire_line,
    says,
    split_line_sentences,
    without_overruled,
)
from memoria.compile.patch import (
    ArticleChange,
    Patch,
    PatchContext,
    RelatedArticle,
    RetiredLine,
    Section,
    change_path,
)
from memoria.text.markdown import find_wikilinks, make_inert, make_prose_inert
from memoria.vault.article import (
    Article,
    compose_article,
    render_article,
    strip_source_links,
    with_body,
    with_lead,
    with_lines,
    with_meta,
)
from memoria.vault.citations import Citation, cite, parse_citations
from memoria.vault.entry import Entry
from memoria.vault.schema import BEFORE, Kind

# a hub that everything points to would drown in links back; Obsidian lists the others itself
MAX_BACKLINKS = 12
_RELATED, _SOURCES = "Related Concepts", "Sources"


class AppliedChange(NamedTuple):
    """An article after a patch; `how` says for the log what happened to it."""

    article: Article
    how: Literal["created", "updated", "linked"]


def apply_patch(patch: Patch, context: PatchContext) -> tuple[AppliedChange, ...]:
    """Give the articles as they are after a checked patch, with links in both directions."""
    results: dict[str, AppliedChange] = {}
    paths = [change_path(change, context.schema) for change in patch.articles]
    days = {f"daily/{entry.day}" for entry in context.entries.values()}
    targets = _LinkTargets({*paths, *days}, context)
    seen: set[str] = set()
    for path, change in zip(paths, patch.articles, strict=True):
        old = results[path].article if path in results else context.articles.get(path)
        # what this very patch has written into an article is added to and not replaced
        is_owned = path not in seen and context.owned(path)
        seen.add(path)
        article = _apply_change(change, old, _Page(path, context, targets, is_owned))
        if article is not old:
            is_new = context.articles.get(path) is None
            results[path] = AppliedChange(article, "created" if is_new else "updated")
    for path, change in zip(paths, patch.articles, strict=True):
        _link_back(path, change, results, context)
    return tuple(results.values())


@dataclass(frozen=True, slots=True)
class _LinkTargets:
    """The notes that a wikilink in a text may point to."""

    new: set[str]
    context: PatchContext

    def __contains__(self, target: object) -> bool:
        return target in self.new or target in self.context.articles


class _Page(NamedTuple):
    """Where a change goes, and what may be done there."""

    path: str
    context: PatchContext
    targets: _LinkTargets
    owned: bool

    @property
    def kind(self) -> Kind:
        """The kind of article in that folder."""
        kind = self.context.schema.kind_of(self.path)
        assert kind is not None  # noqa: S101 - the path was built from a kind
        return kind


def _apply_change(change: ArticleChange, old: Article | None, page: _Page) -> Article:
    entries = [page.context.entries[name] for name in change.entries]
    if old is None:
        article = _create_article(change, entries, page)
    else:
        article = with_meta(old, _find_grown_keys(change, old, entries))
    order = page.kind.sections
    for removal in list_removals(change):
        article = retire_line(article, removal, page.context, order)
    last = max(entries, key=lambda entry: (entry.day, entry.at))
    for section in _join_sections(change.sections):
        prose = without_overruled(article, make_prose_inert(section.prose, page.targets), last)
        article = _with_section(article, replace(section, prose=prose), page)
    if old is not None and page.owned:
        lead = without_overruled(article, make_prose_inert(change.lead, page.targets), last)
        article = _with_new_lead(article, lead, last, page)
    if _RELATED in order:
        linked = {page.path, *find_wikilinks(article.section(_RELATED))}
        links = (link for link in _list_links(change) if link.target not in linked)
        lines = [_format_link(_add_missing_reason(link, change, page.context)) for link in links]
        article = with_lines(article, _RELATED, lines, order)
    if _SOURCES in order:
        article = _with_sources(article, entries, order)
    is_same = old is not None and render_article(article) == render_article(old)
    return old if old is not None and is_same else article


def _join_sections(sections: Iterable[Section]) -> Iterable[Section]:
    """Join those of the same heading, so that the second does not replace the first."""
    joined: dict[str, Section] = {}
    for section in sections:
        first = joined.get(section.heading, Section(section.heading))
        prose = "\n\n".join(text for text in (first.prose, section.prose) if text.strip())
        joined[section.heading] = Section(section.heading, prose, first.lines + section.lines)
    return joined.values()


def _with_new_lead(article: Article, lead: str, last: Entry, page: _Page) -> Article:
    """Replace the lead; sentences that nothing says any more move below what was before.

    Newer entries know better: a lead that they stand in is left alone.
    """
    if not lead or lead == article.lead.replace("\r\n", "\n"):
        return article
    bodies = (body for name, body in article.sections if name.strip() != BEFORE)
    texts = [lead, *(line for body in bodies for line in body.splitlines())]
    unsaid = {
        name: statement
        for name, statement in find_statements(article).items()
        if not statement.heading and not any(says(text, statement.text) for text in texts)
    }
    if not all(is_newer(last, statement, article, page.context) for statement in unsaid.values()):
        return article
    for name in unsaid:
        removal = RetiredLine(name, last.id, split_line_sentences(lead)[0], "the lead")
        article = retire_line(article, removal, page.context, page.kind.sections)
    # what has no id, such as a list, is in no place of its own
    old_lead = article.lead.replace("\r\n", "\n")
    return with_lead(article, keep_unsaid_sentences(old_lead, lead, texts))


def _list_links(change: ArticleChange) -> list[RelatedArticle]:
    """Give all links of a change, each target once: the related, then those that it connects."""
    links: dict[str, RelatedArticle] = {}
    for link in (*change.related, *map(RelatedArticle, change.connects)):
        links.setdefault(link.target, link)
    return list(links.values())


def _create_article(change: ArticleChange, entries: list[Entry], page: _Page) -> Article:
    days, keys = sorted({entry.day for entry in entries}), page.kind.keys
    lists, title = _build_lists(change, entries), make_inert(change.title)
    if not (change.connects or "connects" in keys):
        del lists["connects"]
    elif not change.aliases:
        del lists["aliases"]
    meta: dict[str, object] = {"title": title, **lists}
    if change.key:
        meta["key"] = change.key
    meta["created"], meta["updated"] = days[0], days[-1]
    # a key that only AGENTS.md knows of is there for the person to fill in
    meta |= {key: "" for key in keys if key not in meta}
    lead = make_prose_inert(change.lead, page.targets)
    return compose_article(page.path, change.kind, meta, title, lead)


def _find_grown_keys(
    change: ArticleChange, article: Article, entries: list[Entry]
) -> dict[str, object]:
    """Give the frontmatter keys of an article that have more to hold than they had."""
    grown: dict[str, object] = {
        key: list(dict.fromkeys([*article.names(key), *names]))
        for key, names in _build_lists(change, entries).items()
        if not {*names} <= {*article.names(key)}
    }
    last = max(entry.day for entry in entries)
    if str(article.meta.get("updated") or "") < last.isoformat():
        grown["updated"] = last
    return grown


def _build_lists(change: ArticleChange, entries: list[Entry]) -> dict[str, list[str]]:
    """Give the lists that a change holds for the frontmatter, each name once."""
    # Obsidian's grammar: letters, digits, -, _ and /, and not digits alone
    tags = (re.sub(r"[^\w/-]+", "-", name.strip().lower()).strip("-/") for name in change.tags)
    lists: dict[str, Iterable[str]] = {
        "connects": change.connects,
        "aliases": map(make_inert, change.aliases),
        "tags": (tag for tag in tags if not tag.isdigit()),
        "sources": (f"daily/{day}.md" for day in sorted({entry.day for entry in entries})),
        "projects": (entry.project for entry in entries),
    }
    return {key: list(dict.fromkeys(filter(None, names))) for key, names in lists.items()}


def _with_section(article: Article, section: Section, page: _Page) -> Article:
    article = _with_prose(article, section, page)
    lines = []
    for line in section.lines:
        text = make_inert(line.text, page.targets)
        entry = page.context.entries.get(line.entry)
        if text and entry and is_overruled(article, text, entry):
            continue
        if text and entry:
            # an engine may have named the source itself, or copied the day of a line
            sentence = strip_source_links(text).removesuffix(f" ({entry.day})")
            text = f"{sentence} ([[{cite(entry.day, entry.id).target}]])"
        lines += [text] if text else []
    return with_lines(article, section.heading, lines, page.kind.sections)


def _with_prose(article: Article, section: Section, page: _Page) -> Article:
    """Replace what new prose says again, in a file that is ours; else add it below."""
    prose = section.prose
    old = article.section(section.heading).replace("\r\n", "\n").strip("\n")
    if not prose or prose in old:
        return article
    parts = (old, prose)
    if page.owned:
        # what follows from the first item on is no prose
        lines = old.splitlines()
        first = next((at for at, line in enumerate(lines) if line.startswith("- ")), len(lines))
        items, old_prose = lines[first:], "\n".join(lines[:first]).strip("\n")
        parts = (keep_unsaid_sentences(old_prose, prose, items), "\n".join(items))
    text = "\n\n".join(filter(None, parts))
    return with_body(article, section.heading, text, page.kind.sections)


def _add_missing_reason(
    link: RelatedArticle, change: ArticleChange, context: PatchContext
) -> RelatedArticle:
    """Say what the end of a model's connection is called, where it gives no reason."""
    article = context.articles.get(link.target)
    return replace(link, why=article.title) if article and not (link.why or change.key) else link


def _format_link(link: RelatedArticle) -> str:
    # no links in the reason: what this note is linked to is told by its own lines
    why = make_inert(link.why)
    return f"[[{link.target}]] - {why}" if why else f"[[{link.target}]]"


def _with_sources(article: Article, entries: list[Entry], order: tuple[str, ...]) -> Article:
    """List the entries under Sources; those of a day that have no ids share its line."""
    cited_sources = set(parse_citations(article.section(_SOURCES)))
    titles: dict[Citation, dict[str, None]] = {}
    for entry in sorted(entries, key=lambda entry: (entry.day, entry.at, entry.id)):
        titles.setdefault(cite(entry.day, entry.id), {})[make_inert(entry.draft.title)] = None
    lines = [
        _format_link(RelatedArticle(source.target, "; ".join(filter(None, names))))
        for source, names in titles.items()
        if source not in cited_sources
    ]
    return with_lines(article, _SOURCES, lines, order)


def _link_back(
    path: str, change: ArticleChange, results: dict[str, AppliedChange], context: PatchContext
) -> None:
    for link in _list_links(change):
        target = link.target
        article = results[target].article if target in results else context.articles.get(target)
        kind = context.schema.kind_of(target)
        # a rule or a filed answer has no place for links
        if article is None or target == path or not kind or _RELATED not in kind.sections:
            continue
        linked = find_wikilinks(article.section(_RELATED))
        # what code ties by what both share holds both ways; a model's reason only in its own
        ends = change.connects if change.key and target in change.connects else ()
        reason = link.why.rstrip(".")
        why = f"{change.title} (its link to here: {reason})" if reason else change.title
        back = [*map(RelatedArticle, ends), RelatedArticle(path, link.why if change.key else why)]
        lines = [_format_link(link) for link in back if link.target not in {target, *linked}]
        if lines and len(linked) < MAX_BACKLINKS:
            how = results[target].how if target in results else "linked"
            article = with_lines(article, _RELATED, lines, kind.sections)
            results[target] = AppliedChange(article, how)
