"""The rules that wait and a person's decisions about them -> the notes, one step a decision.

What `memoria review` shows is read once; each decision is applied at once, in the order in which
they were taken, by a thread beside the one that waits for the next key, because in a vault of ten
thousand articles it takes a second. So at most the last decision is under way when the process
dies, and it lands whole or not at all. The trap: a note may change between what was shown and what
is decided; then nothing is done, and the rule waits on.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memoria.errors import UsageError
from memoria.rules import decision as ruling
from memoria.rules import model as rule
from memoria.rules.decision import Ruling
from memoria.rules.decisions import Changed, Trail, decide, proposed_rules, rulebook
from memoria.rules.guards import check as guard
from memoria.rules.guards import switch_store as guarding
from memoria.rules.guards import switches as switch
from memoria.rules.merge.groups import merging
from memoria.rules.model import aged, text_hash
from memoria.rules.review import waiting as docket
from memoria.rules.review.card_lines import Beside
from memoria.rules.review.turn_service import stated_turn
from memoria.rules.review.waiting_service import review_cases
from memoria.rules.skill import as_rule
from memoria.text.unicode import disguised
from memoria.vault import index as catalog
from memoria.vault.article import with_meta
from memoria.vault.storage import clock
from memoria.vault.storage.journal import Conflict
from memoria.vault.storage.state import encode
from memoria.vault.transaction import INDEX

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from concurrent.futures import Future, ThreadPoolExecutor

    from memoria.rules.merge.groups import Merging
    from memoria.rules.model import Rule, Status
    from memoria.rules.review.waiting import Case
    from memoria.vault.article import Article
    from memoria.vault.transaction import Transaction
    from memoria.workspace import Workspace


@dataclass
class Step:
    """A decision, and what it takes to take it back.

    `rules` are those that it concerns, as they were shown. `dropped` are cases that a merge has
    settled, too. `guards`: the rule is to stand guard as well.
    """

    case: Case
    rulings: tuple[Ruling, ...]
    rules: tuple[Rule, ...]
    trail: Trail = field(default_factory=Trail)
    dropped: tuple[Case, ...] = ()
    guards: bool = False


class Sitting:
    """A person's going through the rules that wait; `close` it, or decisions may be lost."""

    def __init__(self, work: Workspace) -> None:
        self._work = work
        self._thread: ThreadPoolExecutor | None = None
        self._pending: tuple[Step, Future[None]] | None = None
        self.done: list[Step] = []
        self.cases: deque[Case] = deque()
        self._read()

    def _read(self) -> None:
        book = rulebook(self._work)
        today = clock.now(self._work.settings.zone).date()
        rules = [aged(found, today) for found in book.rules]
        others, texts, merged = self._compared(rules)
        self.cases.extend(review_cases(self._work, book, rules, others))
        self.rules = {one.id: one for one in (*others, *rules)}
        self.in_force = frozenset(one.id for one in rules if book.is_in_force(one))
        self._near = docket.neighbours(texts, merged)
        self._named = docket.named((*rules, *others))

    def _compared(self, rules: Sequence[Rule]) -> tuple[list[Rule], Sequence[str], Merging]:
        """Give the rules without a note, and what says the same as what.

        Where nobody wrote an entry, insights ask for no decision and are not compared: reading
        them takes as long as all else.
        """
        proposed = proposed_rules(self._work)
        if not self._work.vault.pages()[0]:
            texts = tuple(one.text for one in rules)
            return proposed, texts, merging(texts)
        from memoria.rules.skills import skillset  # noqa: PLC0415 - see above

        found = skillset(self._work)
        unwritten = [as_rule(one) for one in found.skills if not one.path]
        return [*unwritten, *proposed], found.texts, found.merged

    def near(self, found: Rule) -> list[Beside]:
        """Give the rules that say nearly the same as one, or the opposite, opposites first."""
        given: dict[str, Beside] = {}
        for text in (found.text, *found.aliases):
            for near in self._near.get(rule.normal(text), ()):
                other = self._named.get(rule.normal(near.text))
                if other and other.id != found.id:
                    given.setdefault(other.id, Beside(near, other, other.id in self.in_force))
        return sorted(
            given.values(), key=lambda one: (one.near.how != "opposite", -one.near.similarity)
        )

    def origins(self, found: Rule) -> list[str]:
        """Say what a person should know of where a rule's evidence comes from."""
        history = self._work.vault.history()
        lines = []
        if found.path and history.written.get(found.path) != self._work.vault.articles.sha(
            found.path
        ):
            lines.append("its note is not as Memoria wrote it here: an edit, or a pull brought it")
        elif found.path and not found.sessions:
            lines.append("these words are a model's; the quotes are yours")
        if disguised(found.text):
            lines.append("it hides something or mixes letters of two scripts: it cannot be active")
        stays = (one for one in history.stays.values() if one.session[:8] in found.sessions)
        read = dict.fromkeys(who for one in stays for who in one.context.get("outside") or ())
        if read:
            lines.append(f"said in a session that had read {' and '.join(map(str, read))}")
        return lines

    def turn(self, found: Rule) -> str:
        """Give what the user said around a rule's sentence, "" where that is not known."""
        return stated_turn(self._work, found) if found.sessions else ""

    # -- Deciding ----------------------------------------------------------------------------------

    def decide(
        self,
        case: Case,
        status: Status,
        text: str = "",
        *,
        pinned: bool = False,
        guards: bool = False,
    ) -> str:
        """Decide about a rule that was shown; with a text, in these words; with `guards`, on guard.

        Says what was in the way of the decision before it, "" if nothing was.
        """
        shown = text_hash(case.rule.text)
        one = Ruling(case.rule.id, status, "review", text=text, seen=shown, pinned=pinned)
        said = self.settle()
        self._submit(Step(case, (one,), (case.rule,), guards=guards))
        return said

    def merge(self, case: Case, other: Rule) -> tuple[Rule, str]:
        """Make one rule of two: the one in force, else the older one, which keeps its id and words.

        Gives it, and what was in the way.
        """
        shown = case.rule
        heir, part = (other, shown) if self._is_heir(other, shown) else (shown, other)
        one = Ruling(part.id, "retired", "review", into=heir.id, seen=text_hash(part.text))
        said = self.settle()
        step = Step(case, (one,), (part, heir))
        self._submit(step)
        said = self.settle() or said
        if not said:
            step.dropped = tuple(waits for waits in self.cases if waits.rule.id == part.id)
            self.cases = deque(waits for waits in self.cases if waits.rule.id != part.id)
        self._reread(heir.id)
        return self.rules[heir.id], said

    def _is_heir(self, other: Rule, shown: Rule) -> bool:
        if (other.id in self.in_force) != (shown.id in self.in_force):
            return other.id in self.in_force
        return (other.created, other.id) < (shown.created, shown.id)

    def _reread(self, identity: str) -> None:
        """Read a rule again that has changed, where it still waits, too."""
        book = rulebook(self._work)
        found = book.find(identity)
        self.rules[found.id] = found
        self.cases = deque(
            replace(case, rule=found) if case.rule.id == found.id else case for case in self.cases
        )

    def _submit(self, step: Step) -> None:
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - a list decides nothing

        self._thread = self._thread or ThreadPoolExecutor(max_workers=1)
        self.done.append(step)
        self._pending = step, self._thread.submit(self._carry_out, step)

    def settle(self) -> str:
        """Wait until all decisions are in the notes; say what went wrong with the last, "" if not.

        A rule that was changed meanwhile waits on, with the words that it has now.
        """
        if self._pending is None:
            return ""
        step, running = self._pending
        self._pending = None
        try:
            running.result()
        except (UsageError, Conflict) as error:
            self.done.remove(step)
            self._wait_on(step)
            return str(error)
        return ""

    def _wait_on(self, step: Step) -> None:
        try:
            self.cases.append(step.case)
            self._reread(step.case.rule.id)
        except UsageError:  # its note is gone
            self.cases.pop()

    def _carry_out(self, step: Step) -> None:
        unnoted = [found for found in step.rules if not found.path]
        decide(self._work, step.rulings, new=unnoted, trail=step.trail)

    # -- Taking back -------------------------------------------------------------------------------

    def take_back(self) -> tuple[Case | None, str]:
        """Undo the last decision; give its rule, which waits again, or what was in the way."""
        said = self.settle()
        if said or not self.done:
            return None, said or "nothing was decided yet"
        step = self.done[-1]
        try:
            restore(self._work, step.trail)
        except (Changed, Conflict) as error:
            return None, str(error)
        self.done.pop()
        self.cases.extendleft(step.dropped)
        for found in step.rules:
            self._reread(found.id)
        case = replace(step.case, rule=self.rules[step.case.rule.id])
        return case, ""

    def close(self) -> list[str]:
        """Finish what is under way; give what could not be done, such as a promoted file."""
        try:
            said = self.settle()
        finally:
            if self._thread:
                self._thread.shutdown()
        problems = [said] if said else []
        problems += self._guards()
        if any(step.guards for step in self.done):
            book = rulebook(self._work)
            guarding.refresh(self._work, book.rules, book.approvals)
            guarding.post(self._work)
        changed = [one for step in self.done for one in step.rulings]
        out = [one.id for one in changed if not ruling.approves(one)]
        reworded = [one.id for one in changed if one.text]
        return problems + self._promoted(out, reworded)

    def _promoted(self, out: Sequence[str], reworded: Sequence[str]) -> list[str]:
        """Bring the files that rules were promoted to up to date; give what was in the way."""
        if not (out or reworded):
            return []
        from memoria.rules.promotion import service as promote  # noqa: PLC0415 - after a decision

        problems = list(promote.withdraw(self._work, out)) if out else []
        return problems + (list(promote.refresh(self._work, reworded)) if reworded else [])

    def _guards(self) -> list[str]:
        """Switch on the guards that were asked for; give what is in the way of one."""
        problems = []
        for step in self.done:
            if step.guards:
                book = rulebook(self._work)
                try:
                    found = book.find(step.case.rule.id)
                    guarding.may_be_on(book.is_in_force(found), found)
                    if switch.digest(found) != switch.digest(step.case.rule):
                        raise Changed(f"the check of {found.id} was changed just now; look again")
                    guarding.flip(self._work, found, guard.DEFAULT)
                except UsageError as error:
                    problems.append(str(error))
        return problems


