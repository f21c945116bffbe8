"""Keep what a rule was worth in a session: given with `memoria reward`, or judged automatically.

`memoria reward` asks for no person, so an agent can give one, too; what a model thinks through MCP
is an opinion, which is shown and never counted. One rule earns at most one
reward in a session: the last that the command gave counts, else the worst that was judged, since a
mistake that came back in one part is not undone by another part.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal

from memoria.agents.json_line import mapping_of
from memoria.rules.model import ID
from memoria.text.json_text import text_at

By = Literal["command", "flush", "model"]
# the seed's: helped, did not help; and hurt, which it lacks
HELPED, NOTHING, HURT = 1, 0, -1
_TEXT_FIELDS = ("session", "project", "context", "outcome", "quote")
OPINION = "opinion"


@dataclass(frozen=True, slots=True)
class Reward:
    """What a rule was worth in a session; `session` is "" where the command named none.

    `context` is the error class or whatever else it is said to be about, `outcome` what came of
    it; `quote` are the words that a model's judgement rests on.
    """

    id: str
    value: int
    at: str
    by: By = "command"
    session: str = ""
    project: str = ""
    context: str = ""
    outcome: str = ""
    quote: str = ""


def record(reward: Reward) -> dict[str, Any]:
    """Make the ledger's record of a reward that the command gave (`kind` "reward")."""
    fields = asdict(reward)
    head = {"kind": "reward", "at": reward.at, "id": reward.id, "reward": reward.value}
    return head | {name: fields[name] for name in ("by", *_TEXT_FIELDS)}


def build_judged_record(
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


def read_rewards(records: Iterable[Mapping[str, Any]]) -> tuple[Reward, ...]:
    """Read all rewards, given and judged, in the order of the ledger.

    What is no reward of the three values, or of no rule, is passed over.
    """
    return tuple(
        reward
        for record in records
        for reward in (*_read_given_reward(record), *_read_judged_rewards(record))
    )


def _read_given_reward(record: Mapping[str, Any]) -> Iterable[Reward]:
    name, value = text_at(record, "id"), _read_value(record)
    if record.get("kind") == "reward" and ID.fullmatch(name) and value is not None:
        by: By = "model" if record.get("by") == "model" else "command"
        texts = [text_at(record, key) for key in _TEXT_FIELDS]
        yield Reward(name, value, text_at(record, "at"), by, *texts)


def _read_value(record: Mapping[str, Any]) -> int | None:
    """Read what a rule was worth, None for what is none of the three values."""
    value = record.get("reward")
    return value if type(value) is int and value in {HELPED, NOTHING, HURT} else None


def _read_judged_rewards(record: Mapping[str, Any]) -> Iterable[Reward]:
    if record.get("kind") != "judged":
        return
    at, session, project = (text_at(record, key) for key in ("at", "session", "project"))
    for name, verdict in mapping_of(record.get("rules")).items():
        well = mapping_of(verdict).get("well")
        if isinstance(well, bool) and ID.fullmatch(str(name)):
            by: By = "model" if verdict.get("by") == "model" else "flush"
            quote = text_at(verdict, "quote")
            yield Reward(str(name), int(well), at, by, session, project, quote=quote)


def counted_rewards(rewards: Iterable[Reward]) -> dict[tuple[str, str], Reward]:
    """Give the one reward that counts for each session and rule, of those that name a session."""
    counted: dict[tuple[str, str], Reward] = {}
    for reward in rewards:
        if not reward.session:
            continue
        key = (reward.session, reward.id)
        earlier = counted.get(key)
        is_worse = earlier is not None and earlier.by != "command" and reward.value < earlier.value
        if earlier is None or reward.by == "command" or is_worse:
            counted[key] = reward
    return counted


def opinion(reward: Reward) -> dict[str, Any]:
    """Make the record of what a model thinks a rule was worth; it is shown and never counted.

    Its kind is one of its own: as a "reward" a version that knows no models would take it for a
    person's.
    """
    fields = record(reward)
    names = ("at", "id", "reward", "project", "context", "outcome")
    return {"kind": OPINION} | {name: fields[name] for name in names}


def opinions(records: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Give the opinions of models."""
    return [
        record
        for record in records
        if ID.fullmatch(str(record.get("id"))) and _read_value(record) is not None
    ]
