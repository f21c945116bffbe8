"""Prepare of a project's entries, errors and articles the lines that a start can choose from.

A line is about one branch, or about the whole project where it tells what keeps going wrong. Only
lines that this machine knows as the user's or the assistant's own are taken. Sessions on the trunk
have nothing in common but that, so of these only what was left unfinished is told.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Literal

from memoria.privacy.imperatives import gives_orders
from memoria.search.cures import lookup
from memoria.search.injectable import is_named, sayable_part, sayable_summary
from memoria.text.word_overlap import containment, stems
from memoria.vault.citations import cite, parse_citations
from memoria.vault.trust.known_lines import line_key

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from memoria.search.cures.from_ledger import Cure
    from memoria.vault.article import Article
    from memoria.vault.entry import Entry, Extract
    from memoria.vault.storage.history import RecordedMistake

Section = Literal["stopped", "found", "open", "pages", "errors"]
# what a head has that is on no branch
_NAMELESS = frozenset({"", "HEAD"})
TRUNKS = _NAMELESS | {"main", "master", "trunk", "develop", "dev"}
# of a branch: its last two sessions hold what the next one needs; older ones are in the articles
_MAX_SESSIONS, _MAX_OPEN, _MAX_PAGES = 2, 2, 2
# a decision holds for the next session; a lesson may have been of one afternoon
_FOUND_LISTS = (("decisions", 1), ("lessons", 1))
# branches that somebody may come back to
_MAX_BRANCHES = 40
# an error keeps coming that came in three sessions and in a tenth of all: of rarer ones less than
# one session in ten has any use; what it is takes no more than a line
_MIN_SESSIONS, _MIN_SHARE, _MAX_ERRORS, _MAX_ERROR = 3, 0.1, 3, 110
# of all sessions: what so many met is told to all
_EVERYWHERE = 1 / 3
# at the end of a line of code that goes on
_OPEN_ENDS = ("{", "(", "[", ":", ",", "\\")
_MAX_FILES = 3
_PLAIN = re.compile(r"[\w./@+: -]{1,120}")  # the name of a file or a check, without Markdown
_DAY_AND_SOURCE = re.compile(r"^- [\d-]+: |\(\[\[.*\]\]\)$")  # "- 2026-01-16: ... ([[daily/...]])"
# of the words of a line that stand in another one: it says the same
_REPEATED = 0.7


@dataclass(frozen=True, slots=True)
class StartLine:
    """A line that a start can have: `id` tells it from others, `day` is the one it is of."""

    id: str
    section: Section
    branch: str
    day: str
    text: str


def prepare_lines(
    entries: Sequence[tuple[Entry, Extract | None]],
    articles: Iterable[Article],
    keys: Container[str],
) -> Iterator[StartLine]:
    """Yield the lines about a project's branches, the latest first, as its `entries` are."""
    branches: dict[str, list[tuple[Entry, Extract]]] = defaultdict(list)
    for entry, extract in entries:
        if extract is not None and extract.branch not in _NAMELESS:
            branches[extract.branch].append((entry, extract))
    pages = list(articles)
    for branch, sessions in list(branches.items())[:_MAX_BRANCHES]:
        texts: list[str] = []
        for line in _prepare_branch(branch, sessions[:_MAX_SESSIONS], pages, keys):
            # what a line above says already is not said again
            line_stems = stems(_DAY_AND_SOURCE.sub("", line.text))
            if not any(containment(line_stems, stems(text)) > _REPEATED for text in texts):
                texts.append(line.text)
                yield line


def _prepare_branch(
    branch: str,
    sessions: Sequence[tuple[Entry, Extract]],
    articles: Iterable[Article],
    keys: Container[str],
) -> Iterator[StartLine]:
    entry, extract = sessions[0]
    is_trunk = branch in TRUNKS
    title = sayable_part(entry.draft.title, keys)
    if title and (not is_trunk or any(not passed for _, passed in extract.checks)):
        yield _build_line("stopped", branch, entry, f"{title}{_describe_state(extract)}")
    for name, limit in () if is_trunk else _FOUND_LISTS:
        texts = ((talk, text) for talk, _ in sessions for text in getattr(talk.draft, name))
        sayable = ((talk, part) for talk, text in texts if (part := sayable_part(text, keys)))
        for talk, text in islice(sayable, limit):
            # the title is often a finding's first sentence: what follows it is new
            line = _build_line("found", branch, talk, text)
            yield replace(line, text=line.text.replace(f": {title}. ", ": ", 1))
    for talk, _ in sessions if is_trunk else sessions[:1]:
        actions = [part for text in talk.draft.actions if (part := sayable_part(text, keys))]
        yield from (_build_line("open", branch, talk, part) for part in actions[:_MAX_OPEN])
    if not is_trunk:
        yield from _prepare_pages(branch, {talk.id for talk, _ in sessions}, articles, keys)


