"""A checked Patch and the articles as they are -> the articles as they will be.

Linking is code: Sources, Related Concepts and the links back come from the patch and the articles,
never from the model, so they cannot drift. Lines are only ever added, and prose is replaced only in
a file that still is as Memoria wrote it: what a person wrote into an article stays. The trap is the
second compile of the same day, which must change nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from memoria.compile.patch import (
    ArticleChange,
    Context,
    Link,
    Patch,
    Retired,
    Section,
    change_path,
)
from memoria.compile.shelf import BEFORE
from memoria.text.markdown import inert, inert_prose, wikilinks
from memoria.vault.article import (
    Article,
    bare,
    compose,
    render,
    unsourced,
    with_body,
    with_lead,
    with_lines,
    with_meta,
)
from memoria.vault.citations import citations, cite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from memoria.vault.citations import Citation
    from memoria.vault.entry import Entry
    from memoria.vault.schema import Kind

# a hub that everything points to would drown in links back; Obsidian lists the others itself
MAX_BACKLINKS = 12


@dataclass(frozen=True, slots=True)
class Applied:
    """An article after a patch; `how` says for the log what happened to it."""

    article: Article
    how: Literal["created", "updated", "linked"]


def apply(patch: Patch, context: Context) -> tuple[Applied, ...]:
    """Give the articles as they are after a checked patch, with links in both directions."""
    done: dict[str, Applied] = {}
    known = _Targets(
        {change_path(change, context.schema) for change in patch.articles},
        {f"daily/{entry.day}" for entry in context.entries.values()},
        context.articles,
    )

    def now(path: str) -> Article | None:
        return done[path].article if path in done else context.articles.get(path)

    met: set[str] = set()
    for change in patch.articles:
        path = change_path(change, context.schema)
        before = now(path)
        # what this very patch has written into an article is added to and not replaced
        owned = path not in met and context.owned(path)
        met.add(path)
        article = _changed(change, before, _Place(path, context, known, owned))
        if article is not before:
            fresh = context.articles.get(path) is None
            done[path] = Applied(article, "created" if fresh else "updated")
    for change in patch.articles:
        _link_back(change, now, done, context)
    return tuple(done.values())


@dataclass(frozen=True, slots=True)
class _Targets:
    """The notes that a wikilink in a text may point to."""

    proposed: set[str]
    days: set[str]
    articles: Mapping[str, Article]

    def __contains__(self, target: object) -> bool:
        return target in self.proposed or target in self.days or target in self.articles


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a change goes, and what may be done there."""

    path: str
    context: Context
    known: _Targets
    owned: bool

    @property
    def kind(self) -> Kind:
        """The kind of article in that folder."""
        kind = self.context.schema.kind_of(self.path)
        assert kind is not None  # noqa: S101 - the path was built from a kind
        return kind


def _changed(change: ArticleChange, before: Article | None, place: _Place) -> Article:
    entries = [place.context.entries[name] for name in change.entries]
    if before is None:
        article = _created(change, entries, place)
    else:
        article = with_meta(before, _grown(change, before, entries))
        lead = inert_prose(change.lead, place.known) if place.owned else ""
        old = article.lead.replace("\r\n", "\n")
        article = with_lead(article, lead) if lead not in {"", old} else article
    for section in _joined(change.sections):
        article = _with_section(article, section, place)
    for gone in change.retired:
        article = _with_retired(article, gone, place.kind.sections)
    order = place.kind.sections
    if "Related Concepts" in order:
        lines = [_link_line(link) for link in _links(change) if link.target != place.path]
        article = _with_targets(article, lines, order)
    if "Sources" in order:
        article = _with_sources(article, entries, order)
    same = before is not None and render(article) == render(before)
    return before if same and before is not None else article


def _links(change: ArticleChange) -> list[Link]:
    """Give all links of a change, each target once: the related, then those that it connects."""
    links: dict[str, Link] = {}
    for link in (*change.related, *map(Link, change.connects)):
        links.setdefault(link.target, link)
    return list(links.values())


def _joined(sections: Iterable[Section]) -> list[Section]:
    """Join sections of the same heading, so that the second does not replace the first."""
    joined: dict[str, Section] = {}
    for section in sections:
        old = joined.get(section.heading, Section(section.heading))
        prose = "\n\n".join(text for text in (old.prose, section.prose) if text.strip())
        joined[section.heading] = Section(section.heading, prose, old.lines + section.lines)
    return list(joined.values())


def _created(change: ArticleChange, entries: list[Entry], place: _Place) -> Article:
    days = sorted({entry.day for entry in entries})
    keys = place.kind.keys
    title = inert(change.title)
    meta: dict[str, object] = {"title": title}
    if change.connects or "connects" in keys:
        meta["connects"] = _unique((), change.connects)
    if change.aliases or "connects" not in meta:
        meta["aliases"] = _unique((), map(inert, change.aliases))
    meta["tags"] = _tags((), change.tags)
    meta["sources"] = [f"daily/{day}.md" for day in days]
    meta["projects"] = _unique((), (entry.project for entry in entries))
    if change.key:
        meta["key"] = change.key
    meta["created"], meta["updated"] = days[0], days[-1]
    # a key that only AGENTS.md knows of is there for the person to fill in
    meta |= {key: "" for key in keys if key not in meta}
    return compose(place.path, change.kind, meta, title, inert_prose(change.lead, place.known))


