"""Learn rules from what the user said and wrote, in the transaction of a flush or a compile.

A sighting that brings a rule in force overrules the rule in force that says the opposite, and
closes it with its date; one that only waits leaves both and is told of. Approvals are this
machine's and are given in the same transaction as the note, or a crash would leave a rule that its
note calls active and nobody has approved here.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date
from itertools import chain
from typing import TYPE_CHECKING

from memoria.capture.extract.user.statements import FOUND, parse_statement
from memoria.errors import VaultError
from memoria.privacy import clean
from memoria.rules import model, rulebook, stated_rules
from memoria.rules.merge.groups import Index
from memoria.rules.sightings import Sighting, keep_evidence
from memoria.vault import index
from memoria.vault.citations import parse_citations, parse_quote
from memoria.vault.entry import Statement
from memoria.vault.storage.ledger_records import build_compile_record
from memoria.vault.written.written_entry import parse_written_entry

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memoria.rules.insights.notebook import Leaf, Pattern
    from memoria.rules.model import Approval, Rule
    from memoria.rules.stated_rules import Learned
    from memoria.vault.article import Article
    from memoria.vault.store import Vault
    from memoria.vault.transaction import Transaction
    from memoria.workspace import Workspace


@dataclass
class Lesson:
    """What came of sightings.

    `closed` are rules that were overruled, `withdrawn` the notes of those that waited and whose
    bullet is gone, `opposites` pairs of ids that contradict each other and wait for a person.
    """

    learned: tuple[Learned, ...] = ()
    closed: list[Rule] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)
    opposites: list[tuple[str, str]] = field(default_factory=list)

    @property
    def paths(self) -> list[str]:
        """Give the paths of the notes that were made or changed."""
        paths = [*(new.article.path for new in self.learned), *(rule.path for rule in self.closed)]
        return list(dict.fromkeys(paths))


def learn_at_flush(
    vault: Vault,
    sightings: Iterable[Sighting],
    change: Transaction,
    now: datetime,
    quotes: Mapping[str, Iterable[str]],
) -> Lesson:
    """Learn from entries while they are delivered, so that the next session is told.

    `quotes` has what the user said in each entry: a rule that an earlier writing of these entries
    alone took for one, and that waits, is closed where this one does not find it. Approvals that
    cannot be read keep no session back: the compile learns, or says what is broken.
    """
    try:
        vault.state.read_json(vault.state.approvals)
    except VaultError:
        return Lesson()
    seen = tuple(sightings)
    lesson = learn(vault, seen, change, now.date())
    said = [*chain.from_iterable(quotes.values()), *(one.statement.text for one in seen)]
    for rule in _find_unsaid(vault, quotes, said):
        if rule.path not in lesson.paths:
            _retire(vault.articles[rule.path], rule, change, now.date())
            lesson.closed.append(rule)
    if lesson.paths:
        rulebook.record_written(vault, change, now.isoformat(timespec="seconds"))
        lines = [f"Rules: {index.format_links(lesson.paths)}"]
        change.append_log(index.format_log_entry(now, "flush", "Rules the user stated", lines))
    return lesson


def _find_unsaid(vault: Vault, entries: Collection[str], said: Iterable[str]) -> list[Rule]:
    """Find rules that wait, were seen in these entries alone, and are not said there any more."""
    all_said = [words for text in said if (words := model.normal(text))]
    articles, written_shas = vault.articles, vault.history().written
    rules = []
    for rule in model.read_noted(articles):
        is_edited = articles.sha(rule.path) != written_shas.get(rule.path)
        cited = {source.entry for line in rule.quotes for source in parse_citations(line)}
        is_of_these = bool(cited) and cited <= set(entries)
        if rule.status == "waiting" and is_of_these and not is_edited:
            quotes = (parse_quote(line).words for line in rule.quotes)
            own = [model.normal(text) for text in (rule.text, *rule.aliases, *quotes)]
            # an engine may quote more or less of the same words than another one
            if not any(one in words or words in one for one in own for words in all_said):
                rules.append(rule)
    return rules


def learn(vault: Vault, sightings: Iterable[Sighting], change: Transaction, today: date) -> Lesson:
    """Make or update the rules' notes, and this machine's approvals of them."""
    paths = [path for path in vault.articles.paths() if path.startswith("rules/")]
    old_notes = {path: note for path in paths if (note := vault.articles.get(path))}
    seen, approvals = tuple(sightings), rulebook.read_approvals(vault.state)
    decided = {*approvals, *(str(row.get("id")) for row in vault.history().records_of("rule"))}
    origins = stated_rules.NoteOrigins(vault.history().written, approvals, decided)
    learned = stated_rules.add_sightings(
        old_notes, seen, used=paths, alike=Alike(), origins=origins
    )
    lesson = Lesson(tuple(sorted(learned, key=lambda item: item.article.path)))
    if learned:
        for item in learned:
            change.put_article(item.article)
        _approve(learned, old_notes, seen, approvals)
        notes = old_notes | {item.article.path: item.article for item in learned}
        rules = model.as_approved(model.read_rules(notes.values()), approvals)
        _overrule(lesson, learned, rules, approvals)
        for rule in lesson.closed:
            _retire(notes[rule.path], rule, change, date.fromisoformat(rule.updated or str(today)))
        change.put_state(vault.state.approvals, rulebook.format_approvals(approvals))
    return lesson


def _approve(
    learned: Iterable[Learned],
    old_notes: Mapping[str, Article],
    seen: Iterable[Sighting],
    approvals: dict[str, Approval],
) -> None:
    """Approve what was said to last, or let it hold where it was said now, too."""
    # a written entry that nobody has confirmed can have come with a pull
    unsure = {one.project for one in seen if one.source and not one.statement.standing}
    for item in learned:
        if model.is_approved(item.rule, approvals):
            approval, old_note = approvals[item.rule.id], old_notes.get(item.article.path)
            known_scope = {*unsure, *(old_note.names("scope") if old_note else ())}
            approvals[item.rule.id] = _widen_approval(approval, item.rule, known_scope)
        elif item.approved_scope is not None:
            said = replace(item.rule, pinned=False, scope=item.approved_scope)
            approvals[item.rule.id] = model.Approval.of(said)


def _retire(note: Article, rule: Rule, change: Transaction, day: date) -> None:
    ruling = rulebook.Ruling(rule.id, "retired", "compile", superseded_by=rule.superseded_by)
    change.put_article(rulebook.apply_ruling(note, ruling, day))


def _overrule(
    lesson: Lesson,
    learned: Sequence[Learned],
    rules: Sequence[Rule],
    approvals: dict[str, Approval],
) -> None:
    """Close rules in force that say the opposite of what was learned, where that holds, too.

    What was said last overrules first: what it closes overrules nothing any more.
    """
    index = Index(rule.text for rule in rules)
    by_path = {rule.path: rule for rule in rules}  # a pulled note may hold wider than what was said
    for item in reversed(learned):
        said = by_path.get(item.rule.path, item.rule)
        is_over = item.is_approved and not model.is_in_force(said, approvals)
        if said.is_closed or is_over:
            continue
        for other in (rules[place] for place in index.opposites(said.text)):
            # none, and two and more, are everywhere
            is_apart = len(said.scope) == len(other.scope) == 1 and said.scope != other.scope
            if other.id == said.id or is_apart or not model.is_in_force(other, approvals):
                continue
            is_later = other.updated <= said.updated
            if item.is_approved and is_later and model.holds_nowhere_else(other, said.scope):
                approvals.pop(other.id)
                # with the day of the statement, which may have been captured long after
                closed = replace(other, superseded_by=said.id, updated=said.updated)
                lesson.closed.append(closed)
            else:
                lesson.opposites.append((other.id, said.id))


def _widen_approval(approval: Approval, rule: Rule, known_scope: Collection[str]) -> Approval:
    """Let an approved rule hold where it was said now, too; what a pull added is no part of it."""
    if not approval.scope:
        return approval
    old_scope = {*approval.scope, *known_scope}
    new_scope = (name for name in rule.scope if name not in old_scope)
    return replace(approval, scope=(*approval.scope, *new_scope))


class Alike:
    """Finds the rule that says the same as a text; it keeps its index while the rules stay."""

    def __init__(self) -> None:
        self._titles: dict[str, str] = {}
        self._index = Index()

    def __call__(self, text: str, titles: Mapping[str, str]) -> str:
        """Give the path of the rule that says the same, "" for none."""
        old_items, items = list(self._titles.items()), list(titles.items())
        extends = items[: len(old_items)] == old_items
        index = self._index if extends else Index()
        for _, title in items[len(old_items) if extends else 0 :]:
            index.add(title)
        # a few rules that share a quote must not cost the index of all
        if extends or len(items) > len(old_items):
            self._titles, self._index = dict(titles), index
        match = index.match(text)
        return items[match.place][0] if match else ""


# -- Entries that a person wrote -------------------------------------------------------------------

# what a written entry says by the link to it, [] for one that is gone, None for one not to be read
_PageWords = dict[str, "list[str] | None"]


def list_changed_pages(work: Workspace, compiled: Mapping[str, str]) -> list[Leaf]:
    """Give the written entries that are new or were changed since they were compiled."""
    from memoria.rules.insights.notebook import read_notebook  # noqa: PLC0415 - no flush needs it

    leaves = [leaf for leaf in read_notebook(work.vault).leaves if leaf.kind == "written"]
    return [leaf for leaf in leaves if compiled.get(f"daily/{leaf.source}") != leaf.digest]


def list_lasting_lines(work: Workspace, leaves: Iterable[Leaf]) -> dict[str, str]:
    """Give the lines of written entries that ask to be active rules, each with its file."""
    rules = rulebook.rulebook(work)
    decided = {model.normal(r.text) for r in rules.rules if r.is_closed or rules.is_in_force(r)}
    return {
        pattern.insight: f"daily/{pattern.source}"
        for pattern in _list_patterns(work, leaves)
        if _statement(pattern, is_confirmed=True).standing
        and model.normal(pattern.insight) not in decided
    }


def read_sightings(
    work: Workspace, leaves: Iterable[Leaf], confirmed: Collection[str] = ()
) -> list[Sighting]:
    """Read the rules in the Improvements of written entries.

    A line with a standing cue comes in force by itself where the person has just said that it is
    theirs (`confirmed`). Who types the verb tells nothing of who wrote the file: a pull or an agent
    can bring one, too, so all else waits for a review. What a file already gave counts no second
    time, however often its text changes: its name is its session.
    """
    return [
        Sighting(
            _statement(pattern, is_confirmed=pattern.insight in confirmed),
            *(pattern.date, pattern.project, "", pattern.entry),
            source=f"daily/{pattern.source.removesuffix('.md')}",
        )
        for pattern in _list_patterns(work, leaves)
    ]


def _list_patterns(work: Workspace, leaves: Iterable[Leaf]) -> Iterator[Pattern]:
    """Give what can be a rule; a review's file or an unchanged draft holds others' words."""
    for leaf in leaves:
        for pattern in clean.clean_value(leaf.patterns, work.settings.secrets):
            is_sized = model.MIN_RULE <= len(pattern.insight) <= model.MAX_RULE
            if pattern.origin == "written" and is_sized:
                yield pattern


def _statement(pattern: Pattern, *, is_confirmed: bool) -> Statement:
    text = pattern.insight
    statement = parse_statement(text)
    # its place under Improvements says that it is meant for later; what stands there is a rule
    score = max(statement.score, FOUND)
    return Statement(text, text, pattern.category, statement.standing and is_confirmed, score)


def withdraw_unsaid(work: Workspace, change: Transaction, now: datetime) -> list[str]:
    """Take out of the rules' notes what no written entry says any more; give the notes that go.

    A rule that waits and was said nowhere else goes with its bullet; one that a person decided
    about keeps its evidence where there is no other. A note that a person edited is left alone. An
    entry that is gone is a new one when it comes back.
    """
    vault, written, words = work.vault, work.vault.history().written, _PageWords()
    withdrawn: list[str] = []
    for path in (path for path in vault.articles.paths() if path.startswith("rules/")):
        note = change.articles.get(path) or vault.articles.get(path)
        if not note or vault.articles.sha(path) not in {"", written.get(path)}:
            continue
        lines = note.section("Evidence").strip().splitlines()
        said = [line for line in lines if _is_said(line, work, words)]
        if len(said) < len(lines) and any(map(parse_citations, said)):
            change.put_article(keep_evidence(note, said))
        elif len(said) < len(lines) and note.meta.get("status") == "waiting":
            change.put_file(vault.knowledge / f"{path}.md", None, vault.articles.sha(path))
            change.wrote[path] = ""  # it was taken away, and is not lost
            withdrawn.append(path)
    missing = {f"{link}.md": "" for link, said in words.items() if said == []}
    if withdrawn and missing:
        record = build_compile_record(
            at=now, log="", digest="", entries=missing, wrote={}, cost_usd=0.0
        )
        change.record(record)
    return withdrawn


def _is_said(line: str, work: Workspace, page_words: _PageWords) -> bool:
    """Whether the written entry that a line of evidence links to still says it.

    What was said in a session counts as said, and so does what cannot be read now.
    """
    quote = parse_quote(line)
    if quote.citation is None or quote.citation.day:
        return True
    if quote.link not in page_words:
        page_words[quote.link] = _read_page_words(work, quote.link.removeprefix("daily/"))
    said = page_words[quote.link]
    return said is None or any(model.normal(quote.words) in words for words in said)


def _read_page_words(work: Workspace, name: str) -> list[str] | None:
    """Read a written entry's words: as they stand, and its bullets with what stands below each."""
    try:
        text = work.vault.page(f"{name}.md").text
    except VaultError:
        return None
    text = clean.clean_value(text, work.settings.secrets)
    insights = [line.text for line in parse_written_entry(text).improvements]
    return [model.normal(said) for said in (text, *insights) if said]
