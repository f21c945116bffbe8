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
from memoria.rules.review.waiting import review_cases, status_here, waiting_rules
from memoria.rules.rulebook import Rulebook, rulebook
from memoria.search.ask import Asker
from memoria.search.service import format_status, refresh_index
from memoria.text.dates import parse_day
from memoria.vault.citations import parse_quote
from memoria.vault.storage import clock
from memoria.workspace import Workspace

# bytes: what is larger is no note (vault/article_store.py), no log (vault/store.py)
_LARGEST = 32 << 20
# of a page's sections, named with its first piece
_SECTIONS = 20


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
        rows.append(f"  {framing.snippet(hit.passage)}")
    return "\n".join([*rows, "memory_read gives the text of an id (section: a title or heading)."])


def read(call: ToolCall) -> str:
    """Give a piece of a page, with what is needed to read on."""
    values = call.values
    text = read_page(call.work, values["id"])
    name = values["section"]
    if name:
        passage = framing.find_section(text, name)
        if passage is None:
            have = "; ".join(
                clip_plain_line(heading) for heading in framing.headings(text)[:_SECTIONS]
            )
            note, section = clip_plain_line(values["id"]), clip_plain_line(name)
            raise UsageError(f"{note} has no section {section!r}; it has {have}")
        text = passage
    part, start, end = framing.clip_part(text, values["offset"], values["limit"])
    lines = [framing.make_lines_inert(part)]
    if end < len(text):
        lines.append(f"[characters {start}-{end} of {len(text)}; offset={end}]")
        if not start and not name:
            names = [
                clip_plain_line(heading) for heading in framing.headings(text)[1 : _SECTIONS + 1]
            ]
            lines += [f"[sections: {'; '.join(names)}]"] if names else []
    return "\n".join(lines)


def read_page(work: Workspace, identity: str) -> str:
    """Give the text of a page by its id, for reading; UsageError where there is none."""
    name = identity.strip().removeprefix("[[").removesuffix("]]").removesuffix(".md")
    name = name.removeprefix("knowledge/")
    if "/" not in name:  # a rule by its whole id
        name = next((rule.path for rule in rulebook(work).rules if rule.id == name), name)
    text, sha = _read_page(work, name)
    if not sha:
        raise UsageError(f"there is no page {clip_plain_line(identity)!r}; memory_search gives ids")
    return framing.note_body(clean.clean_value(text, work.settings.secrets))


def _read_page(work: Workspace, name: str) -> tuple[str, str]:
    vault = work.vault
    if name in {"index", "log"}:
        return vault.read(f"knowledge/{name}.md", _LARGEST)
    if name in vault.articles:
        return vault.read(f"knowledge/{name}.md", _LARGEST)
    inner = name.removeprefix("daily/")
    if inner == name:
        return "", ""
    if f"{inner}.md" in vault.pages()[0]:
        return vault.page(f"{inner}.md").text, inner
    days = {str(log_day): log_day for log_day in vault.logs()}
    log = vault.log(days[inner]) if inner in days else None
    return (log.text, log.sha) if log else ("", "")


def query(call: ToolCall) -> str:
    """Ask the engine, and keep the record that every question leaves."""
    question = call.text("question")
    asker = Asker(call.work, call.work.model())
    answered = asker.ask(question)
    try:
        asker.keep(answered, file_back=False)
    finally:
        text = framing.make_lines_inert(answered.checked.text)[: framing.LONGEST]
    cited = (
        ", ".join(clip_plain_line(citation) for citation in answered.checked.citations) or "none"
    )
    cost = f", ${answered.reply.cost.usd:.4f}" if answered.reply.cost.usd else ""
    return f"{text}\n\n[{answered.reply.engine} engine{cost}; cited: {cited}]"


def status(call: ToolCall) -> str:
    """Say how much is known, and what waits."""
    work = call.work
    history = work.vault.history()
    book = rulebook(work).age_confidences(clock.now(work.settings.zone).date())
    kinds = Counter(path.split("/")[0] for path in work.vault.articles.paths())
    logs = work.vault.logs()
    days = f"{len(logs)} days, {logs[0]} to {logs[-1]}" if logs else "none yet"
    notes = ", ".join(f"{count} {name}" for name, count in sorted(kinds.items())) or "none yet"
    running = experiment.find_running(
        experiment.fold_experiments(history.records_of(experiment.KIND))
    )
    return "\n".join(
        [
            f"vault: {clip_plain_line(str(work.vault.root))}",
            f"notes: {notes}",
            f"logs: {days}; {len(history.sessions)} sessions, {len(history.mistakes)} errors",
            f"entries written by hand: {len(work.vault.pages()[0])}",
            f"rules: {len(book.rules)}, {sum(map(book.is_in_force, book.rules))} active here",
            *_format_categories(book),
            f"waiting for the user: {len(waiting_rules(work, book))} rules (memory_diff)",
            *(f"experiment: {clip_plain_line(trial.summary)}" for trial in running),
        ]
    )


def _format_categories(book: Rulebook) -> list[str]:
    lines = []
    for name in sorted({rule.category for rule in book.rules}):
        mine = [rule for rule in book.rules if rule.category == name]
        sure = Counter(rule.confidence for rule in mine)
        parts = [f"{count} {level}" for level, count in sure.most_common()]
        force = sum(map(book.is_in_force, mine))
        lines.append(f"  {name}: {', '.join(parts)} confidence; {force} active")
    return lines


def rules(call: ToolCall) -> str:
    """List rules, those in force first."""
    values = call.values
    book = rulebook(call.work).age_confidences(clock.now(call.work.settings.zone).date())
    words = normal(values["words"]).split()
    fitting = [
        rule
        for rule in book.rules
        if values["category"] in ("", rule.category)
        and values["status"] in ("", status_here(book, rule))
        and all(word in normal(rule.text) for word in words)
    ]
    fitting.sort(key=lambda rule: (not book.is_in_force(rule), -rule.frequency, rule.id))
    first, most = values["offset"], values["limit"]
    lines = [f"- {format_rule(rule, book)}" for rule in fitting[first : first + most]]
    rest = len(fitting) - first - most
    more = [f"[{rest} more: offset={first + most}]"] if rest > 0 else []
    return "\n".join([*lines, *more]) or "No rules."


def format_rule(rule: Rule, book: Rulebook) -> str:
    """Give a rule in a line: id, words, and how it stands."""
    status = status_here(book, rule)
    state = f"({rule.category}, {status}, {rule.confidence} confidence)"
    return f"{rule.id} {clip_plain_line(rule.text)} {state}"


def diff(call: ToolCall) -> str:
    """List the rules that wait, with the words that they rest on and what was proposed."""
    work = call.work
    book = rulebook(work).age_confidences(clock.now(work.settings.zone).date())
    cases = review_cases(work, book)
    wanted = proposals(work)
    lines = []
    for rule in [case.rule for case in cases[: call.values["limit"]]]:
        asked = f" [proposed: {wanted[rule.id]}]" if rule.id in wanted else ""
        lines.append(f"- {format_rule(rule, book)}{asked}")
        lines += [f'  "{clip_plain_line(parse_quote(words).words)}"' for words in rule.quotes[:1]]
    waiting = sum(case.waits for case in cases)
    total = expand_commands(f"{waiting} wait; the user decides with `memoria review`.")
    return "\n".join([*lines, total]) if cases else "Nothing waits for the user."
