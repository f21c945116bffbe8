"""Read written entries and the blocks of the logs as leaves, each with its patterns.

What `list`, `distill`, `stats` and all that learns from insights read is made here once: who says
what, of which category, and what counts as one sighting. An insight can stand in a notebook several
times without having been learned several times: in copies of a file, in the block of a session and
in the draft that was made from it, in the parts of one session.
"""

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from memoria.capture.extract.user.rule_text import classify_rule, strip_lead_in
from memoria.errors import VaultError
from memoria.terminal import Terminal
from memoria.text.prose import clip_text
from memoria.text.unicode import strip_hidden
from memoria.vault.entry import Category
from memoria.vault.store import Log, Vault, WrittenPage
from memoria.vault.written.categories import categorise, find_category
from memoria.vault.written.written_entry import find_template_insights, parse_written_entry

# "User, refusing an edit of `x`: ..." and "User, on the plan: ..." hold an order and no fact
_LEAD_IN = re.compile(r"User, (?:refusing|on) [^\n]{1,120}?: (?=\S)")
_MAX_NAMED = 10  # problems that are named; a folder full of foreign files would bury the result
_BY_HAND = "h-"  # before the hash of a block without a session, which a person wrote into a log
_MAX_CONTEXT = 200  # characters of what says where an insight comes from


@dataclass(frozen=True, slots=True)
class Pattern:
    """An insight as it was written, with its evidence.

    `insight` is one line of Markdown. `source` is the base name of the file that it stands in
    (2026-01-16-auth.md), `date` the day of that file's name, `context` the title or goal of the
    entry. `origin` is "written" for words of the user's own; what a draft of a session proposed is
    captured until a person changes the line. `entry` is one sighting: the session's id for what was
    captured (the block's own id for one that a person wrote into a log), else the file's name, of
    copies that of the earliest. `project` is "" where a written entry's frontmatter names none.
    `heading` is the category of the person's own that it stands under, "" for one of the four.
    """

    insight: str
    category: Category
    source: str
    date: date
    context: str
    origin: Literal["written", "captured"]
    entry: str
    project: str
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One entry of the notebook: a file that was written, or a block of a log.

    `time` is "HH:MM", "" for a file. `entry` is its sighting, as a Pattern has it, and `digest`
    what copies have in common, `lacks` and `fault` what vault/written/written_entry.py says of a
    file; `edited`: a person changed the block after it was captured, or wrote it.
    """

    day: date
    time: str
    kind: Literal["written", "captured"]
    title: str
    project: str
    source: str
    entry: str
    patterns: tuple[Pattern, ...]
    digest: str = ""
    lacks: str = ""
    fault: str = ""
    edited: bool = False

    @property
    def said_kind(self) -> str:
        """Give the kind as a person is told it: a block that they wrote into a log is theirs."""
        return "written" if self.entry.startswith(_BY_HAND) else self.kind


@dataclass(frozen=True, slots=True)
class Notebook:
    """The leaves, oldest first; what could not be read; files whose names say no day."""

    leaves: tuple[Leaf, ...]
    problems: tuple[str, ...]
    misnamed: tuple[str, ...]

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        """Give all insights, in order of date, source and line; no secret has been taken out."""
        return tuple(pattern for leaf in self.leaves for pattern in leaf.patterns)


def read_notebook(vault: Vault, since: date | None = None) -> Notebook:
    """Read all entries from a day on; copies are told from all there are."""
    problems: list[str] = []
    names, misnamed = vault.pages()
    leaves = [*_written_leaves(vault, names, problems), *_captured_leaves(vault, problems)]
    recent = tuple(leaf for leaf in _sort_leaves(leaves) if since is None or leaf.day >= since)
    return Notebook(recent, tuple(problems), tuple(misnamed))


def report_problems(terminal: Terminal, notebook: Notebook, since: str = "") -> None:
    """Say what a person has to know of what was read, from the day `since` on."""
    for problem in notebook.problems[:_MAX_NAMED]:
        terminal.warn(f"not read: {strip_hidden(problem)}")
    if len(notebook.problems) > _MAX_NAMED:
        terminal.warn(f"not read: {len(notebook.problems) - _MAX_NAMED} more files")
    if notebook.misnamed:
        names = ", ".join(map(strip_hidden, notebook.misnamed[:_MAX_NAMED]))
        terminal.warn(f"not read, as the names begin with no date (YYYY-MM-DD-slug.md): {names}")
    if not notebook.leaves and since:
        terminal.say(f"No entries since {since}.")
    elif not notebook.leaves:
        terminal.say("No entries: `memoria new SLUG` writes one, `memoria import` captures.")


def _written_leaves(vault: Vault, names: list[str], problems: list[str]) -> Iterator[Leaf]:
    try:
        placeholders = find_template_insights(vault.template())
    except VaultError as error:
        problems.append(str(error))
        placeholders = frozenset()
    for name in names:
        try:
            yield _leaf_of_page(vault.page(name), placeholders)
        except VaultError as error:
            problems.append(str(error))


def _leaf_of_page(page: WrittenPage, placeholders: Container[str]) -> Leaf:
    """Read a written entry; `placeholders` are the template's bullets, which say nothing."""
    name, entry = page.name, parse_written_entry(page.text, placeholders)
    title = entry.title or page.slug.replace("-", " ").capitalize()
    context = clip_text(f"{title}: {entry.goal}" if entry.goal else title, _MAX_CONTEXT)
    patterns = tuple(
        Pattern(
            improvement.text,
            find_category(improvement.category) or categorise(improvement.text),
            name,
            page.day,
            context,
            # what a draft proposed are not the person's words, and no second sighting
            "captured" if improvement.drafted else "written",
            (entry.session or name) if improvement.drafted else name,
            entry.project,
            "" if find_category(improvement.category) else improvement.category,
        )
        for improvement in entry.improvements
    )
    return Leaf(
        page.day, "", "written", title, entry.project, name, name, patterns,
        entry.digest, entry.lacks, entry.fault,
    )  # fmt: skip


