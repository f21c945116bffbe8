"""Answer a tool call from the vault, as text: search first, then read a piece.

An id comes from a model, so no path is made of it: it is looked up among the files that are there.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from memoria.errors import UsageError
from memoria.evidence import experiment
from memoria.mcp import framing
from memoria.privacy import clean
from memoria.program import expand_commands
from memoria.rules.model import Rule, normal
from memoria.rules.proposal_service import clip_plain_line, proposals
from memoria.rules.review.waiting import find_status_here, list_cases, list_waiting
from memoria.rules.rulebook import Rulebook, rulebook
from memoria.search.ask import Asker
from memoria.search.service import format_status, refresh_index
from memoria.text.dates import parse_day
from memoria.vault.citations import parse_quote
from memoria.vault.storage import clock
from memoria.vault.store import MAX_LOG_BYTES
from memoria.workspace import Workspace

# of a page's sections, named with its first piece
_MAX_SECTIONS = 20


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call: its checked arguments, and how to ask the person (it gives None for no way)."""

    work: Workspace
    values: Mapping[str, Any]
    consent: Callable[[str], bool | None]

    def text(self, name: str) -> str:
        """Give an argument without secrets and hidden characters, in one line."""
        return " ".join(clean.clean_value(self.values[name], self.work.settings.secrets).split())


def search(call: ToolCall) -> str:
    """Find notes and entries; a line each with its id, and a snippet."""
    values = call.values
    query = call.text("query")
    if not query:
        raise UsageError("query has no words to look for")
    hits = refresh_index(call.work).find(
        query,
        limit=values["k"],
        scope=values["scope"] or "all",
        project=values["project"],
        since=str(parse_day(values["since"], "since") or ""),
        kind=values["kind"],
        tag="",
    )
    if not hits:
        return "Nothing found. Other words may find it: names, error text, file names."
    rows = []
    for hit in hits:
        about = " ".join(filter(None, (hit.kind, hit.date, clip_plain_line(hit.project))))
        identity = clip_plain_line(hit.path.removeprefix("knowledge/").removesuffix(".md"))
        rows.append(f"- {identity} | {clip_plain_line(hit.title)} | {about}")
        rows += [f"  {line}" for line in format_status(hit)]
        rows.append(f"  {framing.format_snippet(hit.passage)}")
    return "\n".join([*rows, "memory_read gives the text of an id (section: a title or heading)."])


def read(call: ToolCall) -> str:
    """Give a piece of a page, with what is needed to read on."""
    values = call.values
    text = read_page(call.work, values["id"])
    name = values["section"]
    if name:
        passage = framing.find_section(text, name)
        if passage is None:
            note, section = clip_plain_line(values["id"]), clip_plain_line(name)
            names = "; ".join(_list_sections(text)[:_MAX_SECTIONS])
            raise UsageError(f"{note} has no section {section!r}; it has {names}")
        text = passage
    part, start, end = framing.clip_part(text, values["offset"], values["limit"])
    lines = [framing.make_lines_inert(part)]
    if end < len(text):
        lines.append(f"[characters {start}-{end} of {len(text)}; offset={end}]")
        sections = _list_sections(text)[1 : _MAX_SECTIONS + 1]
        if sections and not start and not name:
            lines.append(f"[sections: {'; '.join(sections)}]")
    return "\n".join(lines)


def _list_sections(text: str) -> list[str]:
    return [clip_plain_line(heading) for heading in framing.list_headings(text)]


def read_page(work: Workspace, page_id: str) -> str:
    """Give the text of a page by its id, for reading; UsageError where there is none."""
    name = page_id.strip().removeprefix("[[").removesuffix("]]").removesuffix(".md")
    name = name.removeprefix("knowledge/")
    if "/" not in name:  # a rule by its whole id
        name = next((rule.path for rule in rulebook(work).rules if rule.id == name), name)
    text = _read_page(work, name)
    if text is None:
        raise UsageError(f"there is no page {clip_plain_line(page_id)!r}; memory_search gives ids")
    return framing.strip_note(clean.clean_value(text, work.settings.secrets))


def _read_page(work: Workspace, name: str) -> str | None:
    vault = work.vault
    if name in {"index", "log"} or name in vault.articles:
        text, sha = vault.read(f"knowledge/{name}.md", MAX_LOG_BYTES)
        return text if sha else None
    inner = name.removeprefix("daily/")
    if inner == name:
        return None
    if f"{inner}.md" in vault.pages()[0]:
        return vault.page(f"{inner}.md").text
    day = next((day for day in vault.logs() if str(day) == inner), None)
    log = vault.log(day) if day else None
    return log.text if log and log.sha else None


