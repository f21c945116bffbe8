"""Make or add to the notes of the rules that the user stated.

Only the user's own words can put a rule in force without a review, and only if they say that they
last: an order that returns is a habit, and waits. What this machine saw said is what is approved.
Another wording of a known rule joins it (rules/merge/groups.py), so that it is counted and not kept
twice. A model may quote the user truly and propose a rule that says something else, so what it says
is compared, too; and a wording may join only a rule that the user is known to have said, or a
model's words would come in force by his.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, count
from types import MappingProxyType
from typing import NamedTuple

from memoria.capture.extract.user.statements import WEAK, parse_statement
from memoria.capture.provenance.origins import fold_words
from memoria.rules.guards.from_text import read_proposed
from memoria.rules.model import (
    Approvals,
    Rule,
    build_rule,
    is_in_force,
    normal,
    read_rule,
    rule_id,
)
from memoria.rules.own_words import is_in_own_words
from memoria.rules.rulebook import build_rule_note
from memoria.rules.sightings import (
    Sighting,
    add_check,
    add_sighting,
    has_title,
    is_approved,
    is_lasting,
    list_wordings,
    read_known,
)
from memoria.text.word_overlap import stems
from memoria.vault.article import Article
from memoria.vault.citations import parse_quote
from memoria.vault.entry import Statement
from memoria.vault.file_names import generate_numbered_names, slugify

# texts of the rules that a wording could join, by path -> the path that it says the same as
Alike = Callable[[str, Mapping[str, str]], str]

# of a wording's content words: what the user said has so many, in some form
_MIN_STEM_SHARE = 0.4
_MIN_STEMS = 2  # a single word is a whole sentence in some scripts


@dataclass(frozen=True, slots=True)
class Learned:
    """A rule's note after new sightings, and the scope in which what was said approves it here.

    None where it approves nothing. Of a note from elsewhere it is where the user said it.
    """

    article: Article
    rule: Rule
    approved_scope: tuple[str, ...] | None = None

    @property
    def is_approved(self) -> bool:
        """Whether what was said approves the rule on this machine."""
        return self.approved_scope is not None


class NoteOrigins(NamedTuple):
    """What this machine knows of the notes: a pull can bring one that claims what a user will say.

    `written` has the hash of each note as this machine wrote it last, None where all are its own;
    `decided` are the ids of the rules that the person has decided about here.
    """

    written: Mapping[str, str] | None = None
    approvals: Approvals = MappingProxyType({})
    decided: Collection[str] = ()

    def is_foreign(self, note: Article) -> bool:
        """Whether this machine did not write a note as it is."""
        return self.written is not None and note.sha != self.written.get(note.path)


_ALL_OWN = NoteOrigins()


def add_sightings(
    notes: Mapping[str, Article],
    sightings: Iterable[Sighting],
    *,
    used: Collection[str] = (),
    alike: Alike = lambda _text, _titles: "",
    origins: NoteOrigins = _ALL_OWN,
) -> tuple[Learned, ...]:
    """Make or update the notes of the rules that were sighted; each sighting counts once.

    They are given in the order in which they were last said.
    `notes` are the existing rule notes by path, `used` further paths that no new note may have.
    Sightings are the same rule when their normalised words are, also those that it had before a
    person reworded the note, and when `alike` says so; of a note from elsewhere its own words count
    alone, and what is to last joins it in these very words or not at all.
    """
    rule_notes = _NotedRules(notes, used, alike, origins)
    for sighting in sightings:
        rule_notes.add(sighting)
    return rule_notes.list_learned()


class _NotedRules:
    """The rules' notes while sightings are added to them, and where each rule is found."""

    def __init__(
        self,
        notes: Mapping[str, Article],
        used: Collection[str],
        alike: Alike,
        origins: NoteOrigins,
    ) -> None:
        self._origins = origins
        self._before = notes
        self._foreign = {path for path, note in notes.items() if origins.is_foreign(note)}
        self._taken = {*used, *notes}
        self._alike = alike
        self._notes: dict[str, Article] = {}
        self._approved: dict[str, tuple[str, ...]] = {}
        # paths by a wording, by id, and by a quote: to go through all notes for each sighting takes
        # minutes where an entry has a thousand
        self._by_words: dict[str, str] = {}
        self._by_id: dict[str, str] = {}
        self._by_quote: defaultdict[str, list[str]] = defaultdict(list)
        # titles of the rules that a session is known to have said
        self._said: dict[str, str] = {}
        for path in sorted(notes, key=lambda path: (path in self._foreign, path)):
            self._read_in(path, notes[path])

    def _read_in(self, path: str, note: Article) -> None:
        rule = read_rule(note)
        if rule and rule.id not in self._by_id:
            self._by_id[rule.id] = path
            for words in list_wordings(note):
                self._by_words.setdefault(words, path)
            for line in note.section("Evidence").splitlines():
                self._by_quote[normal(parse_quote(line).words)].append(path)
            self._put(path, note)

    def _put(self, path: str, note: Article) -> None:
        self._notes.pop(path, None)
        self._notes[path] = note  # in the order in which they were said
        if note.names("sessions") and self._is_known(path, read_known(note)):
            self._said[path] = note.title

    def _is_known(self, path: str, rule: Rule) -> bool:
        return path not in self._foreign or rule.id in self._origins.decided

    def add(self, sighting: Sighting) -> None:
        claim = sighting.statement
        words = normal(claim.text)
        if not words:
            return
        candidates = filter(None, self._list_candidates(sighting))
        path = next((path for path in candidates if self._may_join(path, claim)), "")
        path = path or self._free_path(claim)
        if not path:
            return  # a note that a person has made something else of
        self._by_words[words] = path
        note = self._notes.get(path) or self._new_note(path, sighting)
        note = add_check(add_sighting(note, sighting), sighting)
        self._put(path, note)
        self._by_quote[normal(claim.quote)].append(path)
        if is_approved(note, claim):
            own_scope = (*self._approved.get(path, ()), *filter(None, [sighting.project]))
            is_foreign = path in self._foreign
            self._approved[path] = own_scope if is_foreign else note.names("scope")

    def _list_candidates(self, sighting: Sighting) -> Iterator[str | None]:
        """Give the notes that a statement may join: those of its words, its id and its quote."""
        claim = sighting.statement
        yield self._by_words.get(normal(claim.text))
        yield self._by_id.get(rule_id(claim.category, claim.text))
        yield self._find_quoted_rule(sighting)
        # the rule that says the same in other words, one that the user himself has said
        if self._said and is_in_own_words(claim.text, claim.quote):
            yield self._alike(claim.text, self._said)

    def _may_join(self, path: str, claim: Statement) -> bool:
        """Whether a note from elsewhere says the same, and keeps no rule from coming in force."""
        if path not in self._foreign:
            return True
        note, identity = self._notes[path], rule_id(claim.category, claim.text)
        # words that the person decided about here, and may have reworded in the note
        is_decided = identity in self._origins.decided and self._by_id.get(identity) == path
        is_title = normal(note.title) == normal(claim.text)
        if not (is_decided or is_title or self._alike(claim.text, {path: note.title})):
            return False
        rule = read_known(note)
        is_kept = is_decided or rule.is_closed or is_in_force(rule, self._origins.approvals)
        return is_kept or not is_lasting(claim) or has_title(note, claim)

    def _find_quoted_rule(self, sighting: Sighting) -> str:
        """Find the rule that was made of this statement already, which a model words otherwise.

        To share the quote is not enough: a model can quote truly and propose something else.
        """
        claim = sighting.statement
        words = normal(claim.quote)
        titles = {
            path: self._notes[path].title
            for path in dict.fromkeys(self._by_quote.get(words, ()))
            for line in self._notes[path].section("Evidence").splitlines()
            if sighting.link in line and normal(parse_quote(line).words) == words
        }
        return self._alike(claim.text, titles) if titles else ""

    def _free_path(self, claim: Statement) -> str:
        """Name the note of a new rule, "" where its own was made something else here."""
        identity = rule_id(claim.category, claim.text)
        first = f"rules/{slugify(claim.text) or identity}"
        written = self._origins.written
        is_own = written is None or first in written
        if is_own and first in self._before and first not in self._notes:
            return ""
        names = chain([first], generate_numbered_names(f"{first}-{identity[-6:]}"))
        return next(name for name in names if name not in self._taken and name not in self._notes)

    def _new_note(self, path: str, sighting: Sighting) -> Article:
        """Make the note of a new rule, with an id that no other has taken."""
        claim, scope = sighting.statement, (sighting.project,) if sighting.project else ()
        words = chain([claim.text], (f"{claim.text} ({number})" for number in count(2)))
        ids = (rule_id(claim.category, text) for text in words)
        identity = next(name for name in ids if name not in self._by_id)
        self._by_id[identity] = path
        rule = build_rule(claim.category, claim.text, scope, str(sighting.day))
        rule = replace(rule, id=identity, check=read_proposed(sighting.check)[0])
        return build_rule_note(rule, path)

    def list_learned(self) -> tuple[Learned, ...]:
        return tuple(
            Learned(note, read_known(note), self._approved.get(path))
            for path, note in self._notes.items()
            if note is not self._before.get(path)
        )


