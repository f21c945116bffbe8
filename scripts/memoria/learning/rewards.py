"""Keep what a rule was worth in a session: a person's word or an automatic judgement.

One rule earns at most one reward in a session: the person's last word counts, else the worst that
was judged, since a mistake that came back in one part is not undone by another part. What a tool
printed never earns anything.

An occasion is there when half of the weight of a rule's words, and two of them, stand in the
commands, files and mistakes of the session. It went badly when one of the mistakes speaks of the
rule in the same way. That is asked of rules shown and withheld alike, or they could not be
compared. Code judges by words, a model by a quote, and where both speak the worse counts.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from memoria.capture.extract.session_context import texts
from memoria.errors import VaultError
from memoria.rules.model import ID, rules
from memoria.text.word_overlap import coverage, rarity, shares, terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from memoria.capture.parts import Part
    from memoria.capture.provenance.quotes import Testimony
    from memoria.rules.model import Rule
    from memoria.vault.store import Vault

By = Literal["person", "flush", "model", "check"]
# the seed's: helped, did not help; and hurt, which it lacks
HELPED, NOTHING, HURT = 1, 0, -1
_SAID = ("session", "project", "context", "outcome", "quote")


@dataclass(frozen=True, slots=True)
class Reward:
    """What a rule was worth in a session; `session` is "" where a person named none.

    `context` is the error class or whatever else a person says it was about, `outcome` what came of
    it; `quote` are the words that a model's judgement rests on.
    """

    id: str
    value: int
    at: str
    by: By = "person"
    session: str = ""
    project: str = ""
    context: str = ""
    outcome: str = ""
    quote: str = ""


def record(reward: Reward) -> dict[str, Any]:
    """Make the ledger's record of a reward that a person gave (`kind` "reward")."""
    fields = asdict(reward)
    head = {"kind": "reward", "at": reward.at, "id": reward.id, "reward": reward.value}
    return head | {name: fields[name] for name in ("by", *_SAID)}


def judged(
    at: datetime, session: str, project: str, verdicts: Mapping[str, tuple[bool, By, str]]
) -> dict[str, Any]:
    """Make the record of automatic judgements: by rule whether it went well, by whom, words."""
    return {
        "kind": "judged",
        "at": at.isoformat(timespec="seconds"),
        "session": session,
        "project": project,
        "rules": {
            name: {"well": well, "by": by, "quote": quote}
            for name, (well, by, quote) in sorted(verdicts.items())
        },
    }


def rewards(records: Iterable[Mapping[str, Any]]) -> tuple[Reward, ...]:
    """Read all rewards, a person's and automatic ones, in the order of the ledger.

    What is no reward of the three values, or of no rule, is passed over.
    """
    return tuple(
        reward
        for record in records
        for reward in (_given(record) if record.get("kind") == "reward" else _judgements(record))
    )


def _given(record: Mapping[str, Any]) -> Iterable[Reward]:
    name, value = _text(record, "id"), record.get("reward")
    if ID.fullmatch(name) and value in {HELPED, NOTHING, HURT} and isinstance(value, int):
        by: By = "model" if record.get("by") == "model" else "person"
        texts = [_text(record, key) for key in _SAID]
        yield Reward(name, int(value), _text(record, "at"), by, *texts)


def _judgements(record: Mapping[str, Any]) -> Iterable[Reward]:
    rules = record.get("rules")
    if record.get("kind") != "judged" or not isinstance(rules, dict):
        return
    at, session, project = (_text(record, key) for key in ("at", "session", "project"))
    for name, verdict in rules.items():
        well = verdict.get("well") if isinstance(verdict, dict) else None
        if isinstance(well, bool) and ID.fullmatch(str(name)):
            said = verdict.get("by")
            by = cast("By", said if said in ("model", "check") else "flush")
            quote = _text(verdict, "quote")
            yield Reward(str(name), int(well), at, by, session, project, quote=quote)


