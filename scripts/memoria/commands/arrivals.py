"""`memoria import --from PATH` of another tool's memory -> logs, entries and articles of the vault.

One transaction brings all of it or nothing, and the same folder a second time changes nothing: what
is there already is known by its text. The trap: articles and entries of other tools may hold
secrets and active Markdown, so they pass the same gate as what a model writes; and a decision that
was made elsewhere is no approval on this machine: promoted rules wait in `memoria review`.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from memoria.commands import snapshot
from memoria.commands.rulebook import decide, rulebook
from memoria.commands.search import refreshed
from memoria.commands.skills import skillset
from memoria.edges import clock, disk, terminal
from memoria.edges.git import project_key
from memoria.errors import VaultError
from memoria.stages import arrival, article, catalog, daily, gate
from memoria.stages import ledger as records
from memoria.stages.figure import counted
from memoria.stages.ruling import Ruling, drafted
from memoria.stages.skill import as_rule
from memoria.stages.slug import numbered, slug

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memoria.commands.workspace import Workspace
    from memoria.edges.foreign import Foreign
    from memoria.edges.transaction import Transaction
    from memoria.stages.article import Article
    from memoria.stages.rule import Rule

_DATED = re.compile(r"(\d{4}-\d\d-\d\d)-(.+)\.md")
_SHOWN = 5  # files that were left, by name
_HEAD = 4_096  # characters that hold the frontmatter of an entry
_KINDS = {
    "compiler": "a compiler's vault",
    "buildlog": "a buildlog",
    "auto-memory": "Claude Code's own memory",
    "instructions": "a file of instructions",
}


@dataclass
class Arrived:
    """What came in; `asked` are rules that were promoted elsewhere and wait here.

    `lines` counts what may become rules, `known` the files that had come in before.
    """

    kind: str
    logs: list[str] = field(default_factory=list)
    entries: list[str] = field(default_factory=list)
    articles: list[str] = field(default_factory=list)
    lines: int = 0
    known: int = 0
    asked: list[str] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    lost: int = 0
    problems: list[str] = field(default_factory=list)


def bring(work: Workspace, found: Foreign) -> Arrived:
    """Bring another tool's memory into the vault."""
    done = Arrived(found.kind, problems=list(found.left))
    texts = {name: gate.clean(text, work.settings.secrets) for name, text in found.texts.items()}
    step = {
        "compiler": _Bringing.compiler,
        "buildlog": _Bringing.buildlog,
        "auto-memory": _Bringing.instructions,
        "instructions": _Bringing.instructions,
    }[found.kind]
    with work.vault.step("import"):
        with work.vault.changing() as change:
            bringing = _Bringing(work, found, texts, done, change)
            step(bringing)
            bringing.close()
        if found.kind == "buildlog":
            _decisions(work, texts, done)
    snapshot.refresh(work)
    refreshed(work)
    return done


def tell(work: Workspace, done: Arrived, *, as_json: bool) -> int:
    """Say what came in; give the exit code."""
    if as_json:
        terminal.data(asdict(done))
        return 1 if done.problems else 0
    say = work.terminal.say
    parts = [
        counted(len(names), one, more)
        for names, one, more in (
            (done.logs, "log", "logs"),
            (done.entries, "entry", "entries"),
            (done.articles, "article", "articles"),
        )
        if names
    ]
    came = ", ".join(parts) or "nothing new"
    again = f"; {counted(done.known, 'file')} known from before" if done.known else ""
    say(f"From {_KINDS[done.kind]}: {came}{again}.")
    if done.lines:
        say(f"{counted(done.lines, 'line')} to decide about: `memoria review`.")
    if done.asked or done.rejected or done.lost:
        lost = f", {done.lost} whose words are in no entry" if done.lost else ""
        say(
            f"Decided there: {len(done.asked)} promoted (they wait for your word here), "
            f"{len(done.rejected)} rejected (rejected here, too){lost}."
        )
    if done.logs:
        say("Next: `memoria compile` for the days that no article was made of.")
    for problem in done.problems[:_SHOWN]:
        work.terminal.warn(f"  left: {problem}")
    return 1 if done.problems else 0


