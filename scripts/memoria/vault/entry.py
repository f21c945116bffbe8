"""Define what is kept of a part of a session: Draft, Fact, Statement, Extract, Entry."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

Origin = Literal["user", "assistant", "tool"]
FactKind = Literal[
    "decision",  # what was chosen, in a turn that edited or committed
    "lesson",  # a cause, a gotcha, a constraint
    "fix",  # an error and the change that mended it
    "answer",  # a question and its answer
    "context",  # what was to be done and the state before it; past by the time it is read
    "definition",  # a sentence that says what a term is
    "change",  # a plain change without a reason
]
Category = Literal["architectural", "workflow", "tool_usage", "domain_knowledge"]


@dataclass(frozen=True, slots=True)
class Fact:
    """One sentence or line worth keeping, understandable alone, from turn `turn`."""

    kind: FactKind
    text: str
    origin: Origin
    score: float  # orders the facts of one session, the higher the better
    turn: int


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence in which the user said how things are to be done."""

    text: str  # the rule
    quote: str  # the user's own words that hold it, found in a user span of the transcript
    category: Category
    # the words themselves say that it lasts (always, never, from now on): one sighting is enough
    standing: bool
    score: float  # separates a lasting rule from an order for the moment


@dataclass(frozen=True, slots=True)
class Conclusion:
    """A line that says what a subject came to: a reply, or the user's words after "User: "."""

    text: str
    origin: Origin
    turn: int
    weight: int = 3  # for what a talk came to; 2 for what the commits of a session of work say
    is_apart: bool = False  # it did not follow the line before it


@dataclass(frozen=True, slots=True)
class Subject:
    """Turns that were about one thing, from turn `turn` on."""

    turn: int
    words: str  # all that was said, to be found by and never told
    conclusions: tuple[Conclusion, ...] = ()  # what was decided, the best first
    amends: bool = False  # it says that it changes what was decided before


@dataclass(frozen=True, slots=True)
class Draft:
    """The words of an entry, as an engine proposes them; each line is plain Markdown."""

    title: str
    context: str
    exchanges: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    lessons: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    worth_keeping: bool = True


@dataclass(frozen=True, slots=True)
class Extract:
    """What the Offline engine found in one part of a session; kept beside the entry."""

    draft: Draft
    facts: tuple[Fact, ...]
    statements: tuple[Statement, ...]
    branch: str = ""
    files: tuple[str, ...] = ()  # those that were edited, most edited first
    checks: tuple[tuple[str, bool], ...] = ()  # test, lint, build commands: whether each passed
    # these, and a title that is taken from a plan or a commit (`titled_by`), name a topic
    scopes: tuple[str, ...] = ()
    titled_by: Literal["client", "plan", "pull-request", "commit", "ask", ""] = ""
    # the session had read something of outside its project; so it is where that is not known
    outside: bool = True
    subjects: tuple[Subject, ...] = ()  # what the conversation was about, for the index
    results: tuple[Fact, ...] = ()  # what held at the end, in order of time, for the articles
    left: tuple[Fact, ...] = ()  # what a model says is open, with its weight


@dataclass(frozen=True, slots=True)
class Entry:
    """A Draft with who, when and where: one block of a daily log."""

    # "e-" and 12 hex digits of the first turn's uuid: a part that is delivered twice is one entry
    id: str
    day: date  # local, as `at` is: the day and the time of the part's last turn
    at: datetime
    project: str
    session: str
    engine: str
    draft: Draft
    agent: str = ""  # the coding agent of the session, "" for Claude Code
    done: tuple[str, ...] = ()  # action items that are ticked in its log