def restore(work: Workspace, trail: Trail) -> None:
    """Give the notes and approvals that a decision changed their former state.

    A note that the decision made stays, and waits. Changed where somebody has changed one of
    them since; then nothing is done.
    """
    now = clock.now(work.settings.zone)
    state = work.vault.state
    with work.vault.changing() as change:
        written = work.vault.history().written
        approvals = state.read_json(state.approvals)
        owned: dict[str, str] = {}
        for identity, (path, sha) in trail.after.items():
            back = _former(work, trail, identity)
            change.put_article(back)
            approvals.pop(identity, None)
            approvals |= {key: one for key, one in trail.approvals.items() if key == identity}
            _record(change, back, now.isoformat(timespec="seconds"))
            if written.get(path) == sha and path in change.wrote:
                owned[path] = change.wrote[path]
        change.put_index(written)
        change.put_state(state.approvals, encode(approvals))
        owned[INDEX] = change.wrote[INDEX]
        change.record({"kind": "wrote", "at": now.isoformat(timespec="seconds"), "wrote": owned})
        lines = [f"taken back: {catalog.links(path for path, _ in trail.after.values())}"]
        change.append_log(catalog.log_entry(now, "review", "1 decision", lines))


def _former(work: Workspace, trail: Trail, identity: str) -> Article:
    path, sha = trail.after[identity]
    note = work.vault.articles.get(path)
    if note is None or note.sha != sha:
        raise Changed(f"knowledge/{path}.md was changed since; nothing is taken back")
    before = trail.before.get(identity)
    return replace(before, sha=sha) if before else with_meta(note, {"status": "waiting"})


def _record(change: Transaction, note: Article, at: str) -> None:
    found = rule.rule(note)
    if found:
        change.record(ruling.record(at, Ruling(found.id, found.status, "review"), found))


def counts(steps: Sequence[Step]) -> Mapping[str, int]:
    """Count decisions by what became of the rules."""
    found: dict[str, int] = {}
    for step in steps:
        one = step.rulings[0]
        name = "merged" if one.into else one.status
        found[name] = found.get(name, 0) + 1
    return found
