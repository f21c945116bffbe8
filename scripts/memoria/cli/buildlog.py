"""Take in a buildlog's entries and decisions (`memoria import --from DIR`).

One step brings all of it or nothing, and the same folder a second time changes nothing. Nobody can
tell who wrote a buildlog, an agent or a person: every entry says `origin: buildlog` and counts as
others' words. A decision that was made elsewhere is no approval on this machine: promoted rules
wait in `memoria review`, and rejected ones are rejected here where a person drives the import.
"""

import re
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from memoria import terminal
from memoria.errors import UsageError, VaultError
from memoria.privacy import clean
from memoria.rules.rulebook import Ruling, decide, draft_note, rulebook
from memoria.rules.skills import find_skills
from memoria.search.service import refresh_index
from memoria.text.json_text import read_object, texts_at
from memoria.text.numbers import format_count
from memoria.vault import article, index
from memoria.vault.file_names import generate_numbered_names, slugify
from memoria.vault.storage import clock, disk
from memoria.vault.transaction import Transaction
from memoria.workspace import Workspace

_DATED = re.compile(r"(\d{4}-\d\d-\d\d)-(.+)\.md")
_MOST_BYTES = 4 << 20  # as much as an entry that a person writes may have
_SHOWN = 5  # files that were left, by name
_HEAD = 4_096  # characters that hold the frontmatter of an entry


@dataclass
class BuildlogImport:
    """What came in; `asked` are rules that were promoted elsewhere and wait here."""

    entries: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def find_folder(path: Path) -> Path | None:
    """Find the buildlog folder that is named or lies inside; None where there is none.

    Raises UsageError for a folder with daily/ and knowledge/: it is a vault already.
    """
    if (path / "daily").is_dir() and (path / "knowledge").is_dir():
        raise UsageError(
            f"{path} is a vault already: `memoria init {path}` takes it is, "
            f"`memoria lint --vault {path}` checks it"
        )
    for folder in (path, path / "buildlog"):
        if (folder / ".buildlog").is_dir() or _list_entries(folder):
            return folder
    return None


def _list_entries(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.md") if _DATED.fullmatch(path.name))


def import_folder(work: Workspace, folder: Path) -> BuildlogImport:
    """Bring a buildlog's entries and decisions into the vault, as one step."""
    outcome = BuildlogImport()
    with work.vault.step("import"):
        with work.vault.open_transaction() as change:
            marks = _read_marks(work)
            for path in _list_entries(folder):
                _put_entry(work, change, path, marks, outcome)
            if outcome.entries:
                now, hashes = clock.now(work.settings.zone), dict(change.wrote)
                at = now.isoformat(timespec="seconds")
                change.record({"kind": "wrote", "at": at, "wrote": hashes})
                links = index.format_links(f"daily/{entry}" for entry in outcome.entries)
                lines = ["From: a buildlog", f"Entries: {links}"]
                change.append_log(index.format_log_entry(now, "import", folder.name, lines))
        _import_decisions(work, folder / ".buildlog", outcome)
    refresh_index(work)
    return outcome


def print_outcome(work: Workspace, outcome: BuildlogImport, *, as_json: bool) -> int:
    """Say what came in; give the exit code."""
    if as_json:
        terminal.print_json(asdict(outcome))
        return 1 if outcome.problems else 0
    count = len(outcome.entries)
    entries = format_count(count, "entry", "entries") if count else "nothing new"
    work.terminal.say(f"From a buildlog: {entries}.")
    if outcome.asked or outcome.rejected:
        work.terminal.say(
            f"Decided there: {len(outcome.asked)} promoted (they wait for your word here), "
            f"{len(outcome.rejected)} rejected (rejected here, too)."
        )
    for problem in outcome.problems[:_SHOWN]:
        work.terminal.warn(f"  left: {problem}")
    return 1 if outcome.problems else 0


def _put_entry(
    work: Workspace, change: Transaction, path: Path, marks: set[str], outcome: BuildlogImport
) -> None:
    """Put in one entry, unless one was made of the same text before."""
    match, text = _DATED.fullmatch(path.name), _read_text(work, path, outcome)
    if not match or not slugify(match[2]) or not text or format_mark(text) in marks:
        return
    for name in generate_numbered_names(f"{match[1]}-import-{slugify(match[2])}"):
        if not (work.vault.daily / f"{name}.md").exists() and name not in outcome.entries:
            change.put_entry(name, format_entry(text))
            outcome.entries.append(name)
            return


def _read_text(work: Workspace, path: Path, outcome: BuildlogImport) -> str:
    """Read a file through the gate; one that is a link or cannot be read is named and left."""
    try:
        if not path.is_symlink():
            return clean.clean_value(disk.read_text(path, _MOST_BYTES)[0], work.settings.secrets)
        outcome.problems.append(f"{path.name}: a link")
    except (VaultError, OSError) as error:
        outcome.problems.append(f"{path.name}: {getattr(error, 'strerror', None) or error}")
    return ""


def _read_marks(work: Workspace) -> set[str]:
    """Give the marks of the texts that came in before."""
    marks = set()
    for name in work.vault.pages()[0]:
        with suppress(VaultError):  # a person's own, which distill names
            head = work.vault.page(name).text[:_HEAD]
            marks |= {line for line in head.splitlines() if line.startswith("session: ")}
    return marks


def _import_decisions(work: Workspace, state: Path, outcome: BuildlogImport) -> None:
    """Carry over what was rejected, and ask about what was promoted."""
    promoted, rejected = (
        parse_skill_ids(_read_text(work, path, outcome) if path.is_file() else "")
        for path in (state / "promoted.json", state / "rejected.json")
    )
    known_ids = {rule.id for rule in rulebook(work).rules}
    new_rules = {rule.id: rule for rule in find_skills(work).skills if rule.id not in known_ids}
    new_rejected = [name for name in rejected if name in new_rules]
    if new_rejected and not work.driver().is_person:
        rules = format_count(len(new_rejected), "rejected rule")
        outcome.problems.append(f"{rules}: import again at a terminal of your own to reject here")
        new_rejected = []
    outcome.rejected = new_rejected
    decide(work, [Ruling(name, "rejected", "import") for name in outcome.rejected])
    outcome.asked = [name for name in promoted if name in new_rules]
    if outcome.asked:
        paths = set(work.vault.articles.paths())
        with work.vault.open_transaction() as change:
            for name in outcome.asked:
                # a note that says active without this machine's approval: review asks about it
                note = article.with_meta(draft_note(new_rules[name], paths), {"status": "active"})
                paths.add(note.path)
                change.put_article(note)
            change.put_index(work.vault.history().written)


# -- Its files -------------------------------------------------------------------------------------


def format_mark(text: str) -> str:
    """Give the frontmatter line by which an entry made of this text is known again.

    The hash is blind to white space.
    """
    return f"session: {disk.sha(' '.join(text.split()).encode('utf-8', 'replace'))}"


def format_entry(text: str) -> str:
    """Give a buildlog's entry as this vault's, the whole text below where it is from."""
    return f"---\norigin: buildlog\n{format_mark(text)}\n---\n\n{text}"


def parse_skill_ids(text: str) -> tuple[str, ...]:
    """Read the rule ids of a promoted.json or rejected.json; a file that is none holds no id."""
    return texts_at(read_object(text), "skill_ids")
