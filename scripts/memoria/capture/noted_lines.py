"""Find what earlier sessions noted of names that tools printed in this one.

A model's record of a session leaves out what tools printed, so a note that the code has overtaken
since would stand for ever: of 17 false lines of a model's pages 13 were of that kind, and the later
session had read the code that shows it. Here each note is put beside the printed lines that have
most of its names; whether they say that it holds no longer is for the model to judge.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from memoria.agents.transcript import Transcript
from memoria.capture.day_logs import NotedLine
from memoria.capture.extract.features import CODE
from memoria.text.prose import clip_text
from memoria.text.shorten import clip_line

# of all that is shown: with it a prompt grows by less than a fifth
_ROOM, _MAX_PRINTED, _PRINTED_CHARS = 4_000, 2, 180
_LONGEST = 2_000  # characters of a printed line: longer ones are data, and have any name
_SOURCE_CHARS = 60  # of the command that printed a line
_BEFORE_NAME = 60  # characters of a printed line that are shown before its first name
_MIN_NAME = 4  # characters: shorter ones stand in any file
# not the web or a server; what `gh` or `curl` brings is marked by its origin
_OWN_TOOLS = frozenset({"shell", "output", "read", "search"})
# "user_id", "readConfig", "--force", "a:b": a name that is no word of the language as well
_SHAPED = re.compile(r"\w[_:/.-]\w|[a-z][A-Z]|--\w|^/|\d")
_FILE = re.compile(r"[\w@~/-]*\.[a-z]{1,4}")  # "app.py": each search prints it
_TAKEN_OUT = re.compile(r"-(?![\s-])")  # "-old line" of a diff; not "- item" or "--force"
_WORD = re.compile(r"\w+")
# of a name with a shape, against 1 of any other: a line needs one of these, or two of the others
_SHAPED_WEIGHT = 2


def find_printed_notes(notes: Sequence[NotedLine], transcript: Transcript) -> str:
    """Give notes, each with the lines that tools printed of its names; "" where there are none.

    Of notes that have the same names the first stands.
    """
    sources = _find_printed_lines(transcript)
    printed, places = list(sources), _index_words(sources)
    seen_names = set[str]()
    rows: list[tuple[int, str]] = []
    for note in notes:
        weights: Counter[int] = Counter()
        hits = _find_hits(note, printed, places)
        for at, name in hits:
            weights[at] += _SHAPED_WEIGHT if _SHAPED.search(name) else 1
        best = sorted(weights, key=lambda at: (-weights[at], at))[:_MAX_PRINTED]
        lines = [printed[at] for at in best if weights[at] >= _SHAPED_WEIGHT]
        names = {name for _, name in hits}
        if lines and not names <= seen_names:
            seen_names |= names
            shown = [f"  {sources[line]}: {_clip_around(line, names)}" for line in lines]
            rows.append((weights[best[0]], "\n".join([f"({note.day}) {note.text}", *shown])))
    return _fit(row for _, row in sorted(rows, key=lambda row: -row[0]))


def _find_hits(
    note: NotedLine, printed: Sequence[str], places: Mapping[str, Sequence[int]]
) -> list[tuple[int, str]]:
    """Give each place of a printed line with a name of the note in it; the note is no such line."""
    return [
        (at, name)
        for name in _find_names(note.text)
        for at in places.get(max(_WORD.findall(name), key=len, default=""), ())
        if name in printed[at] and note.text not in printed[at]
    ]


def _index_words(lines: Iterable[str]) -> Mapping[str, Sequence[int]]:
    """Give the places of the lines that have a word: to go through all for each note takes long."""
    places = defaultdict[str, list[int]](list)
    for at, line in enumerate(lines):
        for word in {*_WORD.findall(line)}:
            places[word].append(at)
    return places


def _fit(rows: Iterator[str]) -> str:
    """Join as many of the first rows as there is room for."""
    chosen, room = [], _ROOM
    for row in rows:
        room -= len(row) + 1
        if room >= 0:
            chosen.append(row)
    return "\n".join(chosen)


def _clip_around(line: str, names: Iterable[str]) -> str:
    first = min(line.find(name) for name in names if name in line)
    start = max(0, first - _BEFORE_NAME) if len(line) > _PRINTED_CHARS else 0
    return "\u2026" * bool(start) + clip_text(line[start:], _PRINTED_CHARS)


def _find_printed_lines(transcript: Transcript) -> Mapping[str, str]:
    """Give each line that a tool of this machine printed, the latest first, with what printed it.

    What a diff takes out is left out: the line that it puts in says how things are. What was read
    on another branch than the session's last need not hold on that.
    """
    lines: dict[str, str] = {}
    calls = ((turn, call) for turn in reversed(transcript.turns) for call in reversed(turn.calls))
    for turn, call in calls:
        if call.kind in _OWN_TOOLS:
            source = call.path.rpartition("/")[2] or clip_line(call.command, _SOURCE_CHARS)
            if turn.branch not in {"", transcript.turns[-1].branch}:
                source += f" (on {turn.branch})"
            for line in map(str.strip, call.result.splitlines()):
                if line and len(line) <= _LONGEST and not _TAKEN_OUT.match(line):
                    lines.setdefault(line, source or call.name)
    return lines


def _find_names(text: str) -> frozenset[str]:
    names = ("".join(groups).strip() for groups in CODE.findall(text))
    return frozenset(name for name in names if len(name) >= _MIN_NAME and not _FILE.fullmatch(name))
