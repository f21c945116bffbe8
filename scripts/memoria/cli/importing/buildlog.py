"""Take in a buildlog's entries and decisions (`memoria import --from DIR`).

One step brings all of it or nothing, and the same folder a second time changes nothing. A decision
that was made elsewhere is no approval on this machine: promoted rules wait in `memoria review`.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from memoria import terminal
from memoria.cli.importing import buildlog_texts as arrival
from memoria.errors import UsageError, VaultError
from memoria.privacy import clean as gate
from memoria.rules.decision import Ruling, drafted
from memoria.rules.decisions import decide, rulebook
from memoria.rules.skill import as_rule
from memoria.rules.skills import skillset
from memoria.search.service import refreshed
from memoria.text.numbers import counted
from memoria.vault import article
from memoria.vault import index as catalog
from memoria.vault.slugs import numbered, slug
from memoria.vault.storage import clock, disk

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from memoria.rules.model import Rule
    from memoria.vault.transaction import Transaction
    from memoria.workspace import Workspace

_DATED = re.compile(r"(\d{4}-\d\d-\d\d)-(.+)\.md")
_MOST_BYTES = 4 << 20  # as much as an entry that a person writes may have
_SHOWN = 5  # files that were left, by name
_HEAD = 4_096  # characters that hold the frontmatter of an entry


@dataclass
class Arrived:
    """What came in; `asked` are rules that were promoted elsewhere and wait here.

    `known` counts files that had come in before, `lost` decisions whose words are in no entry.
    """

    entries: list[str] = field(default_factory=list)
    known: int = 0
    asked: list[str] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    lost: int = 0
    problems: list[str] = field(default_factory=list)


def buildlog(path: Path) -> Path | None:
    """Find the buildlog folder that is named or lies inside; None where there is none.

    Raises UsageError for a folder with daily/ and knowledge/: it is a vault already.
    """
    if (path / "daily").is_dir() and (path / "knowledge").is_dir():
        raise UsageError(
            f"{path} is a vault already: `memoria init {path}` takes it as it is, "
            f"`memoria lint --vault {path}` checks it"
        )
    for folder in (path, path / "buildlog"):
        if (folder / ".buildlog").is_dir() or any(_entries(folder)):
            return folder
    return None


def _entries(folder: Path) -> list[Path]:
    return sorted(one for one in folder.glob("*.md") if _DATED.fullmatch(one.name))


def bring(work: Workspace, folder: Path) -> Arrived:
    """Bring a buildlog's entries and decisions into the vault, as one step."""
    done = Arrived()
    with work.vault.step("import"):
        with work.vault.changing() as change:
            marks = _marks(work)
            for path in _entries(folder):
                _put(work, change, path, marks, done)
            _note(work, change, folder.name, done)
        _decide(work, folder / ".buildlog", done)
    refreshed(work)
    return done


def tell(work: Workspace, done: Arrived, *, as_json: bool) -> int:
    """Say what came in; give the exit code."""
    if as_json:
        terminal.data(asdict(done))
        return 1 if done.problems else 0
    came = counted(len(done.entries), "entry", "entries") if done.entries else "nothing new"
    again = f"; {counted(done.known, 'file')} known from before" if done.known else ""
    work.terminal.say(f"From a buildlog: {came}{again}.")
    if done.asked or done.rejected or done.lost:
        lost = f", {done.lost} whose words are in no entry" if done.lost else ""
        work.terminal.say(
            f"Decided there: {len(done.asked)} promoted (they wait for your word here), "
            f"{len(done.rejected)} rejected (rejected here, too){lost}."
        )
    for problem in done.problems[:_SHOWN]:
        work.terminal.warn(f"  left: {problem}")
    return 1 if done.problems else 0


def _put(work: Workspace, change: Transaction, path: Path, marks: set[str], done: Arrived) -> None:
    """Put in one entry, unless one was made of the same text before."""
    match = _DATED.fullmatch(path.name)
    text = _text(work, path, done)
    if not match or not slug(match[2]) or not text:
        return
    if arrival.mark(text) in marks:
        done.known += 1
        return
    for name in numbered(f"{match[1]}-import-{slug(match[2])}"):
        if not (work.vault.daily / f"{name}.md").exists() and name not in done.entries:
            change.put_entry(name, arrival.entry(text))
            done.entries.append(name)
            return


def _text(work: Workspace, path: Path, done: Arrived) -> str:
    """Read a file through the gate; one that is a link or cannot be read is named and left."""
    try:
        if path.is_symlink():
            done.problems.append(f"{path.name}: a link")
            return ""
        return gate.clean(disk.text(path, _MOST_BYTES)[0], work.settings.secrets)
    except (VaultError, OSError) as error:
        done.problems.append(f"{path.name}: {getattr(error, 'strerror', None) or error}")
        return ""


def _note(work: Workspace, change: Transaction, name: str, done: Arrived) -> None:
    """Note in the ledger and in log.md what came in."""
    if not done.entries:
        return
    now = clock.now(work.settings.zone)
    wrote = dict(change.wrote)
    change.record({"kind": "wrote", "at": now.isoformat(timespec="seconds"), "wrote": wrote})
    links = catalog.links(f"daily/{one}" for one in done.entries)
    lines = ["From: a buildlog", f"Entries: {links}"]
    change.append_log(catalog.log_entry(now, "import", name, lines))


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


def _decide(work: Workspace, state: Path, done: Arrived) -> None:
    """Carry over what was rejected, and ask about what was promoted."""
    promoted, rejected = (
        arrival.skill_ids(_text(work, path, done) if path.is_file() else "")
        for path in (state / "promoted.json", state / "rejected.json")
    )
    others = {one.id: one for one in map(as_rule, skillset(work).skills)}
    have = {one.id for one in rulebook(work).rules}
    done.lost = len({*promoted, *rejected} - (others.keys() | have))
    done.rejected = [name for name in rejected if name in others and name not in have]
    if done.rejected:
        decide(work, [Ruling(name, "rejected", "import") for name in done.rejected])
    asked = [others[name] for name in promoted if name in others and name not in have]
    if asked:
        with work.vault.changing() as change:
            _ask(work, asked, change)
        done.asked = [one.id for one in asked]


def _ask(work: Workspace, rules: Iterable[Rule], change: Transaction) -> None:
    """Make notes that say active without this machine's approval: review asks about them."""
    taken = set(work.vault.articles.paths())
    for one in rules:
        note = article.with_meta(drafted(one, taken), {"status": "active"})
        taken.add(note.path)
        change.put_article(note)
    change.put_index(work.vault.history().written)