def query(call: ToolCall) -> str:
    """Ask the engine, and keep the record that every question leaves."""
    question = call.text("question")
    asker = Asker(call.work, call.work.model())
    answer = asker.ask(question)
    asker.keep(answer, file_back=False)
    text = framing.make_lines_inert(answer.checked.text)[: framing.MAX_RESULT]
    citations = ", ".join(map(clip_plain_line, answer.checked.citations)) or "none"
    cost = f", ${answer.reply.cost.usd:.4f}" if answer.reply.cost.usd else ""
    return f"{text}\n\n[{answer.reply.engine} engine{cost}; cited: {citations}]"


def status(call: ToolCall) -> str:
    """Say how much is known, and what waits."""
    work = call.work
    history = work.vault.history()
    rule_set = _load_rules(work)
    kinds = Counter(path.split("/")[0] for path in work.vault.articles.paths())
    active_count = sum(map(rule_set.is_in_force, rule_set.rules))
    logs = work.vault.logs()
    days = f"{len(logs)} days, {logs[0]} to {logs[-1]}" if logs else "none yet"
    notes = ", ".join(f"{count} {name}" for name, count in sorted(kinds.items())) or "none yet"
    records = history.records_of(experiment.KIND)
    trials = experiment.find_running(experiment.fold_experiments(records))
    return "\n".join(
        [
            f"vault: {clip_plain_line(str(work.vault.root))}",
            f"notes: {notes}",
            f"logs: {days}; {len(history.sessions)} sessions, {len(history.mistakes)} errors",
            f"entries written by hand: {len(work.vault.pages()[0])}",
            f"rules: {len(rule_set.rules)}, {active_count} active here",
            *_format_categories(rule_set),
            f"waiting for the user: {len(list_waiting(work, rule_set))} rules (memory_diff)",
            *(f"experiment: {clip_plain_line(trial.summary)}" for trial in trials),
        ]
    )


def _load_rules(work: Workspace) -> Rulebook:
    """Give the rules with the confidence that they have today."""
    return rulebook(work).age_confidences(clock.now(work.settings.zone).date())


def _format_categories(rule_set: Rulebook) -> list[str]:
    lines = []
    for name in sorted({rule.category for rule in rule_set.rules}):
        category_rules = [rule for rule in rule_set.rules if rule.category == name]
        levels = Counter(rule.confidence for rule in category_rules)
        parts = [f"{count} {level}" for level, count in levels.most_common()]
        active_count = sum(map(rule_set.is_in_force, category_rules))
        lines.append(f"  {name}: {', '.join(parts)} confidence; {active_count} active")
    return lines


def rules(call: ToolCall) -> str:
    """List rules, those in force first."""
    values = call.values
    rule_set = _load_rules(call.work)
    words = normal(values["words"]).split()
    matches = [
        rule
        for rule in rule_set.rules
        if values["category"] in ("", rule.category)
        and values["status"] in ("", find_status_here(rule_set, rule))
        and all(word in normal(rule.text) for word in words)
    ]
    matches.sort(key=lambda rule: (not rule_set.is_in_force(rule), -rule.frequency, rule.id))
    first, limit = values["offset"], values["limit"]
    lines = [f"- {format_rule(rule, rule_set)}" for rule in matches[first : first + limit]]
    remaining = len(matches) - first - limit
    footer = [f"[{remaining} more: offset={first + limit}]"] if remaining > 0 else []
    return "\n".join([*lines, *footer]) or "No rules."


def format_rule(rule: Rule, rule_set: Rulebook) -> str:
    """Give a rule in a line: id, words, and how it stands."""
    status = find_status_here(rule_set, rule)
    state = f"({rule.category}, {status}, {rule.confidence} confidence)"
    return f"{rule.id} {clip_plain_line(rule.text)} {state}"


def diff(call: ToolCall) -> str:
    """List the rules that wait, with the words that they rest on and what was proposed."""
    work = call.work
    rule_set = _load_rules(work)
    cases = list_cases(work, rule_set)
    proposed_verbs = proposals(work)
    lines = []
    for rule in [case.rule for case in cases[: call.values["limit"]]]:
        mark = f" [proposed: {proposed_verbs[rule.id]}]" if rule.id in proposed_verbs else ""
        lines.append(f"- {format_rule(rule, rule_set)}{mark}")
        lines += [f'  "{clip_plain_line(parse_quote(words).words)}"' for words in rule.quotes[:1]]
    waiting = sum(case.waits for case in cases)
    total = expand_commands(f"{waiting} wait; the user decides with `memoria review`.")
    return "\n".join([*lines, total]) if cases else "Nothing waits for the user."
