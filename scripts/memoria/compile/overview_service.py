"""Bring HOME.md and the page of each project up to date with what is known of its sessions."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from functools import cache, partial
from itertools import chain
from typing import TYPE_CHECKING

from memoria.capture.extract.extract_record import read_extract
from memoria.capture.provenance.marks import is_marked
from memoria.capture.recurring_errors import find_errors_worth_telling
from memoria.compile.points import (
    choose_best_rows,
    find_points,
    is_over,
    list_topic_lines,
)
from memoria.compile.project_page import (
    KIND,
    Project,
    build_page,
    is_ours,
    is_worth,
    weigh_lines,
)
from memoria.compile.subjects import map_clones
from memoria.compile.write import choose_fitting_line
from memoria.llm.port import OfflineModel
from memoria.rules import model as rule_model
from memoria.search.team_lines import format_latest
from memoria.text.markdown import find_wikilinks, make_inert
from memoria.text.prose import clip_text, split_sentences
from memoria.vault import home_page as home, index
from memoria.vault.file_names import generate_numbered_names, slugify
from memoria.vault.project import label
from memoria.vault.storage import clock

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from memoria.compile.points import Extracts, TopicLine
    from memoria.rules.model import Approvals
    from memoria.rules.review.waiting import Case
    from memoria.vault.article import Article
    from memoria.vault.daily_log import Block
    from memoria.vault.entry import Entry, Extract
    from memoria.vault.transaction import Transaction
    from memoria.workspace import Workspace

# "3 commits", "PR #12"; one commit has the title of its session
_COMMIT_COUNT = re.compile(r"(?!1 commit\b)\b\d+ commits?|PR #\d+")
# how a sentence of a context begins that code wrote
_WORK_OPENING = re.compile(
    r"(?:Branch `|Edited `|\d+ commits?\b|PR #\d|Passing at the end|Failing when|Session in )"
)
# of a context: fewer characters tell why it began, and more is no line
_MIN_TOLD_CHARS, _TOLD_CHARS = 80, 300
_SOLID = 3.5  # worth of a line that need not speak of its session's title: a model's middle weight
_MIN_SESSIONS = 2  # of a project before it has a page
_DECISIONS = 4  # on HOME.md, of all projects
_PAGE_REPORTS, _HOME_REPORTS = 6, 6  # of colleagues, on a project's page and on HOME.md


def refresh(
    work: Workspace,
    blocks: Sequence[Block],
    articles: Sequence[Article],
    approvals: Approvals,
    cases: Sequence[Case],
) -> None:
    """Write the pages that would change; `blocks` are the latest entries, newest first.

    Pages go of projects that are clones of others, or of which too little is left.
    """
    extracts = cache(partial(read_extract, work))
    projects = list(_build_projects(work, blocks, articles, approvals, cases, extracts))
    pages = {f"projects/{project.slug}": project for project in projects if is_worth(project)}
    names = {name: project.names for project in projects for name in project.names}
    entries = [block.entry for block in blocks]
    notes = rule_model.read_rules(articles)
    rules = [rule.text for rule in notes if rule_model.is_in_force(rule, approvals)]
    rules += [case.rule.text for case in cases]
    topic_lines = _list_project_lines(articles, names)
    groups = {name: clones[0] for name, clones in names.items()}
    lists = _build_home_lists(work, entries, extracts, topic_lines, rules, groups)
    titles = [(path, project.title) for path, project in pages.items()]
    above = "\n".join(row for rows in lists.values() for row in rows)
    core_lines = {
        entry.id: _find_core_line(entry, extracts(entry.id), topic_lines, above)
        for entry in entries[: home.MAX_SESSIONS]
    }
    weigh = partial(weigh_lines, extracts)
    body = home.render_body(entries, articles, cases, lists, titles, core_lines, weigh, groups)
    _write_pages(work, pages, body)


def _list_project_lines(
    articles: Iterable[Article], clones: Mapping[str, tuple[str, ...]]
) -> list[TopicLine]:
    """Give what topics tell: another project's says nothing of what was decided in this one."""
    return [
        line._replace(projects=frozenset(chain(*(clones.get(name, (name,)) for name in names))))
        for line in list_topic_lines(_list_topics(articles))
        for names in [line.topic.names("projects")]
    ]


def _build_home_lists(  # noqa: PLR0913, PLR0917 - what `refresh` has read, a list of HOME each
    work: Workspace,
    entries: Sequence[Entry],
    extracts: Extracts,
    topic_lines: Collection[TopicLine],
    rules: Sequence[str],
    groups: Mapping[str, str],
) -> dict[str, Sequence[str]]:
    """Give the rows of HOME's first sections by their headings."""
    history = work.vault.history().latest
    decided = choose_best_rows(entries, extracts, topic_lines, "decision", _DECISIONS, groups)
    errors = find_errors_worth_telling(history.mistakes)
    today = entries[0].day if entries else date.min
    return {
        "Decided": list(decided),
        "What keeps going wrong, and what fixes it": home.format_error_rows(
            errors, len(history.sessions), today, rules=rules
        ),
        "From the team": list(map(make_inert, format_latest(work, None, _HOME_REPORTS))),
    }


def _write_pages(work: Workspace, pages: Mapping[str, Project], home_body: str) -> None:
    """Write HOME and the pages of projects, and take away those that are told of no more."""
    with work.vault.open_transaction() as change:
        for path, project in pages.items():
            _update_project_page(work, change, path, project)
        unreadable = work.vault.articles.unreadable.keys()
        for path, article in work.vault.articles.items():
            # what a note says that cannot be read now may be all that a page is about
            is_kept = path in pages or unreadable & {*find_wikilinks(article.section("Topics"))}
            if article.kind == KIND and not is_kept and is_ours(article):
                change.put_file(work.vault.knowledge / f"{path}.md", None, article.sha)
                change.put_index()
        change.put_home(f"{home.DEMO}\n\n{home_body}" if work.is_demo else home_body)


