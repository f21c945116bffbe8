"""Compile entries that are new or changed into articles, rules, index and log: `memoria compile`.

Day by day, oldest first, each day one request and one transaction: a day lands whole or not at all,
and an interrupted compile goes on where it stopped. What is hashed as compiled is what the engine
was shown, so that an entry that came in meanwhile is not passed over.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from dataclasses import asdict
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from memoria import terminal
from memoria.capture.provenance import allowed_orders
from memoria.compile import apply
from memoria.compile.outcome import (
    CompileOutcome,
    format_refusal,
    format_rule_lines,
    list_refusals,
    print_outcome,
    print_preview,
)
from memoria.compile.patch import Patch, change_path, check_patch
from memoria.compile.propose import Proposal, Proposer
from memoria.errors import MemoriaError, ModelError, UsageError, VaultError
from memoria.rules.learn import (
    learn,
    list_changed_pages,
    list_lasting_lines,
    read_sightings,
    withdraw_unsaid,
)
from memoria.search import injectable
from memoria.search.service import refresh_index
from memoria.terminal_keys import ask_yes_no, is_interactive
from memoria.vault import index
from memoria.vault.storage import clock, disk, ledger_records as records
from memoria.vault.storage.state import Busy, encode_json
from memoria.vault.trust.line_authors import Authorship

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Iterable

    from memoria.llm.port import Model
    from memoria.vault.daily_log import Block
    from memoria.vault.store import Log
    from memoria.vault.transaction import Transaction
    from memoria.workspace import Workspace


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Compile what is new, or one file, or all; print what came of it."""
    compiler = Compiler(work, work.model(arguments.engine))
    days = _parse_days(arguments.file) if arguments.file else []
    if arguments.dry_run:
        outcome = CompileOutcome(compiler.engine)
        patches = compiler.preview(days, outcome, everything=arguments.all)
        for line in outcome.skipped:
            work.terminal.warn(f"  skipped: {line}")
        if arguments.json:
            terminal.print_json(patches)
        else:
            print_preview(work, compiler.engine, patches, outcome.entries)
        return 1 if outcome.skipped else 0
    work.vault.check_writable()
    is_asked = not (days or arguments.json) and is_interactive() and work.driver().is_person
    confirmed = _confirm_lines(work, everything=arguments.all) if is_asked else ()
    try:
        outcome = compiler.compile(
            days, everything=arguments.all, with_pages=not days, confirmed=confirmed
        )
    except Busy:
        work.terminal.say("Another compile is running; it takes your new entries at its next turn.")
        return 0
    if arguments.json:
        terminal.print_json(asdict(outcome))
    else:
        print_outcome(work, outcome)
    return 1 if outcome.skipped else 0


def _confirm_lines(work: Workspace, *, everything: bool) -> Collection[str]:
    """Ask whether the lines of written entries that are to last are the person's own."""
    compiled = {} if everything else work.vault.history().compiled
    lines = list_lasting_lines(work, list_changed_pages(work, compiled))
    if not lines:
        return ()
    authors = Authorship(work.vault.root, set(lines.values()))
    rows = [
        ("", f"  - {row[0]}  ({row[1]}, {authors.of(*reversed(row))})") for row in lines.items()
    ]
    terminal.print_rows([("bold", "Written by hand, to last:"), *rows])
    question = "Are these rules of yours, active from now on? Else they wait for a review."
    return lines if ask_yes_no(question) else ()


def _parse_days(file: str) -> list[date]:
    name = file.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".md")
    try:
        return [date.fromisoformat(name)]
    except ValueError as error:
        raise UsageError(f"--file {file!r}: name a log such as daily/2026-04-01.md") from error


