"""Check a vault, fix what code can fix, and report the rest: `memoria lint`."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from memoria import terminal
from memoria.compile.apply import MAX_BACKLINKS
from memoria.compile.project_page import is_ours
from memoria.errors import ModelError, VaultError
from memoria.lint import contradictions
from memoria.lint.checks import Repairs, lint
from memoria.lint.code_search import search_code
from memoria.lint.finding import (
    Finding,
    count_by_severity,
    format_counts,
    format_report,
    sort_findings,
)
from memoria.lint.names import collect_names, find_stale_names
from memoria.lint.note import RELATED, Note, inner_path
from memoria.lint.store import read_snapshot
from memoria.llm.port import OfflineModel, Reply, Request
from memoria.privacy import clean
from memoria.rules.learn import withdraw_unsaid
from memoria.rules.rulebook import record_written
from memoria.text.markdown import find_wikilinks
from memoria.text.numbers import format_count
from memoria.vault import index, package_files
from memoria.vault.article import Article, with_lines, with_meta
from memoria.vault.storage import clock, disk, ledger_records as records
from memoria.vault.storage.state import encode_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence

    from memoria.lint.contradictions import ArticleClaim
    from memoria.vault.schema import Schema
    from memoria.workspace import Workspace

# lines of one check on the terminal; the report has more, --json all
_MAX_SHOWN = 10


@dataclass
class LintOutcome:
    """What a lint found and did; `failed` says why not all contradictions were looked for."""

    findings: tuple[Finding, ...] = ()
    notes: int = 0
    # what stands in the ledger for a lint that asked none
    engine: str = "structural"
    mended: list[str] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    failed: str = ""
    is_unanswered: bool = False
    report: str = ""

    @property
    def cost(self) -> float:
        """What the engine took, in US dollars."""
        return sum(reply.cost.usd for reply in self.replies)


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Check the vault; 1 for errors, 4 where the model could not be asked."""
    only, fix = arguments.structural_only, arguments.fix
    outcome = lint_vault(work, arguments.engine, structural=only, fix=fix)
    if arguments.json:
        terminal.print_json(_build_json(outcome))
    else:
        for line in _format_findings(outcome.findings):
            terminal.print_line(line)
    _print_summary(work, outcome)
    if count_by_severity(outcome.findings)["error"]:
        return 1
    return ModelError.exit_code if outcome.is_unanswered else 0


def lint_vault(
    work: Workspace, engine: str = "", *, structural: bool, fix: bool = False
) -> LintOutcome:
    """Read the vault, mend what is to be mended, ask the engine, and keep a record of it."""
    outcome = LintOutcome()
    snapshot, claims = read_snapshot(work.vault, claiming=not structural)
    result = lint(snapshot)
    if fix and (repaired := _fix_files(work, result.repairs)):
        outcome.mended = repaired
        snapshot, claims = read_snapshot(work.vault, claiming=not structural)
        result = lint(snapshot)
    outcome.notes = len(snapshot.notes)
    found = _without_derived(work, result.findings) if fix else result.findings
    outcome.findings = found + tuple(_find_stale_names(work, snapshot.own))
    if not structural:
        try:
            _find_contradictions(work, engine, claims, outcome)
        except ModelError as error:
            outcome.is_unanswered = True
            outcome.failed = f"contradictions were not looked for: {error}"
    outcome.findings = sort_findings(outcome.findings)
    _record(work, outcome)
    return outcome