@dataclass(frozen=True, slots=True)
class _Bringing:
    """A tool's memory on its way into a transaction; `texts` have passed the gate."""

    work: Workspace
    found: Foreign
    texts: dict[str, str]
    done: Arrived
    change: Transaction

    def compiler(self) -> None:
        """Take in a compiler's logs and articles."""
        made = arrival.compiled(self.texts.get("scripts/state.json", ""))
        for name, text in self.texts.items():
            path = PurePosixPath(name)
            if path.parts[0] == "daily":
                self._log(path.name, text, compiled=path.name in made)
            elif path.parts[0] == "knowledge":
                self._article(path.relative_to("knowledge"), text)

    def _log(self, name: str, text: str, *, compiled: bool) -> None:
        try:
            day = date.fromisoformat(name.removesuffix(".md"))
        except ValueError:
            self.done.problems.append(f"daily/{name}: no such day")
            return
        mine = self.work.vault.log(day)
        new = arrival.merged(mine.text, text, day)
        if new == mine.text:
            self.done.known += 1
            return
        self.change.put_log(mine, new)
        self.done.logs.append(f"daily/{name}")
        if compiled:
            had = {block.entry.id for block in mine.blocks}
            blocks = [block for block in daily.blocks(new, day) if block.entry.id not in had]
            self.change.record(
                records.compiled(
                    at=clock.now(self.work.settings.zone),
                    log=mine.name,
                    digest=disk.sha(new.encode("utf-8", "replace")),
                    entries={block.entry.id: block.sha for block in blocks},
                    wrote={},
                    cost_usd=0,
                )
            )

    def _article(self, path: PurePosixPath, text: str) -> None:
        kind = self.work.vault.schema.kind_of(str(path))
        name = slug(path.stem)
        if kind is None or str(path.parent) != kind.folder or not name:
            self.done.problems.append(
                f"knowledge/{path}: no kind of article that AGENTS.md declares"
            )
            return
        try:
            read = arrival.inert_article(article.parse(f"{kind.folder}/{name}", kind.name, text))
        except VaultError as error:
            self.done.problems.append(str(error))
            return
        data = article.render(read)
        for place in numbered(read.path):
            there = self.work.vault.articles.get(place)
            if there is None and f"knowledge/{place}.md" not in self.done.articles:
                self.change.put_article(_at(read, place))
                self.done.articles.append(f"knowledge/{place}.md")
                return
            if there is not None and article.render(there) == data:
                self.done.known += 1
                return

    def buildlog(self) -> None:
        """Take in a buildlog's entries and the rules of its reviews."""
        for name, text in self.texts.items():
            match = _DATED.fullmatch(name)
            if match and slug(match[2]):
                self._entry(f"{match[1]}-import-{slug(match[2])}", arrival.entry(text))
        rules = list(arrival.learnings(self.texts.get(".buildlog/review_learnings.json", "")))
        if rules:
            listed = "".join(f"- {rule}\n" for rule in rules)
            today = clock.now(self.work.settings.zone).date()
            project = project_key(str(self.found.root))
            text, _ = arrival.instructions(listed, "review learnings", "buildlog", project, today)
            self._entry(f"{today}-import-review-learnings", text)

    def instructions(self) -> None:
        """Take in the lines of files of instructions."""
        today = clock.now(self.work.settings.zone).date()
        origin: arrival.Origin = (
            "instructions" if self.found.kind == "instructions" else "auto-memory"
        )
        for name, text in self.texts.items():
            project = project_key(str(self.found.root))
            entry, lines = arrival.instructions(text, name, origin, project, today)
            made = slug(PurePosixPath(name).stem) or arrival.sha(text)[:8]
            if self._entry(f"{today}-import-{made}", entry):
                self.done.lines += lines

    def _entry(self, name: str, text: str) -> bool:
        """Put in an entry unless one was made of the same text; say whether it is new."""
        mark = next(line for line in text.splitlines() if line.startswith("session: "))
        if mark in _marks(self.work):
            self.done.known += 1
            return False
        for place in numbered(name):
            if (
                disk.read(self.work.vault.daily / f"{place}.md") is None
                and place not in self.done.entries
            ):
                self.change.put_entry(place, text)
                self.done.entries.append(place)
                return True
        raise AssertionError  # there is always a next number

    def close(self) -> None:
        """Note in index, ledger and log what came in."""
        if not (self.done.logs or self.done.entries or self.done.articles):
            return
        now = clock.now(self.work.settings.zone)
        if self.done.articles:
            self.change.put_index(self.work.vault.history().written)
        wrote = dict(self.change.wrote)
        self.change.record(
            {"kind": "wrote", "at": now.isoformat(timespec="seconds"), "wrote": wrote}
        )
        lines = [
            f"From: {_KINDS[self.found.kind]}",
            f"Logs: {catalog.links(name.removesuffix('.md') for name in self.done.logs)}",
            f"Entries: {catalog.links(f'daily/{name}' for name in self.done.entries)}",
            f"Articles created: {catalog.links(_bare(name) for name in self.done.articles)}",
        ]
        self.change.append_log(catalog.log_entry(now, "import", self.found.root.name, lines))


def _at(read: Article, place: str) -> Article:
    return article.parse(place, read.kind, article.render(read))


def _marks(work: Workspace) -> set[str]:
    """Give the marks of the texts that came in before."""
    marks = set()
    for name in work.vault.pages()[0]:
        try:
            head = work.vault.page(name).text[:_HEAD]
        except VaultError:
            continue  # a person's own, which distill names
        marks |= {line for line in head.splitlines() if line.startswith("session: ")}
    return marks


# -- Decisions -------------------------------------------------------------------------------------


def _decisions(work: Workspace, texts: dict[str, str], done: Arrived) -> None:
    """Carry over what was rejected, and ask about what was promoted."""
    names = (f".buildlog/{name}.json" for name in ("promoted", "rejected"))
    decided = arrival.decided(*(texts.get(name, "") for name in names))
    others = {one.id: one for one in map(as_rule, skillset(work).skills)}
    have = {one.id for one in rulebook(work).rules}
    known = {*decided.promoted, *decided.rejected} & (others.keys() | have)
    done.lost = len({*decided.promoted, *decided.rejected} - known)
    rejected = [name for name in decided.rejected if name in known and name not in have]
    if rejected:
        decide(work, [Ruling(name, "rejected", "import") for name in rejected], refresh=False)
        done.rejected = rejected
    asked = [others[name] for name in decided.promoted if name in others and name not in have]
    if asked:
        with work.vault.changing() as change:
            _ask(work, asked, change)
        done.asked = [one.id for one in asked]


def _ask(work: Workspace, rules: Iterable[Rule], change: Transaction) -> None:
    """Make notes that say approved without this machine's approval: review asks about them."""
    taken = set(work.vault.articles.paths())
    for one in rules:
        note = article.with_meta(drafted(one, taken), {"status": "approved"})
        taken.add(note.path)
        change.put_article(note)
    change.put_index(work.vault.history().written)


def _bare(name: str) -> str:
    return name.removeprefix("knowledge/").removesuffix(".md")
