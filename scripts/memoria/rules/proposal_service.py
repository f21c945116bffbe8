"""Keep what an agent asks for until a person decides.

An agent reads pages that anybody wrote, so its word brings no rule in force and takes none out. A
verb that only a person may give, driven by no person, leaves a proposal: scripts look at its exit
code, so that is no error. What is no decision about a rule is kept as the command that the person
can type. What costs nothing to ask is asked a thousand times, so proposals are bounded.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from memoria import terminal
from memoria.errors import UsageError
from memoria.program import quote_words
from memoria.rules.model import ID, Rule, text_hash
from memoria.text.dates import parse_moment
from memoria.text.unicode import strip_hidden
from memoria.vault.storage import clock

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from memoria.terminal_driver import Driver
    from memoria.workspace import Workspace

KIND = "proposal"
Verb = Literal["promote", "reject", "remember"]
# of a record that is about no rule: a command that the person may type, and one that is settled
COMMAND, SETTLED = "command", "settled"
_VERBS = frozenset(get_args(Verb))
# a review has some twenty cases; more proposals than that are noise that hides the others
_MOST_OPEN = 20
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
# of a rule's words in a question: all that `remember` takes
_MAX_SHOWN = 300
# options that say how a verb tells what it did, which is another matter for a person
_TALK_OPTIONS = ("--json", "--quiet")


def record(at: datetime, verb: Verb, rule: Rule) -> dict[str, Any]:
    """Make the record of a proposal (`kind` "proposal"); `hash` is of the words it is about.

    A rule that is to be taught is known by this record alone, so it holds the words.
    """
    words = {"text": rule.text, "category": rule.category, "scope": list(rule.scope)}
    return {
        "kind": KIND,
        "at": at.isoformat(timespec="seconds"),
        "id": rule.id,
        "verb": verb,
        "hash": text_hash(rule.text),
    } | (words if verb == "remember" else {})


def _build_record(at: datetime, text: str, folder: str, verb: str = COMMAND) -> dict[str, Any]:
    """Make the record of a command that waits for a person, or (SETTLED) waits no more."""
    when = at.isoformat(timespec="seconds")
    return {"kind": KIND, "at": when, "verb": verb, "command": text, "folder": folder}


def choose_open(
    proposals: Iterable[Mapping[str, Any]], decisions: Iterable[Mapping[str, Any]]
) -> dict[str, Verb]:
    """Give the last proposal about each rule where it waits, by the id of the rule.

    `decisions` are the records of kind "rule"; one that came at or after a proposal settles it.
    """
    decision_times: dict[str, datetime] = {}
    for record in decisions:
        name, at = str(record.get("id")), _read_moment(record)
        decision_times[name] = max(decision_times.get(name, at), at)
    open_verbs: dict[str, Verb] = {}
    for record in proposals:
        name, verb = str(record.get("id")), cast("Verb", record.get("verb"))
        is_open = _read_moment(record) > decision_times.get(name, _LONG_AGO)
        if ID.fullmatch(name) and verb in _VERBS and is_open:
            open_verbs[name] = verb
    return open_verbs


def _read_moment(record: Mapping[str, Any]) -> datetime:
    return parse_moment(record.get("at")) or _LONG_AGO


def proposals(work: Workspace) -> dict[str, Verb]:
    """Give what agents ask to be done to rules and nobody has decided, by the id of the rule."""
    history = work.vault.history()
    return choose_open(history.records_of(KIND), history.records_of("rule"))


def list_proposed_rules(work: Workspace) -> list[Rule]:
    """Give the rules that agents propose to teach, or colleagues have, and nobody decided about."""
    open_verbs = proposals(work)
    rules = {
        str(record["id"]): _rule_to_teach(record)
        for record in work.vault.history().records_of(KIND)
        if record.get("verb") == open_verbs.get(str(record.get("id"))) == "remember"
    }
    if not (work.vault.state.root / "team_mirror.sqlite").exists():
        return list(rules.values())
    # few belong to a team
    from memoria.rules.review.colleagues_service import read_colleagues_rules  # noqa: PLC0415 - as above

    return [*rules.values(), *read_colleagues_rules(work)]


def _rule_to_teach(record: Mapping[str, Any]) -> Rule:
    """Make the rule that is proposed in words of its own, as it would wait for a review."""
    text, day = str(record.get("text")), str(record.get("at"))[:10]
    scope = tuple(map(str, record.get("scope") or ()))
    # nobody is known to have said it: no session, and no words of the user's
    quotes = (f'- "{text}" (proposed by an agent, {day})',)
    # its id was made when it was proposed: a category that is not known here is no reason to fail
    kind, identity = record["category"], str(record["id"])
    return Rule(identity, text, kind, "waiting", 1, "low", scope, day, created=day, quotes=quotes)


def find_driver_and_settle(arguments: argparse.Namespace, work: Workspace) -> Driver:
    """Say who drives a verb; a person who types what was proposed settles the proposal."""
    driver = work.driver()
    if driver.is_person:
        settle(work, [_read_typed_command(arguments, work)])
    return driver


def propose_rules(
    arguments: argparse.Namespace,
    work: Workspace,
    driver: Driver,
    verb: Verb,
    rules: Sequence[Rule],
) -> int:
    """Leave a proposal about rules, each of which waits for a review; give the exit code."""
    now = clock.now(work.settings.zone)
    write_proposals(work, [record(now, verb, rule) for rule in rules])
    summary = ", ".join(f"{rule.id} {clip_plain_line(rule.text)}" for rule in rules)
    value = {"verb": verb, "rules": [{"id": rule.id, "rule": rule.text} for rule in rules]}
    return _say_proposed(arguments, work, driver, f"{verb} {summary}", value)


def propose_if_agent(
    arguments: argparse.Namespace, work: Workspace, command: str = "", *, why: str = ""
) -> bool:
    """Whether no person drives a verb: then its command, or another one, is left as a proposal."""
    driver = find_driver_and_settle(arguments, work)
    if not driver.is_person:
        propose_command(arguments, work, driver, command, why=why)
    return not driver.is_person


def propose_command(
    arguments: argparse.Namespace, work: Workspace, driver: Driver, command: str = "", why: str = ""
) -> int:
    """Leave a proposal to type a command, the one that was given by default; give the exit code.

    `why` says why it takes a person, where that is not what the verb is for.
    """
    text, folder = _read_typed_command(arguments, work)
    text = command or text
    write_proposals(work, [_build_record(clock.now(work.settings.zone), text, folder)])
    said = f"{text}. {why}" if why else text
    return _say_proposed(arguments, work, driver, said, {"command": text})


def write_proposals(work: Workspace, records: Sequence[dict[str, Any]]) -> None:
    """Write down what waits for a person; what waits already is not written down twice."""
    with work.vault.open_transaction() as change:
        rules, commands = proposals(work), _read_commands(work)
        new_records = {_read_key(record): record for record in records}
        for known_key in (*rules.items(), *commands):
            new_records.pop(known_key, None)
        subjects = {record.get("id", key) for key, record in new_records.items()}
        if len({*rules, *commands, *subjects}) > _MOST_OPEN:
            count = len(rules) + len(commands)
            raise UsageError(
                f"{count} proposals wait already: tell the user to run `memoria review`"
            )
        for record in new_records.values():
            change.record(record)


def settle(work: Workspace, commands: Sequence[tuple[str, str]]) -> None:
    """Note that commands wait no more: the person has typed them, or will not."""
    open_commands = _read_commands(work)
    matches = [command for command in commands if command in open_commands]
    if matches:
        now = clock.now(work.settings.zone)
        with work.vault.open_transaction() as change:
            for text, folder in matches:
                change.record(_build_record(now, text, folder, SETTLED))


def format_commands(work: Workspace) -> list[str]:
    """Give a line for each command that waits."""
    pairs = [map(clip_plain_line, command) for command in _read_commands(work)]
    return [f"{text}  (in {folder})" for text, folder in pairs]


def ask_about_commands(work: Workspace) -> None:
    """Show the person the commands that wait, and let them drop those."""
    lines = format_commands(work)
    if not lines:
        return
    from memoria import terminal_keys as keys  # noqa: PLC0415 - few verbs ask

    head = "Agents propose these commands; type what you want to be done:"
    with keys.Keys() as board:  # it drops what was typed before the question
        terminal.print_rows([("", ""), ("yellow", head), *(("", f"  {line}") for line in lines)])
        board.drop()
        terminal.print_prompt("[d]rop them, any other key keeps them ")
        is_dropped = board.key().lower() == "d"
    terminal.print_rows([("", "dropped" if is_dropped else "kept")])
    if is_dropped:
        settle(work, _read_commands(work))


def _read_commands(work: Workspace) -> list[tuple[str, str]]:
    """Give the commands that wait, each with the folder it is to be typed in, in their order."""
    states: dict[tuple[str, str], bool] = {}
    for record in work.vault.history().records_of(KIND):
        if record.get("verb") in {COMMAND, SETTLED}:
            key = str(record.get("command")), str(record.get("folder"))
            states[key] = record["verb"] == COMMAND
    return [command for command, is_open in states.items() if is_open]


def _read_key(record: dict[str, Any]) -> tuple[str, str]:
    first, second = ("command", "folder") if "command" in record else ("id", "verb")
    return record[first], record[second]


def _read_typed_command(arguments: argparse.Namespace, work: Workspace) -> tuple[str, str]:
    """Give the command as it was typed, without a secret, and the folder."""
    from memoria.privacy import clean  # noqa: PLC0415 - most verbs propose nothing

    words = [word for word in arguments.command_line if word not in _TALK_OPTIONS]
    text = clean.clean_value(quote_words("memoria", *words), work.settings.secrets)
    return " ".join(text.split()), os.getcwd()  # noqa: PTH109 - it is kept as text


def _say_proposed(
    arguments: argparse.Namespace, work: Workspace, driver: Driver, text: str, value: dict[str, Any]
) -> int:
    if arguments.json:
        terminal.print_json({"proposed": True, "reason": driver.reason} | value)
    work.terminal.warn(
        f"Proposed, not done: {text}. You decide it in `memoria review` at a terminal of your own "
        f"({driver.reason})."
    )
    return 0


def question(verb: Verb, rules: Sequence[Rule], path: str, new_ids: Collection[str] = ()) -> str:
    """Ask a person whether what a model wants is to be done.

    `path` is the file that is written to, `new_ids` are ids that would come in force by it.
    """
    lines = []
    for rule in rules:
        origin = clip_plain_line(rule.sources[0]) if rule.sources else "no known source"
        warning = f" (NOT active yet; from {origin})" if rule.id in new_ids else ""
        lines.append(f"- {rule.id}: {clip_plain_line(rule.text)}{warning}")
    if verb == "reject":
        foot = "Yes retires them, and takes them out of every file that they were promoted to."
        return "\n".join(["A model asks to reject these rules:", *lines, foot])
    head = f"A model asks to write these rules into {strip_hidden(path)}:"
    foot = "Yes also approves those that are not active yet: later sessions will follow them."
    return "\n".join([head, *lines, *[foot] * any(rule.id in new_ids for rule in rules)])


def clip_plain_line(text: str) -> str:
    """Make a text one line that cannot steer a terminal or a form."""
    line = " ".join(strip_hidden(text).split())
    return line if len(line) <= _MAX_SHOWN else f"{line[:_MAX_SHOWN]} …"
