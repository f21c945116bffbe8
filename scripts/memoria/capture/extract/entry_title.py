"""Name a session: what was worked on, readable without opening it.

The surest name comes first: the one the client gave, a plan's heading, the commit's subject or,
where there were several, the pull request's title. Where there is none the branch names the work,
and the part of the session that weighs most says what of it (title_parts.py).
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Literal

from memoria.agents.claude_code.user_words import parse_ask
from memoria.capture.extract import title_clauses as clauses
from memoria.capture.extract.observing.commits import branch_words
from memoria.capture.extract.observing.observations import ObservedSession
from memoria.capture.extract.title_parts import (
    TYPED,
    count_turn_words,
    flatten_prompt,
    measure_mention_share,
    weigh_parts,
)
from memoria.capture.extract.user.asks import flatten_text, plan_title, strip_politeness
from memoria.text.prose import capitalise, clip_text, strip_markdown
from memoria.text.word_overlap import containment, stems

TitledBy = Literal["client", "plan", "pull-request", "commit", "ask", ""]
_MAX_CHARS = 110  # of a title that names the work and what was done of it
_BRANCH_SHARE = 0.5  # of a branch's words: with fewer the session did something else on it
_SHARED_WORDS = 0.4  # content words that two names may share
# "/clear", "<x>", "Untitled session": what a client writes where it knows no name
_NO_NAME = re.compile(r"(?i)`?[/<\[]|caveat:|(?:untitled|new) ?(?:session|chat|conversation)?$")
_OF_THE_WAY = re.compile(  # "Merge x", "wip", "Fix tests after rebase": how the work went
    r"(?i)merge|wip|address|fixup|squash|review|.* after (?:the )?(?:rebase|merge)$"
)
# "feat(api): x", "Add x": a change of code; not "docs: x"
_OF_CODE = re.compile(r"(?i)(?:feat|fix|perf|refactor)\b|(?!\w+(?:\([^)]*\))?!?:)")
_KIND_OR_TICKET = re.compile(  # "fix(api)!: ", "[ABC-12] "
    r"(?i)(?:(?:feat|fix|refactor|perf|docs?|tests?|chore|style|build|ci|revert)"
    r"(?:\([\w./ -]{1,40}\))?!?:|\[?[A-Z]{2,8}-\d+\]?:?)\s*"
)
_TAIL = re.compile(r"(?:[\s:;,.!?…\u2013\u2014(-]|\s[:;-]?[()D/|])$")  # "x -", "x :)"
_HEAVY_WEIGHT = 2.0  # what a part has to weigh beside a branch that says much
_MAX_DIFFERENCE = 2.5  # that a second part may weigh less
_MIN_CLEAR_WORDS = 6  # telling words: a title with so many needs no name of code
_CODE_NAME = re.compile(r"\b([A-Za-z]\w*(?:[a-z][A-Z]|\w_)\w{3,})")  # "readConfig", "user_token"


def choose_title(session: ObservedSession, lines: Sequence[str] = ()) -> tuple[str, TitledBy]:
    """Give the title of a session and what it was taken from; ("", "") where nothing names it.

    `lines` are those of its entry, the best first: they name it where the asks say little.
    """
    for text, by in _list_names(session, lines):
        name = _fit_heading(text, clauses.LENGTH if by in {"client", "plan"} else _MAX_CHARS)
        if name and not _NO_NAME.match(name):
            return name, by
    return "", ""


def _list_names(session: ObservedSession, lines: Sequence[str]) -> Iterator[tuple[str, TitledBy]]:
    """Yield what may name a session, the surest first."""
    asks = [ask for turn in session.turns if (ask := parse_ask(turn.turn.prompt)).text]
    title = strip_markdown(session.transcript.title)
    beginning = title.rstrip("….").lower()
    # a title that is the beginning of a prompt was not written for the session
    if session.transcript.is_named or not any(
        flatten_text(ask.text).lower().startswith(beginning) for ask in asks
    ):
        yield title, "client"
    yield from ((plan_title(ask.text), "plan") for ask in asks if ask.is_plan)
    turns = count_turn_words(session)
    subjects = list(_list_change_subjects(session))
    shares = {text: measure_mention_share(text, turns) for text, _ in subjects}
    for text, by in subjects:  # with one that was spoken of more
        others = (name for name, _ in subjects if shares[name] > shares[text])
        yield _add_other_name(text, others), by
    yield _describe_work(session, lines, turns), "ask"


def _list_change_subjects(session: ObservedSession) -> Iterator[tuple[str, TitledBy]]:
    """Yield the subjects of commits and pull requests, changes of code first."""
    commits = [commit for commit in session.kept if not _OF_THE_WAY.match(commit.subject)]
    subjects = [commit.subject for commit in commits if not commit.is_housekeeping]
    pulls = [pull.title for pull in session.pull_requests]
    for names in (subjects, pulls):
        names.sort(key=lambda name: not _OF_CODE.match(name))
    pulls = list(map(_strip_kind_and_ticket, pulls))
    if len(subjects) > 1:  # the first of several is often a part
        yield from ((text, "pull-request") for text in pulls)
    yield from ((_strip_kind_and_ticket(text), "commit") for text in subjects)
    yield from ((text, "pull-request") for text in pulls)
    chores = (_strip_kind_and_ticket(commit.subject) for commit in commits)
    yield from ((text, "commit") for text in chores if clauses.is_readable_alone(text))


def _strip_kind_and_ticket(subject: str) -> str:
    """Take the kind and the ticket off a commit's subject."""
    for _ in range(2):  # "fix: ABC-12: ..."
        if kind := _KIND_OR_TICKET.match(subject):
            subject = subject[kind.end() :]
    return strip_markdown(capitalise(subject))