def find_statement(statements: Iterable[Statement], text: str, quote: str) -> Statement | None:
    """Find the statement that a quote is of, in the words of `text` where it says as much.

    None where the user is not known to have said it. In words that were not said a rule is none of
    the user's: then the statement comes as it was said, and waits.
    """
    words = normal(quote)
    quoted = [said for said in statements if words and words in normal(said.quote)]
    # a few words may stand in several sentences: the one that says the rule is meant
    if worded := next((said for said in quoted if is_wording_of(text, said.quote)), None):
        return replace(worded, text=text)
    return replace(quoted[0], standing=False) if quoted else None


def is_wording_of(text: str, quote: str) -> bool:
    """Whether a rule can be another wording of what its quote says: it shares the words that count.

    A model that was talked into it quotes the user truly and proposes something else.
    """
    rule_stems, quote_stems = stems(text), stems(quote)
    if len(rule_stems) < _MIN_STEMS:  # a script without spaces: by the character
        rule_stems, quote_stems = frozenset(fold_words(text)), frozenset(fold_words(quote))
    shared_stems, enough = rule_stems & quote_stems, _MIN_STEM_SHARE * len(rule_stems)
    is_shared = bool(rule_stems) and len(shared_stems) >= enough
    return is_shared or is_in_own_words(text, quote)


def find_supported(claim: Statement) -> Statement | None:
    """Give a statement that its quote bears out; else its sentence, to wait, if that is to last.

    A model that words a rule badly has still pointed at what the user said.
    """
    if is_wording_of(claim.text, claim.quote):
        return claim
    sentence = parse_statement(claim.quote)
    is_rule = sentence.standing and sentence.score >= WEAK
    return replace(sentence, quote=claim.quote, standing=False) if is_rule else None
