"""Find the passages of the index that a prompt is about, and say how likely each is.

A prompt is cut into words by SQLite itself, in memory, as the index was. Since to look for common
words costs a hundred times as much as all else, its rarest words name some passages, which are then
compared with all of its words. What it shares with a passage becomes odds by weights that were
fitted on chats of several repositories.
"""

from __future__ import annotations

from itertools import chain, islice
from math import log, sqrt
from operator import mul

from memoria.search.prompt_match import find_coded_names, find_words

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence, Set as AbstractSet

    from memoria.search.index.reader import IndexReader, SessionLine

# the rarest words find the passages, so many of them or more while these have few rows together, as
# in a small vault; and so many passages are compared: more changed no result
_RARE_TERMS, _FEW_ROWS, _MAX_COMPARED = 5, 200, 20
# a word of more rows tells little, and to look at them takes longer than all else; of a prompt that
# has no rarer ones the rarest two are looked at, as far as that
_MAX_ROWS, _ALWAYS_SOUGHT = 1_000, 2
# passages whose project is asked for, best first, to come to the number that is compared
_MAX_TRIED = 60
# the logarithm of the odds by what a passage has of a prompt: the logarithm of their words' mass,
# how much more it is than what another subject has, whether a name stands in both, the logarithm
# of the passage's words, whether it is an article or a talk that came to a decision (of other
# work what is told seldom helped), and the mass of what its title and first line have, and of what
# its conclusions have, or an article as a whole; and the odds from which on it is told.
# `python -m bench.delivery.fit` gives all
INTERCEPT, MASS, LEAD, NAMED, LENGTH, DECIDED = -4.39, 1.52, 0.77, 4.59, -0.93, 3.64
OPENING, CAME_TO = 1.15, 0.90
_WEIGHTS = MASS, LEAD, NAMED, LENGTH, DECIDED, OPENING, CAME_TO
ENOUGH = -0.7
# those of a later rival with its likeness (a cosine) times 35, and the least of both: what it
# changed of the other must not be missed
_MIN_RIVAL, _LIKENESS_WEIGHT, _MIN_LIKENESS, _MIN_RIVAL_SCORE = 3.0, 35, 0.1, -5.0
# work that has so many times what a talk has of the prompt is what the prompt is about, unless a
# line of the talk itself has so much of it
_BEATEN_TIMES, _BEARING_MASS = 1.25, 0.67
# without it no word at all would be infinitely unlikely
_LEAST_MASS = 0.2
# words of a prompt; of one with more of them, which shares words with everything, their share
# counts. 15 and 30 were worse
_USUAL_WORDS = 20
# of a small vault every word is rare: as if there were so many more passages, and in a tenth of
# them the words that people say of any program
_UNSEEN_PASSAGES, _USUAL_ROWS = 220, 20
_USUAL_STEMS = frozenset(
    """
accept account ad address against allow alreadi answer api ask back becom better between build
    call case chang check close code come compar config correct count cover dai data date default
    dev differ doc done down drop empti end entri error event exactli exist fail field file find
    fine first full gener get give go goe good great half happen home hour id insid job json keep
    kei know last later leav left limit line list load local log long look made mean messag migrat
    minut miss move name need new next number old option order page part pass peopl place plan
    point present process project provid put read real reason releas replac request rest right row
    rule sai second see send separ session set short show side sinc six stai start state step stop
    store string switch tabl take text thank think three time tool two type user valid valu version
    wait week work write written wrong zero
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
# texts that a name may stand in and still say which of them is meant
_FEW_TEXTS = 2
# where no subject fits, the line alone that has so much of the prompt, in so many of its words; of
# the passages with most of it. What the user said counts as so much more, and a name if it is no
# plain word; beside that fewer words are enough
_MIN_LINE, _MIN_LINE_WORDS, _MAX_LOOKED = 1.65, 4, 5
_USER_BONUS, _NAME_BONUS, _LONG_NAME, _WORDS_BESIDE_NAME = 0.3, 0.9, 9, 3
_COUNTS = "SELECT term, doc FROM vocabulary WHERE term IN ({})"
_ROWS_OF = "SELECT rowid FROM words WHERE words MATCH ? LIMIT ?"
_OF_PROJECT = """SELECT passage.id FROM passage JOIN document ON document.id = document
    WHERE passage.id IN ({}) AND asked AND kind != 'rule' AND session IS NOT nullif(?, '')
        AND (projects = ''
        OR instr(char(10) || projects || char(10), char(10) || ? || char(10)))"""
_TEXTS = """SELECT passage.id, title || char(10) || coalesce(searched, text), newer, document,
        kind != 'entry' OR EXISTS
            (SELECT 1 FROM line WHERE passage = passage.id AND told AND line.kind = 'conclusion'
                AND weight > 2),
        date || moment, (SELECT count(*) FROM passage AS part
            WHERE part.document = passage.document AND part.heard),
        iif(document.kind = 'entry', (SELECT group_concat(text, char(10)) FROM line
            WHERE passage = passage.id AND told AND line.kind = 'conclusion'), passage.text)
    FROM passage JOIN document ON document.id = document WHERE passage.id IN ({})
        AND EXISTS (SELECT 1 FROM line WHERE passage = passage.id AND told
            AND (kind = 'conclusion' OR weight > 1))"""


class Prompt:
    """A prompt's words as the index has them: how rare each is, and which stand in a text."""

    def __init__(
        self, reader: IndexReader, words: Sequence[Sequence[str]], names: Sequence[str] = ()
    ) -> None:
        """Cut its words, each with its parts behind it, into terms; `names` are of programs."""
        self._reader, self._names, self.fitting = reader, names, list[PassageMatch]()
        plain_words = {row[0] for row in words if len(row) == 1}
        self._long = {name for name in names if len(name) > _LONG_NAME} - plain_words
        measured = reader.rows("SELECT rows FROM measure") if words else []
        self._texts = TextIndex()
        groups = self._texts.terms(words)
        terms = [term for group in groups for term in group]
        counts: dict[str, int] = dict(reader.among(_COUNTS, terms))
        ((total,),) = measured or [(0,)]
        self._total = total
        self._weights = weigh_terms(counts, total)
        self._mass = PromptWeights(groups, self._weights, total)
        if counts and total:
            self.fitting = self._rank_passages(counts)

    def _rank_passages(self, counts: Mapping[str, int]) -> list[PassageMatch]:
        """Give the passages that have its words, what is likeliest its subject first.

        Of those alone that have something to tell.
        """
        candidates = _choose_candidates(self._reader, counts, self._weights, self._texts.spelled)
        rows = self._reader.among(_TEXTS, candidates)
        row_names = [find_coded_names(row[1], self._names) for row in rows]
        name_worths = weigh_names(row_names, self._names)
        newest_ids = (self._reader.newest(row[0], row[2] or 0) for row in rows)
        # all of it, its title and its first line, what it came to
        parts = ((row[1], "\n".join(row[1].split("\n", 2)[:2]), row[-1] or "") for row in rows)
        terms = self._texts.find_terms([*chain(*parts)], self._weights)
        masses = zip(*[map(self._mass.of, terms)] * 3, strict=True)
        return rank_matches(
            PassageMatch((row[0], newest, *row[3:-1]), mass, name, row[1])
            for row, newest, mass, name in zip(rows, newest_ids, masses, name_worths, strict=True)
        )

    def subjects(self) -> list[int]:
        """Give the passages to tell of, as they are now: the likeliest, before it a later rival.

        Of a session that went on for longer than one subject nothing is told as a whole.
        """
        first = next(iter(self.fitting), None)
        if not first or first.score < ENOUGH or first.parts > 1 or self._is_beaten(first):
            return []
        later_matches = (match for match in self.fitting[1:] if match.moment > first.moment)
        rivals = (match.newest for match in later_matches if self._is_rival(match, first))
        return [*islice(rivals, 1), first.newest]

    def _is_rival(self, later: PassageMatch, talk: PassageMatch) -> bool:
        """Whether a later talk may have changed what another decided."""
        are_talks = later.decided and talk.decided and later.parts == talk.parts == 1
        if not are_talks or later.newest == talk.newest or later.score < _MIN_RIVAL_SCORE:
            return False
        likeness = self._measure_likeness(later, talk)
        return likeness >= _MIN_LIKENESS and later.score + _LIKENESS_WEIGHT * likeness >= _MIN_RIVAL

    def _is_beaten(self, talk: PassageMatch) -> bool:
        """Whether work has far more of the prompt, and no line of the talk bears on it."""
        works = (match.mass for match in self.fitting if not match.decided)
        if not talk.decided or max(works, default=0.0) <= _BEATEN_TIMES * talk.mass:
            return False
        lines = [line.text for line in self._reader.lines(talk.newest)]
        line_terms = self._texts.find_terms(lines, self._weights)
        return max(map(self._mass.of, line_terms), default=0.0) < _BEARING_MASS

    def _measure_likeness(self, *matches: PassageMatch) -> float:
        """Give the cosine of the words of two passages, rare ones counting more."""
        words = (find_words(match.text) for match in matches)
        first, second = ({*chain(*TextIndex().terms([row]))} for row in words)
        counts, total = self._reader.among(_COUNTS, first | second), self._total
        term_worths = {term: log(total / min(count, total)) ** 2 for term, count in counts}
        return cosine(first, second, term_worths)

    def choose_bearing_line(self) -> list[SessionLine]:
        """Give the one line that bears on it by its own words, of work that came to many things."""
        work = (match for match in self.fitting if not (match.decided and match.parts in {0, 1}))
        heaviest = sorted(work, key=lambda match: -match.mass)[:_MAX_LOOKED]
        least_mass = _MIN_LINE - _NAME_BONUS - _USER_BONUS
        passages = (match.newest for match in heaviest if match.mass >= least_mass)
        lines = [
            line
            for passage in dict.fromkeys(passages)
            for line in self._reader.lines(passage)
            if line.kind != "fact" and (line.weight > 1 or find_coded_names(line.text, self._long))
        ]
        texts = [line.text for line in lines]
        scores = list(map(self._score_line, texts, self._texts.find_terms(texts, self._weights)))
        best = max(scores, default=0.0)
        return [lines[scores.index(best)]] if best >= _MIN_LINE else []

    def _score_line(self, text: str, terms: Collection[str]) -> float:
        """Say how much a line with these terms has of the prompt; 0 for one of other code."""
        names = find_coded_names(text, self._names)
        is_long = not self._long.isdisjoint(names)
        is_other = self._names and "`" in text and not names
        if is_other or len(terms) < (_WORDS_BESIDE_NAME if is_long else _MIN_LINE_WORDS):
            return 0.0
        mass = self._mass.of(terms) + _NAME_BONUS * is_long
        return mass + _USER_BONUS * text.startswith("User: ")


def _choose_candidates(
    reader: IndexReader,
    counts: Mapping[str, int],
    weights: Mapping[str, float],
    spelled: Mapping[str, str],
) -> list[int]:
    """Give the passages with most of the rarest words, those of this project and of all."""
    sums: dict[int, float] = {}
    term_count = rows = 0
    for term in sorted(counts, key=lambda term: (counts[term], term)):
        rows += counts[term]
        is_rare = term_count < _RARE_TERMS and counts[term] <= _MAX_ROWS
        if term_count < _ALWAYS_SOUGHT or is_rare or rows <= _FEW_ROWS:
            term_count += 1
            for (row,) in reader.rows(_ROWS_OF, f'"{spelled[term]}"', _MAX_ROWS):
                sums[row] = sums.get(row, 0.0) + weights[term]
    best_ids = sorted(sums, key=lambda row: (-sums[row], -row))[:_MAX_TRIED]
    of_project = reader.among(_OF_PROJECT, best_ids, reader.session, reader.project)
    own_ids = {row for (row,) in of_project}
    return [row for row in best_ids if row in own_ids][:_MAX_COMPARED]


class PassageMatch:
    """A passage that has words of a prompt: `newest` is the number of what is current of it.

    `mass` is what it has of the prompt, `opening` what its title and first line have, `came_to`
    what its conclusions have, `named` from 0 to 1 whether of the prompt's names; `lead` and
    `score`, the logarithm of the odds, are known when it was compared with others.
    """

    def __init__(
        self,
        cells: tuple[int, int, int, int, str, int],
        masses: tuple[float, float, float],
        name_worth: float,
        text: str,
    ) -> None:
        self.number, self.newest, self.document, self.decided, self.moment, self.parts = cells
        self.mass, self.opening, self.came_to = masses
        self.named, self.text, self.length = name_worth, text, len(text.split())
        self.lead = self.score = 0.0

    def features(self) -> tuple[float, ...]:
        """Give what the odds are made of."""
        mass, length = log(self.mass + _LEAST_MASS), log(1 + self.length)
        talk = float(self.decided), self.opening, self.came_to
        return mass, self.lead, self.named, length, *talk


class PromptWeights:
    """What a prompt's words are worth: `groups` are their terms, a name's own before its parts'."""

    def __init__(
        self, groups: Sequence[Sequence[str]], weights: Mapping[str, float], total: int
    ) -> None:
        self._groups, self._weights = groups, weights
        self._scale = log(total + _UNSEEN_PASSAGES) * max(1.0, len(groups) / _USUAL_WORDS)

    def of(self, words: Collection[str]) -> float:
        """Give the mass of those terms that a passage holds; of a whole name not its parts' too."""
        groups = (group[:1] if group[0] in words else group for group in self._groups)
        terms = (term for group in groups for term in group if term in words)
        return sum(self._weights[term] for term in terms) / self._scale


def weigh_terms(counts: Mapping[str, int], total: int) -> dict[str, float]:
    """Weigh terms by how few passages have them; `counts` are the passages of each."""
    whole = total + _UNSEEN_PASSAGES
    rows = ((term, count + _USUAL_ROWS * (term in _USUAL_STEMS)) for term, count in counts.items())
    return {term: log(1.0 + (max(whole, n) - n + 0.5) / (n + 0.5)) for term, n in rows}


def weigh_names(names_of: Sequence[Collection[str]], names: Iterable[str]) -> list[float]:
    """Say for each text how much a name of the prompt's is worth that stands in it.

    `names_of` are the names in each; one that many have counts as less: it is at home everywhere.
    """
    worths = [0.0] * len(names_of)
    for name in names:
        places = [place for place, text_names in enumerate(names_of) if name in text_names]
        worth = 1.0 if len(places) <= _FEW_TEXTS else 1.0 / len(places)
        for place in places:
            worths[place] = max(worths[place], worth)
    return worths


def rank_matches(matches: Iterable[PassageMatch]) -> list[PassageMatch]:
    """Compare passages with each other, and give the likeliest first."""
    passages = list(matches)
    for match in passages:
        # two of one session, or of which one replaced the other, are one subject
        others = (row for row in passages if row.document != match.document)
        masses = (row.mass for row in others if row.newest != match.newest)
        match.lead = match.mass - max(masses, default=0.0)
        match.score = INTERCEPT + sum(map(mul, _WEIGHTS, match.features()))
    return sorted(passages, key=lambda match: (-match.score, match.number))


def cosine(
    first: AbstractSet[str], second: AbstractSet[str], term_worths: Mapping[str, float]
) -> float:
    """Give the cosine of two sets of terms by what each is worth."""
    sets = (first & second, first, second)
    shared, *sizes = (sum(term_worths.get(term, 0.0) for term in terms) for terms in sets)
    return shared / sqrt(sizes[0] * sizes[1]) if all(sizes) else 0.0


class TextIndex:
    """Texts in memory, cut into words as the index is; `spelled` gives a word of each term."""

    def __init__(self) -> None:
        import _sqlite3  # noqa: PLC0415 - there, since the index was opened with it

        self.spelled: dict[str, str] = {}
        self._next = 1
        self._base = _sqlite3.connect(":memory:")
        options = "content='', columnsize=0, detail='none', tokenize='porter unicode61'"
        self._base.execute(f"CREATE VIRTUAL TABLE texts USING fts5(text, {options})")
        self._base.execute("CREATE VIRTUAL TABLE found USING fts5vocab(texts, 'instance')")

    def terms(self, words: Sequence[Sequence[str]]) -> list[list[str]]:
        """Give the different terms of some words, those of each word's parts behind its own."""
        parts = [(place, part) for place, word in enumerate(words) for part in word]
        rows = ((-number, part) for number, (_, part) in enumerate(parts, 1))
        self._base.executemany("INSERT INTO texts(rowid, text) VALUES (?, ?)", rows)
        groups: list[list[str]] = [[] for _ in words]
        for term, number in self._base.execute("SELECT term, -doc FROM found ORDER BY doc DESC"):
            place, part = parts[number - 1]
            if self.spelled.setdefault(term, part) == part:
                groups[place].append(term)
        return [group for group in groups if group]

    def find_terms(self, texts: Sequence[str], terms: Collection[str]) -> list[set[str]]:
        """Say which of some terms each text has."""
        first = self._next
        self._next += len(texts)
        rows = enumerate(texts, first)
        self._base.executemany("INSERT INTO texts(rowid, text) VALUES (?, ?)", rows)
        sets: list[set[str]] = [set() for _ in texts]
        query = "SELECT DISTINCT doc FROM found WHERE term = ? AND doc >= ?"
        for term in terms:
            for (number,) in self._base.execute(query, (term, first)):
                sets[number - first].add(term)
        return sets

    def find_all_terms(self, texts: Sequence[str]) -> list[set[str]]:
        """Give the terms of each text."""
        rows = list(enumerate(texts, self._next))
        self._next += len(rows)
        self._base.executemany("INSERT INTO texts(rowid, text) VALUES (?, ?)", rows)
        sets: dict[int, set[str]] = {number: set() for number, _ in rows}
        for term, number in self._base.execute("SELECT term, doc FROM found"):
            if number in sets:
                sets[number].add(term)
        return list(sets.values())