def _build_line(section: Section, branch: str, entry: Entry, text: str) -> StartLine:
    source = f"[[{cite(entry.day, entry.id).target}]]"
    day = entry.day.isoformat()
    return StartLine(line_key(text), section, branch, day, f"- {day}: {text} ({source})")


def _describe_state(extract: Extract) -> str:
    """Say which checks failed at a session's end, and which files it edited most."""
    failing = [name for name, passed in extract.checks if not passed and _PLAIN.fullmatch(name)]
    files = [name for name in extract.files if _PLAIN.fullmatch(name)][:_MAX_FILES]
    parts = (("failing at its end", failing), ("files", files))
    return "".join(f"; {label}: `{'`, `'.join(names)}`" for label, names in parts if names)


def _prepare_pages(
    branch: str, ids: Container[str], articles: Iterable[Article], keys: Container[str]
) -> Iterator[StartLine]:
    """Name the pages that hold most of what these sessions left."""
    counts = []
    for article in articles:
        texts = (text for _, text in article.sections)
        sources = [row.entry for text in texts for row in parse_citations(text)]
        shared = sum(source in ids for source in sources)
        if article.kind != "rule" and 2 * shared >= len(sources) > 0 and is_named(article, keys):
            counts.append((-shared, article.path, article))
    for _, path, article in sorted(counts)[:_MAX_PAGES]:
        if first := sayable_summary(article, keys):
            day, text = str(article.meta.get("updated", "")), f"- [[knowledge/{path}]]: {first}"
            yield StartLine(line_key(path), "pages", branch, day, text)


def find_recurring_errors(
    mistakes: Iterable[RecordedMistake],
    cures: Iterable[Cure],
    project: str,
    sessions: int,
    entries: Iterable[tuple[Entry, Extract | None]],
) -> Iterator[StartLine]:
    """Yield what keeps going wrong in a project and what fixed it, the most sessions first.

    What few sessions met concerns the branches on which they met it.
    """
    branches = {entry.session: extract.branch for entry, extract in entries if extract}
    fixes: dict[str, Cure] = {}
    for cure in sorted(cures, key=lambda cure: (cure.day, cure.key)):
        if cure.project == project and (change := _clip_change(cure.change)):
            fixes[_describe_error(cure.signature, cure.line)] = replace(cure, change=change)
    groups: dict[str, list[RecordedMistake]] = defaultdict(list)
    for seen in mistakes:
        error = _describe_error(seen.mistake.signature, seen.mistake.line)
        if seen.project == project and error in fixes:
            groups[error].append(seen)
    counts = ((len({seen.session for seen in rows}), name) for name, rows in groups.items())
    frequent = [row for row in counts if row[0] >= max(_MIN_SESSIONS, sessions * _MIN_SHARE)]
    for count, error in sorted(frequent, reverse=True)[:_MAX_ERRORS]:
        group = groups[error]
        day = max(seen.mistake.at for seen in group).date().isoformat()
        cure = fixes[error]
        # whoever wrote a test wrote its error's words and its file's name
        words = lookup.find_code(cure.signature) if gives_orders(error) else error[:_MAX_ERROR]
        if not words or gives_orders(cure.file):
            continue
        remedy = lookup.format_remedy(asdict(cure))
        text = (
            f"- {lookup.format_code_span(words)}: in {count} sessions, the last on {day}; {remedy}"
        )
        met_branches = {branches.get(seen.session, "") for seen in group} - _NAMELESS
        for branch in [""] if count >= sessions * _EVERYWHERE else sorted(met_branches):
            yield StartLine(line_key(error), "errors", branch, day, text)


def _clip_change(change: str) -> str:
    """Give of a change no more than fits a line, "" where that would be a beginning alone."""
    lines = change.splitlines()
    removed = [line for line in lines if line.startswith("- ")][:1]
    added = [line for line in lines if not line.startswith("- ")][:1]
    kept_lines = [*removed, *added]
    return "" if any(line.endswith(_OPEN_ENDS) for line in kept_lines) else "\n".join(kept_lines)


def _describe_error(signature: str, line: str) -> str:
    """Name an error as a reader needs it: a linter's rule in general, others by their very line."""
    kind, _, message = signature.partition(" ")[2].partition(" ")
    rule = kind.partition("lint:")[2]
    return f"{rule}: {lookup.MASK.sub('…', message)}" if rule else lookup.normalise_line(line)