def _captured_leaves(vault: Vault, problems: list[str]) -> Iterator[Leaf]:
    for day in vault.logs():
        try:
            yield from _leaves_of_log(vault.log(day))
        except VaultError as error:
            problems.append(str(error))


def _leaves_of_log(log: Log) -> Iterator[Leaf]:
    """Read the blocks of a log; a person's edits count as they stand."""
    name = f"{log.day}.md"
    for block in log.blocks:
        entry, draft = block.entry, block.entry.draft
        sighting = entry.session or f"{_BY_HAND}{block.sha}"
        title = draft.title or "Untitled"
        context = clip_text(f"{title}: {draft.context}" if draft.context else title, _MAX_CONTEXT)
        lines: list[tuple[str, Category]] = [(line, "domain_knowledge") for line in draft.lessons]
        lines += [(line, "architectural") for line in draft.decisions]
        patterns = tuple(
            # whom it was said to stop is no part of it
            Pattern(
                _LEAD_IN.sub("", line, count=1), _categorise_line(line, default), name, entry.day,
                context, "captured", sighting, entry.project,
            )
            for line, default in lines
            # what was asked is no insight
            if line and not line.endswith("?")
        )  # fmt: skip
        yield Leaf(
            entry.day, f"{entry.at:%H:%M}", "captured", title, entry.project, name, sighting,
            patterns, edited=block.edited,
        )  # fmt: skip


def _categorise_line(line: str, default: Category) -> Category:
    """Say what a captured line is about: of the user's words an order is, else a fact."""
    match = _LEAD_IN.match(line)
    return classify_rule(strip_lead_in(line[match.end() :])) if match else categorise(line, default)


def _sort_leaves(leaves: Iterable[Leaf]) -> tuple[Leaf, ...]:
    """Put the leaves in order, oldest first, and give all copies of a file one sighting."""
    ordered = sorted(leaves, key=lambda leaf: (leaf.day, leaf.source))
    first: dict[str, str] = {}
    captured = {
        (pattern.entry, _normalise(pattern.insight))
        for leaf in ordered
        if leaf.kind == "captured"
        for pattern in leaf.patterns
    }
    return tuple(
        _count_once(leaf, first.setdefault(leaf.digest, leaf.source), captured)
        if leaf.kind == "written"
        else leaf
        for leaf in ordered
    )


def _count_once(leaf: Leaf, original: str, captured: Container[tuple[str, str]]) -> Leaf:
    """Count a copy as its original; leave out a draft's lines that the session's block has."""
    patterns = tuple(
        replace(pattern, entry=original) if pattern.origin == "written" else pattern
        for pattern in leaf.patterns
        if pattern.origin == "written"
        or (pattern.entry, _normalise(pattern.insight)) not in captured
    )
    return replace(leaf, entry=original, patterns=patterns)


def _normalise(line: str) -> str:
    return " ".join(line.casefold().split())
