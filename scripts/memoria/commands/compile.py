"""`memoria compile`: entries that are new or changed -> articles, rules, index and log.

Day by day, oldest first, each day one request and one transaction: a day lands whole or not at all,
and an interrupted compile goes on where it stopped. What is hashed as compiled is what the engine
was shown, not what the file holds afterwards, so that an entry that came in meanwhile is not passed
over. The prompt holds the schema, the new entries and the few related articles, never the vault.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING

from memoria.commands import snapshot
from memoria.commands.search import refreshed
from memoria.edges import clock, disk, resource, terminal
from memoria.edges.state import Busy, encode
from memoria.errors import MemoriaError, ModelError, UsageError
from memoria.stages import catalog, extract_record, gate, revision, rule
from memoria.stages import ledger as records
from memoria.stages.article import render
from memoria.stages.patch import Context, Patch, Refusal, check
from memoria.stages.prompt import COMPILE_SCHEMA, boundary, compile_prompt
from memoria.stages.prompt import patch as read_patch
from memoria.stages.request import Day, Request

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from memoria.commands.workspace import Workspace
    from memoria.edges.model import Model
    from memoria.edges.vault import Log, Transaction
    from memoria.stages.article import Article
    from memoria.stages.daily import Block
    from memoria.stages.entry import Entry, Extract
    from memoria.stages.patch import Checked, RuleProposal
    from memoria.stages.request import Reply

# at most 12,000 tokens of a prompt are old articles; a token is about four characters
_RELATED, _RELATED_CHARACTERS = 8, 36_000
# entries of so many parts back can still found a topic; more would make a compile grow with time
_HISTORY = 400


@dataclass
class Outcome:
    """What a compile did: the fields of `--json`."""

    engine: str
    entries: int = 0
    created: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    refused: list[dict[str, str]] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    cost: float = 0.0
    days: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A day's checked patch, and what it was made from."""

    log: Log
    blocks: tuple[Block, ...]
    checked: Checked
    replies: tuple[Reply, ...]


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Compile what is new, or one file, or all; print what came of it."""
    work.vault.require()
    compiler = Compiler(work, work.model(arguments.engine))
    days = _days(arguments.file)
    if arguments.dry_run:
        patches = compiler.preview(days, everything=arguments.all)
        terminal.data(patches)
        return 0
    try:
        outcome = compiler.compile(days, everything=arguments.all)
    except Busy:
        work.terminal.say("Another compile is running; it takes your new entries at its next turn.")
        return 0
    if arguments.json:
        terminal.data(asdict(outcome))
    else:
        tell(work, outcome)
    return 1 if outcome.skipped else 0


def tell(work: Workspace, outcome: Outcome) -> None:
    """Say in a few lines what a compile did."""
    say = work.terminal.say
    if not outcome.days:
        say("Nothing new to compile.")
    else:
        say(
            f"Compiled {outcome.entries} entries of {len(outcome.days)} days with the "
            f"{outcome.engine} engine: {len(set(outcome.created))} articles created, "
            f"{len(set(outcome.updated) - set(outcome.created))} updated, "
            f"{len(set(outcome.rules))} rules, {len(outcome.refused)} parts refused, "
            f"${outcome.cost:.2f}."
        )
    for refused in outcome.refused[:5]:
        say(f"  refused {refused['part']}: {refused['reason']}")
    for line in outcome.skipped:
        work.terminal.warn(f"  skipped: {line}")


class Compiler:
    """Compiles one vault with one engine."""

    def __init__(self, work: Workspace, model: Model) -> None:
        self._work = work
        self._vault = work.vault
        self._model = model
        self._history = self._vault.history()
        self._written = dict(self._history.written)
        self._earlier: list[Entry] = []
        self._extracts: dict[str, Extract] = {}
        self._current: dict[str, Entry] = {}

    def compile(self, days: Iterable[date] = (), *, everything: bool = False) -> Outcome:
        """Compile the days (all by default); Busy when another compile is at work."""
        outcome = Outcome(self._model.name)
        with self._vault.state.lock("compile", wait=False):
            self._history = self._vault.history()
            self._written = dict(self._history.written)
            waiting = self._waiting(list(days), outcome, everything=everything)
            try:
                self._compile(waiting, outcome)
            finally:
                # what is done before an interruption counts
                if outcome.days:
                    self._finish()
            outcome.skipped += self._vault.articles.unreadable.values()
        return outcome

    def _compile(self, waiting: list[tuple[Log, tuple[Block, ...]]], outcome: Outcome) -> None:
        with self._work.terminal.progress("Compiling", len(waiting)) as step:
            for log, blocks in waiting:
                try:
                    self._apply(self._propose(log, blocks), outcome)
                except ModelError as error:
                    if error.later:
                        raise
                    # one day that a model cannot do must not keep all later ones waiting
                    outcome.skipped.append(f"{log.name}: {error}; the next compile tries it again")
                    outcome.failed.append(str(log.day))
                step(str(log.day))

    def preview(
        self, days: Iterable[date] = (), *, everything: bool = False
    ) -> list[dict[str, object]]:
        """Give the patches that a compile would apply, each as the vault is now."""
        outcome = Outcome(self._model.name)
        waiting = self._waiting(list(days), outcome, everything=everything)
        proposals = [self._propose(log, blocks) for log, blocks in waiting]
        return [
            {
                "day": str(proposal.log.day),
                "patch": asdict(proposal.checked.patch),
                "refused": [asdict(refused) for refused in proposal.checked.refused],
            }
            for proposal in proposals
        ]

    def _waiting(
        self, days: list[date], outcome: Outcome, *, everything: bool
    ) -> list[tuple[Log, tuple[Block, ...]]]:
        found = []
        for day in self._vault.logs():
            try:
                log = self._vault.log(day)
            except MemoriaError as error:
                outcome.skipped.append(str(error))
                continue
            new = tuple(
                block
                for block in log.blocks
                if everything or self._history.compiled.get(block.entry.id) != block.sha
            )
            if new and (not days or day in days):
                found.append((log, new))
            else:
                self._earlier += [block.entry for block in log.blocks if block not in new]
                self._load(log.blocks)
        missing = sorted(set(days) - set(self._vault.logs()))
        if missing:
            raise UsageError(f"there is no log daily/{missing[0]}.md")
        return found

    def _load(self, blocks: Iterable[Block]) -> None:
        for block in blocks:
            path = self._vault.state.extracts / f"{block.entry.id}.json"
            try:
                value = self._vault.state.read_json(path)
            except MemoriaError:
                continue  # the lines of the entry itself serve in its place
            if value and value.get("sha") == block.sha:
                extract = extract_record.decode(value)
                if extract:
                    self._extracts[block.entry.id] = extract

    def _propose(self, log: Log, blocks: tuple[Block, ...]) -> Proposal:
        self._load(blocks)
        self._current = {block.entry.id: block.entry for block in blocks}
        context = self._context(blocks)
        replies = [self._model.ask(self._request(log, blocks))]
        checked = check(self._patch(replies[0]), context)
        if checked.refused and self._model.reads == "prompt":
            for reply in self._mended(log, blocks, checked.refused):
                replies.append(reply)
                checked = _joined(checked, self._patch(reply), context)
        refused = self._unsaid(checked.patch.rules)
        checked = replace(checked, refused=(*checked.refused, *refused))
        return Proposal(log, blocks, checked, tuple(replies))

    def _mended(
        self, log: Log, blocks: tuple[Block, ...], refused: tuple[Refusal, ...]
    ) -> list[Reply]:
        """Ask once more for what was refused; without an answer the first one has to do."""
        try:
            reply = self._model.ask(self._request(log, blocks, refused))
            read_patch(reply.value)
        except ModelError:
            return []
        return [reply]

    def _patch(self, reply: Reply) -> Patch:
        return gate.clean(read_patch(reply.value), self._work.settings.secrets)

    def _context(self, blocks: Iterable[Block]) -> Context:
        shelf = self._vault.articles
        return Context(
            schema=self._vault.schema,
            entries={block.entry.id: block.entry for block in blocks}
            | {entry.id: entry for entry in self._earlier},
            articles=shelf,
            owned=lambda path: bool(shelf.sha(path)) and shelf.sha(path) == self._written.get(path),
            unreadable=shelf.unreadable,
        )

    def _request(
        self, log: Log, blocks: tuple[Block, ...], refusals: tuple[Refusal, ...] = ()
    ) -> Request:
        entries = tuple(block.entry for block in blocks)
        shelf = self._vault.articles
        if self._model.reads == "material":
            articles = tuple(shelf[path] for path in shelf)
            material = Day(entries, self._extracts, tuple(self._earlier[-_HISTORY:]), articles)
            return Request("compile", "", COMPILE_SCHEMA, material)
        texts = [self._shown(log, block) for block in blocks]
        related = self._related("\n".join(texts))
        material = Day(entries, self._extracts, (), tuple(related))
        return Request("compile", self._prompt(texts, related, refusals), COMPILE_SCHEMA, material)

    def _prompt(
        self, texts: list[str], related: list[Article], refusals: tuple[Refusal, ...]
    ) -> str:
        entries = "\n\n".join(texts)
        articles = "\n\n".join(f"{article.path}\n{render(article)}" for article in related)
        return compile_prompt(
            resource.text("prompts/compile.md"),
            schema=self._vault.schema.region,
            entries=entries,
            articles=articles,
            boundary=boundary(entries, articles),
            refusals=[f"{one.part}: {one.reason}" for one in refusals],
        )

    def _shown(self, log: Log, block: Block) -> str:
        lines = [f"entry {block.entry.id}", log.text[block.start : block.end].strip()]
        extract = self._extracts.get(block.entry.id)
        quotes = [f'- "{said.quote}"' for said in extract.statements] if extract else []
        return "\n".join([*lines, *(["**User statements:**", *quotes] if quotes else [])])

    def _related(self, text: str) -> list[Article]:
        shelf = self._vault.articles
        index = refreshed(self._work)
        found: list[Article] = []
        left = _RELATED_CHARACTERS
        for path in index.related(text, _RELATED):
            article = shelf.get(path)
            if article is not None and len(render(article)) <= left:
                found.append(article)
                left -= len(render(article))
        return found

    def _unsaid(self, proposals: Iterable[RuleProposal]) -> list[Refusal]:
        return [
            Refusal(f"rule {proposal.text!r}"[:120], "the user is not known to have said that")
            for proposal in proposals
            if self._statement(proposal) is None
        ]

    def _statement(self, proposal: RuleProposal) -> rule.Sighting | None:
        extract = self._extracts.get(proposal.entry)
        wanted = rule.normal(proposal.quote)
        for said in extract.statements if extract else ():
            if wanted and wanted in rule.normal(said.quote):
                entry = self._current.get(proposal.entry)
                statement = replace(said, text=proposal.text, category=proposal.category)
                if entry:
                    return rule.Sighting(
                        statement, entry.day, entry.project, entry.session, entry.id
                    )
        return None

    def _apply(self, proposal: Proposal, outcome: Outcome) -> None:
        cost = sum(reply.cost.usd for reply in proposal.replies)
        now = clock.now(self._work.settings.zone)
        with self._vault.changing() as change:
            change.label = "compile"
            context = self._context(proposal.blocks)
            again = check(proposal.checked.patch, context)
            applied = revision.apply(again.patch, context)
            for one in applied:
                change.put_article(one.article)
            learned = self._learn(again.patch.rules, change)
            self._describe(proposal, applied, learned, change)
            change.put_index(self._written)
            wrote = self._owned(change.wrote)
            for reply in proposal.replies:
                if reply.model:
                    change.record(records.called(now, "compile", reply))
            change.record(
                records.compiled(
                    at=now,
                    log=proposal.log.name,
                    digest=disk.sha(proposal.log.text.encode()),
                    entries={block.entry.id: block.sha for block in proposal.blocks},
                    wrote=wrote,
                    cost_usd=cost,
                )
            )
            self._written |= wrote
        self._earlier += [block.entry for block in proposal.blocks]
        outcome.days.append(str(proposal.log.day))
        outcome.entries += len(proposal.blocks)
        outcome.cost += cost
        outcome.created += [one.article.path for one in applied if one.how == "created"]
        outcome.updated += [one.article.path for one in applied if one.how == "updated"]
        outcome.rules += [one.rule.id for one in learned]
        outcome.refused += [asdict(one) for one in (*proposal.checked.refused, *again.refused)]

    def _owned(self, wrote: dict[str, str]) -> dict[str, str]:
        """Leave out what a person had edited: it stays theirs, though a line was added to it."""
        shelf = self._vault.articles
        return {
            path: sha
            for path, sha in wrote.items()
            if not shelf.sha(path) or self._written.get(path) == shelf.sha(path)
        }

    def _learn(
        self, proposals: tuple[RuleProposal, ...], change: Transaction
    ) -> tuple[rule.Learned, ...]:
        shelf = self._vault.articles
        notes = {path: shelf[path] for path in shelf if path.startswith("rules/")}
        sightings = [found for found in map(self._statement, proposals) if found]
        found = rule.learn(notes, sightings)
        # a note that is there and cannot be read is left alone, and named by its reason
        learned = tuple(
            one for one in found if one.how == "updated" or one.article.path not in shelf
        )
        state = self._vault.state
        approvals = state.read_json(state.approvals)
        for one in learned:
            change.put_article(one.article)
            if one.approve and one.rule.id not in approvals:
                approvals[one.rule.id] = one.approve
        if learned:
            change.put_state(state.approvals, encode(approvals))
        return learned

    def _describe(
        self,
        proposal: Proposal,
        applied: tuple[revision.Applied, ...],
        learned: tuple[rule.Learned, ...],
        change: Transaction,
    ) -> None:
        created = [one.article.path for one in applied if one.how == "created"]
        updated = [one.article.path for one in applied if one.how == "updated"]
        lines = [
            f"Source: {proposal.log.name}",
            f"Engine: {self._model.name}, ${sum(one.cost.usd for one in proposal.replies):.4f}",
            f"Articles created: {catalog.links(created)}",
            f"Articles updated: {catalog.links(updated)}",
            f"Rules: {catalog.links(one.article.path for one in learned)}",
        ]
        lines += [f"Refused: {one.part}: {one.reason}" for one in proposal.checked.refused]
        now = clock.now(self._work.settings.zone)
        change.append_log(catalog.log_entry(now, "compile", f"Daily Log {proposal.log.day}", lines))

    def _finish(self) -> None:
        state = self._vault.state
        disk.replace(state.summary, encode(records.state(self._vault.history())))
        self._vault.articles.refresh()
        snapshot.refresh(self._work)


def _joined(first: Checked, second: Patch, context: Context) -> Checked:
    """Add to what was taken of a first answer what a second one mended; it holds only that."""
    taken = {(change.kind, change.slug) for change in first.patch.articles}
    said = {proposal.text for proposal in first.patch.rules}
    both = Patch(
        first.patch.articles
        + tuple(one for one in second.articles if (one.kind, one.slug) not in taken),
        first.patch.rules + tuple(one for one in second.rules if one.text not in said),
    )
    checked = check(both, context)
    # dead links were taken out of the articles, so a second check does not find them
    dead = [refused for refused in first.refused if refused.part.startswith("link ")]
    return replace(checked, refused=(*dead, *checked.refused))


def _days(file: str) -> list[date]:
    if not file:
        return []
    name = file.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".md")
    try:
        return [date.fromisoformat(name)]
    except ValueError as error:
        raise UsageError(f"--file {file!r}: name a log such as daily/2026-04-01.md") from error
