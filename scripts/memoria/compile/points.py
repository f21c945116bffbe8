"""Give the lines that articles are made of: what an entry's session says of its work when done.

What was planned, found on the way or taken up again later is no such line (the extract's `results`
leave it out), so nothing is judged here but what a line is worth. A point is recognised by its
`mark`, its words alone: the article that holds it shows them among links and markup, and is the
only record of what lies where. An entry that a person wrote or edited has no extract; then its own
lines are the points, since they are what the person let stand.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from memoria.capture.extract.features import CUES
from memoria.capture.provenance.marks import find_sayable_part
from memoria.text.markdown import normalise_words
from memoria.text.prose import split_sentences
from memoria.text.terms import split_words
from memoria.vault.entry import Entry, Extract, FactKind
from memoria.vault.home_page import NEXT_STEP

# text, kind, score on the extractor's scale
_Found = tuple[str, FactKind, float]

LONGEST = 400  # characters: a longer line is a paragraph that nobody reads in a list
FLOOR = 2.75  # on the extractor's scale: below, more than half of the lines are noise
# ... from here on it is kept or harmless on teams that the weights did not know, cause or not
SURE = 4.2
_REASON_BONUS = 0.5  # a cause, or a choice with its reason, is worth more than the rest
# what a line that a person wrote or let stand counts, on the extractor's scale, and its kind
_WRITTEN: Mapping[str, tuple[float, FactKind]] = {
    "decisions": (4.0, "decision"),
    "lessons": (3.8, "lesson"),
    "exchanges": (3.2, "answer"),
}
_FILED_KINDS = frozenset({"fix", "answer"})  # a lesson says why; what does not was only done
# what a person noted of a talk is an answer where something was asked
_ASKS = re.compile(r"\basked\b|\?|->", re.IGNORECASE)
_DECIDED = re.compile(r"(?:we |i )?(?:decided|chose|agreed|went with|settled on)\b", re.IGNORECASE)
# what the extractor puts before a line that may not have come true, or ended by the change
_UNSURE = re.compile(r"(?:Planned|Found \(edits followed\)|Reason for the change): ")
_REASON_LABEL = "Reason for the change: "
# ... above what a commit lists without saying why, below what says both
_REASON_WORTH = 3.5
_EARLY = 70  # characters of its words: what a line names later is an example or a circumstance
_FILE = re.compile(r"(?:[\w.@~-]*/)*[\w-]+\.[a-z]{1,5}\b")  # "src/app.py": a place, no thing


@dataclass(frozen=True, slots=True)
class Point:
    """A line that an article may hold.

    `said` are its words in order between blanks, with a bar after each sentence; `worth` orders
    lines, on the extractor's scale.
    """

    text: str
    kind: FactKind
    worth: float
    entry: str
    session: str
    day: date
    project: str
    mark: str
    said: str

    @property
    def is_marked(self) -> bool:
        """Whether it says of itself that it is from outside: a page, a file, a paste."""
        return find_sayable_part(self.text) != self.text

    @property
    def is_answer(self) -> bool:
        """Whether it is what the user answered: what came of it is told elsewhere."""
        return " -> " in self.text

    def names(self, name: str) -> bool:
        """Whether the line is about a thing, given as its words.

        It names it twice, or early in a sentence.
        """
        phrase = f" {name} "
        offsets = (part.find(phrase) for part in self.said.split("|"))
        return self.said.count(phrase) > 1 or any(0 <= at <= _EARLY for at in offsets)

    def says(self, name: str) -> bool:
        """Whether the line has a name, wherever that stands in it."""
        return bool(name) and f" {name} " in self.said

    def find_place(self, name: str) -> int:
        """Give where it first speaks of a thing, its length where it does not."""
        at = self.said.find(f" {name} ")
        return at if at >= 0 else max(len(self.said), _EARLY + 1)


def find_points(entry: Entry, extract: Extract | None, project: str) -> tuple[Point, ...]:
    """Give the lines of an entry that are worth a page, the best first."""
    points: dict[str, Point] = {}
    origin = (entry.id, entry.session or entry.id, entry.day, project)
    for text, kind, score in _list_lines(entry, extract):
        if (mark := normalise_words(text)) and mark not in points and len(text) <= LONGEST:
            worth = score + _REASON_BONUS * has_reason(text)
            parts = (_FILE.sub(" ", sentence) for sentence in split_sentences(text))
            words = f" {' | '.join(' '.join(split_words(part)) for part in parts)} "
            points[mark] = Point(text, kind, worth, *origin, mark, words)
    return tuple(sorted(points.values(), key=lambda point: (-point.worth, point.mark)))


def has_reason(text: str) -> bool:
    """Whether a line says why something is so, or what was taken and what not."""
    return any(CUES[cue].search(text) for cue in ("cause", "choice", "limits"))


def _list_lines(entry: Entry, extract: Extract | None) -> Iterator[_Found]:
    for fact in extract.results if extract else ():
        if fact.score >= FLOOR:
            tells_why = has_reason(fact.text) or fact.score >= SURE
            is_filed = (fact.kind == "lesson" and tells_why) or fact.kind in _FILED_KINDS
            yield fact.text, fact.kind if is_filed else "decision", fact.score
    # what was so before says why, and is over; the first says what the next ones lean on
    for number, text in enumerate(entry.draft.lessons if extract else ()):
        if text.startswith(_REASON_LABEL):
            worth = _REASON_WORTH - _REASON_BONUS * has_reason(text) - number / 100
            yield text, "context", worth
    for section, (score, kind) in () if extract else _WRITTEN.items():
        for text in getattr(entry.draft, section):
            if not (NEXT_STEP.match(text) or _UNSURE.match(text)):
                yield text, _classify_kind(text, kind), score


def _classify_kind(text: str, kind: FactKind) -> FactKind:
    """File a person's line by what it says: a decision is one wherever they wrote it."""
    if _DECIDED.match(text):
        return "decision"
    return "lesson" if kind == "answer" and not _ASKS.search(text) else kind