def _grown(change: ArticleChange, before: Article, entries: list[Entry]) -> dict[str, object]:
    """Give the frontmatter keys of an article that have more to hold than they had."""
    days = sorted({entry.day for entry in entries})
    more: dict[str, Iterable[str]] = {
        "sources": (f"daily/{day}.md" for day in days),
        "projects": (entry.project for entry in entries),
        "aliases": map(inert, change.aliases),
        "connects": change.connects,
    }
    lists = {key: _unique(before.names(key), names) for key, names in more.items()}
    lists["tags"] = _tags(before.names("tags"), change.tags)
    grown: dict[str, object] = {
        key: names for key, names in lists.items() if {*names} - {*before.names(key)}
    }
    if str(before.meta.get("updated") or "") < days[-1].isoformat():
        grown["updated"] = days[-1]
    return grown


def _with_section(article: Article, section: Section, place: _Place) -> Article:
    order = place.kind.sections
    prose = inert_prose(section.prose, place.known)
    old = article.section(section.heading).replace("\r\n", "\n").strip("\n")
    if prose and prose not in old:
        kept = _without_prose(old) if place.owned else old
        parts = (prose, kept) if place.owned else (kept, prose)
        text = "\n\n".join(part for part in parts if part)
        article = with_body(article, section.heading, text, order)
    lines = []
    for line in section.lines:
        text = inert(line.text, place.known)
        entry = place.context.entries.get(line.entry)
        # an engine may have named the source itself
        if text and entry:
            text = f"{unsourced(text)} ([[{cite(entry.day, entry.id).target}]])"
        lines += [text] if text else []
    return with_lines(article, section.heading, lines, order)


def _without_prose(body: str) -> str:
    lines = body.splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith("- ")), len(lines))
    return "\n".join(lines[first:])


def _with_retired(article: Article, gone: Retired, order: tuple[str, ...]) -> Article:
    """Move a line under what was before, with what replaced it and when."""
    wanted = bare(inert(gone.text))
    for heading, body in article.sections:
        for line in body.splitlines():
            if heading.strip() != BEFORE and line.startswith("- ") and bare(line) == wanted:
                source = line[len("- " + unsourced(line[2:])) :]
                rest = "\n".join(one for one in body.splitlines() if one != line)
                article = with_body(article, heading.strip(), rest, order)
                text = f"{unsourced(line[2:])} (until {gone.day}, then: {inert(gone.by)}){source}"
                return with_lines(article, BEFORE, [text], order)
    return article


def _link_line(link: Link) -> str:
    # no links in the reason: what this note is linked to is told by its own lines
    why = inert(link.why)
    return f"[[{link.target}]] - {why}" if why else f"[[{link.target}]]"


def _with_targets(article: Article, lines: list[str], order: tuple[str, ...]) -> Article:
    have = set(wikilinks(article.section("Related Concepts")))
    new = [line for line in lines if wikilinks(line)[0] not in have]
    return with_lines(article, "Related Concepts", new, order)


def _with_sources(article: Article, entries: list[Entry], order: tuple[str, ...]) -> Article:
    """List the entries under Sources; those of a day that have no ids share its line."""
    have = set(citations(article.section("Sources")))
    titles: dict[Citation, list[str]] = {}
    for entry in sorted(entries, key=lambda entry: (entry.day, entry.at, entry.id)):
        titles.setdefault(cite(entry.day, entry.id), []).append(inert(entry.draft.title))
    new = [
        _link_line(Link(source.target, "; ".join(dict.fromkeys(filter(None, named)))))
        for source, named in titles.items()
        if source not in have
    ]
    return with_lines(article, "Sources", new, order)


def _link_back(
    change: ArticleChange,
    now: Callable[[str], Article | None],
    done: dict[str, Applied],
    context: Context,
) -> None:
    path = change_path(change, context.schema)
    for link in _links(change):
        article = now(link.target)
        kind = context.schema.kind_of(link.target)
        # a rule or a filed answer has no place for links
        if article is None or link.target == path or not kind:
            continue
        if "Related Concepts" not in kind.sections:
            continue
        have = wikilinks(article.section("Related Concepts"))
        if path in have or len(have) >= MAX_BACKLINKS:
            continue
        why = link.why or (change.title if link.target in change.connects else "")
        line = _link_line(Link(path, why))
        linked = with_lines(article, "Related Concepts", [line], kind.sections)
        how = done[link.target].how if link.target in done else "linked"
        done[link.target] = Applied(linked, how)


def _unique(names: Iterable[str], more: Iterable[str]) -> list[str]:
    return list(dict.fromkeys([*names, *(name for name in more if name)]))


def _tags(names: Iterable[str], more: Iterable[str]) -> list[str]:
    # Obsidian's grammar: letters, digits, -, _ and /, and not digits alone
    legal = (re.sub(r"[^\w/-]+", "-", name.strip().lower()).strip("-/") for name in more)
    return _unique(names, (tag for tag in legal if tag and not tag.isdigit()))
