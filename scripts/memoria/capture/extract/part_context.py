"""A part of a session -> its surroundings: the task, and the words of what was asked and touched.

This is what a session is compared by when its rules are chosen and judged, so it holds what could
be known beside the rules themselves: prompts, files, commands. Single words go into the ledger and
no sentence, the most frequent ones first. The trap: what tools printed is not looked at; a page
that was read must not decide which rules a later session is given.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memoria.capture.extract.session_context import WORDS, Context
from memoria.capture.extract.task import task
from memoria.text.shell.actions import action
from memoria.text.word_overlap import terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memoria.capture.extract.observing.values import Observed, Text
    from memoria.capture.history import History

# sessions whose mistakes are "lately", and whose words stand for what a next one will be about
_LATELY = 5
_ERRORS = 8


def surroundings(seen: Observed, project: str, files: Iterable[str]) -> Context:
    """Give the context of a part of a session; the mistakes seen before it are not known here."""
    touched = tuple(files)
    said = [one.text for one in _asked(seen)]
    counts = Counter(word for text in texts(seen, touched) for word in terms(text))
    words = [word for word, _ in counts.most_common(WORDS)]
    return Context(project, task(" ".join(said[:1]), touched), (), dict.fromkeys(words, 1.0))


def _asked(seen: Observed) -> Iterator[Text]:
    """Yield what the person asked for, also in a plan; what was pasted must not decide."""
    for one in seen.texts:
        if one.speaker in {"user", "command"} or (one.speaker, one.place) == ("plan", "prompt"):
            yield one


def texts(seen: Observed, files: Iterable[str]) -> Iterator[str]:
    """Give what the session was about: what was asked, commands, names of files with endings."""
    yield from (one.text for one in _asked(seen))
    yield from (action(one.call.command) for one in seen.calls if one.call.command)
    for file in files:
        yield file.rsplit("/", 1)[-1].replace(".", " ")


def lately(history: History, project: str, families: Mapping[str, str]) -> tuple[str, ...]:
    """Name the families of mistakes of a project's last sessions, the most frequent first."""
    stays = sorted(
        (one for one in history.stays.values() if one.project == project),
        key=lambda one: (one.began, one.session),
    )
    last = {one.session for one in stays[-_LATELY:]}
    marks = (seen.mistake.signature for seen in history.mistakes if seen.session in last)
    counts = Counter(families.get(mark, mark) for mark in marks)
    return tuple(name for name, _ in sorted(counts.items(), key=lambda one: (-one[1], one[0])))[
        :_ERRORS
    ]


def expected(history: History, project: str, families: Mapping[str, str]) -> Context:
    """Give the context that a project's next session starts in, before anything was said."""
    stays = sorted(
        (one for one in history.stays.values() if one.project == project),
        key=lambda one: (one.began, one.session),
    )[-_LATELY:]
    counts: Counter[str] = Counter()
    for one in stays:
        found = one.context.get("words")
        counts.update(word for word in found or () if isinstance(word, str))
    words = {word: count / len(stays) for word, count in counts.most_common(WORDS)}
    return Context(project, "", lately(history, project, families), words)
