"""What the user said and wrote -> the notes of rules, in the transaction of a flush or a compile.

A sighting that brings a rule in force overrules the rule in force that says the opposite, and
closes it with its date; one that only waits leaves both and is told of. The trap: approvals are
this machine's and are given in the same transaction as the note, or a crash would leave a rule that
its note calls active and nobody has approved here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memoria.errors import VaultError
from memoria.rules import model as rule
from memoria.rules import sightings as sighting
from memoria.rules.decision import Ruling, decided
from memoria.rules.merge.near_rules import Index
from memoria.vault import index as catalog
from memoria.vault.citations import citations
from memoria.vault.storage.state import encode

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from datetime import date, datetime

    from memoria.rules.model import Rule
    from memoria.rules.sightings import Learned, Sighting
    from memoria.vault.article import Article
    from memoria.vault.store import Vault
    from memoria.vault.transaction import Transaction


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
        """The notes that were made or changed."""
        return [one.article.path for one in self.learned] + [one.path for one in self.closed]


def learn_at_flush(
    vault: Vault,
    sightings: Iterable[Sighting],
    change: Transaction,
    now: datetime,
    said: Mapping[str, Iterable[str]],
) -> Lesson:
    """Learn from entries while they are delivered, so that the next session is told.

    `said` has what the user said in each entry: a rule that an earlier writing of these entries
    alone took for one, and that waits, is closed where this one does not find it. Approvals that
    cannot be read keep no session back: the compile learns, or says what is broken.
    """
    try:
        vault.state.read_json(vault.state.approvals)
    except VaultError:
        return Lesson()
    lesson = learn(vault, sightings, change, now.date())
    shelf, written = vault.articles, vault.history().written
    for one in _guesses(vault, said, written):
        ended = Ruling(one.id, "retired", "compile")
        change.put_article(decided(shelf[one.path], ended, now.date()))
        lesson.closed.append(one)
    if not lesson.paths:
        return lesson
    change.put_index(written)
    # what a person had edited stays theirs, though a line was added to it
    owned = {
        path: sha
        for path, sha in change.wrote.items()
        if not shelf.sha(path) or shelf.sha(path) == written.get(path)
    }
    at = now.isoformat(timespec="seconds")
    change.record({"kind": "wrote", "at": at, "wrote": owned})
    lines = [f"Rules: {catalog.links(lesson.paths)}"]
    change.append_log(catalog.log_entry(now, "flush", "Rules the user stated", lines))
    return lesson


def _guesses(
    vault: Vault, said: Mapping[str, Iterable[str]], written: Mapping[str, str]
) -> list[Rule]:
    """Find rules that wait, were seen in these entries alone, and are not said there any more."""
    words = [rule.normal(quote) for quotes in said.values() for quote in quotes]
    shelf = vault.articles
    notes = [shelf[path] for path in shelf.paths() if path.startswith("rules/") and shelf.get(path)]
    mine = (note for note in notes if note.sha == written.get(note.path))
    return [
        one
        for one in rule.rules(mine)
        if one.status == "waiting"
        and _is_seen_in(one, said.keys())
        and not any(word in rule.normal(line) for word in words for line in one.quotes)
    ]


def _is_seen_in(one: Rule, entries: Collection[str]) -> bool:
    """Whether a rule was seen in these entries and in no other."""
    cited = {cited.entry for line in one.quotes for cited in citations(line)}
    return bool(cited) and cited <= set(entries)


def learn(vault: Vault, sightings: Iterable[Sighting], change: Transaction, today: date) -> Lesson:
    """Make or update the rules' notes, and this machine's approvals of them."""
    shelf, state = vault.articles, vault.state
    paths = [path for path in shelf.paths() if path.startswith("rules/")]
    notes = {path: note for path in paths if (note := shelf.get(path))}
    found = sighting.learn(notes, sightings, taken=paths, alike=Alike())
    lesson = Lesson(found)
    if not found:
        return lesson
    approvals = {key: str(value) for key, value in state.read_json(state.approvals).items()}
    for one in found:
        change.put_article(one.article)
        if one.approve and one.rule.id not in approvals:
            approvals[one.rule.id] = one.approve
    now = notes | {one.article.path: one.article for one in found}
    opposites = Opposites(now.values())
    for one in found:
        for other in opposites.of(one.rule, approvals):
            if one.approve and other.updated <= one.rule.updated:
                ended = Ruling(other.id, "retired", "compile", superseded_by=one.rule.id)
                change.put_article(decided(now[other.path], ended, today))
                approvals.pop(other.id)
                lesson.closed.append(other)
            else:
                lesson.opposites.append((other.id, one.rule.id))
    change.put_state(state.approvals, encode(approvals))
    return lesson


class Opposites:
    """Finds the rules in force that say the opposite of a rule; all are read once."""

    def __init__(self, notes: Iterable[Article]) -> None:
        self._rules = rule.rules(notes)
        self._index = Index(one.text for one in self._rules)

    def of(self, one: Rule, approvals: Mapping[str, str]) -> list[Rule]:
        """Give the rules in force, where a rule holds, that say its opposite."""
        others = (self._rules[place] for place in self._index.opposites(one.text))
        return [
            other
            for other in others
            if other.id != one.id and rule.is_in_force(other, approvals) and _meet(other, one)
        ]


def _meet(one: Rule, other: Rule) -> bool:
    """Whether two rules hold in the same project, so that both cannot be followed."""
    return not one.scope or not other.scope or bool(set(one.scope) & set(other.scope))


class Alike:
    """Finds the rule that says the same as a text; it keeps its index while the rules stay."""

    def __init__(self) -> None:
        self._titles: dict[str, str] = {}
        self._index = Index()

    def __call__(self, text: str, titles: Mapping[str, str]) -> str:
        """Give the path of the rule that says the same, "" for none."""
        known, now = list(self._titles.items()), list(titles.items())
        extends = now[: len(known)] == known
        index = self._index if extends else Index()
        for _, title in now[len(known) if extends else 0 :]:
            index.add(title)
        # a few rules that share a quote must not cost the index of all
        if extends or len(now) > len(known):
            self._titles, self._index = dict(titles), index
        match = index.match(text)
        return now[match.place][0] if match else ""
