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
from memoria.compile.declined import build_owed_records as owed_records, parse_owed_record
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
from memoria.rules.learn import changed_pages, learn, page_sightings
from memoria.search import injectable
from memoria.search.service import refresh_index
from memoria.vault import index
from memoria.vault.storage import clock, disk, ledger_records as records
from memoria.vault.storage.state import Busy, encode_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from memoria.llm.port import Model
    from memoria.vault.daily import Block
    from memoria.vault.store import Log
    from memoria.vault.transaction import Transaction
    from memoria.workspace import Workspace


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Compile what is new, or one file, or all; print what came of it."""
    compiler = Compiler(work, work.model(arguments.engine))
    days = []
    if arguments.file:
        name = arguments.file.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".md")
        try:
            days = [date.fromisoformat(name)]
        except ValueError as error:
            example = "name a log such as daily/2026-04-01.md"
            raise UsageError(f"--file {arguments.file!r}: {example}") from error
    if arguments.dry_run:
        outcome = CompileOutcome(compiler.engine)
        patches = compiler.preview(days, outcome, everything=arguments.all)
        for line in outcome.skipped:
            work.terminal.warn(f"  skipped: {line}")
        if arguments.json:
            terminal.print_json(patches)
        else:
            print_preview(work, compiler.engine, patches)
        return 1 if outcome.skipped else 0
    work.vault.check_writable()
    try:
        outcome = compiler.compile(days, everything=arguments.all, written=not days)
    except Busy:
        work.terminal.say("Another compile is running; it takes your new entries at its next turn.")
        return 0
    if arguments.json:
        terminal.print_json(asdict(outcome))
    else:
        print_outcome(work, outcome)
    return 1 if outcome.skipped else 0


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
        days: Iterable[date] = (),
        *,
        everything: bool = False,
        written: bool = True,
        whole: bool = True,
    ) -> CompileOutcome:
        """Compile the days (all by default); Busy when another compile is at work.

        `whole` takes all entries of the days that are named, else those that are due. `written`
        takes in the entries that a person wrote, too.
        """
        outcome = CompileOutcome(self._model.name)
        with self._vault.state.lock("compile", wait=False):
            self._read()
            waiting = self._find_waiting_entries(
                list(days), outcome, everything=everything, whole=whole
            )
            shas = self._history.compiled
            new = [(block.entry.id, block.sha) for _, blocks in waiting for block in blocks]
            self._proposer.revised = frozenset(key for key, sha in new if shas.get(key, sha) != sha)
            try:
                # all its days are one step, which `memoria undo` takes back as one
                with self._vault.step("compile"):
                    self._compile(waiting, outcome)
                    if written:
                        self._compile_pages(outcome, everything=everything)
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
        self._proposer.remember_coming(block for _, blocks in waiting for block in blocks)
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

    def _compile_pages(self, outcome: CompileOutcome, *, everything: bool) -> None:
        """Take the rules out of the entries that a person wrote, all in one step."""
        new = changed_pages(self._work, {} if everything else self._history.compiled)
        if not new:
            return
        now = clock.now(self._work.settings.zone)
        with self._vault.open_transaction() as change:
            change.label = "compile"
            lesson = learn(self._vault, page_sightings(self._work, new), change, now.date())
            if lesson.learned:
                change.put_index(self._written)
            names = [f"daily/{leaf.source}".removesuffix(".md") for leaf in new]
            lines = [f"Source: {index.format_links(names)}", *format_rule_lines(lesson)]
            change.append_log(index.format_log_entry(now, "compile", "Written entries", lines))
            entries = {f"daily/{leaf.source}": leaf.digest for leaf in new}
            self._record(change, now, "", "", entries, 0.0)
        outcome.entries += len(new)
        outcome.days += sorted({str(leaf.day) for leaf in new} - set(outcome.days))
        outcome.learn(lesson)

    def _record(  # noqa: PLR0913, PLR0917 - the fields of the record
        self,
        change: Transaction,
        now: datetime,
        log: str,
        digest: str,
        entries: dict[str, str],
        cost: float,
        owed: Sequence[dict[str, Any]] = (),
    ) -> None:
        """Record what was compiled, and what of the files written is Memoria's own.

        What a person had edited stays theirs, though a line was added to it.
        """
        shelf = self._vault.articles
        wrote = {
            path: sha
            for path, sha in change.wrote.items()
            if not shelf.sha(path) or self._written.get(path) == shelf.sha(path)
        }
        self._written |= wrote
        change.record(
            records.build_compile_record(
                at=now,
                log=log,
                digest=digest,
                entries=entries,
                wrote=wrote,
                cost_usd=cost,
                owed=owed,
            )
        )

    def preview(
        self, days: Iterable[date], outcome: CompileOutcome, *, everything: bool = False
    ) -> list[dict[str, Any]]:
        """Give the patches that a compile would apply, each as the vault is now."""
        waiting = self._find_waiting_entries(list(days), outcome, everything=everything, whole=True)
        patches: list[dict[str, Any]] = []
        for log, blocks in waiting:
            for group in self._proposer.split_entries(log, blocks):
                proposal = self._proposer.propose(log, group)
                for reply in proposal.replies:  # nothing is written, and they were paid for
                    self._model.paid_in_vain("compile", reply)
                patch, refused = asdict(proposal.checked.patch), proposal.checked.refused
                row = {"day": str(log.day), "patch": patch, "refused": list_refusals(refused)}
                patches.append(row)
        outcome.skipped += self._vault.articles.unreadable.values()
        return patches

    def _find_waiting_entries(
        self, days: list[date], outcome: CompileOutcome, *, everything: bool, whole: bool
    ) -> list[tuple[Log, tuple[Block, ...]]]:
        waiting = []
        for day in self._vault.logs():
            try:
                log = self._vault.log(day)
            except MemoriaError as error:
                outcome.skipped.append(str(error))
                continue
            is_whole = everything or (whole and day in days)
            new = log.blocks if is_whole else self._due(log)
            if new and (not days or day in days):
                waiting.append((log, new))
            else:
                self._proposer.remember_compiled(block for block in log.blocks if block not in new)
        missing = sorted(set(days) - set(self._vault.logs()))
        if missing:
            raise UsageError(f"there is no log daily/{missing[0]}.md")
        return waiting

    def _due(self, log: Log) -> tuple[Block, ...]:
        """Give the entries that are new or changed, and those of which refused parts are owed.

        Where one of several that a part speaks of has changed, all of them are new.
        """
        shas, owed = self._history.compiled, self._history.owed
        due = {part.entry.id for part in log.blocks if shas.get(part.entry.id) != part.sha}
        new = frozenset(due)
        names = [part.entry.id for part in log.blocks if part.entry.id in owed.keys() - new]
        # plain code has nothing refused that it could mend
        for name in names if self._model.reads == "prompt" else ():
            parts = tuple(map(parse_owed_record, owed[name]))
            due.add(name)
            if {other for part in parts for other in part.entries}.isdisjoint(new):
                self._proposer.owed[name] = parts
        return tuple(part for part in log.blocks if part.entry.id in due)

    def _apply(self, proposal: Proposal, outcome: CompileOutcome) -> None:
        cost = sum(reply.cost.usd for reply in proposal.replies)
        now, log = clock.now(self._work.settings.zone), proposal.log
        with self._vault.open_transaction() as change:
            change.label = "compile"
            self._vault.check_nothing_forgotten(self._history)
            context = self._proposer.context(proposal.blocks)
            again = check_patch(proposal.checked.patch, context)
            applied = apply.apply_patch(again.patch, context)
            for result in applied:
                change.put_article(result.article)
            self._mark_known(again.patch, applied)
            created = [result.article.path for result in applied if result.how == "created"]
            updated = [result.article.path for result in applied if result.how == "updated"]
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
            refused = (*proposal.checked.refused, *again.refused)
            owed = owed_records(refused, entries)
            digest = disk.sha(log.text.encode())
            self._record(change, now, log.name, digest, entries, cost, owed)
        self._proposer.remember_compiled(proposal.blocks)
        outcome.days += sorted({str(log.day)} - set(outcome.days))
        outcome.entries += len(proposal.blocks)
        outcome.cost += cost
        outcome.created += created
        outcome.updated += updated
        outcome.learn(lesson)
        outcome.refused += list_refusals(refused)
        outcome.owed += len(owed)

    def _mark_known(self, patch: Patch, applied: Iterable[apply.AppliedChange]) -> None:
        """Remember the lines that are new in articles made of this machine's own entries alone."""
        schema = self._vault.schema
        drawn: dict[str, set[str]] = defaultdict(set)
        for change in patch.articles:
            drawn[change_path(change, schema)] |= {*change.entries}
        for result in applied:
            path, kind = result.article.path, schema.kind_of(result.article.path)
            names = drawn[path]
            if not names or not all(map(self._proposer.is_own, names)):
                continue  # only linked, or drawn from what a pull brought
            headings = kind.sections if kind else ()
            before = self._vault.articles.get(path)
            had = set(injectable.list_sayable_lines(before, headings)) if before else set()
            new = [
                line
                for line in injectable.list_sayable_lines(result.article, headings)
                if line not in had
            ]
            outside = any(map(self._proposer.read_outside, names))
            harmless, doubtful = allowed_orders.partition_note_lines(new, outside=outside)
            # what was held at the capture stays so
            self._vault.lines.add(harmless - self._vault.lines.keys, doubtful)
