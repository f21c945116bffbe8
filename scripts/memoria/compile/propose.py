"""Ask an engine for its patch of a day's new entries, and check it.

The prompt holds the schema, the entries and the few related articles, never the vault, so its size
does not grow with it. What is refused is asked for once more with the reasons, then left out, named
and owed to the next compile. A rule is only taken with words that the user is known to have said,
and those stand in the entry's extract and not in the entry, which an engine wrote.
"""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, NamedTuple

from memoria.capture.extract import extract_record
from memoria.capture.provenance import marks
from memoria.compile import neighbours
from memoria.compile.amend import without_repeats
from memoria.compile.declined import (
    Declined,
    add_failed_try,
    is_asked_again,
    show_declined as shown_parts,
)
from memoria.compile.form import COMPILE_SCHEMA, parse_patch
from memoria.compile.nearness import count_bytes
from memoria.compile.patch import (
    CheckedPatch,
    Patch,
    PatchContext,
    RuleProposal,
    change_path,
    check_patch,
)
from memoria.compile.project_page import KIND as PROJECT
from memoria.compile.subjects import map_clones
from memoria.compile.topics import compile_day
from memoria.errors import BadReply, MemoriaError, ModelError
from memoria.llm.port import CompileMaterial, Model, Reply, Request, register
from memoria.llm.prompts import build_compile_prompt
from memoria.privacy import clean
from memoria.rules import model as rule_model
from memoria.rules.guards.from_text import read_proposed
from memoria.rules.model import Refusal
from memoria.rules.stated_rules import Sighting, says
from memoria.search.origin_marks import mark_patch
from memoria.search.service import refresh_index
from memoria.vault import package_files
from memoria.vault.article import MADE
from memoria.vault.file_names import SLUG
from memoria.vault.project import label
from memoria.vault.storage import clock
from memoria.vault.trust.known_lines import strip_line_marks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memoria.compile.patch import ArticleChange
    from memoria.vault.daily import Block
    from memoria.vault.entry import Entry, Extract
    from memoria.vault.store import Log
    from memoria.workspace import Workspace

# entries of so many parts back can still found a topic; more would make a compile grow with time
_HISTORY = 400
# an entry's id stands above it, and what code notes in a comment says nothing to a model
_NOTED = re.compile(r"^(?:\^e-[0-9a-f]{12}|<!-- memoria .*-->)\n+", re.MULTILINE)

register("compile", lambda day: asdict(compile_day(day)))


class Proposal(NamedTuple):
    """A day's checked patch, the user's words behind its rules, and what it was made from."""

    log: Log
    blocks: tuple[Block, ...]
    checked: CheckedPatch
    sightings: tuple[Sighting, ...]
    replies: tuple[Reply, ...]


