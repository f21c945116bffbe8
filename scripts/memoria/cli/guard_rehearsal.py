"""Try a check on past sessions, and propose checks (`memoria guard test`, `guard suggest`).

A check that is suggested is written into the rule's note and is off: switching it on is another
step, by a person's hand. The trap: what was found before a person stopped the replay is shown, but
nothing is kept by half of the past.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memoria import terminal
from memoria.errors import UsageError
from memoria.privacy import clean
from memoria.rules.decisions import rulebook
from memoria.rules.guards import check as guard
from memoria.rules.guards import switches
from memoria.rules.guards.replay import objection
from memoria.rules.guards.replay_service import CheckedRule, checked_rule, replay
from memoria.text.shorten import brief
from memoria.text.unicode import strip_hidden
from memoria.vault import index
from memoria.vault.article import with_meta
from memoria.vault.storage import clock
from memoria.vault.transaction import INDEX

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence

    from memoria.rules.guards.replay import Passage, Tried
    from memoria.rules.guards.replay_service import Replayed
    from memoria.rules.model import Rule
    from memoria.workspace import Workspace

# passages that are printed of a check: what a person reads through; --json has two hundred
_SHOWN = 12
# characters of a call, of a rule beside its id, and of what a check says: a line or two each
_CALL, _WORDS, _TOLD = 110, 90, 200
_INTERRUPTED = 130


def test(arguments: argparse.Namespace, work: Workspace) -> int:
    """Replay the check of one rule, and show what it would have objected to."""
    work.vault.require()
    rule = rulebook(work).find(arguments.id)
    if rule.check_error:
        raise UsageError(f"{rule.id}: {rule.check_error}")
    if rule.check is None:
        raise UsageError(
            f"{rule.id} has no check: `memoria guard suggest {rule.id}` looks for one, or write "
            "one into its note"
        )
    one = CheckedRule(rule, rule.check)
    result = replay(work, [one], arguments.source)
    if arguments.json:
        terminal.data(_told(work, one, result))
    else:
        _print(work, one, result)
    return 0 if result.is_whole else _INTERRUPTED


def suggest(arguments: argparse.Namespace, work: Workspace) -> int:
    """Derive checks for rules that have none, replay them, and keep those that may be offered."""
    work.vault.require()
    wanted = _wanted(arguments.id, work)
    checked_rules = [one for rule in wanted if (one := checked_rule(rule))]
    if arguments.id and not checked_rules:
        raise UsageError(
            f"no check can be derived for {wanted[0].id}: its text names no command, option, path "
            "or code in a form that is understood; write one into its note (AGENTS.md says how)"
        )
    result = replay(work, checked_rules, arguments.source)
    kept = []
    if result.is_whole and not arguments.dry_run:
        offered = [one for one in checked_rules if not objection(result.tried[one.rule.id])]
        kept = keep(work, [one for one in offered if one.is_new])
    rows = [_told(work, one, result) | {"kept": one.rule.id in kept} for one in checked_rules]
    if arguments.json:
        terminal.data({"rules": len(wanted), "suggested": rows})
    else:
        _show(work, checked_rules, result, kept, len(wanted))
    return 0 if result.is_whole else _INTERRUPTED


def _wanted(name: str, work: Workspace) -> list[Rule]:
    book = rulebook(work)
    if name:
        return [book.find(name)]
    return [
        rule
        for rule in book.rules
        if rule.check is None and not rule.check_error and not rule.is_closed
    ]


# -- The note -------------------------------------------------------------------------------------


def keep(work: Workspace, checked_rules: Iterable[CheckedRule]) -> list[str]:
    """Write checks into the notes of their rules, where they are off; give the rules' ids."""
    checked_rules = list(checked_rules)
    if not checked_rules:
        return []
    shelf = work.vault.articles
    now = clock.now(work.settings.zone)
    done: list[CheckedRule] = []
    with work.vault.changing() as change:
        change.label = "guard"
        written = work.vault.history().written
        owned: dict[str, str] = {}
        for one in checked_rules:
            note = shelf.get(one.rule.path)
            if note is None or note.meta.get(guard.KEY) is not None:
                continue
            mine = written.get(note.path) == shelf.sha(note.path)
            change.put_article(with_meta(note, {guard.KEY: guard.written(one.check)}))
            if mine and note.path in change.wrote:
                owned[note.path] = change.wrote[note.path]
            done.append(one)
        if done:
            change.put_index(written)
            owned[INDEX] = change.wrote[INDEX]
            at = now.isoformat(timespec="seconds")
            change.record({"kind": "wrote", "at": at, "wrote": owned})
            lines = [f"check: {index.links([one.rule.path])}" for one in done]
            change.append_log(index.log_entry(now, "guard", "suggested checks", lines))
    return [one.rule.id for one in done]


