"""Carry out a person's decisions about the rules that wait, one step a decision.

A note may change between what was shown and what is decided; then nothing is done, and the rule
waits on.
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from memoria.agents import port as agents
from memoria.agents.claude_code.user_words import utterances
from memoria.errors import MemoriaError, UsageError
from memoria.privacy import clean as gate
from memoria.rules.merge.groups import merging
from memoria.rules.model import aged, normal, text_hash
from memoria.rules.promotion.placement import renew_files
from memoria.rules.proposal_service import proposed_rules
from memoria.rules.review.waiting import review_cases
from memoria.rules.rulebook import Ruling, approves, decide, rulebook
from memoria.rules.skill_making import as_rule
from memoria.text.unicode import disguised
from memoria.vault.citations import quote
from memoria.vault.storage import clock
from memoria.vault.storage.journal import Conflict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memoria.rules.merge.groups import Merging
    from memoria.rules.model import Rule, Status
    from memoria.rules.review.waiting import Case
    from memoria.workspace import Workspace


# bytes: a larger transcript takes longer to read than a person waits for the next card
_LARGEST = 20_000_000
# characters on each side of the sentence: a few lines of a terminal
_AROUND = 200
# of one group: more wordings of a rule than a person compares
_CROWD = 8


class Near(NamedTuple):
    """Another rule that says the same as one, nearly the same, or the opposite.

    `why` is the veto that keeps the two apart, "" for none; `similarity` is from 0 to 1.
    """

    rule: Rule
    how: Literal["same", "near", "opposite"]
    why: str
    similarity: float
    in_force: bool


class Sitting:
    """A person's going through the rules that wait; to be closed at its end."""

    def __init__(self, work: Workspace) -> None:
        self._work = work
        self.done: list[tuple[Case, Ruling]] = []
        book, today = rulebook(work), clock.now(work.settings.zone).date()
        rules = [aged(rule, today) for rule in book.rules]
        others, texts, merged = self._compared(rules)
        self.cases = deque(review_cases(work, book, rules, others))
        self.rules = {rule.id: rule for rule in (*others, *rules)}
        self.in_force = frozenset(rule.id for rule in rules if book.is_in_force(rule))
        self._words, self._merged = list(map(normal, texts)), merged
        self._named: dict[str, Rule] = {}
        for rule in (*rules, *others):
            for text in (rule.text, *rule.aliases):
                self._named.setdefault(normal(text), rule)

    def _compared(self, rules: Sequence[Rule]) -> tuple[list[Rule], Sequence[str], Merging]:
        """Give the rules without a note, and what says the same as what.

        Where nobody wrote an entry, insights ask for no decision and are not compared: reading
        them takes as long as all else.
        """
        proposed = proposed_rules(self._work)
        if not self._work.vault.pages()[0]:
            texts = tuple(rule.text for rule in rules)
            return proposed, texts, merging(texts)
        from memoria.rules.skills import skillset  # noqa: PLC0415 - see above

        skills = skillset(self._work)
        unwritten = [as_rule(skill) for skill in skills.skills if not skill.path]
        return [*unwritten, *proposed], skills.texts, skills.merged

    def near(self, rule: Rule) -> list[Near]:
        """Give the rules that say nearly the same as one, or the opposite, opposites first."""
        own = set(map(normal, (rule.text, *rule.aliases)))
        groups = (tuple(group)[:_CROWD] for group in self._merged.groups)
        pairs: list[tuple[int, int, Literal["same", "near", "opposite"], str, float]] = [
            *((pair.index, pair.other, "opposite", "", 1.0) for pair in self._merged.opposites),
            *((*pair, "same", "", 1.0) for group in groups for pair in combinations(group, 2)),
            *((no.index, no.other, "near", no.veto, no.similarity) for no in self._merged.vetoed),
        ]
        nears: dict[str, Near] = {}
        for first, second, how, why, similarity in pairs:
            for at, beside in ((first, second), (second, first)):
                other = self._named.get(self._words[beside]) if self._words[at] in own else None
                if other and other.id != rule.id:
                    near = Near(other, how, why, similarity, other.id in self.in_force)
                    nears.setdefault(other.id, near)
        return sorted(nears.values(), key=lambda near: (near.how != "opposite", -near.similarity))

    def origins(self, rule: Rule) -> list[str]:
        """Say what a person should know of where a rule's evidence comes from."""
        history, sha = self._work.vault.history(), self._work.vault.articles.sha
        lines = []
        if rule.path and history.written.get(rule.path) != sha(rule.path):
            lines.append("its note is not as Memoria wrote it here: an edit, or a pull brought it")
        elif rule.path and not rule.sessions:
            lines.append("these words are a model's; the quotes are yours")
        if disguised(rule.text):
            lines.append("it hides something or mixes letters of two scripts: it cannot be active")
        stays = (stay for stay in history.stays.values() if stay.session[:8] in rule.sessions)
        read = dict.fromkeys(who for stay in stays for who in stay.context.get("outside") or ())
        if read:
            lines.append(f"said in a session that had read {' and '.join(map(str, read))}")
        return lines

    def turn(self, rule: Rule) -> str:
        """Give what the user said around a rule's sentence, "" where that is not known."""
        return stated_turn(self._work, rule) if rule.sessions else ""

    # -- Deciding ----------------------------------------------------------------------------------

    def decide(self, case: Case, status: Status, text: str = "", *, pinned: bool = False) -> str:
        """Decide about a rule that was shown; with a text, in these words.

        Says what was in the way, "" if nothing was; then its rule waits on with the words of now.
        """
        rule = case.rule
        shown = text_hash(rule.text)
        ruling = Ruling(rule.id, status, "review", text=text, seen=shown, pinned=pinned)
        try:
            decide(self._work, [ruling], new=() if rule.path else (rule,))
        except (UsageError, Conflict) as error:
            with suppress(UsageError):  # its note is gone
                self._reread(rule.id)
                self.cases.append(replace(case, rule=self.rules[rule.id]))
            return str(error)
        self.done.append((case, ruling))
        return ""

    def _reread(self, identity: str) -> None:
        """Read a rule again that has changed, where it still waits, too."""
        rule = rulebook(self._work).find(identity)
        self.rules[rule.id] = rule
        self.cases = deque(
            replace(case, rule=rule) if case.rule.id == rule.id else case for case in self.cases
        )

    # -- At the end --------------------------------------------------------------------------------

    def close(self) -> list[str]:
        """Bring promoted files up to date; give what could not be done."""
        rulings = [ruling for _, ruling in self.done]
        touched = [ruling.id for ruling in rulings if ruling.text or not approves(ruling)]
        return renew_files(self._work, touched)