class Compiler:
    """Compiles one vault with one engine."""

    def __init__(self, work: Workspace, model: Model) -> None:
        self._work = work
        self._vault = work.vault
        self._model = model
        self.engine = model.name
        self._read()

    def _read(self) -> None:
        self._history = self._vault.history()
        self._written = dict(self._history.written)
        self._proposer = Proposer(self._work, self._model, self._written)

    def compile(
        self,
        days: Collection[date] = (),
        *,
        everything: bool = False,
        with_pages: bool = True,
        all_entries: bool = True,
        confirmed: Collection[str] = (),
    ) -> CompileOutcome:
        """Compile the days (all by default); Busy when another compile is at work.

        `all_entries` takes all entries of the days that are named, else those that are due.
        `with_pages` takes in the entries that a person wrote, too; of their lines `confirmed` are
        those that the person said are theirs.
        """
        outcome = CompileOutcome(self._model.name)
        self._vault.changed = True  # a box that a person ticked is no entry that waits
        with self._vault.state.lock("compile", wait=False):
            self._read()
            whole_days = set(self._vault.logs()) if everything else days if all_entries else ()
            waiting = self._find_waiting_entries(days, outcome, whole_days)
            shas = self._history.compiled
            blocks = [block for _, blocks in waiting for block in blocks]
            self._proposer.revised = frozenset(
                block.entry.id
                for block in blocks
                if shas.get(block.entry.id, block.sha) != block.sha
            )
            try:
                # all its days are one step, which `memoria undo` takes back as one
                with self._vault.step("compile"):
                    self._compile(waiting, outcome)
                    if with_pages:
                        self._compile_pages(outcome, confirmed, everything=everything)
            finally:
                # what is done before an interruption counts
                if outcome.days:
                    state = self._vault.state
                    disk.replace(state.summary, encode_json(self._vault.history().state()))
                    self._vault.articles.refresh()
                    with suppress(VaultError):  # a search brings its index up to date itself
                        refresh_index(self._work)
            outcome.skipped += self._vault.articles.unreadable.values()
        return outcome

    def _compile(
        self, waiting: list[tuple[Log, tuple[Block, ...]]], outcome: CompileOutcome
    ) -> None:
        self._proposer.entries.set_coming(block for _, blocks in waiting for block in blocks)
        with self._work.terminal.progress("Compiling", len(waiting)) as step:
            for log, blocks in waiting:
                try:
                    for group in self._proposer.split_entries(log, blocks):
                        self._apply(self._proposer.propose(log, group), outcome)
                except ModelError as error:
                    if error.later:
                        raise
                    # one day that a model cannot do must not keep all later ones waiting
                    outcome.skipped.append(f"{log.name}: {error}; the next compile tries it again")
                    outcome.failed.append(str(log.day))
                step(str(log.day))

    def _compile_pages(
        self, outcome: CompileOutcome, confirmed: Collection[str], *, everything: bool
    ) -> None:
        """Take the rules out of the entries that a person wrote, all in one step."""
        pages = list_changed_pages(self._work, {} if everything else self._history.compiled)
        now = clock.now(self._work.settings.zone)
        with self._vault.open_transaction() as change:
            change.label = "compile"
            sightings = read_sightings(self._work, pages, confirmed)
            lesson = learn(self._vault, sightings, change, now.date())
            lesson.withdrawn = withdraw_unsaid(self._work, change, now)
            if not pages and not change.articles:
                return
            if change.articles:
                change.put_index(self._written)
            names = [f"daily/{page.source}".removesuffix(".md") for page in pages]
            lines = [f"Source: {index.format_links(names)}", *format_rule_lines(lesson)]
            change.append_log(index.format_log_entry(now, "compile", "Written entries", lines))
            entries = {f"daily/{page.source}": page.digest for page in pages}
            self._record(change, now, log="", digest="", entries=entries, cost_usd=0.0)
        outcome.entries += len(pages)
        outcome.days += sorted({str(page.day) for page in pages} - set(outcome.days))
        outcome.learn(lesson)

    def _record(self, change: Transaction, now: datetime, **fields: Any) -> None:  # noqa: ANN401 - of the record
        """Record what was compiled, and what of the files written is Memoria's own.

        What a person had edited stays theirs, though a line was added to it.
        """
        sha = self._vault.articles.sha
        wrote = {
            path: new
            for path, new in change.wrote.items()
            if not sha(path) or self._written.get(path) == sha(path)
        }
        self._written |= wrote
        change.record(records.build_compile_record(at=now, wrote=wrote, **fields))

    def preview(
        self, days: Collection[date], outcome: CompileOutcome, *, everything: bool = False
    ) -> list[dict[str, Any]]:
        """Give the patches that a compile would apply, each as the vault is now."""
        patches: list[dict[str, Any]] = []
        whole_days = set(self._vault.logs()) if everything else days
        for log, blocks in self._find_waiting_entries(days, outcome, whole_days):
            for group in self._proposer.split_entries(log, blocks):
                proposal = self._proposer.propose(log, group)
                for reply in proposal.replies:  # nothing is written, and they were paid for
                    self._model.paid_in_vain("compile", reply)
                patch, refused = asdict(proposal.checked.patch), proposal.checked.refused
                row = {"day": str(log.day), "patch": patch, "refused": list_refusals(refused)}
                patches.append(row)
        outcome.skipped += self._vault.articles.unreadable.values()
        known = {} if everything else self._history.compiled
        outcome.entries = 0 if days else len(list_changed_pages(self._work, known))
        return patches

    def _find_waiting_entries(
        self, days: Collection[date], outcome: CompileOutcome, whole_days: Collection[date]
    ) -> list[tuple[Log, tuple[Block, ...]]]:
        """Give the entries of the days that are due, all of those days that are taken whole."""
        waiting, shas = [], self._history.compiled
        for day in self._vault.logs():
            try:
                log = self._vault.log(day)
            except MemoriaError as error:
                outcome.skipped.append(str(error))
                continue
            same = {row for row in log.blocks if shas.get(row.entry.id) == row.sha}
            new = log.blocks
            if day in whole_days:
                self._proposer.again.update(block.entry.id for block in same)
            else:
                new = tuple(block for block in new if block not in same)
            if new and (not days or day in days):
                waiting.append((log, new))
            else:
                self._proposer.entries.add_compiled(
                    block for block in log.blocks if block not in new
                )
        missing = sorted(set(days) - set(self._vault.logs()))
        if missing:
            raise UsageError(f"there is no log daily/{missing[0]}.md")
        return waiting

    def _apply(self, proposal: Proposal, outcome: CompileOutcome) -> None:
        cost = sum(reply.cost.usd for reply in proposal.replies)
        now, log = clock.now(self._work.settings.zone), proposal.log
        with self._vault.open_transaction() as change:
            change.label = "compile"
            self._vault.check_nothing_forgotten(self._history)
            context = self._proposer.context(proposal.blocks)
            checked = check_patch(proposal.checked.patch, context)
            results = apply.apply_patch(checked.patch, context)
            for result in results:
                change.put_article(result.article)
            self._mark_known(checked.patch, results)
            created = [result.article.path for result in results if result.how == "created"]
            updated = [result.article.path for result in results if result.how == "updated"]
            lesson = learn(self._vault, proposal.sightings, change, now.date())
            lines = [
                f"Source: {log.name}",
                f"Engine: {self._model.name}, ${cost:.4f}",
                f"Articles created: {index.format_links(created)}",
                f"Articles updated: {index.format_links(updated)}",
                *format_rule_lines(lesson),
                *map(format_refusal, proposal.checked.refused),
            ]
            change.append_log(index.format_log_entry(now, "compile", f"Daily Log {log.day}", lines))
            change.put_index(self._written)
            for reply in proposal.replies:
                if reply.model:
                    change.record(records.build_call_record(now, "compile", reply))
            entries = {block.entry.id: block.sha for block in proposal.blocks}
            refused = (*proposal.checked.refused, *checked.refused)
            digest = disk.sha(log.text.encode())
            self._record(change, now, log=log.name, digest=digest, entries=entries, cost_usd=cost)
        self._proposer.entries.add_compiled(proposal.blocks)
        outcome.days += sorted({str(log.day)} - set(outcome.days))
        outcome.entries += len(proposal.blocks)
        outcome.cost += cost
        outcome.created += created
        outcome.updated += updated
        outcome.learn(lesson)
        outcome.refused += list_refusals(refused)

    def _mark_known(self, patch: Patch, applied: Iterable[apply.AppliedChange]) -> None:
        """Remember the lines that are new in articles made of this machine's own entries alone."""
        schema = self._vault.schema
        sources: dict[str, set[str]] = defaultdict(set)
        for change in patch.articles:
            sources[change_path(change, schema)] |= {*change.entries}
        for article in (result.article for result in applied):
            names = sources[article.path]
            if not names or not all(map(self._proposer.entries.is_own, names)):
                continue  # only linked, or drawn from what a pull brought
            kind, old = schema.kind_of(article.path), self._vault.articles.get(article.path)
            headings = kind.sections if kind else ()
            old_lines = set(injectable.list_sayable_lines(old, headings)) if old else set()
            lines = injectable.list_sayable_lines(article, headings)
            harmless, doubtful = allowed_orders.partition_note_lines(
                (line for line in lines if line not in old_lines),
                outside=any(map(self._proposer.entries.read_outside, names)),
            )
            # what was held at the capture stays so
            self._vault.lines.add(harmless - self._vault.lines.keys, doubtful)
