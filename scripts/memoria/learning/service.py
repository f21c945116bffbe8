"""Learn from the ledger what rules are worth, and prepare what hooks choose from.

All is learned anew each time: some thousand sessions take a second. A rule that the user asked for
is worth its line: belief orders rules, and chooses among them only where more are than fit. Of two
that contradict each other the newer one is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from memoria.capture.extract.session_context import build_next_context
from memoria.capture.extract.signatures import group_families
from memoria.learning import policy as selection
from memoria.learning.arms import Arm
from memoria.learning.play import Play, read_plays
from memoria.learning.policy import Learned, Options
from memoria.learning.rewards import OPINION, opinions, read_rewards, record
from memoria.rules.merge.groups import Merging, merge_duplicates
from memoria.rules.model import Rule, text_hash
from memoria.rules.promotion import placement
from memoria.rules.rulebook import rulebook
from memoria.search import injection
from memoria.text import word_overlap
from memoria.text.numbers import format_count
from memoria.text.shorten import clip_line
from memoria.vault.storage import disk
from memoria.vault.storage.state import encode_json

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from memoria.learning.policy import Policy
    from memoria.vault.storage.history import History
    from memoria.workspace import Workspace

# of a rule in a list: characters of its text, and its last rewards
_MAX_TEXT, _LAST_REWARDS = 80, 3
# of a reward and of a model's opinion: what `--json` prints
_REWARD = ("at", "reward", "by", "session", "context", "outcome", "quote")
_OPINION = ("at", "reward", "context", "outcome")
# files of Claude Code that it reads at every start and the hooks do not look into
_ALWAYS_READ = frozenset({"rules", "settings"})


@dataclass(frozen=True, slots=True)
class Chooser:
    """What was learned of a vault's rules, for all its projects."""

    history: History
    arms: Mapping[str, Arm]
    plays: tuple[Play, ...]
    learned: Learned
    signatures: Mapping[str, str]
    options: Options
    promoted: Mapping[str, Collection[str]]
    opposites: tuple[tuple[str, str], ...] = ()

    def prepare_slate_state(self, ranked: Sequence[Rule], project: str) -> dict[str, Any]:
        """Give the state that the session-start hook draws a project's slate from.

        `ranked` are the rules in force there. Those that a newer one contradicts are left out.
        """
        overruled = {older.id for older, _ in self.find_contradicted(ranked)}
        arms = [self.arms[rule.id] for rule in ranked if rule.id not in overruled]
        start = build_next_context(self.history, project, self.signatures)
        return selection.compact(self.learned, arms, start, self.options)

    def read_by_claude(self, project: str) -> list[str]:
        """Give the rules there that Claude Code, and no other agent, reads at each start."""
        return sorted({*self.promoted.get(project, ()), *self.promoted.get("", ())})

    def find_contradicted(self, ranked: Sequence[Rule]) -> list[tuple[Rule, Rule]]:
        """Give the rules that a pinned or newer one in force contradicts, each with that one."""
        by_id = {rule.id: rule for rule in ranked}
        known = [pair for pair in self.opposites if by_id.keys() >= set(pair)]
        pairs = [(by_id[first], by_id[second]) for first, second in known]
        return [(min(pair, key=_precedence_key), max(pair, key=_precedence_key)) for pair in pairs]


def _precedence_key(rule: Rule) -> tuple[bool, str, str, str]:
    """Say which of two rules that contradict each other is told: the greater one."""
    return rule.pinned, rule.updated, rule.created, rule.id


def chooser(work: Workspace, rules: Iterable[Rule]) -> Chooser:
    """Learn from the whole ledger; `rules` are all of the vault, in force or not."""
    history, settings = work.vault.history(), work.settings
    ordered = sorted(rules, key=lambda rule: (rule.created, rule.id))
    signatures = group_families(seen.mistake.signature for seen in history.mistakes)
    merged = merge_duplicates([rule.text for rule in ordered])
    arms = {arm.id: arm for arm in _build_arms(ordered, merged)}
    opposites = tuple((ordered[first].id, ordered[second].id) for first, second in merged.opposites)
    all_plays = read_plays(history)
    options = Options(cast("Policy", settings.policy), settings.slate, settings.withhold)
    learned = selection.learn(options.policy, list(arms.values()), all_plays)
    promoted = _find_promoted_rules(work)
    return Chooser(history, arms, all_plays, learned, signatures, options, promoted, opposites)


