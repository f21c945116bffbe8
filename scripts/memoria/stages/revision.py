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

from memoria.stages.article import (
    Article,
    compose,
    render,
    with_body,
    with_lead,
    with_lines,
    with_meta,
)
from memoria.stages.markup import inert, inert_prose, wikilinks
from memoria.stages.patch import ArticleChange, Context, Link, Patch, Section, change_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memoria.stages.entry import Entry

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
    known = {change_path(change, context.schema) for change in patch.articles}

    def now(path: str) -> Article | None:
        return done[path].article if path in done else context.articles.get(path)

    targets = _Targets(known, context)
    for change in patch.articles:
        path = change_path(change, context.schema)
        before = now(path)
        article = _changed(change, path, before, context, targets)
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
    context: Context

    def __contains__(self, target: object) -> bool:
        if target in self.proposed or target in self.context.articles:
            return True
        days = {f"daily/{entry.day}" for entry in self.context.entries.values()}
        return target in days


def _changed(
    change: ArticleChange, path: str, before: Article | None, context: Context, known: _Targets
) -> Article:
    entries = [context.entries[name] for name in change.entries]
    article = before or _created(change, path, entries, known)
    if before is not None:
        article = with_meta(article, _grown(change, before, entries))
        if change.lead and context.owned(path):
            lead = inert_prose(change.lead, known)
            article = with_lead(article, lead) if lead != article.lead else article
    kind = context.schema.kind(change.kind)
    order = kind.sections if kind else ()
    for section in change.sections:
        article = _with_section(article, section, context, known, order)
    lines = [_link_line(link, known) for link in change.related if link.target != path]
    article = _with_targets(article, lines, order)
    article = _with_sources(article, entries, order)
    same = before is not None and render(article) == render(before)
    return before if same and before is not None else article


def _created(change: ArticleChange, path: str, entries: list[Entry], known: _Targets) -> Article:
    days = sorted({entry.day for entry in entries})
    meta: dict[str, object] = {"title": change.title.strip()}
    if change.kind == "connection":
        meta["connects"] = list(change.connects)
    else:
        meta["aliases"] = _unique((), change.aliases)
    meta["tags"] = _tags((), change.tags)
    meta["sources"] = [f"daily/{day}.md" for day in days]
    meta["projects"] = _unique((), (entry.project for entry in entries))
    if change.key:
        meta["key"] = change.key
    meta["created"], meta["updated"] = days[0], days[-1]
    lead = inert_prose(change.lead, known)
    return compose(path, change.kind, meta, inert(change.title), lead)


def _grown(change: ArticleChange, before: Article, entries: list[Entry]) -> dict[str, object]:
    days = sorted({entry.day for entry in entries})
    sources = _unique(before.names("sources"), (f"daily/{day}.md" for day in days))
    grown: dict[str, object] = {
        "sources": sources,
        "projects": _unique(before.names("projects"), (entry.project for entry in entries)),
    }
    if change.aliases:
        grown["aliases"] = _unique(before.names("aliases"), change.aliases)
    if change.tags:
        grown["tags"] = _tags(before.names("tags"), change.tags)
    if change.connects:
        grown["connects"] = _unique(before.names("connects"), change.connects)
    if str(before.meta.get("updated") or "") < days[-1].isoformat():
        grown["updated"] = days[-1]
    return grown


def _with_section(
    article: Article, section: Section, context: Context, known: _Targets, order: tuple[str, ...]
) -> Article:
    if section.prose.strip():
        prose = inert_prose(section.prose, known)
        old = article.section(section.heading).strip("\n")
        if prose not in old:
            _, kept = _split_prose(old)
            text = f"{prose}\n\n{kept}" if context.owned(article.path) else f"{old}\n\n{prose}"
            article = with_body(article, section.heading, text.strip("\n"), order)
    lines = []
    for line in section.lines:
        text = inert(line.text, known)
        entry = context.entries.get(line.entry)
        lines.append(f"{text} ([[daily/{entry.day}]])" if entry else text)
    return with_lines(article, section.heading, lines, order)


def _split_prose(body: str) -> tuple[str, str]:
    lines = body.splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith("- ")), len(lines))
    return "\n".join(lines[:first]).strip("\n"), "\n".join(lines[first:])


def _link_line(link: Link, known: _Targets) -> str:
    why = inert(link.why, known)
    return f"[[{link.target}]] - {why}" if why else f"[[{link.target}]]"


def _with_targets(article: Article, lines: list[str], order: tuple[str, ...]) -> Article:
    have = set(wikilinks(article.section("Related Concepts")))
    new = [line for line in lines if wikilinks(line)[0] not in have]
    return with_lines(article, "Related Concepts", new, order)


def _with_sources(article: Article, entries: list[Entry], order: tuple[str, ...]) -> Article:
    have = set(wikilinks(article.section("Sources")))
    lines: dict[str, list[str]] = {}
    for entry in sorted(entries, key=lambda entry: (entry.day, entry.at, entry.id)):
        lines.setdefault(f"daily/{entry.day}", []).append(inert(entry.draft.title))
    new = [
        f"[[{day}]] - {'; '.join(dict.fromkeys(titles))}"
        for day, titles in lines.items()
        if day not in have
    ]
    return with_lines(article, "Sources", new, order)


def _link_back(
    change: ArticleChange,
    now: Callable[[str], Article | None],
    done: dict[str, Applied],
    context: Context,
) -> None:
    path = change_path(change, context.schema)
    links = {link.target: link.why for link in change.related}
    links |= {target: change.title for target in change.connects if target not in links}
    for target, why in links.items():
        article = now(target)
        if article is None or target == path:
            continue
        have = wikilinks(article.section("Related Concepts"))
        if path in have or len(have) >= MAX_BACKLINKS:
            continue
        kind = context.schema.kind(article.kind)
        line = _link_line(Link(path, why), _Targets(set(), context))
        linked = with_lines(article, "Related Concepts", [line], kind.sections if kind else ())
        how = done[target].how if target in done else "linked"
        done[target] = Applied(linked, how)


def _unique(names: Iterable[str], more: Iterable[str]) -> list[str]:
    return list(dict.fromkeys([*names, *(name for name in more if name)]))


def _tags(names: Iterable[str], more: Iterable[str]) -> list[str]:
    # Obsidian's grammar: letters, digits, -, _ and /, and not digits alone
    legal = (re.sub(r"[^\w/-]+", "-", name.strip().lower()).strip("-/") for name in more)
    return _unique(names, (tag for tag in legal if tag and not tag.isdigit()))
