"""Show what came into the vault from elsewhere, and adopt it (`memoria trust`).

Hooks say only what this machine knows. What the person wrote on another machine or in an editor is
shown here by its author, what looks like an attack first, and is adopted by its hash into this
machine's state: the vault says nothing of it, so no pull can. The trap: it is the person who
trusts, at a terminal that no agent drives; without one it only shows.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING

from memoria import terminal, terminal_keys
from memoria.errors import UsageError, VaultError
from memoria.rules import rulebook
from memoria.rules.model import Approval, read_noted, text_hash
from memoria.rules.rulebook import Ruling, format_approvals, read_approvals
from memoria.text.numbers import format_count
from memoria.vault.schema import SCHEMA_FILE, schema_key
from memoria.vault.storage import clock, disk
from memoria.vault.storage.state import encode_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memoria.search.injectable import UnknownLine
    from memoria.vault.store import Log
    from memoria.workspace import Workspace

_KEYS = "[y]es, all  [u]nmarked ones only  [n]o, and do not ask again  [s]kip "
_MEMORY = "waiting.json"


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Show what waits, and adopt what the person says."""
    is_person = terminal_keys.is_interactive() and work.driver().is_person
    if arguments.yes and not is_person:
        raise UsageError("nothing was adopted: --yes counts only at a terminal of your own")
    groups = _group_by_author(work, find_waiting_items(work))
    if arguments.json:
        pairs = ((author, line) for author, newcomers in groups.items() for line in newcomers)
        terminal.print_json([_newcomer_json(*pair) for pair in pairs])
        return 0
    for author, newcomers in groups.items():
        terminal.print_rows(_format_rows(author, newcomers))
    if notice := schema_notice(work):
        work.terminal.say(f"{notice[0].upper()}{notice[1:]}.")
    if not groups:
        work.terminal.say("Nothing waits: this machine knows all lines and rules of the vault.")
    elif is_person:
        _decide(work, groups, is_sure=arguments.yes)
    else:
        work.terminal.say("`memoria trust` at a terminal of your own asks which of it you adopt.")
    return 0


# -- What waits ------------------------------------------------------------------------------------


def find_waiting_items(work: Workspace) -> tuple[UnknownLine, ...]:
    """Find what this machine does not know, each once, marked ones first."""
    newcomers: dict[str, UnknownLine] = {}
    for newcomer in _find_unknown(work):
        newcomers.setdefault(newcomer.key, newcomer)
    return tuple(sorted(newcomers.values(), key=lambda newcomer: not newcomer.marked))


def count_waiting_items(work: Workspace, *, keep: bool = True) -> int:
    """Count what waits; the vault is read again only where a file has changed since.

    Without `keep` nothing is written down for the next time.
    """
    path, stamp = work.vault.state.root / _MEMORY, _compute_stamp(work)
    try:
        record = work.vault.state.read_json(path)
    except VaultError:
        record = {}
    if record.get("stamp") != stamp:
        record = {"stamp": stamp, "count": len(find_waiting_items(work))}
        if keep:
            disk.replace(path, encode_json(record))
    return int(record["count"])


def format_waiting_count(number: int) -> str:
    """Say in a line how much waits, "" for nothing."""
    count = "1 line or rule" if number == 1 else f"{number} lines and rules"
    text = f"{count} not written here (you, in an editor, or another machine); no session is told "
    return f"{text}any of it until you say so with `memoria trust`" if number else ""


def schema_notice(work: Workspace) -> str:
    """Say that lines of the schema wait, "" where none does."""
    text = (
        f"the schema in {SCHEMA_FILE} has lines not written here; a compile's model is given "
        "Memoria's own schema until you adopt them with `memoria trust`"
    )
    return text if work.vault.find_unknown_schema_lines(work.vault.lines.keys) else ""


def _find_unknown(work: Workspace) -> Iterator[UnknownLine]:
    from memoria.compile.project_page import is_ours  # noqa: PLC0415 - as below
    from memoria.search import injectable  # noqa: PLC0415 - `status` has the count

    keys, approvals = work.vault.lines.keys, read_approvals(work.vault.state)
    rules = read_noted(work.vault.articles)  # as their notes are, which is what a yes adopts
    # those that the person has put aside in these very words are no news
    aside = {rule.id: Approval.of(rule) for rule in rules if text_hash(rule.text) in keys}
    yield from injectable.find_unknown_rules(rules, approvals | aside)
    yield from injectable.find_unknown_in_schema(work.vault.find_unknown_schema_lines(keys))
    for log in read_logs(work):
        yield from injectable.find_unknown_in_log(log.blocks, keys)
    for article in work.vault.articles.values():
        kind = work.vault.schema.kind_of(article.path)
        # what this machine writes anew from the logs it knows is nobody else's
        if article.kind != "rule" and not is_ours(article):
            sections = kind.sections if kind else ()
            yield from injectable.find_unknown_in_article(article, sections, keys)


def read_logs(work: Workspace) -> Iterator[Log]:
    """Read all logs that can be read; compile, doctor and forget name the others."""
    for day in work.vault.logs():
        with suppress(VaultError):
            yield work.vault.log(day)


def _compute_stamp(work: Workspace) -> str:
    state = work.vault.state
    files = [*work.vault.daily.glob("*.md"), *work.vault.knowledge.rglob("*.md")]
    rows = []
    schema = work.vault.root / SCHEMA_FILE
    for path in sorted([*files, schema, state.known_lines, state.approvals]):
        with suppress(OSError):
            status = path.lstat()
            rows.append(f"{path} {status.st_size} {status.st_mtime_ns}")
    return disk.sha("\n".join(rows).encode("utf-8", "surrogateescape"))