def _add_other_name(text: str, others: Iterable[str]) -> str:
    """Add the first of other names that tells something else and has room."""
    for other in others:
        joined_name = f"{text}; {other[:1].lower()}{other[1:]}"
        if (
            containment(stems(text), stems(other)) <= _SHARED_WORDS
            and len(joined_name) <= _MAX_CHARS
        ):
            return joined_name
    return text


def _fit_heading(text: str, longest: int) -> str:
    """Fit a text into a heading: one line, no closing punctuation or function word."""
    text = " ".join(text.split())
    text = clauses.shorten_clause(text, longest) or clip_text(text, longest).removesuffix(" …")
    while (shorter := _TAIL.sub("", text)) != text:
        text = shorter
    return capitalise(text) + (")" if text.count("(") > text.count(")") else "")


def _describe_work(
    session: ObservedSession, lines: Sequence[str], turns: Sequence[Counter[str]]
) -> str:
    """Give what the branch names with the heaviest part of it, or either alone."""
    said = set().union(*turns)
    branch = branch_words(session.branch) if session.busy or said else ""
    weights = weigh_parts(session, lines, turns)
    if not weights:
        words = (flatten_prompt(text.text) for text in session.texts if text.speaker == "user")
        return _with_code(branch, session) or strip_politeness(next(filter(None, words), ""))
    part, *ranked = weights
    if branch and _adds_work(branch, part.text, said):
        both, named = f"{branch}: {part.text}", stems(branch)
        is_asked = part.source in TYPED and not part.turn
        is_part = is_asked or len(named) < clauses.FULL or weights[part] >= _HEAVY_WEIGHT
        return _with_code(both if is_part and len(both) <= _MAX_CHARS else branch, session)
    seconds = (
        second
        for second in ranked
        if weights[second] >= weights[part] - _MAX_DIFFERENCE
        if second.turn not in {-1, part.turn} and clauses.is_specific(second.text)
    )
    pair = [part, next(seconds, part)]
    first, last = sorted(pair, key=lambda second: (second.source == "line", second.turn))
    both = _add_other_name(first.text, [last.text])
    return _with_code(both if both != first.text else part.text, session)


def _adds_work(branch: str, clause: str, said: Collection[str]) -> bool:
    """Whether a branch names work that a clause does not, and that was spoken of."""
    named = stems(branch)
    is_spoken_of = len(named.intersection(said)) >= _BRANCH_SHARE * len(named)
    is_other = containment(named, stems(clause)) <= _BRANCH_SHARE
    return is_other and (is_spoken_of or not clauses.is_specific(clause))


def _with_code(text: str, session: ObservedSession) -> str:
    """Add to a name that tells little the edited code that most is said of."""
    telling = stems(text) - clauses.ANY_SESSION
    if "`" in text or _CODE_NAME.search(text) or len(telling) >= _MIN_CLEAR_WORDS:
        return text
    edited = " ".join(f"{hunk.old} {hunk.new}" for edit in session.edits for hunk in edit.hunks)
    counts: Counter[str] = Counter()
    for passage in session.texts:
        if passage.speaker in {"user", "pasted"} or passage.place == "closing":
            names = sorted(set(_CODE_NAME.findall(passage.text)))
            counts.update(dict.fromkeys(names, 1 if passage.speaker == "assistant" else 2))
    # what only one text names may be a detail
    is_vague = not clauses.is_specific(text.rpartition(": ")[2])
    code_names = (
        name
        for name, count in counts.most_common()
        if count >= (1 if is_vague else 2) and name in edited and not name.startswith("Test")
        if not stems(name) <= stems(text)
    )
    name = next(code_names, "")
    return f"{text} (`{name}`)" if text and name else text