def _text(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    return value if isinstance(value, str) else ""


def counted_rewards(rewards: Iterable[Reward]) -> dict[tuple[str, str], Reward]:
    """Give the one reward that counts for each session and rule, of those that name a session."""
    counted: dict[tuple[str, str], Reward] = {}
    for reward in rewards:
        if not reward.session:
            continue
        key = (reward.session, reward.id)
        known = counted.get(key)
        worse = known is not None and known.by != "person" and reward.value < known.value
        if known is None or reward.by == "person" or worse:
            counted[key] = reward
    return counted


def earned(
    rule: Rule,
    rewards: Iterable[Reward],
    belief: Mapping[str, Any],
    said: Iterable[Mapping[str, Any]],
) -> dict[str, Any]:
    """Give what a rule earned as `--json` prints it; `said` are models' opinions of all rules.

    The opinions stand apart from the rewards, since nothing is learned from them.
    """
    mine = (record(reward) for reward in rewards if reward.id == rule.id)
    shown = ("at", "reward", "by", "session", "context", "outcome", "quote")
    thought = ("at", "reward", "context", "outcome")
    return {
        "id": rule.id,
        "rule": rule.text,
        "posterior": belief,
        "rewards": [{key: given[key] for key in shown} for given in mine],
        "opinions": [
            {key: opinion.get(key) for key in thought}
            for opinion in said
            if opinion["id"] == rule.id
        ],
    }


# -- Judging sessions ------------------------------------------------------------------------------

# of a rule's weight: below the half of it, most of what it speaks of was not there
_AT_HAND = 0.5
# words: one alone ("test") is at hand in every session
_WORDS = 2


class Doing(NamedTuple):
    """What a session did: the words of its commands and files, and of each of its mistakes."""

    words: frozenset[str]
    mistakes: tuple[frozenset[str], ...]


def doing(texts: Iterable[str], mistakes: Iterable[str]) -> Doing:
    """Read commands, file names and what the user asked; and the lines of what went wrong."""
    wrong = tuple(frozenset(terms(text)) for text in mistakes)
    words = frozenset(word for text in texts for word in terms(text))
    return Doing(words.union(*wrong), wrong)


def occasions(
    rules: Mapping[str, str], done: Doing, weights: Mapping[str, float]
) -> dict[str, bool]:
    """Say of each rule (id -> text) whose occasion came up whether it went well.

    `weights` say how rare a word is among the rules of the vault (`word_overlap.rarity`).
    """
    parts = {name: shares(terms(text), weights) for name, text in rules.items()}
    return {
        name: not any(_is_at_hand(words, mistake) for mistake in done.mistakes)
        for name, words in parts.items()
        if _is_at_hand(words, done.words)
    }


def _is_at_hand(parts: Mapping[str, float], words: frozenset[str]) -> bool:
    there = [word for word in parts if word in words]
    few = len(there) < min(_WORDS, len(parts))
    return bool(there) and not few and coverage(parts, dict.fromkeys(there, 1.0)) >= _AT_HAND


class Judge:
    """Judges the rules of sessions; notes are read when the first session asks for them.

    A rule that was reworded since is judged by its words of today, which is why the ledger keeps
    the hash of what was shown.
    """

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._texts: dict[str, str] | None = None
        self._weights: Mapping[str, float] = {}

    def given(self, session: str) -> dict[str, str]:
        """Give the rules that a session was given, or that were withheld from it: id to text."""
        path = self._vault.state.given / f"{session}.json"
        try:
            value = self._vault.state.read_json(path)
        except (VaultError, OSError):
            return {}
        names = [*_ids(value.get("slate")), *_ids(value.get("withheld"))]
        known = self._known() if names else {}
        return {name: known[name] for name in names if name in known}

    def verdicts(
        self, part: Part, judged: Iterable[Testimony] = ()
    ) -> dict[str, tuple[bool, By, str]]:
        """Say of each rule whose occasion came up in a part whether it went well, and by whom."""
        given = self.given(part.transcript.session)
        if not given or not part.transcript.turns:
            return {}
        lines = (mistake.line for mistake in part.mistakes)
        went = occasions(given, doing(texts(part.seen, part.extract.files), lines), self._weights)
        verdicts: dict[str, tuple[bool, By, str]] = {
            name: (well, "flush", "") for name, well in went.items()
        }
        for testimony in judged:
            rule = testimony.rule
            if rule not in verdicts or (verdicts[rule][0] and not testimony.kept):
                verdicts[rule] = (testimony.kept, "model", testimony.quote)
        return verdicts

    def _known(self) -> dict[str, str]:
        if self._texts is None:
            shelf = self._vault.articles
            notes = (shelf.get(path) for path in shelf.paths() if path.startswith("rules/"))
            self._texts = {rule.id: rule.text for rule in rules(note for note in notes if note)}
            self._weights = rarity(map(terms, self._texts.values()))
        return self._texts


def _ids(rows: Any) -> list[str]:  # noqa: ANN401 - whatever JSON holds there
    listed = rows if isinstance(rows, list) else []
    return [str(row.get("id")) for row in listed if isinstance(row, dict)]
