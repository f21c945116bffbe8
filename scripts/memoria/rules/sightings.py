"""Add to a rule's note what a session or a written entry says of it, and take it out again.

A note keeps each session once, the quotes with their links, and every wording as an alias. Only the
user's own words that say that they last make a note active.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from memoria.capture.extract.user.statements import FOUND
from memoria.rules.guards.check import NOTE_KEY, check_to_json
from memoria.rules.guards.from_text import derive_check, read_proposed
from memoria.rules.model import SECTIONS, Rule, confidence, normal, read_rule, rule_id
from memoria.rules.own_words import is_in_own_words
from memoria.rules.rulebook import retitle
from memoria.text.markdown import make_inert
from memoria.vault.article import Article, with_body, with_meta
from memoria.vault.citations import cite, parse_citations
from memoria.vault.entry import Statement


@dataclass(frozen=True, slots=True)
class Sighting:
    """A statement with its session: when, where and in which entry the user said it.

    `source` is the file that shows it, as links have it; the day's log where none is given. `check`
    is what an engine proposed to guard it with, as JSON, "" for none.
    """

    statement: Statement
    day: date
    project: str
    session: str
    entry: str
    source: str = ""
    check: str = ""

    @property
    def link(self) -> str:
        """Give the target of a link to the entry in it."""
        return self.source or cite(self.day, self.entry).target


def list_wordings(note: Article) -> list[str]:
    """Give all wordings of a rule, normalised: its title, the one it was made with, aliases."""
    names = (note.title, str(note.meta.get("title") or ""), *note.names("aliases"))
    return [normal(name) for name in names if name]


def read_known(note: Article) -> Rule:
    """Read the rule of a note that is known to be one."""
    rule = read_rule(note)
    assert rule is not None  # noqa: S101 - a note this stage made or updated is a rule's
    return rule


def add_check(note: Article, sighting: Sighting) -> Article:
    """Give a note the check that a compile proposes for a rule which the flush made without one."""
    old_check, check = read_known(note).check, read_proposed(sighting.check)[0]
    # what differs from what its words ask for is a person's, or an earlier proposal
    is_open = NOTE_KEY not in note.meta or old_check == derive_check(note.title)
    if check is None or check == old_check or not is_open:
        return note
    return with_meta(note, {NOTE_KEY: check_to_json(check)})


def add_sighting(note: Article, sighting: Sighting) -> Article:
    """Add a sighting to a note: its session, project, day and quote, and what it decides."""
    claim, scope, earlier = sighting.statement, note.names("scope"), note.names("sessions")
    session = sighting.session[:8] or sighting.entry
    source = sighting.source or f"daily/{sighting.day}"
    # only what the user said in these words is a session that said it
    is_said = is_in_own_words(claim.text, claim.quote)
    sessions = _add_name(earlier, session if is_said else "")
    is_activated = is_lasting(claim) and _is_open(note, sighting.day, is_new=session not in earlier)
    note = _add_wording(note, claim, reword=is_activated)
    if session in earlier and not is_activated:
        return note
    changes: dict[str, object] = {
        "frequency": max(1, len(sessions)),
        "confidence": confidence(len(sessions)),
        # a rule without a scope holds everywhere, and goes on to
        "scope": _add_name(scope, sighting.project) if scope else [],
        "sessions": sessions,
        "sources": _add_name(note.names("sources"), f"{source}.md"),
    }
    if is_activated:
        changes |= {key: "" for key in ("superseded_by", "closed") if key in note.meta}
        changes["status"] = "active"
    if str(note.meta.get("updated") or "") < sighting.day.isoformat():
        changes["updated"] = sighting.day
    note = with_meta(note, changes)
    # the same words on another day are another line, since they count again
    line = f'- "{make_inert(claim.quote)}" ([[{sighting.link}]])'
    lines = note.section("Evidence").strip().splitlines()
    if line in lines:
        return note
    return with_body(note, "Evidence", "\n".join([*lines, line]), SECTIONS)


def _is_open(note: Article, day: date, *, is_new: bool) -> bool:
    """Whether a statement can bring a rule in force: it waits, or only a later one overruled it."""
    # the word itself: an unknown one may be a person's way to switch a rule off
    status = str(note.meta.get("status") or "waiting").strip().lower()
    is_overruled = status == "retired" and bool(note.meta.get("superseded_by"))
    is_after = is_new and str(note.meta.get("closed")) <= str(day)
    return status == "waiting" or (is_overruled and is_after)


def keep_evidence(note: Article, lines: Sequence[str]) -> Article:
    """Leave a rule these lines of its evidence alone, with their sources and sessions."""
    old_links, links = (
        {f"{citation.note}.md" for citation in parse_citations(text)}
        for text in (note.section("Evidence"), "\n".join(lines))
    )
    gone = old_links - links
    # a written entry's name is its session
    names = {name.removeprefix("daily/") for name in gone}
    sessions = [name for name in note.names("sessions") if name not in names]
    changes: dict[str, object] = {
        "frequency": max(1, len(sessions)),
        "confidence": confidence(len(sessions)),
        "sessions": sessions,
        "sources": [name for name in note.names("sources") if name not in gone],
    }
    return with_body(with_meta(note, changes), "Evidence", "\n".join(lines), SECTIONS)


def _add_wording(note: Article, claim: Statement, *, reword: bool) -> Article:
    """Keep another wording: as the rule's own where it brings it in force, else as an alias.

    A title that a person has changed is theirs, and stays.
    """
    if normal(claim.text) in list_wordings(note):
        return note
    aliases, title = note.names("aliases"), str(note.meta.get("title"))
    is_first = rule_id(read_known(note).category, title) == note.meta.get("id")
    if reword and is_first and note.title == make_inert(title):
        return retitle(note, claim.text, _add_name(aliases, title))
    return with_meta(note, {"aliases": _add_name(aliases, claim.text)})


def is_approved(note: Article, claim: Statement) -> bool:
    """Whether a sighting is enough to bring the note's text in force on this machine."""
    is_active = read_known(note).status == "active"
    return has_title(note, claim) and is_lasting(claim) and is_active


def has_title(note: Article, claim: Statement) -> bool:
    """Whether a statement has the words of a note's title."""
    title, text = (" ".join(t.lower().split()) for t in (note.title, make_inert(claim.text)))
    return title == text


def is_lasting(claim: Statement) -> bool:
    """Whether the user's own words say for sure that the rule is to last."""
    is_sure = claim.standing and claim.score >= FOUND
    return is_sure and is_in_own_words(claim.text, claim.quote)


def _add_name(names: tuple[str, ...], name: str) -> list[str]:
    return [*names, name] if name and name not in names else list(names)
