"""Say where a session takes place: its project, task, what went wrong lately, its words.

A session is compared by this when its rules are chosen and judged. At its start less is known than
afterwards: the task and the words of the prompt are missing then. The ledger keeps it, so it holds
single words and never a sentence of a person, the most frequent ones first; what tools printed is
not looked at, as a page that was read must not decide which rules a later session is given.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import sqrt
from typing import TYPE_CHECKING, Any

from memoria.text.json_text import text_at, texts_at
from memoria.text.shell.actions import describe_action
from memoria.text.word_overlap import find_telling_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memoria.capture.extract.observing.observations import ObservedSession
    from memoria.vault.storage.history import History, RecordedSession

TASKS = ("feature", "fix", "test", "refactor", "docs", "operations")

_TASK_WORDS = {
    "feature": "add implement create build introduce support feature allow extend new want",
    "fix": """fix bug broken error fails failing failed crash crashes wrong issue debug regression
        exception traceback repair hotfix investigate""",
    "test": "test tests coverage pytest unittest spec specs e2e assertion fixture mock",
    "refactor": """refactor rename cleanup simplify restructure extract split dedupe tidy
        reorganize modernize typing""",
    "docs": "docs document documentation readme changelog docstring docstrings comment guide typo",
    "operations": """deploy release ci pipeline docker kubernetes terraform migrate migration
        upgrade bump install configure rollback workflow publish merge rebase commit push
        backup""",
}
_TASK_OF = {word: task for task, words in _TASK_WORDS.items() for word in words.split()}
_HEAD_WORDS = 60  # of a prompt tell what it is about; what follows is pasted
_HALVING_WORDS = 10.0  # a cue that stands so much later counts half
# what a tag tells about where a session is, beside the words' .7: a project is known for certain, a
# task is a guess, an error is one of many
_PROJECT_WEIGHT, _TASK_WEIGHT, _ERRORS_WEIGHT = 1.0, 0.3, 0.2
# of a session: more are noise, and the ledger keeps them
WORDS, ERRORS = 64, 8
# sessions whose mistakes are "lately", and whose words stand for what a next one will be about
_LAST_SESSIONS = 5


@dataclass(frozen=True, slots=True)
class SessionContext:
    """A session's surroundings as the learner sees them.

    `task` is one of `TASKS` or "". `errors` are mistake families seen lately. `words` maps a
    word to its weight, 1 in the ledger.
    """

    project: str = ""
    task: str = ""
    errors: tuple[str, ...] = ()
    words: Mapping[str, float] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The context as one name: what Beta-Bernoulli learning keeps apart."""
        return f"{self.project}|{self.task}"

    @property
    def tags(self) -> dict[str, float]:
        """What can be shared with another context, each with its length as a direction."""
        errors = self.errors[:ERRORS]
        weighed_names = (
            ("project", self.project, _PROJECT_WEIGHT),
            ("task", self.task, _TASK_WEIGHT),
        )
        return {
            **{f"{kind} {name}": sqrt(part) for kind, name, part in weighed_names if name},
            **{f"error {name}": sqrt(_ERRORS_WEIGHT / len(errors)) for name in errors},
        }

    def record(self) -> dict[str, Any]:
        """Give what the ledger keeps of it."""
        return {
            "project": self.project,
            "task": self.task,
            "errors": list(self.errors[:ERRORS]),
            "words": sorted(self.words)[:WORDS],
        }


def parse_context(record: Mapping[str, Any]) -> SessionContext:
    """Read a context of the ledger; what is missing or of another type is left out."""
    return SessionContext(
        project=text_at(record, "project"),
        task=text_at(record, "task"),
        errors=texts_at(record, "errors")[:ERRORS],
        words=dict.fromkeys(texts_at(record, "words")[:WORDS], 1.0),
    )


# -- Of a part of a session, and of a project's next one ------------------------------------------


def build_context(session: ObservedSession, project: str, files: Iterable[str]) -> SessionContext:
    """Give the context of a part of a session; the mistakes seen before it are not known here."""
    counts = Counter(
        word for text in list_topic_texts(session, files) for word in find_telling_words(text)
    )
    words = [word for word, _ in counts.most_common(WORDS)]
    request = next(_list_requests(session), "")
    return SessionContext(project, classify_task(request), (), dict.fromkeys(words, 1.0))


def _list_requests(session: ObservedSession) -> Iterator[str]:
    """Yield what the person asked for, also in a plan; what was pasted must not decide."""
    for text in session.texts:
        if text.speaker in {"user", "command"} or (text.speaker, text.place) == ("plan", "prompt"):
            yield text.text


def list_topic_texts(session: ObservedSession, files: Iterable[str]) -> Iterator[str]:
    """Give what the session was about: what was asked, commands, names of files with endings."""
    yield from _list_requests(session)
    yield from (describe_action(call.call.command) for call in session.calls if call.call.command)
    yield from (file.rsplit("/", 1)[-1].replace(".", " ") for file in files)


def build_next_context(
    history: History, project: str, families: Mapping[str, str]
) -> SessionContext:
    """Give the context that a project's next session starts in, before anything was said."""
    sessions = _list_last_sessions(history, project)
    counts: Counter[str] = Counter()
    for recorded in sessions:
        counts.update(texts_at(recorded.context, "words"))
    words = {word: count / len(sessions) for word, count in counts.most_common(WORDS)}
    return SessionContext(project, "", list_recent_families(history, project, families), words)


def list_recent_families(
    history: History, project: str, families: Mapping[str, str]
) -> tuple[str, ...]:
    """Name the families of mistakes of a project's last sessions, the most frequent first."""
    sessions = {recorded.session for recorded in _list_last_sessions(history, project)}
    marks = (seen.mistake.signature for seen in history.mistakes if seen.session in sessions)
    counts = Counter(families.get(mark, mark) for mark in marks)
    return tuple(sorted(counts, key=lambda name: (-counts[name], name)))[:ERRORS]


def _list_last_sessions(history: History, project: str) -> list[RecordedSession]:
    sessions = (recorded for recorded in history.sessions.values() if recorded.project == project)
    return sorted(sessions, key=lambda recorded: (recorded.began, recorded.session))[
        -_LAST_SESSIONS:
    ]


def classify_task(prompt: str) -> str:
    """Give the task of a session, one of TASKS, or "" where nothing tells."""
    scores = dict.fromkeys(TASKS, 0.0)
    words = "".join(c if c.isalnum() else " " for c in prompt[:4_000].lower()).split()[:_HEAD_WORDS]
    for word in dict.fromkeys(words):  # saying it again is no other cue
        if task := _TASK_OF.get(word):
            scores[task] += 0.5 ** (words.index(word) / _HALVING_WORDS)
    best = max(TASKS, key=lambda name: scores[name])
    return best if scores[best] > 0.0 else ""
