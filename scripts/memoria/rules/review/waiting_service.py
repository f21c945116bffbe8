"""Gather all that `memoria review` asks about from a vault, for the verbs that list or count it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memoria.rules.guards import switch_store as guarding
from memoria.rules.model import STATUSES
from memoria.rules.review.waiting import IN_FORCE, docket, unguarded, waiting_reasons
from memoria.rules.rulebook import proposals, proposed_rules, rulebook

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memoria.rules.model import Rule, Status
    from memoria.rules.review.waiting import Case
    from memoria.rules.rulebook import Rulebook
    from memoria.workspace import Workspace


def review_cases(
    work: Workspace,
    book: Rulebook,
    rules: Iterable[Rule] | None = None,
    others: Sequence[Rule] | None = None,
) -> list[Case]:
    """Give all that a review asks about, strongest first, and last the guards it could switch on.

    `rules` are the book's where none are given, `others` those without a note.
    """
    known = book.rules if rules is None else tuple(rules)
    unwritten = without_note(work) if others is None else others
    cases = docket(known, book.approvals, unwritten, proposals(work))
    decided = {*(case.rule.id for case in cases), *guarding.switches(work)}
    return [*cases, *unguarded(known, book.approvals, decided)]


def waiting_cases(work: Workspace, book: Rulebook) -> list[Case]:
    """Give the cases of rules that wait for a decision and are not in force, strongest first."""
    cases = docket(book.rules, book.approvals, without_note(work), proposals(work))
    return [case for case in cases if case.waits]


def waiting_rules(work: Workspace, book: Rulebook) -> list[Rule]:
    """Give the rules that wait for a decision and are not in force, strongest first."""
    return [case.rule for case in waiting_cases(work, book)]


def waiting_without_note(work: Workspace, book: Rulebook) -> list[Rule]:
    """Give the rules that wait and have no note, strongest first."""
    noted = {rule.id for rule in book.rules}
    others = [rule for rule in without_note(work) if rule.id not in noted]
    return [case.rule for case in docket((), book.approvals, others, proposals(work))]


def without_note(work: Workspace) -> list[Rule]:
    """Give the rules that have no note: insights of entries, what agents and colleagues have."""
    if not work.vault.pages()[0]:
        return proposed_rules(work)
    from memoria.rules.skills import unnoted  # noqa: PLC0415 - it merges, which takes seconds

    return [*unnoted(work), *proposed_rules(work)]


def stands(book: Rulebook, rule: Rule) -> Status:
    """Say how a rule stands on this machine: one that only its note calls active waits."""
    if rule.superseded_by:
        return "retired"
    return "waiting" if rule.status == "active" and not book.is_in_force(rule) else rule.status


def status_counts(work: Workspace) -> dict[Status, int]:
    """Count the rules by how they stand here, those that wait without a note among them."""
    book = rulebook(work)
    counts = Counter(stands(book, rule) for rule in book.rules)
    reasons = waiting_reasons(book.rules, book.approvals, without_note(work), proposals(work))
    counts["waiting"] = sum(why not in IN_FORCE for _, why in reasons)
    return {name: counts[name] for name in STATUSES}