# -- What was said around a rule ------------------------------------------------------------------


def stated_turn(work: Workspace, rule: Rule) -> str:
    """Give the words around the rule's first quote that is found, "" where it stood alone."""
    quotes = list(filter(None, (" ".join(quote(line).words.split()) for line in rule.quotes)))
    for text in _texts(work, rule):
        for words in quotes:
            at = text.find(words)
            if at >= 0 and len(text) > len(words):
                first, last = max(0, at - _AROUND), min(len(text), at + len(words) + _AROUND)
                before, after = "... " * (first > 0), " ..." * (last < len(text))
                return f"{before}{text[first:last].strip()}{after}"
    return ""


def _texts(work: Workspace, rule: Rule) -> Iterator[str]:
    """Give what the user said in the sessions of a rule, while their transcripts are there."""
    history = work.vault.history()
    for name, mark in history.watermarks.items():
        path, session = Path(name), mark.identity
        if session[:8] not in rule.sessions or history.has_forgotten(session):
            continue
        # the client may remove its transcripts at any time
        with suppress(MemoriaError, OSError):
            if path.is_file() and path.stat().st_size <= _LARGEST:
                for part in agents.read(path):
                    for utterance in utterances(gate.without_private(part)):
                        # what a tool printed is not shown, so it need not be cleaned
                        text = gate.clean(utterance.ask.text, work.settings.secrets)
                        yield " ".join(text.split())
