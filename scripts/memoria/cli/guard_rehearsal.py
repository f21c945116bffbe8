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
    from collections.abc import Iterable, Iterator

    from memoria.rules.guards.replay import Passage
    from memoria.rules.guards.replay_service import Replayed
    from memoria.workspace import Workspace

# passages that are printed of a check: what a person reads through; --json has two hundred
_SHOWN = 12
# characters of a call, of a rule beside its id, and of what a check says: a line or two each
_CALL, _WORDS, _TOLD = 110, 90, 200
_INTERRUPTED = 130
_NO_CHECK = (
    "No rule names a command, option, path or code that a check could be made of. To have one all "
    "the same, write it into the rule's note: the vault's AGENTS.md shows how."
)


def test(arguments: argparse.Namespace, work: Workspace) -> int:
    """Replay the check of one rule, and show what it would have objected to."""
    rule = rulebook(work).find(arguments.id)
    if rule.check_error:
        raise UsageError(f"{rule.id}: {rule.check_error}")
    if rule.check is None:
        raise UsageError(
            f"{rule.id} has no check: `memoria guard suggest {rule.id}` looks for one, or write "
            "one into its note"
        )
    checked = CheckedRule(rule, rule.check)
    result = replay(work, [checked], arguments.source)
    if arguments.json:
        terminal.data(_described(work, checked, result))
    else:
        _print(work, checked, result)
    return 0 if result.is_whole else _INTERRUPTED


def suggest(arguments: argparse.Namespace, work: Workspace) -> int:
    """Derive checks for rules that have none, replay them, and keep those that may be offered."""
    book = rulebook(work)
    bare = [rule for rule in book.rules if rule.check is None and not rule.check_error]
    open_ = [rule for rule in bare if not rule.is_closed]
    rules = [book.find(arguments.id)] if arguments.id else open_
    checked_rules = [checked for rule in rules if (checked := checked_rule(rule))]
    if arguments.id and not checked_rules:
        raise UsageError(
            f"no check can be derived for {rules[0].id}: its text names no command, option, path "
            "or code in a form that is understood; write one into its note (AGENTS.md says how)"
        )
    result = replay(work, checked_rules, arguments.source)
    why = {checked.rule.id: objection(result.tried[checked.rule.id]) for checked in checked_rules}
    kept = []
    if result.is_whole and not arguments.dry_run:
        kept = _keep(work, [one for one in checked_rules if one.is_new and not why[one.rule.id]])
    if arguments.json:
        rows = [
            _described(work, one, result) | {"kept": one.rule.id in kept} for one in checked_rules
        ]
        terminal.data({"rules": len(rules), "suggested": rows})
        return 0 if result.is_whole else _INTERRUPTED
    for checked in checked_rules:
        _print(work, checked, result)
        if checked.rule.id in kept:
            terminal.line(f"    Written into its note, off. `memoria guard on {checked.rule.id}`")
        elif why[checked.rule.id]:
            terminal.line("    Not offered; a person may still write it into the note.")
    if not checked_rules:
        work.terminal.say(_NO_CHECK if rules else "No open rule is without a check.")
    return 0 if result.is_whole else _INTERRUPTED


def _keep(work: Workspace, checked_rules: Iterable[CheckedRule]) -> list[str]:
    """Write checks into the notes of their rules, where they are off; give the rules' ids."""
    shelf, now = work.vault.articles, clock.now(work.settings.zone)
    done: list[CheckedRule] = []
    with work.vault.changing() as change:
        change.label = "guard"
        written = work.vault.history().written
        owned: dict[str, str] = {}
        for checked in checked_rules:
            note = shelf.get(checked.rule.path)
            if note is None or note.meta.get(guard.KEY) is not None:
                continue
            is_ours = written.get(note.path) == shelf.sha(note.path)
            change.put_article(with_meta(note, {guard.KEY: guard.written(checked.check)}))
            if is_ours and note.path in change.wrote:
                owned[note.path] = change.wrote[note.path]
            done.append(checked)
        if done:
            change.put_index(written)
            owned[INDEX] = change.wrote[INDEX]
            at = now.isoformat(timespec="seconds")
            change.record({"kind": "wrote", "at": at, "wrote": owned})
            lines = [f"check: {index.links([checked.rule.path])}" for checked in done]
            change.append_log(index.log_entry(now, "guard", "suggested checks", lines))
    return [checked.rule.id for checked in done]


# -- What is shown --------------------------------------------------------------------------------


def _described(work: Workspace, checked: CheckedRule, result: Replayed) -> dict[str, Any]:
    rule, tried = checked.rule, result.tried[checked.rule.id]
    before, since = tried.around(rule.created)
    why = objection(tried)
    return {
        "id": rule.id,
        "rule": rule.text,
        "check": guard.written(checked.check),
        "reason": checked.reason,
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
            "created": rule.created,
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


def _print(work: Workspace, checked: CheckedRule, result: Replayed) -> None:
    rule = checked.rule
    terminal.line(strip_hidden(f"{rule.id}  {brief(rule.text, _WORDS)}"))
    for line in _lines(work, checked, result):
        terminal.line(f"    {line}")


def _lines(work: Workspace, checked: CheckedRule, result: Replayed) -> Iterator[str]:
    tried = result.tried[checked.rule.id]
    for line in switches.told(checked.check):
        yield strip_hidden(brief(line, _TOLD))
    minded = f"; somebody minded in {len(tried.minded)} of those" if tried.fired else ""
    if not tried.occasions:
        yield f"its occasion came up in none of {result.sessions} sessions"
    else:
        yield (
            f"its occasion came up in {len(tried.came)} of {result.sessions} sessions, "
            f"{tried.occasions} times: kept {tried.kept}, broken {tried.broken} in "
            f"{len(tried.fired)} sessions{minded}"
        )
    before, since = tried.around(checked.rule.created)
    if before[1] and since[1]:
        yield (
            f"kept in {before[0]} of {before[1]} sessions before the rule was made and in "
            f"{since[0]} of {since[1]} since: history, no evidence that it helps"
        )
    for passage in tried.passages[:_SHOWN]:
        row = _passage(work, passage)
        said = f"  ({row['minded']})" if row["minded"] else ""
        yield f"{row['day']} {row['session'][:8]}  {brief(row['call'], _CALL)}{said}"
    if tried.broken > _SHOWN:
        yield f"... and {tried.broken - _SHOWN} more (--json has them)"
    why = objection(tried)
    if why:
        yield f"Not to be trusted yet: {why}."
