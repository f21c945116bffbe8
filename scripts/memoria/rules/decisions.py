"""The rules of a vault, found by id, and the one way by which a person's decision changes them.

All verbs that approve, reject or reword go through `decide`: notes, this machine's approvals, the
index and the ledger change in one transaction, so that a rule is never half approved. An id is
never lost: one that became part of another rule leads there, and what `memoria skills` showed
without a note gets its note with the first decision about it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memoria.errors import UsageError
from memoria.rules import decision as ruling
from memoria.rules import model as rule
from memoria.rules import proposals as suggestion
from memoria.rules.model import normal
from memoria.vault import index as catalog
from memoria.vault.storage import clock
from memoria.vault.storage.state import encode
from memoria.vault.transaction import INDEX

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import date, datetime

    from memoria.rules.decision import Ruling
    from memoria.rules.model import Rule
    from memoria.vault.article import Article
    from memoria.vault.transaction import Transaction
    from memoria.workspace import Workspace

# of an id: what a person types to mean one of a few hundred rules ("wf-3a")
_SHORTEST = 4


@dataclass(frozen=True, slots=True)
class Rulebook:
    """The rules of a vault with this machine's approvals.

    `new` are rules without a note that the caller brings; `others` those that `memoria skills`
    found, and what agents propose, made when asked for.
    """

    rules: tuple[Rule, ...]
    approvals: Mapping[str, str]
    others: Callable[[], Iterable[Rule]] = field(default=tuple)
    new: tuple[Rule, ...] = ()

    def find(self, name: str) -> Rule:
        """Find a rule by its id, the start of its id, or an id that it had; else UsageError."""
        wanted = name.strip().lower()
        found = self._named(wanted, self.rules)
        if found is None:
            fresh = [one for one in self.new if one.id not in self._ids()]
            found = self._named(wanted, fresh)
        if found is None:
            others = [one for one in self.others() if one.id not in self._ids()]
            found = self._named(wanted, others)
            if found is None:
                raise UsageError(self._unknown(name, [*self.rules, *others]))
        return found

    def is_in_force(self, found: Rule) -> bool:
        """Whether a rule may be injected on this machine."""
        return rule.is_in_force(found, self.approvals)

    def alike(self, text: str) -> tuple[Rule | None, tuple[Rule, ...]]:
        """Find the rule that says the same as a text, and those that say the opposite."""
        from memoria.rules.merge.groups import merging  # noqa: PLC0415 - scipy takes .3 s to load

        words = normal(text)
        gone = {name for one in self.rules for name in one.merged}
        known = [found for found in self.rules if found.id not in gone]
        same = next((one for one in known if words in map(normal, (one.text, *one.aliases))), None)
        result = merging([*(one.text for one in known), text])
        last = len(known)
        group = next(group for group in result.groups if last in group)
        joined = known[group[0]] if group[0] != last else None
        pairs = [{near.index, near.other} for near in result.opposites]
        opposites = [known[at] for at in range(last) if {at, last} in pairs]
        return same or joined, tuple(opposites)

    def _ids(self) -> set[str]:
        return {one for found in self.rules for one in (found.id, *found.merged)}

    def _named(self, wanted: str, among: Sequence[Rule]) -> Rule | None:
        for found in among:
            if found.id == wanted and not self._heir(found):
                return found
        for found in among:
            if wanted in found.merged:
                return found
        begun = [found for found in among if found.id.startswith(wanted)]
        if len(wanted) >= _SHORTEST and len(begun) > 1:
            names = ", ".join(found.id for found in begun[:3])
            raise UsageError(f"{wanted!r} begins several rules' ids: {names}")
        return begun[0] if len(wanted) >= _SHORTEST and begun else None

    def _heir(self, found: Rule) -> Rule | None:
        return next((one for one in self.rules if found.id in one.merged), None)

    def _unknown(self, name: str, among: Sequence[Rule]) -> str:
        ids = [found.id for found in among]
        from difflib import get_close_matches  # noqa: PLC0415 - for a wrong id alone

        near = get_close_matches(name.strip().lower(), ids, 1)
        hint = f"did you mean {near[0]}?" if near else "`memoria status` lists them"
        return f"there is no rule {name!r}; {hint}"


def rulebook(work: Workspace, new: Iterable[Rule] = ()) -> Rulebook:
    """Read the rules of the vault's notes and this machine's approvals.

    `new` are further ones without a note.
    """
    shelf = work.vault.articles
    state = work.vault.state
    approvals = {key: str(value) for key, value in state.read_json(state.approvals).items()}
    # by path: to go through the shelf itself would read every note of the vault
    notes = (shelf.get(path) for path in shelf.paths() if path.startswith("rules/"))
    found = rule.rules(note for note in notes if note)
    return Rulebook(found, approvals, lambda: _without_note(work), tuple(new))


def _without_note(work: Workspace) -> list[Rule]:
    from memoria.rules.skills import unnoted  # noqa: PLC0415 - it merges; few verbs ask for these

    return [*unnoted(work), *proposed_rules(work)]


def proposals(work: Workspace) -> Mapping[str, str]:
    """Give what agents ask to be done to rules and nobody has decided, by the id of the rule."""
    history = work.vault.history()
    return suggestion.proposed(history.of(suggestion.KIND), history.of("rule"))


def proposed_rules(work: Workspace) -> list[Rule]:
    """Give the rules that agents propose to teach, or colleagues have, and nobody decided about."""
    history = work.vault.history()
    found = suggestion.taught(history.of(suggestion.KIND), history.of("rule"))
    if not (work.vault.state.root / "team_mirror.sqlite").exists():
        return found
    # few belong to a team
    from memoria.rules.review.colleagues_service import colleagues_rules  # noqa: PLC0415 - as above

    return [*found, *colleagues_rules(work)]


def decide(
    work: Workspace,
    rulings: Iterable[Ruling],
    *,
    new: Iterable[Rule] = (),
    trail: Trail | None = None,
) -> tuple[Rule, ...]:
    """Carry out decisions in one step that `memoria undo` can take back; give the rules after it.

    `new` are rules without a note that the decisions may speak of. A `trail` is filled. UsageError
    where a rule does not exist, and then nothing has changed.
    """
    asked = tuple(rulings)
    now = clock.now(work.settings.zone)
    with work.vault.changing() as change:
        book = rulebook(work, new)
        step = _Step(work, book, now.date())
        for one in asked:
            step.take(one)
        change.label = asked[0].by if asked else ""
        step.write(change, now)
        if trail is not None:
            step.tell(trail, change)
    return step.after()


@dataclass
class Trail:
    """What it takes to take decisions back: notes and approvals as they were, by id.

    `after` are the paths of the notes with the hashes of their files as the decisions left them. A
    note that the decisions made is not in `before`.
    """

    before: dict[str, Article] = field(default_factory=dict)
    approvals: dict[str, str] = field(default_factory=dict)
    after: dict[str, tuple[str, str]] = field(default_factory=dict)


class Changed(UsageError):
    """A rule does not read any more as it did when the person decided about it."""


class _Step:
    """Decisions while they are worked into the notes."""

    def __init__(self, work: Workspace, book: Rulebook, today: date) -> None:
        self.done: list[tuple[Ruling, Rule]] = []
        self._work = work
        self._book = book
        self._today = today
        self._notes: dict[str, Article] = {}
        self._before: dict[str, Article] = {}

    def take(self, one: Ruling) -> None:
        found = self._book.find(one.id)
        if one.seen and rule.text_hash(found.text) != one.seen:
            raise Changed(f"the words of {found.id} were changed just now; look at it again")
        note = ruling.decided(self._note(found), one, self._today)
        self._notes[found.id] = note
        if one.into:
            heir = self._book.find(one.into)
            if heir.id == found.id:
                raise UsageError(f"{found.id} cannot become part of itself")
            other = ruling.absorbed(self._note(heir), note, self._today)
            self._notes[heir.id] = other
        self.done.append((one, _read(note)))

    def after(self) -> tuple[Rule, ...]:
        return tuple(found for _, found in self.done)

    def write(self, change: Transaction, now: datetime) -> None:
        state = self._work.vault.state
        written = self._work.vault.history().written
        shelf = self._work.vault.articles
        owned = {}
        for note in self._notes.values():
            mine = not shelf.sha(note.path) or written.get(note.path) == shelf.sha(note.path)
            change.put_article(note)
            if mine and note.path in change.wrote:
                owned[note.path] = change.wrote[note.path]
        change.put_index(written)
        owned[INDEX] = change.wrote[INDEX]
        approvals = ruling.approvals_after(self._book.approvals, self.done)
        if approvals != dict(self._book.approvals):
            change.put_state(state.approvals, encode(approvals))
        at = now.isoformat(timespec="seconds")
        for one, found in self.done:
            change.record(ruling.record(at, one, found))
        change.record({"kind": "wrote", "at": at, "wrote": owned})
        if self.done:
            lines = [f"{one.status}: {catalog.links([found.path])}" for one, found in self.done]
            verb = self.done[0][0].by
            change.append_log(catalog.log_entry(now, verb, _count(len(lines)), lines))

    def _note(self, found: Rule) -> Article:
        known = self._notes.get(found.id)
        if known is not None:
            return known
        note = self._work.vault.articles.get(found.path) if found.path else None
        if note:
            self._before[found.id] = note
        return note or ruling.drafted(found, self._work.vault.articles.paths())

    def tell(self, trail: Trail, change: Transaction) -> None:
        """Say what was changed: as it was read and written within the transaction."""
        trail.before = dict(self._before)
        trail.approvals = dict(self._book.approvals)
        trail.after = {
            identity: (note.path, change.wrote.get(note.path) or note.sha)
            for identity, note in self._notes.items()
        }


def _read(note: Article) -> Rule:
    found = rule.rule(note)
    if found is None:  # pragma: no cover - the note was made or read as a rule's
        raise UsageError(f"knowledge/{note.path}.md is no rule's note")
    return found


def _count(number: int) -> str:
    return f"{number} rule" if number == 1 else f"{number} rules"