# -- What is shown --------------------------------------------------------------------------------


def _told(work: Workspace, one: CheckedRule, result: Replayed) -> dict[str, Any]:
    tried = result.tried[one.rule.id]
    before, since = tried.around(one.rule.created)
    why = objection(tried)
    return {
        "id": one.rule.id,
        "rule": one.rule.text,
        "check": guard.written(one.check),
        "reason": one.reason,
        "replayed": {
            "transcripts": result.files,
            "of": result.of,
            "gone": result.gone,
            "sessions": result.sessions,
        },
        "sessions": {
            "occasion": len(tried.came),
            "broken": len(tried.fired),
            "minded": len(tried.minded),
        },
        "occasions": tried.occasions,
        "kept": tried.kept,
        "broken": tried.broken,
        "offered": not why,
        "why": why,
        "history": {
            "created": one.rule.created,
            "before": {"kept": before[0], "sessions": before[1]},
            "since": {"kept": since[0], "sessions": since[1]},
        },
        "passages": [_passage(work, passage) for passage in tried.passages],
    }


def _passage(work: Workspace, passage: Passage) -> dict[str, str]:
    return {
        "session": passage.session,
        "day": clock.local(passage.at, work.settings.zone).date().isoformat(),
        "call": strip_hidden(clean.clean(passage.call, work.settings.secrets)),
        "minded": passage.minded,
    }


def _print(work: Workspace, one: CheckedRule, result: Replayed) -> None:
    tried = result.tried[one.rule.id]
    terminal.line(strip_hidden(f"{one.rule.id}  {brief(one.rule.text, _WORDS)}"))
    for line in switches.told(one.check):
        terminal.line(strip_hidden(f"    {brief(line, _TOLD)}"))
    terminal.line(f"    {_counted(tried, result)}")
    for line in _history(tried, one.rule):
        terminal.line(f"    {line}")
    for passage in tried.passages[:_SHOWN]:
        row = _passage(work, passage)
        said = f"  ({row['minded']})" if row["minded"] else ""
        terminal.line(f"    {row['day']} {row['session'][:8]}  {brief(row['call'], _CALL)}{said}")
    if tried.broken > _SHOWN:
        terminal.line(f"    ... and {tried.broken - _SHOWN} more (--json has them)")
    why = objection(tried)
    if why:
        terminal.line(f"    Not to be trusted yet: {why}.")


def _counted(tried: Tried, result: Replayed) -> str:
    if not tried.occasions:
        return f"its occasion came up in none of {result.sessions} sessions"
    minded = f"; somebody minded in {len(tried.minded)} of those" if tried.fired else ""
    return (
        f"its occasion came up in {len(tried.came)} of {result.sessions} sessions, "
        f"{tried.occasions} times: kept {tried.kept}, broken {tried.broken} in "
        f"{len(tried.fired)} sessions{minded}"
    )


def _history(tried: Tried, rule: Rule) -> Iterator[str]:
    """Say how it was before the rule and since: history, for other things changed as well."""
    before, since = tried.around(rule.created)
    if before[1] and since[1]:
        yield (
            f"kept in {before[0]} of {before[1]} sessions before the rule was made and in "
            f"{since[0]} of {since[1]} since: history, no evidence that it helps"
        )


_NO_CHECK = (
    "No rule names a command, option, path or code that a check could be made of. To have one all "
    "the same, write it into the rule's note: the vault's AGENTS.md shows how."
)


def _show(
    work: Workspace,
    checked_rules: Sequence[CheckedRule],
    result: Replayed,
    kept: Sequence[str],
    rules: int,
) -> None:
    for one in checked_rules:
        _print(work, one, result)
        if one.rule.id in kept:
            terminal.line(f"    Written into its note, off. `memoria guard on {one.rule.id}`")
        elif objection(result.tried[one.rule.id]):
            terminal.line("    Not offered; a person may still write it into the note.")
    if not checked_rules:
        work.terminal.say(_NO_CHECK if rules else "No open rule is without a check.")