class Proposer:
    """Asks one engine for the patches of one vault; it remembers the entries of earlier days.

    `revised` are entries that were compiled before and have changed since. `owed` are the parts
    that were refused of entries which are compiled but for these.
    """

    def __init__(self, work: Workspace, model: Model, written: Mapping[str, str]) -> None:
        self.revised: frozenset[str] = frozenset()
        self.owed: dict[str, tuple[Declined, ...]] = {}
        self._work = work
        self._vault = work.vault
        self._model = model
        self._written = written
        self._earlier: list[Entry] = []
        self._ahead: dict[str, Entry] = {}
        self._extracts: dict[str, Extract] = {}
        # texts of the articles that the engine was shown, and their paths
        self._texts: tuple[str, ...] = ()
        self._seen: frozenset[str] = frozenset()

    def remember_compiled(self, blocks: Iterable[Block]) -> None:
        """Remember entries that are compiled already: later ones may add to what they began."""
        all_blocks = tuple(blocks)
        self._earlier += [block.entry for block in all_blocks]
        for block in all_blocks:
            self._ahead.pop(block.entry.id, None)
        self._load(all_blocks)

    def remember_coming(self, blocks: Iterable[Block]) -> None:
        """Remember the entries whose turn comes: they show what will be worth a page."""
        coming = tuple(blocks)
        self._ahead = {block.entry.id: block.entry for block in coming}
        self._load(coming)

    def split_entries(self, log: Log, blocks: tuple[Block, ...]) -> Iterator[tuple[Block, ...]]:
        """Part new entries into this machine's and others', which no model sees together.

        What is too long for one request is parted, too, in its order; an entry that is too long
        goes alone. What is owed of entries is asked for by itself, with all that it speaks of.
        """
        self._load(blocks)
        own = tuple(block for block in blocks if self.is_own(block.entry.id))
        others = tuple(block for block in blocks if block not in own)
        groups = (
            tuple(block for block in group if self._owed_of(block) == parts)
            for group in (own, others)
            for parts in dict.fromkeys(map(self._owed_of, group))
        )
        for group in groups:
            part: tuple[Block, ...] = ()
            room = neighbours.ENTRIES
            for block in group:
                size = count_bytes(self._render_block(log, block))
                if part and size > room and self._model.reads == "prompt":
                    yield part
                    part, room = (), neighbours.ENTRIES
                part, room = (*part, block), room - size
            yield part

    def is_own(self, name: str) -> bool:
        """Whether an entry is as this machine wrote it."""
        return name in self._extracts

    def read_outside(self, name: str) -> bool:
        """Whether the session of an entry had read something of outside its project."""
        return self._extracts[name].outside

    def _load(self, blocks: Iterable[Block]) -> None:
        for block in blocks:
            path = self._vault.state.extracts / f"{block.entry.id}.json"
            try:
                value = self._vault.state.read_json(path)
            except MemoriaError:
                continue  # the lines of the entry itself serve in its place
            extract = extract_record.decode(value) if value else None
            if value and value.get("sha") == block.sha and extract:
                self._extracts[block.entry.id] = extract

    def propose(self, log: Log, blocks: tuple[Block, ...]) -> Proposal:
        """Ask for the patch of a log's new entries, and check it."""
        entries = {block.entry.id: block.entry for block in blocks}
        replies: list[Reply] = []
        # of what an earlier compile has left, the refused parts alone are asked for
        checked = CheckedPatch(Patch(), self._owed_of(blocks[0]))
        if not checked.refused:
            replies.append(self._model.ask(self._build_request(log, blocks)))
            checked = check_patch(self._read_patch(replies[0], entries), self.context(blocks))
        if self._model.reads == "prompt":
            checked = self._request_repair(log, blocks, checked, replies)
        rules = checked.patch.rules
        sightings = [self._find_sighting(proposal, entries) for proposal in rules]
        refused = [
            Refusal(f"rule {proposal.text!r}"[:120], "no sentence of the user says as much")
            for proposal, sighting in zip(rules, sightings, strict=True)
            if sighting is None
        ]
        # told in the log, but not asked for again: the rule itself was taken
        refused += [
            Refusal(f"check of rule {proposal.text!r}"[:120], why)
            for proposal in rules
            if (why := read_proposed(proposal.check)[1])
        ]
        checked = replace(checked, refused=(*checked.refused, *refused))
        return Proposal(log, blocks, checked, tuple(filter(None, sightings)), tuple(replies))

    def _request_repair(
        self, log: Log, blocks: tuple[Block, ...], first: CheckedPatch, replies: list[Reply]
    ) -> CheckedPatch:
        """Ask once more for what was refused; what is not mended now is owed to the next compile.

        Without an answer the first one has to do.
        """
        again = tuple(filter(is_asked_again, first.refused))
        if not again:
            return first
        entries = {block.entry.id: block.entry for block in blocks}
        try:
            reply = self._model.ask(self._build_request(log, blocks, again))
            second = self._read_patch(reply, entries)
        except ModelError as error:
            if error.later and not replies:
                raise  # nothing was answered, and waiting mends it
            # what waiting mends says nothing of the part
            return (
                first
                if error.later
                else replace(first, refused=add_failed_try(first.refused, again))
            )
        except BaseException:
            # stopped by the person: all is asked for anew, but what was answered is paid for
            for paid in replies:
                self._model.paid_in_vain("compile", paid)
            raise
        replies.append(reply)
        joined = _merge_answers(first, second, self.context(blocks))
        return replace(joined, refused=add_failed_try(joined.refused, again))

    def _owed_of(self, block: Block) -> tuple[Declined, ...]:
        return self.owed.get(block.entry.id, ())

    def _read_patch(self, reply: Reply, entries: Mapping[str, Entry]) -> Patch:
        try:
            patch = parse_patch(reply.value)
        except BadReply:
            self._model.paid_in_vain("compile", reply)
            raise
        patch = clean.clean_value(patch, self._work.settings.secrets)
        if self._model.reads == "prompt":
            # what articles say of the same entries already, in other words, is left out
            context = self.context(())
            context = replace(context, entries={**context.entries, **entries})
            kinds = [(context.schema.kind(change.kind), change) for change in patch.articles]
            changes = (
                without_repeats(
                    self._strip_unseen_lead(change, context), kind.path(change.slug), context
                )
                if kind
                else change
                for kind, change in kinds
            )
            patch = replace(patch, articles=tuple(changes))
        extracts = (self._extracts[name] for name in entries if name in self._extracts)
        return mark_patch(patch, entries.values(), extracts, self._texts)

    def _strip_unseen_lead(self, change: ArticleChange, context: PatchContext) -> ArticleChange:
        """Leave the lead of an article alone that the engine was not shown: it holds as before."""
        path = change_path(change, context.schema)
        is_blind = path in context.articles and path not in self._seen
        return replace(change, lead="") if is_blind else change

    def _find_projects(self, entries: Iterable[Entry]) -> set[str]:
        """Give the projects of entries, and those that are clones of them."""
        names = {entry.project for entry in entries if entry.project}
        same = map_clones(
            (entry.project, extract.branch, extract.files)
            for entry in (*self._earlier, *self._ahead.values())
            if entry.project and (extract := self._extracts.get(entry.id))
        )
        return names | {name for name in same if same[name] in {same.get(own) for own in names}}

    def context(self, blocks: Iterable[Block]) -> PatchContext:
        """Give what a patch for these entries is checked against."""
        shelf = self._vault.articles
        new = (block.entry for block in blocks)
        return PatchContext(
            schema=self._vault.schema,
            entries={entry.id: entry for entry in (*new, *self._earlier)},
            articles=shelf,
            owned=lambda path: bool(shelf.sha(path)) and shelf.sha(path) == self._written.get(path),
            unreadable=shelf.unreadable,
            known=lambda line: (
                marks.build_line_key(strip_line_marks(line)) in self._vault.lines.keys
            ),
            revised=self.revised,
        )

    def _build_request(
        self, log: Log, blocks: tuple[Block, ...], refusals: tuple[Refusal, ...] = ()
    ) -> Request:
        entries = tuple(block.entry for block in blocks)
        shelf = self._vault.articles
        if self._model.reads == "material":
            articles = tuple(shelf[path] for path in shelf)
            earlier, new = tuple(self._earlier[-_HISTORY:]), {entry.id for entry in entries}
            ahead = tuple(entry for name, entry in self._ahead.items() if name not in new)
            material = CompileMaterial(entries, self._extracts, earlier, articles, ahead)
            return Request("compile", "", COMPILE_SCHEMA, material)
        texts = [self._render_block(log, block) for block in blocks]
        text = "\n".join(texts)
        candidates = refresh_index(self._work).find_related(text, neighbours.CANDIDATES)
        why = [f"{refusal.part}: {refusal.reason}" for refusal in refusals]
        # the other pages keep their names beside what was refused
        parts = shown_parts(refusals, _count_room(texts, why) - neighbours.PAGES_LEAST)
        again = [*why, *filter(None, [parts])]
        projects, room = self._find_projects(entries), _count_room(texts, again)
        known = (self._written, list(self._paths(refusals)))
        related = neighbours.choose_neighbours(
            self._vault, candidates, text, entries, projects, room, *known
        )
        material = CompileMaterial(
            entries, self._extracts, (), tuple(page.article for page in related)
        )
        self._texts = tuple(page.text for page in related)
        self._seen = frozenset(page.article.path for page in related)
        shown, listed = "\n\n".join(texts), "\n\n".join(page.listed for page in related)
        pages = neighbours.list_other_pages(
            self._vault,
            set(self._seen),
            projects,
            _count_room([*texts, listed], again),
        )
        prompt = build_compile_prompt(
            package_files.read_text("prompts/compile.md"),
            schema=self._told_schema(),
            entries=shown,
            articles=listed,
            pages=pages,
            day=f"{log.day:%Y-%m-%d}",
            today=f"{clock.now(self._work.settings.zone):%Y-%m-%d}",
            refusals=why,
            refused=parts,
        )
        return Request("compile", prompt, COMPILE_SCHEMA, material)

    def _told_schema(self) -> str:
        """Leave out the kinds that no compile writes; of projects' pages a person's own are left.

        Code writes the others anew from the logs, so what a model adds to one is refused.
        """
        schema, shelf = self._vault.schema, self._vault.articles
        written = {kind.name for kind in schema.kinds if kind.proposed}
        kind = schema.kind(PROJECT)
        paths = (path for path in shelf if kind and path.startswith(f"{kind.folder}/"))
        pages = [page for page in map(shelf.get, paths) if page]
        if all(MADE in page.meta for page in pages):
            written.discard(PROJECT)
        closed = {kind.name for kind in schema.kinds} - written
        lines = self._vault.prompt_schema.splitlines()
        return "\n".join(line for line in lines if _kind_of(line) not in closed)

    def _paths(self, refusals: Iterable[Refusal]) -> Iterator[str]:
        """Give the paths of articles that were refused, as far as such a thing can be."""
        for refusal in refusals:
            name, _, slug = refusal.part.partition("/")
            kind = self._vault.schema.kind(name)
            if kind and SLUG.match(slug):
                yield kind.path(slug)

    def _render_block(self, log: Log, block: Block) -> str:
        text = _NOTED.sub("", log.text[block.start : block.end]).strip()
        extract = self._extracts.get(block.entry.id)
        quotes = [f'- "{statement.quote}"' for statement in extract.statements] if extract else []
        head = ["**User statements:**"] if quotes else []
        name = " ".join(label(block.entry.project).split())
        entry = f"entry {block.entry.id}" + f" of project {name}" * bool(name)
        return "\n".join([entry, text, *head, *quotes])

    def _find_sighting(
        self, proposal: RuleProposal, entries: Mapping[str, Entry]
    ) -> Sighting | None:
        """Find what the user said for a proposed rule, None where he is not known to have."""
        extract, entry = self._extracts.get(proposal.entry), entries.get(proposal.entry)
        wanted = rule_model.normal(proposal.quote)
        if extract is None or entry is None or not wanted:
            return None
        for statement in extract.statements:
            if wanted in rule_model.normal(statement.quote) and says(
                proposal.text, statement.quote
            ):
                rewording = replace(statement, text=proposal.text, category=proposal.category)
                about = (entry.day, entry.project, entry.session, entry.id)
                return Sighting(rewording, *about, check=proposal.check)
        return None


def _kind_of(line: str) -> str:
    """Give the kind that a row of the schema's table declares, "" for any other line."""
    return line.split("|")[1].strip() if line.count("|") > 1 and line.startswith("|") else ""


def _count_room(texts: Iterable[str], refusals: Sequence[str]) -> int:
    """Say how many bytes of a request are left beside these texts."""
    marks = neighbours.MARKS if refusals else 0
    return neighbours.ROOM - marks - count_bytes("\n\n".join([*texts, *refusals]))


def _merge_answers(first: CheckedPatch, second: Patch, context: PatchContext) -> CheckedPatch:
    """Add to what was taken of a first answer what a second one mended; it holds only that."""
    taken = {(change.kind, change.slug) for change in first.patch.articles}
    texts = {proposal.text for proposal in first.patch.rules}
    articles = (article for article in second.articles if (article.kind, article.slug) not in taken)
    rules = (proposal for proposal in second.rules if proposal.text not in texts)
    both = Patch((*first.patch.articles, *articles), (*first.patch.rules, *rules))
    checked = check_patch(both, context)
    # dead links were taken out of the articles, so a second check does not find them
    dead = [refused for refused in first.refused if not is_asked_again(refused)]
    return replace(checked, refused=(*dead, *checked.refused))
