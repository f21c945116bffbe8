"""Teach a rule (`memoria remember "TEXT"`), or end rules (`reject`, `retire`).

What is typed at the terminal is the person's own word, so no review is needed; a rule that says the
same takes these words and keeps its id, and one that says the opposite is closed by it. Where an
agent types it, it is a proposal. Rejected means it never was one (it is not suggested again),
retired that it has had its time. Both take a rule out of force at once, and out of every file that
it was promoted to. The trap: the text may hold a secret, which is taken out of it first.
"""

import argparse
from pathlib import Path

from memoria import terminal
from memoria.capture.extract.user.rule_text import classify_rule, strip_lead_in
from memoria.cli.decide.status import rule_json
from memoria.errors import UsageError
from memoria.privacy import clean
from memoria.privacy.project_keys import project_key
from memoria.rules import proposal_service as proposals
from memoria.rules.guards.switch_store import has_guard
from memoria.rules.model import MAX_RULE, MIN_RULE, Rule, Status, holds_nowhere_else, rule_id
from memoria.rules.promotion.placement import renew_files
from memoria.rules.rulebook import Ruling, decide, rulebook
from memoria.rules.skills import tags
from memoria.text.markdown import make_inert
from memoria.text.unicode import strip_hidden
from memoria.vault.storage import clock
from memoria.vault.written.categories import CATEGORIES, normalise_category
from memoria.workspace import Workspace

_STATUS: dict[str, Status] = {"reject": "rejected", "retire": "retired"}


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Teach a rule; what an agent types is proposed."""
    if arguments.verb != "remember":
        return _end_rules(arguments, work)
    scope = () if arguments.everywhere else _current_scope(work)
    text, driver = " ".join(arguments.text), proposals.find_driver_and_settle(arguments, work)
    if not driver.is_person:
        words = _clean_rule_text(text, work)
        twin, _ = rulebook(work).alike(words)
        if twin is None:
            new = _build_rule(work, words, arguments.category, scope)
            return proposals.propose_rules(arguments, work, driver, "remember", [new])
        if twin.status == "waiting":  # it is proposed as it is
            return proposals.propose_rules(arguments, work, driver, "promote", [twin])
        return proposals.propose_command(arguments, work, driver)
    rule = _teach_rule(work, text, arguments.category, scope, pin=arguments.pin)
    if arguments.json:
        terminal.print_json(rule_json(rulebook(work), rule))
    projects = " and ".join(rule.scope) or "every project"
    work.terminal.say(f"{rule.status}: {rule.id} {rule.text} (in {projects})")
    return 0


def _current_scope(work: Workspace) -> tuple[str, ...]:
    """Give the project that is stood in: the vault and the home folder are none."""
    cwd = Path.cwd()
    if cwd == Path.home().resolve() or cwd.is_relative_to(work.vault.root.resolve()):
        return ()
    return (project_key(str(cwd)),)


def _teach_rule(
    work: Workspace, text: str, category: str, scope: tuple[str, ...], *, pin: bool
) -> Rule:
    """Bring a rule in force in these words; UsageError where they are none."""
    words, book = _clean_rule_text(text, work), rulebook(work)
    twin, opposites = book.alike(words)
    new = _build_rule(work, words, category, scope)
    name = twin.id if twin else new.id
    new_scope = _widen_scope(twin, scope)
    rulings = [Ruling(name, "active", "remember", text=words, scope=new_scope, pinned=pin)]
    rulings += [
        Ruling(rule.id, "retired", "remember", superseded_by=name)
        for rule in opposites
        if book.is_in_force(rule) and holds_nowhere_else(rule, scope)
    ]
    with work.vault.step("remember"):
        rule, *old_rules = decide(work, rulings, new=() if twin else (new,))
        for ended in old_rules:
            work.terminal.say(f"closed {ended.id} ({ended.text}): it says the opposite")
        for problem in renew_files(work, [ended.id for ended in old_rules]):
            work.terminal.warn(f"  {problem}")
    return rule


def _clean_rule_text(text: str, work: Workspace) -> str:
    raw_text = " ".join(strip_hidden(text).split())
    words = clean.clean_value(raw_text, work.settings.secrets)
    if words != raw_text:
        work.terminal.warn("A secret in the text was replaced; rules are files that people share.")
    if not MIN_RULE <= len(words) <= MAX_RULE:
        raise UsageError(f"a rule has {MIN_RULE} to {MAX_RULE} characters, this has {len(words)}")
    return words


def _build_rule(work: Workspace, text: str, option: str, scope: tuple[str, ...]) -> Rule:
    """Make a rule of words, in the category that was given or that they speak of."""
    category = normalise_category(option)
    if option and category not in CATEGORIES:
        raise UsageError(f"--category {option!r}: use one of {', '.join(CATEGORIES)}")
    kind = next((name for name in CATEGORIES if name == category), None) or classify_rule(
        strip_lead_in(text)
    )
    day = str(clock.now(work.settings.zone).date())
    return Rule(
        rule_id(kind, text),
        make_inert(text),
        kind,
        "waiting",
        1,
        "low",
        scope,
        day,
        created=day,
        tags=tags(text),
        # a session of its own: it was said once, by the person
        sessions=("remember",),
        quotes=(f'- "{make_inert(text)}" (said at the terminal, {day})',),
    )


def _widen_scope(twin: Rule | None, scope: tuple[str, ...]) -> tuple[str, ...] | None:
    """Give the scope after the rule was taught here, too; None leaves it."""
    if twin is None or not twin.scope:
        return None
    return () if not scope else tuple(dict.fromkeys([*twin.scope, *scope]))


def _end_rules(arguments: argparse.Namespace, work: Workspace) -> int:
    """Take rules out of force; 1 where a file that holds them could not be changed."""
    verb, book = arguments.verb, rulebook(work)
    rules = list({rule.id: rule for rule in map(book.find, arguments.ids)}.values())
    for rule in [rule for rule in rules if rule.status == _STATUS[verb]]:
        work.terminal.say(f"{rule.id} is {rule.status} already")
        rules.remove(rule)
    if has_guard(work, rules) and proposals.propose_if_agent(arguments, work):
        return 0
    with work.vault.step(verb):
        ended_rules = decide(work, [Ruling(rule.id, _STATUS[verb], verb) for rule in rules])
        problems = renew_files(work, [rule.id for rule in ended_rules])
    if arguments.json:
        book = rulebook(work)
        terminal.print_json(
            {"rules": [rule_json(book, rule) for rule in ended_rules], "problems": problems}
        )
    for rule in ended_rules:
        work.terminal.say(f"{rule.status}: {rule.id} {rule.text}")
    for problem in problems:
        work.terminal.warn(f"  {problem}")
    return 1 if problems else 0
