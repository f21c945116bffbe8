"""Record what an agent asks for, and thinks of rules, until a person decides.

An agent reads pages that anybody wrote, so its word brings no rule in force, takes none out and
earns none a reward. What is no decision about a rule is kept as the command that the person can
type. What costs nothing to ask is asked a thousand times, so all kinds are bounded.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from memoria.rules.model import ID, Rule, text_hash
from memoria.text.dates import moment
from memoria.text.unicode import strip_hidden

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

KIND, OPINION = "proposal", "opinion"
Verb = Literal["promote", "reject", "remember"]
# of a record that is about no rule: a command that the person may type, and one that is settled
COMMAND, SETTLED = "command", "settled"
_VERBS = frozenset(get_args(Verb))
# a review has some twenty cases; more proposals than that are noise that hides the others
MOST_OPEN = 20
# in a day of some ten sessions with a slate of eight rules each: half of them
OPINIONS_A_DAY = 40
_NEVER = datetime.min.replace(tzinfo=UTC)
# of a rule's words in a question: all that `remember` takes
_SHOWN = 300


def record(at: datetime, verb: Verb, found: Rule) -> dict[str, Any]:
    """Make the record of a proposal (`kind` "proposal"); `hash` is of the words it is about.

    A rule that is to be taught is known by this record alone, so it holds the words.
    """
    new = {"text": found.text, "category": found.category, "scope": list(found.scope)}
    return {
        "kind": KIND,
        "at": at.isoformat(timespec="seconds"),
        "id": found.id,
        "verb": verb,
        "hash": text_hash(found.text),
    } | (new if verb == "remember" else {})


def command(at: datetime, text: str, folder: str, verb: str = COMMAND) -> dict[str, Any]:
    """Make the record of a command that waits for a person, or (SETTLED) waits no more."""
    when = at.isoformat(timespec="seconds")
    return {"kind": KIND, "at": when, "verb": verb, "command": text, "folder": folder}


def commands(proposals: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Give the commands that wait, each with the folder it is to be typed in, in their order."""
    found: dict[tuple[str, str], bool] = {}
    for one in proposals:
        if one.get("verb") in {COMMAND, SETTLED}:
            found[str(one.get("command")), str(one.get("folder"))] = one["verb"] == COMMAND
    return [one for one, waits in found.items() if waits]


def taught(
    proposals: Iterable[Mapping[str, Any]], decisions: Iterable[Mapping[str, Any]]
) -> list[Rule]:
    """Give the rules that are proposed in words of their own, as they would wait for a review."""
    records = list(proposals)
    waits = proposed(records, decisions)
    rules = {}
    for record in records:
        if record.get("verb") == "remember" and waits.get(str(record.get("id"))) == "remember":
            text, day = str(record.get("text")), str(record.get("at"))[:10]
            rules[record["id"]] = Rule(
                str(record["id"]),
                text,
                record["category"],
                "waiting",
                1,
                "low",
                tuple(map(str, record.get("scope") or ())),
                day,
                created=day,
                # nobody is known to have said it: no session, and no words of the user's
                quotes=(f'- "{text}" (proposed by an agent, {day})',),
            )
    return list(rules.values())


def proposed(
    proposals: Iterable[Mapping[str, Any]], decisions: Iterable[Mapping[str, Any]]
) -> dict[str, Verb]:
    """Give the rules about which a proposal waits, the last one of each.

    `decisions` are the records of kind "rule"; one that came at or after a proposal settles it.
    """
    settled: dict[str, datetime] = {}
    for record in decisions:
        name, at = str(record.get("id")), _moment(record)
        settled[name] = max(settled.get(name, at), at)
    waits: dict[str, Verb] = {}
    for record in proposals:
        name, verb = str(record.get("id")), cast("Verb", record.get("verb"))
        is_open = _moment(record) > settled.get(name, _NEVER)
        if ID.fullmatch(name) and verb in _VERBS and is_open:
            waits[name] = verb
    return waits


def _moment(one: Mapping[str, Any]) -> datetime:
    return moment(one.get("at")) or _NEVER


def opinion(  # noqa: PLR0913 - a record has as many fields as it has
    at: datetime, identity: str, value: int, *, project: str, context: str, outcome: str
) -> dict[str, Any]:
    """Make the record of what a model thinks a rule was worth; it is shown and never counted.

    Its kind is one of its own: as a "reward" a version that knows no models would take it for a
    person's.
    """
    return {
        "kind": OPINION,
        "at": at.isoformat(timespec="seconds"),
        "id": identity,
        "reward": value,
        "project": project,
        "context": context,
        "outcome": outcome,
    }


def opinions(
    records: Iterable[Mapping[str, Any]], since: datetime | None = None
) -> list[Mapping[str, Any]]:
    """Give the opinions of models, from a moment on if one is given."""
    return [
        one
        for one in records
        if ID.fullmatch(str(one.get("id")))
        and one.get("reward") in {-1, 0, 1}
        and _moment(one) >= (since or _NEVER)
    ]


def question(verb: Verb, rules: Sequence[Rule], where: str, new: Collection[str] = ()) -> str:
    """Ask a person whether what a model wants is to be done.

    `where` is the file that is written to, `new` are ids that would come in force by it.
    """
    lines, has_new = [], False
    for rule in rules:
        origin = shown(rule.sources[0]) if rule.sources else "no known source"
        is_new = rule.id in new
        has_new = has_new or is_new
        first = f" (NOT active yet; from {origin})" if is_new else ""
        lines.append(f"- {rule.id}: {shown(rule.text)}{first}")
    if verb == "promote":
        head = f"A model asks to write these rules into {strip_hidden(where)}:"
        foot = "Yes also approves those that are not active yet: later sessions will follow them."
        return "\n".join([head, *lines, *([foot] if has_new else [])])
    foot = "Yes retires them, and takes them out of every file that they were promoted to."
    return "\n".join(["A model asks to reject these rules:", *lines, foot])


def shown(text: str) -> str:
    """Make a text one line that cannot steer a terminal or a form."""
    line = " ".join(strip_hidden(text).split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]} …"