def _find_core_line(
    entry: Entry, extract: Extract | None, topic_lines: Collection[TopicLine], above: str
) -> str:
    """Say what came of a session: what a model says it was, the best line that held at the end.

    Other lines of an entry do not stand in: a reader found overturned ones among them. Where the
    best stands `above` on the page, the next one of a model is told, and none of plain code; where
    there is none, the commits are.
    """
    if told := _find_told_work(entry):
        return told
    is_by_model = entry.engine != OfflineModel.name
    points = [
        point
        for point in find_points(entry, extract, entry.project)
        if not ((is_by_model and make_inert(point.text) in above) or is_over(point, topic_lines))
    ]
    solid = (point for point in points if point.worth >= _SOLID and not point.is_marked)
    best = choose_fitting_line(entry.draft.title, points) or next(solid, None)
    if best:
        return "" if make_inert(best.text) in above else best.text
    return "; ".join(_COMMIT_COUNT.findall(entry.draft.context))


def _find_told_work(entry: Entry) -> str:
    """Give what a model says in the context of an entry, without what code says there."""
    if entry.engine in {OfflineModel.name, "hand"} or is_marked(entry.draft.context):
        return ""
    sentences = split_sentences(entry.draft.context)
    own = [sentence for sentence in sentences if not _WORK_OPENING.match(sentence)]
    while len(own) > 1 and len(" ".join(own)) > _TOLD_CHARS:
        own.pop(0)  # the last ones say what came of it
    text = " ".join(own)
    return clip_text(text, _TOLD_CHARS) if len(text) >= _MIN_TOLD_CHARS else ""


def _update_project_page(work: Workspace, change: Transaction, path: str, project: Project) -> None:
    old = work.vault.articles.get(path)
    if old is None and path in work.vault.articles.unreadable:
        return
    if new := build_page(project, old):
        change.put_article(new)
        # to derive the index takes time with ten thousand articles: only where a row changes
        if old is None or index.format_row(old) != index.format_row(new):
            change.put_index()


def _list_topics(articles: Iterable[Article]) -> list[Article]:
    return [page for page in articles if page.kind not in {"rule", "qa", "connection", KIND}]


def _build_projects(  # noqa: PLR0913, PLR0917 - what `refresh` is given, and what it has read
    work: Workspace,
    blocks: Sequence[Block],
    articles: Sequence[Article],
    approvals: Approvals,
    cases: Sequence[Case],
    extracts: Extracts,
) -> Iterator[Project]:
    history = work.vault.history().latest
    rules = rule_model.as_approved(rule_model.read_rules(articles), approvals)
    topics = _list_topics(articles)
    sizes = Counter(stay.project for stay in history.sessions.values() if stay.project)
    groups = _group_projects(blocks, sizes, extracts)
    titles = _choose_titles(groups, sizes)
    zone, slugs = work.settings.zone, set[str]()
    for names in groups:
        sessions = [stay for stay in history.sessions.values() if stay.project in names]
        entries = [block.entry for block in blocks if block.entry.project in names]
        if len(sessions) < _MIN_SESSIONS or not entries:
            continue
        # my_app and my-app make one slug, and so do all names without a Latin letter
        options = generate_numbered_names(slugify(titles[names]) or "project")
        slugs.add(slug := next(option for option in options if option not in slugs))
        active = [rule for name in names for rule in rule_model.in_force(rules, approvals, name)]
        own_topics = [page for page in topics if not {*names}.isdisjoint(page.names("projects"))]
        mistakes = (mistake for mistake in history.mistakes if mistake.project in names)
        waiting = (
            case.rule
            for case in cases
            if any(rule_model.holds_in(case.rule, name) for name in names)
        )
        yield Project(
            slug=slug,
            title=titles[names],
            names=names,
            sessions=len(sessions),
            entries=entries,
            errors=find_errors_worth_telling(mistakes),
            rules=tuple({rule.id: rule for rule in active}.values()),
            waiting=tuple(waiting),
            topics=home.sort_newest_first(own_topics),
            reports=format_latest(work, names, _PAGE_REPORTS),
            extracts=extracts,
            began=min(clock.to_local_time(stay.began, zone).date() for stay in sessions),
        )


def _group_projects(
    blocks: Iterable[Block], names: Iterable[str], extracts: Extracts
) -> list[tuple[str, ...]]:
    """Join the projects that are one repository."""
    groups = {name: {name} for name in sorted(names)}
    rows = (
        # a broken extract joins nothing; doctor names it
        (block.entry.project, record.branch, record.files)
        for block in blocks
        if block.entry.project in groups and (record := extracts(block.entry.id))
    )
    for name, first_name in map_clones(rows).items():
        groups[first_name].add(name)
        groups[name] = groups[first_name]
    return sorted({tuple(sorted(group)) for group in groups.values()})


def _choose_titles(
    groups: Iterable[tuple[str, ...]], sizes: Mapping[str, int]
) -> dict[tuple[str, ...], str]:
    """Name each group by its last part; of two of one name the smaller one with its folder."""
    titles: dict[tuple[str, ...], str] = {}
    for names in sorted(groups, key=lambda names: (-sum(sizes[name] for name in names), names)):
        # a worktree is called as its branch, its repository as most of its sessions have it
        counts = Counter[str]()
        for name in names:
            counts[label(name)] += sizes[name]
        title = counts.most_common(1)[0][0]
        with_folder = "/".join(names[0].rstrip("/").split("/")[-2:])
        titles[names] = with_folder if title in titles.values() else title
    return titles
