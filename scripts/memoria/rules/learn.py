"""Learn rules from what the user said and wrote, in the transaction of a flush or a compile.

A sighting that brings a rule in force overrules the rule in force that says the opposite, and
closes it with its date; one that only waits leaves both and is told of. Approvals are this
machine's and are given in the same transaction as the note, or a crash would leave a rule that its
note calls active and nobody has approved here.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memoria.capture.extract.user.statements import FOUND, parse_statement
from memoria.errors import VaultError
from memoria.privacy import clean
from memoria.rules import stated_rules
from memoria.rules.merge.groups import Index
from memoria.rules.model import (
    MAX_RULE,
    MIN_RULE,
    Approval,
    is_in_force,
    normal,
    noted_rules,
    read_rules,
)
from memoria.rules.rulebook import (
    Ruling,
    apply_ruling,
    approvals_file,
    read_approvals,
    record_written,
)
from memoria.rules.stated_rules import Sighting
from memoria.vault import index
from memoria.vault.citations import parse_citations
from memoria.vault.entry import Statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date, datetime

    from memoria.rules.insights.notebook import Leaf, Pattern
    from memoria.rules.model import Approvals, Rule
    from memoria.rules.stated_rules import Learned
    from memoria.vault.article import Article
    from memoria.vault.store import Vault
    from memoria.vault.transaction import Transaction
    from memoria.workspace import Workspace


@dataclass
class Lesson:
    """What came of sightings.

    `closed` are rules that were overruled, `opposites` pairs of ids that contradict each other and
    wait for a person.
    """

    learned: tuple[Learned, ...] = ()
    closed: list[Rule] = field(default_factory=list)
    opposites: list[tuple[str, str]] = field(default_factory=list)

    @property
    def paths(self) -> list[str]:
        """Give the paths of the notes that were made or changed."""
        return [new.article.path for new in self.learned] + [rule.path for rule in self.closed]


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
    lesson = learn(vault, sightings, change, now.date())
    for rule in _unsaid(vault, quotes):
        ruling = Ruling(rule.id, "retired", "compile")
        change.put_article(apply_ruling(vault.articles[rule.path], ruling, now.date()))
        lesson.closed.append(rule)
    if lesson.paths:
        record_written(vault, change, now.isoformat(timespec="seconds"))
        lines = [f"Rules: {index.format_links(lesson.paths)}"]
        change.append_log(index.format_log_entry(now, "flush", "Rules the user stated", lines))
    return lesson


def _unsaid(vault: Vault, by_entry: Mapping[str, Iterable[str]]) -> list[Rule]:
    """Find rules that wait, were seen in these entries alone, and are not said there any more."""
    said = [normal(quote) for quotes in by_entry.values() for quote in quotes]
    shelf, written = vault.articles, vault.history().written
    rules = []
    for rule in noted_rules(shelf):
        is_edited = shelf.sha(rule.path) != written.get(rule.path)
        cited = {source.entry for line in rule.quotes for source in parse_citations(line)}
        is_said = any(words in normal(line) for words in said for line in rule.quotes)
        is_of_these = bool(cited) and cited <= by_entry.keys()
        if rule.status == "waiting" and is_of_these and not is_said and not is_edited:
            rules.append(rule)
    return rules


def learn(vault: Vault, sightings: Iterable[Sighting], change: Transaction, today: date) -> Lesson:
    """Make or update the rules' notes, and this machine's approvals of them."""
    shelf, state = vault.articles, vault.state
    paths = [path for path in shelf.paths() if path.startswith("rules/")]
    before = {path: note for path in paths if (note := shelf.get(path))}
    learned = stated_rules.learn(before, sightings, taken=paths, alike=Alike())
    lesson = Lesson(learned)
    if not learned:
        return lesson
    approvals = read_approvals(state)
    for new in learned:
        change.put_article(new.article)
        if approval := approvals.get(new.rule.id):
            approvals[new.rule.id] = _widen_approval(
                approval, new.rule, before.get(new.article.path)
            )
        elif new.is_approved:
            approvals[new.rule.id] = Approval.of(replace(new.rule, pinned=False))
    notes = before | {new.article.path: new.article for new in learned}
    rules = read_rules(notes.values())
    index = Index(rule.text for rule in rules)
    for new in learned:
        for other in (rules[place] for place in index.opposites(new.rule.text)):
            if other.id == new.rule.id or not _stands_against(other, new.rule, approvals):
                continue
            if new.is_approved and other.updated <= new.rule.updated:
                ruling = Ruling(other.id, "retired", "compile", superseded_by=new.rule.id)
                change.put_article(apply_ruling(notes[other.path], ruling, today))
                approvals.pop(other.id)
                lesson.closed.append(other)
            else:
                lesson.opposites.append((other.id, new.rule.id))
    change.put_state(state.approvals, approvals_file(approvals))
    return lesson


def _widen_approval(approval: Approval, said: Rule, before: Article | None) -> Approval:
    """Let an approved rule hold where it was said now, too; what a pull added is no part of it."""
    if not approval.scope:
        return approval
    known = {*approval.scope, *(before.names("scope") if before else ())}
    new = (name for name in said.scope if name not in known)
    return replace(approval, scope=(*approval.scope, *new))


def _stands_against(other: Rule, new: Rule, approvals: Approvals) -> bool:
    """Whether a rule is in force, and in a project where a new one holds, too."""
    is_beside = not new.scope or not other.scope or not set(new.scope).isdisjoint(other.scope)
    return is_beside and is_in_force(other, approvals)


class Alike:
    """Finds the rule that says the same as a text; it keeps its index while the rules stay."""

    def __init__(self) -> None:
        self._titles: dict[str, str] = {}
        self._index = Index()

    def __call__(self, text: str, titles: Mapping[str, str]) -> str:
        """Give the path of the rule that says the same, "" for none."""
        before, now = list(self._titles.items()), list(titles.items())
        extends = now[: len(before)] == before
        index = self._index if extends else Index()
        for _, title in now[len(before) if extends else 0 :]:
            index.add(title)
        # a few rules that share a quote must not cost the index of all
        if extends or len(now) > len(before):
            self._titles, self._index = dict(titles), index
        match = index.match(text)
        return now[match.place][0] if match else ""


# -- Entries that a person wrote -------------------------------------------------------------------


def changed_pages(work: Workspace, compiled: Mapping[str, str]) -> list[Leaf]:
    """Give the written entries that are new or were changed since they were compiled."""
    from memoria.rules.insights.notebook import read_notebook  # noqa: PLC0415 - no flush needs it

    leaves = [leaf for leaf in read_notebook(work.vault).leaves if leaf.kind == "written"]
    return [leaf for leaf in leaves if compiled.get(f"daily/{leaf.source}") != leaf.digest]


def page_sightings(work: Workspace, leaves: Iterable[Leaf]) -> list[Sighting]:
    """Read the rules in the Improvements of written entries.

    Where a person compiles, they count as said by the user: a line with a standing cue comes in
    force by itself. Else all wait for a review, as a pull or an agent can bring such a file, too. A
    review's file or a draft that nobody changed holds others' words and gives none. What a file
    already gave counts no second time, however often its text changes: its name is its session.
    """
    by_person = work.driver().is_person
    return [
        Sighting(
            _statement(pattern, by_person=by_person),
            *(leaf.day, pattern.project, "", leaf.entry),
            source=f"daily/{leaf.source.removesuffix('.md')}",
        )
        for leaf in leaves
        for pattern in clean.clean_value(leaf.patterns, work.settings.secrets)
        if pattern.origin == "written" and MIN_RULE <= len(pattern.insight) <= MAX_RULE
    ]


def _statement(pattern: Pattern, *, by_person: bool) -> Statement:
    text = pattern.insight
    draft = parse_statement(text)
    # its place under Improvements says that it is meant for later; what stands there is a rule
    score = max(draft.score, FOUND)
    return Statement(text, text, pattern.category, draft.standing and by_person, score)
