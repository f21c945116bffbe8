"""Find the rules of a vault by id, and change them by a person's decision: the one way to do so.

Notes, this machine's approvals, the index and the ledger change in one transaction, so that a rule
is never half approved.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from memoria.errors import UsageError
from memoria.rules.guards.check import NOTE_KEY, check_to_json
from memoria.rules.model import (
    SECTIONS,
    Approval,
    age_confidence,
    as_approved,
    is_in_force,
    normal,
    read_noted,
    read_rule,
    text_hash,
)
from memoria.text.markdown import make_inert
from memoria.text.numbers import format_count
from memoria.text.restored import restore_record
from memoria.vault import index
from memoria.vault.article import Article, compose_article, with_body, with_meta, with_title
from memoria.vault.file_names import slugify
from memoria.vault.storage import clock
from memoria.vault.storage.state import State, encode_json

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from memoria.rules.model import Approvals, Rule, Status
    from memoria.vault.store import Vault
    from memoria.vault.transaction import Transaction
    from memoria.workspace import Workspace

# of an id: what a person types to mean one of a few hundred rules ("wf-3a")
_MIN_ID_CHARS = 4


@dataclass(frozen=True, slots=True)
class Rulebook:
    """The rules of a vault with this machine's approvals.

    `others` gives the rules without a note, when they are asked for.
    """

    rules: tuple[Rule, ...]
    approvals: Approvals
    others: Callable[[], Iterable[Rule]] = field(default=tuple)

    def find(self, name: str) -> Rule:
        """Find a rule by its id or the start of its id; else UsageError."""
        prefix = name.strip().lower()
        if rule := _find_by_prefix(prefix, self.rules):
            return rule
        ids = {rule.id for rule in self.rules}
        unnoted = [rule for rule in self.others() if rule.id not in ids]
        if rule := _find_by_prefix(prefix, unnoted):
            return rule
        from difflib import get_close_matches  # noqa: PLC0415 - for a wrong id alone

        matches = get_close_matches(prefix, [rule.id for rule in (*self.rules, *unnoted)], 1)
        hint = f"did you mean {matches[0]}?" if matches else "`memoria status` lists them"
        if len(prefix) < _MIN_ID_CHARS:
            hint = f"type at least {_MIN_ID_CHARS} characters of its id"
        raise UsageError(f"there is no rule {name!r}; {hint}")

    def age_confidences(self, today: date) -> Rulebook:
        """Give the rulebook with the confidence that its rules have as of a day."""
        return replace(self, rules=tuple(age_confidence(rule, today) for rule in self.rules))

    def is_in_force(self, rule: Rule) -> bool:
        """Whether a rule may be injected on this machine."""
        return is_in_force(rule, self.approvals)

    def alike(self, text: str) -> tuple[Rule | None, tuple[Rule, ...]]:
        """Find the rule that says the same as a text, and those that say the opposite."""
        from memoria.rules.merge.groups import Index  # noqa: PLC0415 - its tables take .3 s to load

        words = normal(text)
        equal = (rule for rule in self.rules if words in map(normal, (rule.text, *rule.aliases)))
        index = Index(rule.text for rule in self.rules)
        match = index.match(text)
        matched = self.rules[match.place] if match else None
        return next(equal, matched), tuple(self.rules[at] for at in sorted(index.opposites(text)))


def _find_by_prefix(prefix: str, rules: Sequence[Rule]) -> Rule | None:
    """Find the only rule whose id begins so; UsageError where several do."""
    matches = [rule for rule in rules if rule.id.startswith(prefix)]
    if len(prefix) < _MIN_ID_CHARS or not matches:
        return None
    if len(matches) > 1:
        names = ", ".join(rule.id for rule in matches[:3])
        raise UsageError(f"{prefix!r} begins several rules' ids: {names}")
    return matches[0]


def rulebook(work: Workspace, new: Sequence[Rule] = ()) -> Rulebook:
    """Read the rules of the vault's notes and this machine's approvals.

    Without a note are `new`, else what `memoria skills` found and what agents propose.
    """

    def others() -> Sequence[Rule]:
        from memoria.rules.review.waiting import list_unnoted  # noqa: PLC0415 - it merges

        return new or list_unnoted(work)

    approvals = read_approvals(work.vault.state)
    return Rulebook(as_approved(read_noted(work.vault.articles), approvals), approvals, others)


def read_approvals(state: State) -> dict[str, Approval]:
    """Read this machine's approvals by the id of the rule."""
    values = state.read_json(state.approvals)
    found = {name: restore_record(Approval, value) for name, value in values.items()}
    return {name: approval for name, approval in found.items() if approval}


