"""Record a person's word on a rule (`memoria reward ID 1|0|-1`), or list them (`rewards [ID]`).

A reward that names a session counts in that session in place of what was judged there by itself;
one that names none counts on its own. 0 is a word, too: it did not help.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from memoria import refresh, terminal
from memoria.agents.claude_code.git import project_key
from memoria.learning import rewards as reward
from memoria.learning import service as choosing
from memoria.learning.rewards import Reward
from memoria.privacy import clean
from memoria.rules import proposal_records as proposals
from memoria.rules.rulebook import rulebook
from memoria.text.shorten import brief
from memoria.vault.storage import clock

if TYPE_CHECKING:
    import argparse

    from memoria.workspace import Workspace

# of a rule's text in a list
_SHOWN = 80


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Write a reward down, or show what was earned."""
    work.vault.require()
    if arguments.verb == "rewards":
        return _show(arguments, work)
    rule = rulebook(work).find(arguments.id)
    now = clock.now(work.settings.zone)
    given = clean.clean(
        Reward(
            id=rule.id,
            value=int(arguments.reward),
            at=now.isoformat(timespec="seconds"),
            session=arguments.session,
            project=project_key(os.getcwd()),  # noqa: PTH109 - a key is made of text
            context=arguments.context,
            outcome=arguments.outcome,
        ),
        work.settings.secrets,
    )
    with work.vault.changing() as change:
        change.record(reward.record(given))
    refresh.refresh(work)
    belief = choosing.beliefs(work).get(rule.id, {})
    if arguments.json:
        terminal.data({"reward": reward.record(given), "rule": rule.text, "posterior": belief})
    words = {1: "helped", 0: "did not help", -1: "hurt"}[given.value]
    effect = f"; its effect is now put at {_effect(belief)}" if "mean" in belief else ""
    work.terminal.say(f"noted: {rule.id} {words} ({rule.text}){effect}")
    return 0


def _effect(belief: dict[str, Any]) -> str:
    return f"{belief['mean']:+.2f} log-odds (sd {belief['sd']:.2f})"


def _show(arguments: argparse.Namespace, work: Workspace) -> int:
    book, history = rulebook(work), work.vault.history()
    wanted = book.find(arguments.id).id if arguments.id else ""
    records = reward.rewards((*history.of("reward"), *history.of("judged")))
    rewards = [one for one in records if wanted in ("", one.id)]
    beliefs, opinions = choosing.beliefs(work), proposals.opinions(history.of(proposals.OPINION))
    rules = [rule for rule in book.rules if wanted in ("", rule.id)]
    rows = [reward.earned(one, rewards, beliefs.get(one.id, {}), opinions) for one in rules]
    if not wanted:
        rows = [r for r in rows if r["rewards"] or r["opinions"] or r["posterior"].get("shown")]
    if arguments.json:
        terminal.data({"rules": rows, "total": len(rewards)})
        return 0
    for row in rows:
        _print(row)
    if not rows:
        work.terminal.say("Nothing was rewarded yet: sessions do it, or `memoria reward ID 1`.")
    return 0


def _print(row: dict[str, Any]) -> None:
    belief, rewards = row["posterior"], row["rewards"]
    helped = sum(one["reward"] > 0 for one in rewards)
    terminal.line(f"{row['id']}  {brief(row['rule'], _SHOWN)}")
    numbers = [f"{len(rewards)} rewards, {helped} of them good"]
    if "mean" in belief:
        shown = f"shown in {belief['shown']} sessions, withheld in {belief['withheld']}"
        numbers += [f"effect {_effect(belief)}", shown]
    if row["opinions"]:
        numbers.append(f"{len(row['opinions'])} opinions of models, not counted")
    terminal.line(f"    {'; '.join(numbers)}")
    for one in rewards[-3:]:
        about = ", ".join(filter(None, (one["by"], one["context"], one["outcome"])))
        terminal.line(f"    {one['at'][:10]} {one['reward']:+d} ({about})")