def refresh(work: Workspace, rules: Iterable[Rule]) -> Chooser:
    """Learn, and write down in bandit.json what is believed of each rule and why."""
    result = chooser(work, rules)
    data = encode_json(selection.state(result.learned, list(result.arms.values()), result.plays))
    if disk.read(work.vault.state.bandit) != data:
        disk.replace(work.vault.state.bandit, data)
    return result


def beliefs(work: Workspace) -> dict[str, dict[str, Any]]:
    """Read what bandit.json says of each rule, with the policy; {} where it is missing."""
    state = work.vault.state.read_json(work.vault.state.bandit)
    rules = state.get("rules")
    if not isinstance(rules, dict):
        return {}
    return {name: belief | {"policy": state.get("policy")} for name, belief in rules.items()}


def earnings(work: Workspace, rule_id: str = "") -> list[dict[str, Any]]:
    """Give what rules earned, as `--json` prints it: of the one `rule_id`, else of all that did.

    Opinions of models stand apart from the rewards, since nothing is learned from them.
    """
    history, beliefs_by_rule = work.vault.history(), beliefs(work)
    records = list(
        map(record, read_rewards((*history.records_of("reward"), *history.records_of("judged"))))
    )
    model_opinions = opinions(history.records_of(OPINION))
    rows: list[dict[str, Any]] = [
        {
            "id": rule.id,
            "rule": rule.text,
            "posterior": beliefs_by_rule.get(rule.id, {}),
            "rewards": [_pick(row, _REWARD) for row in records if row["id"] == rule.id],
            "opinions": [_pick(row, _OPINION) for row in model_opinions if row["id"] == rule.id],
        }
        for rule in rulebook(work).rules
        if rule_id in {"", rule.id}
    ]
    keys = ("rewards", "opinions")
    return [
        row for row in rows if rule_id or any(map(row.get, keys)) or row["posterior"].get("shown")
    ]


def _pick(row: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    return {key: row.get(key) for key in keys}


def earned_lines(row: Mapping[str, Any]) -> Iterator[str]:
    """Say in lines what a rule earned: its words, the sums, and the last rewards."""
    belief, rewards = row["posterior"], row["rewards"]
    yield f"{row['id']}  {clip_line(row['rule'], _MAX_TEXT)}"
    good = sum(reward["reward"] > 0 for reward in rewards)
    numbers = [format_count(len(rewards), "reward") + (f", {good} of them good" if rewards else "")]
    if "mean" in belief:
        shown, withheld = format_count(belief["shown"], "session"), belief["withheld"]
        numbers += [f"effect {effect(belief)}", f"shown in {shown}, withheld in {withheld}"]
    if row["opinions"]:
        numbers.append(f"{len(row['opinions'])} opinions of models, not counted")
    yield f"    {'; '.join(numbers)}"
    for reward in rewards[-_LAST_REWARDS:]:
        about = ", ".join(filter(None, (reward["by"], reward["context"], reward["outcome"])))
        yield f"    {reward['at'][:10]} {reward['reward']:+d} ({about})"


def effect(belief: Mapping[str, Any]) -> str:
    """Write what is believed of a rule's effect, in the measure of the policy."""
    share = f"{belief['mean']:.0%} of its sessions go well (uncertain by {belief['sd']:.0%})"
    odds = f"{belief['mean']:+.2f} (none is 0, uncertain by {belief['sd']:.2f})"
    return share if belief.get("policy") == "beta-thompson" else odds


def _build_arms(ordered: Sequence[Rule], merged: Merging) -> list[Arm]:
    """Give each rule as the learner knows it; paraphrases that nobody merged learn together."""
    family = {ordered[at].id: ordered[group[0]].id for group in merged.groups for at in group}
    texts = {rule.id: word_overlap.find_telling_words(rule.text) for rule in ordered}
    weights = word_overlap.rarity(texts.values())
    return [
        Arm(
            id=rule.id,
            words=word_overlap.compute_shares(texts[rule.id], weights),
            family=family[rule.id],
            digest=text_hash(rule.text),
            units=injection.count_units(line(rule)) + 1,
            pinned=rule.pinned,
        )
        for rule in ordered
    ]


def line(rule: Rule) -> str:
    """Give a rule's line in a session: its words, its id, and since when it is active."""
    return f"- {rule.text} ({', '.join(filter(None, (rule.id, rule.updated or rule.created)))})"


def _find_promoted_rules(work: Workspace) -> dict[str, set[str]]:
    """Give the rules that the client reads from a file at each start, by project ("" for all)."""
    by_project: dict[str, set[str]] = {}
    for promotion in placement.read_promotions(work).values():
        if promotion.target in _ALWAYS_READ:
            by_project.setdefault(promotion.project, set()).update(promotion.ids)
    return by_project
