"""Learn from the ledger what rules are worth, and prepare what hooks choose from.

All is learned anew from the ledger each time: some thousand sessions take a second, and bandit.json
can be deleted and comes back to the same bytes. Exploration never lifts the gate: who asks for a
project's state gives the rules that are in force there. A rule that the user asked for is presumed
to be worth its line; while all of a project's rules have room in the slate, one is left out only
once evidence speaks against it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from memoria.capture.extract.part_context import expected
from memoria.capture.extract.signature_families import families
from memoria.learning import policy as selection
from memoria.learning import posterior
from memoria.learning.arms import Arm
from memoria.learning.plays import plays
from memoria.learning.policy import Options
from memoria.rules.merge.groups import merging
from memoria.rules.model import text_hash
from memoria.rules.promotion import placement
from memoria.search import injection
from memoria.text import word_overlap as likeness
from memoria.vault.storage import disk
from memoria.vault.storage.state import encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memoria.learning.play import Play
    from memoria.learning.policy import Learned
    from memoria.rules.model import Rule
    from memoria.vault.storage.history import History
    from memoria.workspace import Workspace

# in log-odds: with room for all, a rule is left out when it is believed to do this much harm; ten
# sessions of chance alone move an effect by less
_PRESUMED = -0.1
# files that the client reads at every start: what stands there need not be injected as well
_ALWAYS_READ = frozenset({"claude-md", "rules", "settings"})


@dataclass(frozen=True, slots=True)
class Chooser:
    """What was learned of a vault's rules, for all its projects."""

    history: History
    arms: Mapping[str, Arm]
    plays: tuple[Play, ...]
    learned: Learned
    signatures: Mapping[str, str]
    options: Options
    promoted: Mapping[str, frozenset[str]]

    def prepared(self, ranked: Sequence[Rule], project: str) -> dict[str, Any]:
        """Give the state that the session-start hook draws a project's slate from.

        `ranked` are the rules in force there. Those that the client reads from a file at each start
        are left out.
        """
        there = self.promoted.get(project, frozenset()) | self.promoted.get("", frozenset())
        arms = [self.arms[rule.id] for rule in ranked if rule.id not in there]
        start = expected(self.history, project, self.signatures)
        free = sum(not arm.pinned for arm in arms)
        options = self.options
        if free <= options.k:
            options = replace(options, cost=_PRESUMED)
        return selection.compact(self.learned, arms, {"": start}, options)


def chooser(work: Workspace, rules: Iterable[Rule]) -> Chooser:
    """Learn from the whole ledger; `rules` are all of the vault, in force or not."""
    history = work.vault.history()
    known = list(rules)
    signatures = families(seen.mistake.signature for seen in history.mistakes)
    arms = {arm.id: arm for arm in _arms(known)}
    # outcomes by plain signatures, as the experiments count them
    played = plays(history)
    settings = work.settings
    policy = next(name for name in selection.POLICIES if name == settings.policy)
    options = Options(policy, settings.slate, settings.withhold)
    learned = selection.learn(options.policy, list(arms.values()), played)
    return Chooser(history, arms, played, learned, signatures, options, _promoted(work))


def refresh(work: Workspace, rules: Iterable[Rule]) -> Chooser:
    """Learn, and write down in bandit.json what is believed of each rule and why."""
    learned = chooser(work, rules)
    data = encode(posterior.state(learned.learned, list(learned.arms.values()), learned.plays))
    if disk.read(work.vault.state.bandit) != data:
        disk.replace(work.vault.state.bandit, data)
    return learned


def beliefs(work: Workspace) -> dict[str, dict[str, Any]]:
    """Read what bandit.json says of each rule; {} where it is missing."""
    rules = work.vault.state.read_json(work.vault.state.bandit).get("rules")
    return dict(rules) if isinstance(rules, dict) else {}


def _arms(rules: Sequence[Rule]) -> list[Arm]:
    """Give each rule as the learner knows it; paraphrases that nobody merged learn together."""
    ordered = sorted(rules, key=lambda rule: (rule.created, rule.id))
    groups = merging([rule.text for rule in ordered]).groups
    family = {ordered[at].id: ordered[group[0]].id for group in groups for at in group}
    texts = {rule.id: likeness.terms(rule.text) for rule in ordered}
    weights = likeness.rarity(texts.values())
    return [
        Arm(
            id=rule.id,
            words=likeness.shares(texts[rule.id], weights),
            family=family[rule.id],
            digest=text_hash(rule.text),
            units=injection.units(line(rule)) + 1,
            pinned=rule.status == "pinned",
            aliases=rule.merged,
        )
        for rule in ordered
    ]


def line(rule: Rule) -> str:
    """Give a rule's line in a session: its words, its id, and when it was last said."""
    return f"- {rule.text} ({rule.id}, {rule.updated or rule.created})"


def _promoted(work: Workspace) -> dict[str, frozenset[str]]:
    """Give the rules that the client reads from a file at each start, by project ("" for all)."""
    by_project: dict[str, frozenset[str]] = {}
    for promotion in placement.promoted(work).values():
        if promotion.target in _ALWAYS_READ:
            known = by_project.get(promotion.project, frozenset())
            by_project[promotion.project] = known | frozenset(promotion.ids)
    return by_project