def format_approvals(approvals: Approvals) -> bytes:
    """Give the file of approvals."""
    return encode_json({name: asdict(approval) for name, approval in approvals.items()})


def decide(
    work: Workspace, rulings: Iterable[Ruling], *, new: Sequence[Rule] = ()
) -> tuple[Rule, ...]:
    """Carry out decisions in one step that `memoria undo` can take back; give the rules after it.

    `new` are rules without a note that the decisions may speak of. UsageError where a rule does not
    exist, and then nothing has changed.
    """
    now = clock.now(work.settings.zone)
    with work.vault.open_transaction() as change:
        book, notes = rulebook(work, new), dict[str, Article]()
        decisions = [(one, _rule_on(work, book, notes, one, now.date())) for one in rulings]
        for note in notes.values():
            change.put_article(note)
        approvals = dict(book.approvals)
        for ruling, rule in decisions:
            approvals.pop(rule.id, None)
            if ruling.approves:
                approvals[rule.id] = Approval.of(rule)
        if list(approvals.items()) != list(book.approvals.items()):
            change.put_state(work.vault.state.approvals, format_approvals(approvals))
        _record_decisions(work.vault, decisions, change, now)
    return tuple(rule for _, rule in decisions)


def _rule_on(
    work: Workspace, book: Rulebook, notes: dict[str, Article], ruling: Ruling, today: date
) -> Rule:
    """Work a decision into the rule's note among `notes`; give the rule as it is to hold."""
    rule, articles = book.find(ruling.id), work.vault.articles
    if ruling.seen and text_hash(rule.text) != ruling.seen:
        raise UsageError(f"the words of {rule.id} were changed just now; look at it again")
    note = notes.get(rule.id) or (rule.path and articles.get(rule.path))
    note = note or draft_note(rule, articles.paths())
    note = notes[rule.id] = apply_ruling(note, ruling, today)
    ruled = read_rule(note)
    assert ruled is not None  # noqa: S101 - the note was made or read as a rule's
    # where nothing else was decided it holds as it did: a pull may have widened its note
    scope = rule.scope if ruling.scope is None else ruled.scope
    return replace(ruled, scope=scope, pinned=ruled.pinned and (ruling.pinned or rule.pinned))


def _record_decisions(
    vault: Vault, decisions: Sequence[tuple[Ruling, Rule]], change: Transaction, now: datetime
) -> None:
    """Record decisions in the ledger, the index and log.md."""
    at, lines = now.isoformat(timespec="seconds"), []
    for ruling, rule in decisions:
        change.record(record(at, ruling, rule))
        lines.append(f"{ruling.status}: {index.format_links([rule.path])}")
    record_written(vault, change, at)
    if lines:
        change.label = decisions[0][0].by
        count = format_count(len(lines), "rule")
        change.append_log(index.format_log_entry(now, change.label, count, lines))


def record_written(vault: Vault, change: Transaction, at: str) -> None:
    """Put the index, and record which notes are Memoria's; what a person edited stays theirs."""
    articles, written_shas = vault.articles, vault.history().written
    change.put_index(written_shas)
    own_files = {
        path: sha
        for path, sha in change.wrote.items()
        if not articles.sha(path) or articles.sha(path) == written_shas.get(path)
    }
    change.record({"kind": "wrote", "at": at, "wrote": own_files})


# -- Decisions in notes: one that is closed stays, so that it is not learned again as new ----------