def _group_by_author(
    work: Workspace, newcomers: Sequence[UnknownLine]
) -> dict[str, list[UnknownLine]]:
    if not newcomers:
        return {}
    from memoria.vault.trust.line_authors import Authorship  # noqa: PLC0415 - `status` needs none

    authorship = Authorship(work.vault.root, {newcomer.path for newcomer in newcomers})
    groups: dict[str, list[UnknownLine]] = defaultdict(list)
    for newcomer in newcomers:
        groups[authorship.of(newcomer.path, newcomer.text)].append(newcomer)
    return dict(sorted(groups.items()))


def remove_stale_keys(work: Workspace) -> None:
    """Drop the keys of lines that stand nowhere any more."""
    from memoria.capture.provenance import marks  # noqa: PLC0415 - as above
    from memoria.search import injectable  # noqa: PLC0415 - as above
    from memoria.vault.trust.known_lines import strip_line_marks  # noqa: PLC0415 - as above

    blocks = (block for log in read_logs(work) for block in log.blocks)
    lines = [line for block in blocks for line in marks.list_sayable_lines(block.entry.draft)]
    for path, article in work.vault.articles.items():
        kind = work.vault.schema.kind_of(path)
        lines += injectable.list_sayable_lines(article, kind.sections if kind else ())
    keys = {marks.build_line_key(strip_line_marks(line)) for line in lines}
    keys |= {schema_key(line) for line in work.vault.schema.region.splitlines()}
    keys |= {text_hash(rule.text) for rule in read_noted(work.vault.articles)}
    work.vault.lines.keep(keys)


# -- Showing and deciding --------------------------------------------------------------------------


def _format_rows(author: str, newcomers: Sequence[UnknownLine]) -> Iterator[tuple[str, str]]:
    """Give all that a yes would adopt, what looks like an attack first."""
    yield "bold", f"{author}: {_format_counts(newcomers)}"
    for newcomer in newcomers:
        if newcomer.marked:
            yield "yellow", f"  ! {newcomer.marked}: {newcomer.text}  ({newcomer.path})"
        else:
            yield "", f"  {newcomer.rule or '-'} {newcomer.text}  ({newcomer.path})"


def _format_counts(newcomers: Sequence[UnknownLine]) -> str:
    rules = sum(bool(newcomer.rule) for newcomer in newcomers)
    notes = len({newcomer.path for newcomer in newcomers})
    parts = ((len(newcomers) - rules, "line"), (rules, "rule"))
    counts = " and ".join(format_count(count, name) for count, name in parts if count)
    return f"{counts} of {format_count(notes, 'note')}"


def _newcomer_json(author: str, newcomer: UnknownLine) -> dict[str, str]:
    names = ("path", "text", "marked", "rule")
    row = {"author": author} | {name: str(getattr(newcomer, name)) for name in names}
    return row | {"hash": newcomer.key}


def _decide(work: Workspace, groups: Mapping[str, list[UnknownLine]], *, is_sure: bool) -> None:
    adopted: list[UnknownLine] = []
    aside: list[UnknownLine] = []
    for author, newcomers in groups.items():
        answer = "y" if is_sure else _ask_to_adopt(author, newcomers)
        unmarked = [newcomer for newcomer in newcomers if not newcomer.marked]
        adopted += newcomers if answer == "y" else unmarked if answer == "u" else []
        aside += newcomers if answer == "n" else []
    adopt(work, adopted, aside)
    work.terminal.say(f"{len(adopted)} adopted, {len(aside)} put aside.")


def _ask_to_adopt(author: str, newcomers: Sequence[UnknownLine]) -> str:
    with terminal_keys.Keys() as keys:  # it drops what was typed before the question
        terminal.print_prompt(f"{author}: adopt {_format_counts(newcomers)}? {_KEYS}")
        answer = keys.key().lower()
    terminal.print_rows([("", answer if answer in {"y", "u", "n"} else "skipped")])
    return answer


def adopt(
    work: Workspace, newcomers: Iterable[UnknownLine], aside: Iterable[UnknownLine] = ()
) -> None:
    """Let hooks say these lines and bring these rules in force, in the very words they have."""
    lines = tuple(newcomers)
    keys = {newcomer.key for newcomer in lines}
    with work.vault.open_transaction() as change:
        book = {rule.id: rule for rule in read_noted(work.vault.articles)}
        named_rules = [book[newcomer.rule] for newcomer in lines if newcomer.rule in book]
        rules = [rule for rule in named_rules if text_hash(rule.text) in keys]
        if rules:
            state = work.vault.state
            approvals = read_approvals(state) | {rule.id: Approval.of(rule) for rule in rules}
            change.put_state(state.approvals, format_approvals(approvals))
        at = clock.now(work.settings.zone).isoformat(timespec="seconds")
        for rule in rules:
            change.record(rulebook.record(at, Ruling(rule.id, rule.status, "trust"), rule))
    # no part of the transaction, so behind it: where it failed nothing is adopted
    adopted = [newcomer.key for newcomer in lines if not newcomer.rule]
    work.vault.lines.add(adopted, (newcomer.key for newcomer in aside))
    if lines:
        work.vault.changed = True
