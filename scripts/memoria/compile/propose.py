"""Ask an engine for its patch of a day's new entries, and check it.

The prompt holds the schema, the entries and the few related articles, never the vault, so its size
does not grow with it. What is refused is asked for once more with the reasons, then left out and
named. A rule is only taken with words that the user is known to have said, and those stand in the
entry's extract and not in the entry, which an engine wrote.
"""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, NamedTuple

from memoria.capture.provenance import marks
from memoria.compile import neighbours
from memoria.compile.amend import without_repeats
from memoria.compile.declined import is_asked_again, show_declined
from memoria.compile.form import COMPILE_SCHEMA, parse_patch
from memoria.compile.known_entries import KnownEntries
from memoria.compile.neighbours import ShownArticle, count_bytes
from memoria.compile.patch import (
    CheckedPatch,
    Patch,
    PatchContext,
    RuleProposal,
    change_path,
    check_patch,
    merge_answers,
)
from memoria.compile.project_page import KIND as PROJECT
from memoria.compile.topics import compile_day
from memoria.errors import BadReply, ModelError
from memoria.llm.port import CompileMaterial, Model, Reply, Request, register
from memoria.llm.prompts import build_compile_prompt
from memoria.privacy import clean
from memoria.rules import stated_rules
from memoria.rules.guards.from_text import read_proposed
from memoria.rules.model import Refusal
from memoria.rules.sightings import Sighting
from memoria.search.origin_marks import mark_patch
from memoria.search.service import refresh_index
from memoria.vault import package_files
from memoria.vault.article import MADE
from memoria.vault.citations import cite, parse_citations
from memoria.vault.file_names import SLUG
from memoria.vault.project import label
from memoria.vault.storage import clock
from memoria.vault.trust.known_lines import strip_line_marks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memoria.compile.patch import ArticleChange
    from memoria.vault.daily_log import Block
    from memoria.vault.entry import Entry
    from memoria.vault.store import Log
    from memoria.workspace import Workspace

# entries of so many parts back can still found a topic; more would make a compile grow with time
_HISTORY = 400
# an entry's id stands above it, and what code notes in a comment says nothing to a model
_NOTED = re.compile(r"^(?:\^e-[0-9a-f]{12}|<!-- memoria .*-->)\n+", re.MULTILINE)

# the Offline engine's answer to a compile request
register("compile", lambda day: asdict(compile_day(day)))


class Proposal(NamedTuple):
    """A day's checked patch, the user's words behind its rules, and what it was made from."""

    log: Log
    blocks: tuple[Block, ...]
    checked: CheckedPatch
    sightings: tuple[Sighting, ...]
    replies: tuple[Reply, ...]


