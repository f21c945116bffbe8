"""Teach a rule, in force from the next prompt on (`memoria remember "TEXT"`).

Typed at the terminal it is the person's own word, so no review is needed; a rule that says the same
takes these words and keeps its id, and one that says the opposite is closed by it. Where an agent
types it, it is a proposal. The trap: the text may hold a secret or come out of a page that was
copied; both are taken out of it first.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memoria import terminal
from memoria.agents.claude_code.git import project_key
from memoria.capture.extract.user.rule_text import category, core
from memoria.cli.decide.status import described
from memoria.errors import UsageError
from memoria.privacy import clean
from memoria.rules.decision import Ruling
from memoria.rules.decisions import decide, rulebook
from memoria.rules.model import MAX_RULE, MIN_RULE, Rule, holds_in, rule_id
from memoria.rules.promotion.service import withdraw
from memoria.rules.propose import decides, propose_command, propose_rules
from memoria.rules.tags import tags
from memoria.text.markdown import inert
from memoria.text.unicode import strip_hidden
from memoria.vault.storage import clock
from memoria.vault.written.categories import CATEGORIES, named

if TYPE_CHECKING:
    import argparse

    from memoria.rules.decisions import Rulebook
    from memoria.terminal_driver import Driver
    from memoria.vault.entry import Category
    from memoria.workspace import Workspace


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Teach a rule."""
    work.vault.require()
    here = project_key(os.getcwd())  # noqa: PTH109 - a key is made of text
    scope = () if arguments.everywhere or not here else (here,)
    text, driver = " ".join(arguments.text), decides(arguments, work)
    if not driver.is_person:
        return _propose(arguments, work, driver, text, scope)
    rule = taught(work, text, category=arguments.category or "", scope=scope, pin=arguments.pin)
    if arguments.json:
        terminal.data(described(rulebook(work), rule))
    where = " and ".join(rule.scope) or "every project"
    work.terminal.say(f"{rule.status}: {rule.id} {rule.text} (in {where})")
    return 0


def _propose(
    arguments: argparse.Namespace,
    work: Workspace,
    driver: Driver,
    text: str,
    scope: tuple[str, ...],
) -> int:
    """Propose a rule: one that waits for a review already as it is, a new one in its own words."""
    words, book = _checked(text, work), rulebook(work)
    same, _ = book.alike(words)
    if same is None:
        today = clock.now(work.settings.zone).date()
        new = _new(words, _category(arguments.category or "", words), scope, str(today))
        return propose_rules(arguments, work, driver, "remember", [new])
    if same.status == "waiting":
        return propose_rules(arguments, work, driver, "promote", [same])
    return propose_command(arguments, work, driver)


def taught(
    work: Workspace,
    text: str,
    *,
    category: str = "",
    scope: tuple[str, ...] = (),
    pin: bool = False,
) -> Rule:
    """Bring a rule in force in these words; UsageError where they are none."""
    words = _checked(text, work)
    book = rulebook(work)
    same, opposites = book.alike(words)
    now = clock.now(work.settings.zone)
    new = _new(words, _category(category, words), scope, str(now.date()))
    ruling = Ruling(
        same.id if same else new.id,
        "active",
        "remember",
        text=words,
        scope=_widened(same, scope),
        pinned=pin,
    )
    over = [rule for rule in opposites if _is_met(book, rule, scope)]
    closed = [Ruling(rule.id, "retired", "remember", superseded_by=ruling.id) for rule in over]
    with work.vault.step("remember"):
        found, *ended = decide(work, [ruling, *closed], new=() if same else (new,))
        for rule in ended:
            work.terminal.say(f"closed {rule.id} ({rule.text}): it says the opposite")
        for problem in withdraw(work, [rule.id for rule in ended]):
            work.terminal.warn(f"  {problem}")
    return found


def _checked(text: str, work: Workspace) -> str:
    plain = " ".join(strip_hidden(text).split())
    words = clean.clean(plain, work.settings.secrets)
    if words != plain:
        work.terminal.warn("A secret in the text was replaced; rules are files that people share.")
    if not MIN_RULE <= len(words) <= MAX_RULE:
        raise UsageError(f"a rule has {MIN_RULE} to {MAX_RULE} characters, this has {len(words)}")
    return words


def _category(given: str, text: str) -> Category:
    wanted = named(given)
    if given and wanted not in CATEGORIES:
        raise UsageError(f"--category {given!r}: use one of {', '.join(CATEGORIES)}")
    return next((one for one in CATEGORIES if one == wanted), category(core(text)))


def _new(text: str, category: Category, scope: tuple[str, ...], day: str) -> Rule:
    return Rule(
        rule_id(category, text),
        inert(text),
        category,
        "waiting",
        1,
        "low",
        scope,
        day,
        created=day,
        tags=tags(text),
        # a session of its own: it was said once, by the person
        sessions=("remember",),
        quotes=(f'- "{inert(text)}" (said at the terminal, {day})',),
    )


def _widened(same: Rule | None, scope: tuple[str, ...]) -> tuple[str, ...] | None:
    """Give the scope after the rule was taught here, too; None leaves it."""
    if same is None or not same.scope:
        return None
    return () if not scope else tuple(dict.fromkeys([*same.scope, *scope]))


def _is_met(book: Rulebook, other: Rule, scope: tuple[str, ...]) -> bool:
    """Whether an opposite rule is in force where the new one is to hold, and nowhere else."""
    if not book.is_in_force(other):
        return False
    return not scope or (len(other.scope) == 1 and holds_in(other, scope[0]))