def _without_derived(work: Workspace, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Leave out dead links of pages that are derived anew when the verb ends."""
    work.vault.changed = True
    articles, dead = work.vault.articles, "broken-links"
    pages = {row.path: articles.get(inner_path(row.path)) for row in findings if row.check == dead}
    derived = {path for path, page in pages.items() if page and is_ours(page)}
    return tuple(row for row in findings if row.check != dead or row.path not in derived)


def _find_stale_names(work: Workspace, notes: Sequence[Note]) -> Iterator[Finding]:
    """Look for the names that articles tell of in the files of their projects."""
    history, root = work.vault.history(), work.vault.root
    names_of = collect_names(notes).items()
    results = {project: search_code(history, project, names, root) for project, names in names_of}
    return find_stale_names(notes, results)


def _find_contradictions(
    work: Workspace, engine: str, claims: Sequence[ArticleClaim], outcome: LintOutcome
) -> None:
    """Ask a model project by project; what it found before it failed is kept."""
    model = work.model(engine)
    outcome.engine = model.name
    if model.reads == "material":
        return  # no code of ours can tell
    pages = [page for page in work.vault.articles.values() if is_ours(page)]
    clones = {name: page.names("projects")[0] for page in pages for name in page.names("projects")}
    requests, limit = contradictions.group_claims(claims, clones), contradictions.MAX_REQUESTS
    if len(requests) > limit:  # what the last lint left out comes first
        calls = sum(call.get("task") == "lint" for call in work.vault.history().calls)
        first = calls % len(requests)
        requests = requests[first:] + requests[:first]
        outcome.failed = f"of {len(requests)} parts only {limit} were looked through"
    template = package_files.read_text("prompts/contradictions.md")
    for lines in requests[:limit]:
        # a person may have written a secret into an article
        shown = clean.clean_value(lines, work.settings.secrets)
        prompt = contradictions.build_lint_prompt(template, shown)
        reply = model.ask(Request("lint", prompt, contradictions.LINT_SCHEMA, shown))
        # an answer that cannot be read was paid for, too
        outcome.replies.append(reply)
        findings = contradictions.read_contradictions(reply.value, shown)
        outcome.findings += tuple(row for row in findings if row not in outcome.findings)


def _fix_files(work: Workspace, repairs: Repairs) -> list[str]:
    """Fix what code can, all in one step that can be taken back; say which files."""
    now = clock.now(work.settings.zone)
    with work.vault.open_transaction() as change:
        change.label = "lint"
        gone = withdraw_unsaid(work, change, now)
        for path in sorted({*repairs.backlinks, *repairs.sources} - {*gone}):
            article = change.articles.get(path) or work.vault.articles.get(path)
            # fixed it would count as a person's; it is derived anew with the next flush
            if article and not is_ours(article):
                links_back = repairs.backlinks.get(path, ())
                updated = add_backlinks(article, links_back, work.vault.schema)
                change.put_article(unlink_sources(updated, repairs.sources.get(path, ())))
        fixed_files = [f"knowledge/{path}.md" for path in sorted(change.articles)]
        fixed_files += ["knowledge/index.md"] if repairs.index else []
        if fixed_files:
            record_written(work.vault, change, now.isoformat(timespec="seconds"))
            here = (inner_path(path) for path in fixed_files)
            lines = [f"Mended: {index.format_links(path for path in here if path not in gone)}"]
            # as text: a link would lead nowhere
            lines += [f"Withdrawn: {path}" for path in gone]
            change.append_log(index.format_log_entry(now, "lint", "Mended", lines))
    return fixed_files


def unlink_sources(note: Article, targets: Iterable[str]) -> Article:
    """Leave a rule the names of sources that are gone, without a link that leads nowhere."""
    for target in targets:
        link = rf"\[\[{re.escape(target)}(?:[#|][^\[\]\n]*)?\]\]"
        sections = tuple((name, re.sub(link, target, body)) for name, body in note.sections)
        names = [name for name in note.names("sources") if name.removesuffix(".md") != target]
        note = with_meta(replace(note, sections=sections), {"sources": names})
    return note


def add_backlinks(article: Article, others: Iterable[str], schema: Schema) -> Article:
    """Add links back under Related Concepts, as many as an article may have."""
    kind = schema.kind_of(article.path)
    linked = set(find_wikilinks(article.section(RELATED)))
    # a name that no link can hold is left alone
    unlinked = (path for path in others if path not in linked)
    missing = [path for path in unlinked if find_wikilinks(f"[[{path}]]") == (path,)]
    lines = [f"[[{path}]]" for path in missing[: max(0, MAX_BACKLINKS - len(linked))]]
    return with_lines(article, RELATED, lines, kind.sections if kind else ())


def _record(work: Workspace, outcome: LintOutcome) -> None:
    """Write the report, the entry of log.md and the time of the lint."""
    now = clock.now(work.settings.zone)
    path = work.vault.reports / f"lint-{now:%Y-%m-%d}.md"
    remarks = [outcome.failed] if outcome.failed else []
    text = format_report(now, outcome.findings, outcome.notes, remarks)
    try:
        disk.replace(work.vault.place(path), text.encode("utf-8", "replace"))
        outcome.report = f"reports/{path.name}"
    except (OSError, VaultError) as error:
        # what was found is told all the same
        work.terminal.warn(f"no report was written: {error}")
    with work.vault.open_transaction() as change:
        counts = f"Found: {format_counts(count_by_severity(outcome.findings))}"
        lines = [counts, f"Engine: {outcome.engine}, ${outcome.cost:.4f}", *remarks]
        subject = f"{outcome.notes} notes"
        change.append_log(index.format_log_entry(now, "lint", subject, lines))
        for reply in outcome.replies or [Reply({}, outcome.engine)]:
            change.record(records.build_call_record(now, "lint", reply))
    state = work.vault.state
    disk.replace(state.summary, encode_json(work.vault.history().state()))


def _build_json(outcome: LintOutcome) -> dict[str, Any]:
    names = ("mended", "engine", "cost", "failed", "report")
    findings, counts = list(map(asdict, outcome.findings)), count_by_severity(outcome.findings)
    fields = {name: getattr(outcome, name) for name in names}
    return {"findings": findings, "counts": counts} | fields


def _format_findings(findings: Sequence[Finding]) -> Iterator[str]:
    """Give the findings check by check; of many alike only the first ones."""
    for (severity, name), group_rows in groupby(findings, key=attrgetter("severity", "check")):
        group = list(group_rows)
        for finding in group[:_MAX_SHOWN]:
            yield f"{severity}: {finding.path}:{finding.line}: {finding.message} [{name}]"
        if len(group) > _MAX_SHOWN:
            yield f"{severity}: {len(group) - _MAX_SHOWN} more [{name}]"


def _print_summary(work: Workspace, outcome: LintOutcome) -> None:
    say = work.terminal.say
    if outcome.mended:
        names = ", ".join(outcome.mended[:_MAX_SHOWN])
        say(f"Fixed {format_count(len(outcome.mended), 'file')}: {names}")
    say(f"{outcome.notes} notes: {format_counts(count_by_severity(outcome.findings))}.")
    if outcome.engine == OfflineModel.name:
        say("Contradictions were not looked for: `memoria lint --engine claude` asks a model.")
    if outcome.report:
        say(f"Report: {work.vault.root / outcome.report}")
    if outcome.failed:
        work.terminal.warn(outcome.failed)