class Proposer:
    """Asks one engine for the patches of one vault; `entries` are those that it has met.

    `revised` are entries that were compiled before and have changed since, `again` those that are
    the same and are compiled anew.
    """

    def __init__(self, work: Workspace, model: Model, written: Mapping[str, str]) -> None:
        self.revised: frozenset[str] = frozenset()
        self.again: set[str] = set()
        self.entries = KnownEntries(work.vault.state)
        self._work = work
        self._vault = work.vault
        self._model = model
        self._written = written

    def split_entries(self, log: Log, blocks: tuple[Block, ...]) -> Iterator[tuple[Block, ...]]:
        """Split new entries into this machine's and others': a model never sees both at once.

        What is too long for one request is split, too, in its order; an entry that is too long
        goes alone.
        """
        for block in blocks:
            self.entries.load_extract(block)
        own = tuple(block for block in blocks if self.entries.is_own(block.entry.id))
        others = tuple(block for block in blocks if block not in own)
        for group in filter(None, (own, others)):
            request: tuple[Block, ...] = ()
            room = neighbours.ENTRIES
            for block in group:
                size = count_bytes(self._render_block(log, block))
                if request and size > room and self._model.reads == "prompt":
                    yield request
                    request, room = (), neighbours.ENTRIES
                request, room = (*request, block), room - size
            yield request

    def propose(self, log: Log, blocks: tuple[Block, ...]) -> Proposal:
        """Ask for the patch of a log's new entries, and check it."""
        context = self.context(blocks)
        patch, reply = self._ask(log, blocks, context)
        replies, checked = [reply], check_patch(patch, context)
        if self._model.reads == "prompt":
            checked = self._request_repair(log, blocks, checked, replies)
        rules, entries = checked.patch.rules, {block.entry.id: block.entry for block in blocks}
        # of these alone: what an earlier entry says was decided about when it was compiled
        sightings = [self._find_sighting(rule, entries) for rule in rules]
        refused = [
            Refusal(f"rule {rule.text!r}"[:120], "no sentence of the user says as much")
            for rule, sighting in zip(rules, sightings, strict=True)
            if sighting is None
        ]
        # told in the log, but not asked for again: the rule itself was taken
        refused += [
            Refusal(f"check of rule {rule.text!r}"[:120], fault)
            for rule in rules
            if (fault := read_proposed(rule.check)[1])
        ]
        checked = replace(checked, refused=(*checked.refused, *refused))
        return Proposal(log, blocks, checked, tuple(filter(None, sightings)), tuple(replies))

    def _request_repair(
        self, log: Log, blocks: tuple[Block, ...], first: CheckedPatch, replies: list[Reply]
    ) -> CheckedPatch:
        """Ask once more for what was refused; without an answer the first one has to do."""
        refusals = tuple(filter(is_asked_again, first.refused))
        if not refusals:
            return first
        context = self.context(blocks)
        try:
            mended, reply = self._ask(log, blocks, context, refusals)
        except ModelError:
            return first
        except BaseException:
            # stopped by the person: all is asked for anew, but what was answered is paid for
            for paid in replies:
                self._model.paid_in_vain("compile", paid)
            raise
        replies.append(reply)
        return merge_answers(first, mended, context)

    def _ask(
        self,
        log: Log,
        blocks: tuple[Block, ...],
        context: PatchContext,
        refusals: tuple[Refusal, ...] = (),
    ) -> tuple[Patch, Reply]:
        """Ask for a patch of these entries, or for what was refused of one, and read it."""
        request, pages = self._build_request(log, blocks, refusals)
        reply = self._model.ask(request)
        try:
            patch = parse_patch(reply.value)
        except BadReply:
            self._model.paid_in_vain("compile", reply)
            raise
        patch = clean.clean_value(patch, self._work.settings.secrets)
        if settled := self._find_settled(context):
            kept = (_leave_settled(change, context, settled) for change in patch.articles)
            patch = replace(patch, articles=tuple(filter(None, kept)))
        if self._model.reads == "prompt":
            paths = {page.article.path for page in pages}
            changes = (_strip_known(change, context, paths) for change in patch.articles)
            patch = replace(patch, articles=tuple(changes))
        entries = [block.entry for block in blocks]
        extracts = filter(None, (self.entries.extracts.get(entry.id) for entry in entries))
        return mark_patch(patch, entries, extracts, (page.text for page in pages)), reply

    def _find_settled(self, context: PatchContext) -> set[str]:
        """Find the entries compiled anew that an article cites which a person edited.

        They may have taken a line of it out or corrected it; nothing else remembers that. Of what a
        model says in words of its own none is known to be such a line.
        """
        if not self.again or self._model.reads == "prompt":
            return set()
        edited = (note for note in context.articles.values() if not context.owned(note.path))
        cited = {source for note in edited for source in parse_citations(note.section("Sources"))}
        entries = (context.entries[name] for name in self.again & context.entries.keys())
        return {entry.id for entry in entries if cite(entry.day, entry.id) in cited}

    def context(self, blocks: Iterable[Block]) -> PatchContext:
        """Give what a patch for these entries is checked against."""
        articles = self._vault.articles
        entries = (*self.entries.compiled, *(block.entry for block in blocks))

        def is_owned(path: str) -> bool:
            sha = articles.sha(path)
            return bool(sha) and sha == self._written.get(path)

        return PatchContext(
            schema=self._vault.schema,
            entries={entry.id: entry for entry in entries},
            articles=articles,
            owned=is_owned,
            unreadable=articles.unreadable,
            known=lambda line: (
                marks.build_line_key(strip_line_marks(line)) in self._vault.lines.keys
            ),
            revised=self.revised,
        )

    def _build_request(
        self, log: Log, blocks: tuple[Block, ...], refusals: tuple[Refusal, ...]
    ) -> tuple[Request, Sequence[ShownArticle]]:
        """Write the request for a patch; beside it give the articles that it shows."""
        entries = tuple(block.entry for block in blocks)
        if self._model.reads == "material":
            return Request("compile", "", COMPILE_SCHEMA, self._collect_material(entries)), ()
        texts = [self._render_block(log, block) for block in blocks]
        text = "\n".join(texts)
        candidates = refresh_index(self._work).find_related(text, neighbours.CANDIDATES)
        reasons = [f"{refusal.part}: {refusal.reason}" for refusal in refusals]
        # the other pages keep their names beside what was refused
        room = neighbours.count_room(texts, reasons) - neighbours.PAGES_LEAST
        refused = show_declined(refusals, room)
        mending = [*reasons, *filter(None, [refused])]
        projects, room = self.entries.find_projects(entries), neighbours.count_room(texts, mending)
        first = list(self._find_paths(refusals))
        pages = neighbours.choose_neighbours(
            self._vault, candidates, text, entries, projects, room, self._written, first
        )
        articles = tuple(page.article for page in pages)
        listing = "\n\n".join(page.listed for page in pages)
        shown_paths = {article.path for article in articles}
        room = neighbours.count_room([*texts, listing], mending)
        prompt = build_compile_prompt(
            package_files.read_text("prompts/compile.md"),
            schema=self._format_schema(),
            entries="\n\n".join(texts),
            articles=listing,
            pages=neighbours.list_other_pages(self._vault, shown_paths, projects, room),
            day=f"{log.day:%Y-%m-%d}",
            today=f"{clock.now(self._work.settings.zone):%Y-%m-%d}",
            refusals=reasons,
            refused=refused,
        )
        material = CompileMaterial(entries, self.entries.extracts, (), articles)
        return Request("compile", prompt, COMPILE_SCHEMA, material), pages

    def _collect_material(self, entries: tuple[Entry, ...]) -> CompileMaterial:
        articles = tuple(self._vault.articles.values())
        names = {entry.id for entry in entries}
        ahead = tuple(entry for name, entry in self.entries.coming.items() if name not in names)
        earlier = tuple(self.entries.compiled[-_HISTORY:])
        return CompileMaterial(entries, self.entries.extracts, earlier, articles, ahead)

    def _format_schema(self) -> str:
        """Leave out the kinds that no compile writes; of projects' pages a person's own are left.

        Code writes the others anew from the logs, so what a model adds to one is refused.
        """
        schema, articles = self._vault.schema, self._vault.articles
        closed = {kind.name for kind in schema.kinds if not kind.proposed}
        kind = schema.kind(PROJECT)
        paths = (path for path in articles if kind and path.startswith(f"{kind.folder}/"))
        pages = filter(None, map(articles.get, paths))
        if all(MADE in page.meta for page in pages):
            closed.add(PROJECT)
        lines = self._vault.prompt_schema.splitlines()
        return "\n".join(line for line in lines if _find_kind(line) not in closed)

    def _find_paths(self, refusals: Iterable[Refusal]) -> Iterator[str]:
        """Give the paths of articles that were refused, as far as such a thing can be."""
        for refusal in refusals:
            name, _, slug = refusal.part.partition("/")
            kind = self._vault.schema.kind(name)
            if kind and SLUG.match(slug):
                yield kind.path(slug)

    def _render_block(self, log: Log, block: Block) -> str:
        text = _NOTED.sub("", log.text[block.start : block.end]).strip()
        extract = self.entries.extracts.get(block.entry.id)
        quotes = [f'- "{statement.quote}"' for statement in extract.statements] if extract else []
        if quotes:
            quotes.insert(0, "\n**User statements:**")
        name = " ".join(label(block.entry.project).split())
        head = f"entry {block.entry.id} of project {name}" if name else f"entry {block.entry.id}"
        return "\n".join([head, text, *quotes])

    def _find_sighting(self, rule: RuleProposal, entries: Mapping[str, Entry]) -> Sighting | None:
        """Find what the user said for a proposed rule, None where he is not known to have."""
        extract, entry = self.entries.extracts.get(rule.entry), entries.get(rule.entry)
        if extract is None or entry is None:
            return None
        said = stated_rules.find_statement(extract.statements, rule.text, rule.quote)
        if said is None:
            return None
        origin = (entry.day, entry.project, entry.session, entry.id)
        check = rule.check if said.text == rule.text else ""
        return Sighting(replace(said, category=rule.category), *origin, check=check)


def _strip_known(change: ArticleChange, context: PatchContext, shown: set[str]) -> ArticleChange:
    """Leave out what the article says of the same entries already, in other words.

    The lead of an article that the engine was not shown is left alone, too: it holds as before.
    """
    if context.schema.kind(change.kind) is None:
        return change
    path = change_path(change, context.schema)
    if path in context.articles and path not in shown:
        change = replace(change, lead="")
    return without_repeats(change, path, context)


def _leave_settled(
    change: ArticleChange, context: PatchContext, settled: set[str]
) -> ArticleChange | None:
    """Leave out what entries would add once more to an article that is there."""
    kind = context.schema.kind(change.kind)
    if kind is None or kind.path(change.slug) not in context.articles:
        return change
    sections = (
        replace(part, lines=tuple(line for line in part.lines if line.entry not in settled))
        for part in change.sections
    )
    return None if settled >= {*change.entries} else replace(change, sections=tuple(sections))


def _find_kind(line: str) -> str:
    """Give the kind that a row of the schema's table declares, "" for any other line."""
    return line.split("|")[1].strip() if line.count("|") > 1 and line.startswith("|") else ""
