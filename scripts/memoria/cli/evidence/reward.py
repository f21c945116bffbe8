"""Record what a rule was worth (`memoria reward ID 1|0|-1`), or list that (`rewards [ID]`).

A reward that names a session counts in that session in place of what was judged there by itself;
one that names none counts on its own. 0 is a word, too: it did not help.
"""

import argparse

from memoria import refresh, terminal
from memoria.learning import rewards, service as learning
from memoria.learning.rewards import Reward
from memoria.privacy import clean
from memoria.rules.rulebook import rulebook
from memoria.vault.storage import clock
from memoria.workspace import Workspace


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Write a reward down, or show what was earned."""
    if arguments.verb == "rewards":
        return _show(arguments, work)
    rule = rulebook(work).find(arguments.id)
    now = clock.now(work.settings.zone)
    reward = clean.clean_value(
        Reward(
            id=rule.id,
            value=int(arguments.reward),
            at=now.isoformat(timespec="seconds"),
            session=arguments.session,
            project=work.project,
            context=arguments.context,
            outcome=arguments.outcome,
        ),
        work.settings.secrets,
    )
    with work.vault.open_transaction() as change:
        change.record(rewards.record(reward))
    refresh.refresh(work)
    belief = learning.beliefs(work).get(rule.id, {})
    if arguments.json:
        terminal.print_json(
            {"reward": rewards.record(reward), "rule": rule.text, "posterior": belief}
        )
    words = {1: "helped", 0: "did not help", -1: "hurt"}[reward.value]
    effect = f"; its effect is now put at {learning.effect(belief)}" if "mean" in belief else ""
    work.terminal.say(f"noted: {rule.id} {words} ({rule.text}){effect}")
    return 0


def _show(arguments: argparse.Namespace, work: Workspace) -> int:
    rows = learning.earnings(work, rulebook(work).find(arguments.id).id if arguments.id else "")
    if arguments.json:
        terminal.print_json({"rules": rows, "total": sum(len(row["rewards"]) for row in rows)})
        return 0
    for row in rows:
        for line in learning.earned_lines(row):
            terminal.print_line(line)
    if not rows:
        work.terminal.say("Nothing was rewarded yet: sessions do it, or `memoria reward ID 1`.")
    return 0