By = Literal["review", "promote", "remember", "reject", "retire", "compile", "import", "trust"]


class Ruling(NamedTuple):
    """A decision about one rule.

    `text` is its new wording, "" to leave it. `superseded_by` is the id of the rule which overrules
    it (status retired). `scope` None leaves it; () is everywhere. `seen` is the hash of the words
    that the person was shown, "" where they were not: a note that was changed since is not decided
    about. `pinned` pins it; a rule that is pinned stays so until it is rejected or retired.
    """

    id: str
    status: Status
    by: By
    text: str = ""
    superseded_by: str = ""
    scope: tuple[str, ...] | None = None
    seen: str = ""
    pinned: bool = False

    @property
    def approves(self) -> bool:
        """Whether it brings its rule in force on this machine."""
        return self.status == "active"


def apply_ruling(note: Article, ruling: Ruling, today: date) -> Article:
    """Write a decision into a rule's note."""
    if ruling.text and make_inert(ruling.text) != note.title:
        aliases = list(note.names("aliases"))
        if normal(ruling.text) != normal(note.title):
            aliases = [name for name in aliases if normal(name) != normal(ruling.text)]
            aliases = list(dict.fromkeys([*aliases, str(note.meta.get("title") or note.title)]))
        note = retitle(note, ruling.text, aliases)
    changes: dict[str, object] = {"status": ruling.status, "updated": today}
    if ruling.pinned or (note.meta.get("pinned") and not ruling.approves):
        changes["pinned"] = ruling.approves
    if ruling.scope is not None:
        changes["scope"] = list(ruling.scope)
    if ruling.superseded_by:
        changes |= {"superseded_by": ruling.superseded_by, "closed": today}
    elif ruling.approves:
        changes |= {key: "" for key in ("superseded_by", "closed") if key in note.meta}
    return with_meta(note, changes)


def retitle(note: Article, text: str, aliases: list[str]) -> Article:
    """Give a note another text, in its frontmatter and its heading."""
    return with_title(with_meta(note, {"title": text, "aliases": aliases}), make_inert(text))


def draft_note(rule: Rule, used_paths: Collection[str]) -> Article:
    """Make the note of a rule that had none; `used_paths` are paths that are not free."""
    path = f"rules/{slugify(rule.text) or rule.id}"
    return build_rule_note(rule, f"{path}-{rule.id[-6:]}" if path in used_paths else path)


def build_rule_note(rule: Rule, path: str) -> Article:
    """Write a rule as a note at that path.

    Where it has no check it gets the one that its words ask for; a person switches it on.
    """
    from memoria.rules.guards.from_text import derive_check  # noqa: PLC0415 - for new notes alone

    check = rule.check or derive_check(rule.text)
    meta: dict[str, object] = {
        "id": rule.id,
        "title": rule.text,
        "category": rule.category,
        "status": rule.status,
        "frequency": rule.frequency,
        "confidence": rule.confidence,
        "scope": list(rule.scope),
        "sessions": list(rule.sessions),
        "aliases": list(rule.aliases),
        "tags": ["rule", *rule.tags],
        "sources": list(rule.sources),
        "created": _parse_day(rule.created),
        "updated": _parse_day(rule.updated),
    }
    meta |= {"pinned": True} if rule.pinned else {}
    meta |= {NOTE_KEY: check_to_json(check)} if check else {}
    note = compose_article(path, "rule", meta, make_inert(rule.text), "")
    return with_body(note, "Evidence", "\n".join(rule.quotes), SECTIONS) if rule.quotes else note


def record(at: str, ruling: Ruling, rule: Rule) -> dict[str, Any]:
    """Make the ledger's record of a decision (`kind` "rule")."""
    return {
        "kind": "rule",
        "at": at,
        "id": rule.id,
        "status": rule.status,
        "by": ruling.by,
        "hash": text_hash(rule.text),
        "superseded_by": ruling.superseded_by,
    }


def _parse_day(text: str) -> date | str:
    """Give a day as YAML has it, bare; what is none stays text."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return text
