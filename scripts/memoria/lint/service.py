"""Check a vault, fix what code can fix, and report the rest: `memoria lint`."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from memoria import terminal
from memoria.compile.apply import MAX_BACKLINKS
from memoria.compile.project_page import is_ours
from memoria.errors import ModelError, VaultError
from memoria.lint.checks import Repairs, lint
from memoria.lint.code_search import look
from memoria.lint.contradictions import (
    LINT_SCHEMA,
    MOST_REQUESTS,
    Claim,
    lint_prompt,
    read_contradictions,
    requests_of,
)
from memoria.lint.finding import Finding, counts, counts_in_words, ordered, report
from memoria.lint.names import stale_names, wanted
from memoria.lint.note import RELATED, Note, inner
from memoria.lint.store import NoteReader
from memoria.llm.port import Offline, Reply, Request
from memoria.privacy import clean
from memoria.rules.rulebook import record_written
from memoria.text.markdown import wikilinks
from memoria.vault import index, package_files
from memoria.vault.article import Article, with_lines
from memoria.vault.storage import clock, disk, ledger_records as records
from memoria.vault.storage.state import encode

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence

    from memoria.vault.schema import Schema
    from memoria.workspace import Workspace

# lines of one check on the terminal; the report has more, --json all
_SHOWN = 10


@dataclass
class Outcome:
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
    outcome = check(work, arguments.engine, structural=arguments.structural_only, fix=arguments.fix)
    if arguments.json:
        terminal.data(_json(outcome))
    else:
        for line in _lines(outcome.findings):
            terminal.line(line)
    _tell(work, outcome)
    if counts(outcome.findings)["error"]:
        return 1
    return ModelError.exit_code if outcome.is_unanswered else 0


def check(work: Workspace, engine: str = "", *, structural: bool, fix: bool = False) -> Outcome:
    """Read the vault, mend what is to be mended, ask the engine, and keep a record of it."""
    outcome = Outcome()
    notes = NoteReader(work.vault)
    vault, claims = notes.snapshot(claiming=not structural)
    result = lint(vault)
    if fix:
        outcome.mended = _fix(work, result.repairs)
        if outcome.mended:
            vault, claims = notes.snapshot(claiming=not structural)
            result = lint(vault)
    outcome.notes = len(vault.notes)
    outcome.findings = result.findings + tuple(_stale_names(work, vault.own))
    if not structural:
        try:
            _contradictions(work, engine, claims, outcome)
        except ModelError as error:
            outcome.is_unanswered = True
            outcome.failed = f"contradictions were not looked for: {error}"
    outcome.findings = ordered(outcome.findings)
    _record(work, outcome)
    return outcome


def _stale_names(work: Workspace, notes: Sequence[Note]) -> Iterator[Finding]:
    """Look for the names that articles tell of in the files of their projects."""
    history, vault = work.vault.history(), work.vault.root
    looked = {
        project: look(history, project, names, vault) for project, names in wanted(notes).items()
    }
    return stale_names(notes, looked)


def _contradictions(
    work: Workspace, engine: str, claims: Sequence[Claim], outcome: Outcome
) -> None:
    """Ask a model project by project; what it found before it failed is kept."""
    model = work.model(engine)
    outcome.engine = model.name
    if model.reads == "material":
        return  # no code of ours can tell
    pages = [page for page in work.vault.articles.values() if is_ours(page)]
    clones = {name: page.names("projects")[0] for page in pages for name in page.names("projects")}
    asked = requests_of(claims, clones)
    if len(asked) > MOST_REQUESTS:  # what the last lint left out comes first
        begun = sum(call.get("task") == "lint" for call in work.vault.history().calls) % len(asked)
        asked = asked[begun:] + asked[:begun]
    for lines in asked[:MOST_REQUESTS]:
        # a person may have written a secret into an article
        shown = clean.clean(lines, work.settings.secrets)
        prompt = lint_prompt(package_files.text("prompts/contradictions.md"), shown)
        reply = model.ask(Request("lint", prompt, LINT_SCHEMA, shown))
        # an answer that cannot be read was paid for, too
        outcome.replies.append(reply)
        outcome.findings += tuple(
            one for one in read_contradictions(reply.value, shown) if one not in outcome.findings
        )
    if len(asked) > MOST_REQUESTS:
        outcome.failed = f"of {len(asked)} parts only {MOST_REQUESTS} were looked through"


# -- Fixing ---------------------------------------------------------------------------------------


def _fix(work: Workspace, repairs: Repairs) -> list[str]:
    """Fix what code can, all in one step that can be taken back; say which files."""
    paths = sorted(repairs.backlinks)
    with work.vault.changing() as change:
        change.label = "lint"
        before = {path: article for path in paths if (article := work.vault.articles.get(path))}
        for path, article in before.items():
            # fixed it would count as a person's; it is derived anew with the next flush
            if not is_ours(article):
                after = add_backlinks(article, repairs.backlinks[path], work.vault.schema)
                if after is not article:
                    change.put_article(after)
        done = [f"knowledge/{path}.md" for path in before if path in change.wrote]
        done += ["knowledge/index.md"] if repairs.index else []
        if done:
            now = clock.now(work.settings.zone)
            record_written(work.vault, change, now.isoformat(timespec="seconds"))
            links = index.links(path for path in map(inner, done) if path != "index")
            change.append_log(index.log_entry(now, "lint", "Mended", [f"Mended: {links}"]))
    return done


def add_backlinks(article: Article, others: Iterable[str], schema: Schema) -> Article:
    """Add links back under Related Concepts, as many as an article may have."""
    kind = schema.kind_of(article.path)
    have = set(wikilinks(article.section(RELATED)))
    # a name that no link can hold is left alone
    new = [path for path in others if path not in have and wikilinks(f"[[{path}]]") == (path,)]
    lines = [f"[[{path}]]" for path in new[: max(0, MAX_BACKLINKS - len(have))]]
    return with_lines(article, RELATED, lines, kind.sections if kind else ())


# -- Keeping and telling --------------------------------------------------------------------------


def _record(work: Workspace, outcome: Outcome) -> None:
    """Write the report, the entry of log.md and the time of the lint."""
    now = clock.now(work.settings.zone)
    path = work.vault.reports / f"lint-{now:%Y-%m-%d}.md"
    remarks = [outcome.failed] if outcome.failed else []
    text = report(now, outcome.findings, outcome.notes, remarks)
    try:
        disk.replace(work.vault.place(path), text.encode("utf-8", "replace"))
        outcome.report = f"reports/{path.name}"
    except (OSError, VaultError) as error:
        # what was found is told all the same
        work.terminal.warn(f"no report was written: {error}")
    with work.vault.changing() as change:
        lines = [
            f"Found: {counts_in_words(counts(outcome.findings))}",
            f"Engine: {outcome.engine}, ${outcome.cost:.4f}",
            *remarks,
        ]
        subject = f"{outcome.notes} notes"
        change.append_log(index.log_entry(now, "lint", subject, lines))
        for reply in outcome.replies or [Reply({}, outcome.engine)]:
            change.record(records.called(now, "lint", reply))
    state = work.vault.state
    disk.replace(state.summary, encode(work.vault.history().state()))


def _json(outcome: Outcome) -> dict[str, Any]:
    names = ("mended", "engine", "cost", "failed", "report")
    return {
        "findings": [asdict(finding) for finding in outcome.findings],
        "counts": counts(outcome.findings),
        **{name: getattr(outcome, name) for name in names},
    }


def _lines(findings: Sequence[Finding]) -> Iterator[str]:
    """Give the findings check by check; of many alike only the first ones."""
    for (severity, name), rows in groupby(findings, key=attrgetter("severity", "check")):
        alike = list(rows)
        for finding in alike[:_SHOWN]:
            yield f"{severity}: {finding.path}:{finding.line}: {finding.message} [{name}]"
        if len(alike) > _SHOWN:
            yield f"{severity}: {len(alike) - _SHOWN} more [{name}]"


def _tell(work: Workspace, outcome: Outcome) -> None:
    say = work.terminal.say
    if outcome.mended:
        say(f"Mended {len(outcome.mended)} files: {', '.join(outcome.mended[:_SHOWN])}")
    say(f"{outcome.notes} notes: {counts_in_words(counts(outcome.findings))}.")
    if outcome.engine == Offline.name:
        say("Contradictions were not looked for: `memoria lint --engine claude` asks a model.")
    if outcome.report:
        say(f"Report: {work.vault.root / outcome.report}")
    if outcome.failed:
        work.terminal.warn(outcome.failed)
