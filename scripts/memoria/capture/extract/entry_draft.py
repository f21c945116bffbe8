"""Compose the words of an entry: its context and the lines that were selected, by section.

What the context says are facts seen in the session: branch, files, commits, checks by how they
ended. What was not seen is not known, so nothing is said of it: a check that was not run again has
not failed, and a session without a commit may have been committed elsewhere.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from memoria.agents.claude_code.user_words import parse_ask
from memoria.capture.extract.candidates import LONGEST, tidy
from memoria.capture.extract.observing.commits import is_trunk
from memoria.capture.extract.observing.folders import is_below, name_other_repository
from memoria.capture.extract.observing.observations import (
    Commit,
    ObservedCheck,
    ObservedSession,
)
from memoria.capture.extract.selection import LEFT_TO_DO, EntryLine
from memoria.capture.extract.user.asks import format_ask
from memoria.text.numbers import format_count
from memoria.text.prose import clip_text, strip_markdown
from memoria.text.word_overlap import stems
from memoria.vault.entry import Draft, Statement

_MAX_STATEMENTS = 4  # rules of the user that an entry quotes which holds nothing else
_MAX_FILES, _MAX_CHECKS, _MAX_PULLS = 4, 4, 2
_MAX_PLACES = 4  # of commits: who has work done in thirty worktrees knows that
_MAX_SUBJECTS, _SUBJECT_CHARS = 3, 80  # of commits (git advises 50 to 72 characters)
_TOLD_SHARE = 0.7  # of a subject's content words: with so many it is told
_KIND = re.compile(r"\w+(?:\([^()]*\))?!?: +")  # "fix(api): " of a conventional commit
_MAX_PATH_NAMES = 4  # longer paths are not read
_MIN_CONTENT_WORDS = 3  # "which way do you prefer?" names nothing
_CHOICE = re.compile(r"(?i)\bor\b|^(?:which|what|how (?:many|much|long|often))\b")
# "Shall I go on?", "Want me to ...": only asks whether; not "Should I keep x or y?"
_OFFER = re.compile(
    r"(?i)^or\b|\b(?:(?:should|shall) (?:i|we)\b(?!.* or )|want me to|would you (?:like|prefer)"
    r"|do you (?:want|know)|may i|can i|help you|let me know|ready to|ok(?:ay)? to|proceed|else)\b"
)
# "because the PR is still a draft"; not "the branch `x`"
_BARE_WORK = re.compile(r"(?i)\b(?:the|this) (?:PR|pull request|branch)\b(?! ?[`#\d])")
_SUPPOSES = re.compile(r"(?i)\bwhat (?:happens|would|if)\b|\bhow would\b")


def build_draft(
    title: str,
    session: ObservedSession,
    lines: Sequence[EntryLine],
    *,
    statements: Sequence[Statement] = (),
) -> Draft:
    """Compose an entry; `statements` are the rules that the user stated."""
    ordered = sorted(lines, key=lambda line: line.at)
    decisions, lessons, exchanges = (
        [line.text for line in ordered if line.kind == kind]
        for kind in ("decision", "lesson", "answer")
    )
    unanswered = _find_unanswered_choice(session)
    if statements and not lines:
        decisions = [f"User: {statement.quote}" for statement in statements[:_MAX_STATEMENTS]]
    # what was edited says little beside what was found and decided, and the extract has it
    told_texts = (title, *(line.text for line in lines))
    work = _format_work(session, session.files if not lines else (), told_texts)
    context = "; ".join([*work, *_format_check_states(session)])
    return Draft(
        title=title,
        context=f"{context[:1].upper()}{context[1:]}." if context else "",
        exchanges=tuple(exchanges),
        decisions=tuple(dict.fromkeys(decisions)),
        lessons=tuple(text for text in lessons if not LEFT_TO_DO.search(text)),
        actions=(
            *(_name_work(text, session) for text in lessons if LEFT_TO_DO.search(text)),
            *unanswered,
        ),
        worth_keeping=bool(lines or statements or session.busy or unanswered),
    )


def _name_work(text: str, session: ObservedSession) -> str:
    """Give an open item with the number or the branch of the work that it only points at."""
    numbers = [f"PR #{pull.number}" for pull in session.pull_requests[-1:]]
    names = numbers or [f"branch `{session.branch}`"] * (not is_trunk(session.branch))
    is_bare = names and _BARE_WORK.search(text) and "#" not in text
    return f"{text.rstrip('.')} ({names[0]})." if is_bare else text


def _find_unanswered_choice(session: ObservedSession) -> list[str]:
    """Word the choice that the last reply put to the user, which nothing answered."""
    texts = [text for turn in session.turns[-1:] for text in turn.texts if text.place == "closing"]
    question = tidy(texts[-1].sentences[-1].text) if texts and texts[-1].sentences else ""
    is_choice = question.endswith("?") and _CHOICE.search(question) and not _OFFER.search(question)
    is_readable = len(question) <= LONGEST and len(stems(question)) >= _MIN_CONTENT_WORDS
    return [f"Not answered: {question}"] if is_choice and is_readable else []


def attach_questions(lines: Iterable[EntryLine], session: ObservedSession) -> list[EntryLine]:
    """Put the question before the best line that answers it; the other answers are lessons.

    What answers a supposition says nothing without it, so there the others are left out.
    """
    lines = list(lines)
    worded: list[EntryLine] = []
    turns: set[int] = set()
    direct = {line.turn for line in lines if line.kind == "answer" and line.leans}
    for line in lines:
        ask = parse_ask(session.turns[line.turn].turn.prompt)
        is_idle = line.origin != "user" and line.turn not in session.busy
        is_supposition = is_idle and _SUPPOSES.search(ask.text)
        is_answer = bool(is_supposition or line.kind == "answer")
        is_near = bool(stems(ask.text) & stems(line.text))
        is_about = line.leans or (line.turn not in direct if is_supposition else is_near)
        if is_answer and is_about and line.turn not in turns:
            turns.add(line.turn)
            is_case = is_supposition and line.heading and not line.heading.startswith("Here")
            answer = f"{line.heading}: {line.text}" if is_case else line.text
            worded.append(replace(line, kind="answer", text=f"{format_ask(ask)} -> {answer}"))
        elif not (line.leans or is_supposition):
            worded.append(replace(line, kind="lesson" if is_answer else line.kind))
    return worded


def _format_work(
    session: ObservedSession, files: Sequence[str], told: Sequence[str]
) -> Iterator[str]:
    # outside of a repository, and on no branch, the client says HEAD: that names nothing
    if session.branch and session.branch != "HEAD":
        yield f"branch `{session.branch}`"
    if files:
        names = ", ".join(f"`{_shorten_path(path, files)}`" for path in files[:_MAX_FILES])
        more = len(files) - _MAX_FILES
        yield f"edited {names}{f' and {more} more' if more > 0 else ''}"
    places: dict[str, list[Commit]] = {}
    for commit in session.kept:
        places.setdefault(_format_place(commit, session), []).append(commit)
    untold = _list_untold(session.kept, told)
    # those of the session's own branch, which name no place, before the others
    rows = sorted(places.items(), key=lambda item: bool(item[0]))
    if others := [*chain.from_iterable(commits for _, commits in rows[_MAX_PLACES:])]:
        rows[_MAX_PLACES:] = [(" elsewhere", others)]
    for place, commits in rows:
        yield _format_commits(place, commits, untold)
    yield from (f"PR #{pull.number}" for pull in session.pull_requests[:_MAX_PULLS])


def _format_place(commit: Commit, session: ObservedSession) -> str:
    """Say where a commit was made that is not on the session's branch, "" for one that is."""
    if other := name_other_repository(commit.folder, session.transcript.cwd):
        return f" in `{other}`"
    is_own = commit.branch in {"", session.branch} or " " in commit.branch
    return "" if is_own else f" on `{commit.branch}`"


def _format_commits(place: str, commits: Sequence[Commit], untold: Sequence[Commit]) -> str:
    subjects = [_clip_subject(commit) for commit in commits if commit in untold]
    names = ", ".join(f'"{subject}"' for subject in subjects)
    opening = ": " if len(subjects) == len(commits) else ", among them "
    return format_count(len(commits), "commit") + place + f"{opening}{names}" * bool(names)


def _list_untold(commits: Iterable[Commit], told_texts: Sequence[str]) -> list[Commit]:
    """Give the first commits whose subjects the title and the lines do not tell already."""
    told_words = list(map(stems, told_texts))
    untold: list[Commit] = []
    for commit in commits:
        words = stems(_KIND.sub("", commit.subject))
        is_told = any(len(words & text) >= _TOLD_SHARE * len(words) for text in told_words)
        if not (is_told or commit.is_housekeeping):
            told_words.append(words)
            untold.append(commit)
    return untold[:_MAX_SUBJECTS]


def _clip_subject(commit: Commit) -> str:
    return clip_text(strip_markdown(commit.subject), _SUBJECT_CHARS).replace('"', "'")


def _format_check_states(session: ObservedSession) -> Iterator[str]:
    """Say which checks passed and which failed when all was edited, of those that are known."""
    runs = [(run.turn, run.step) for check in session.checks for run in check.runs]
    states = {check.name: _find_final_state(check, session, max(runs)) for check in session.checks}
    for state, words in (("passed", "passing at the end"), ("failed", "failing when last run")):
        names = [f"`{name}`" for name, ended in states.items() if ended == state][-_MAX_CHECKS:]
        if names:
            yield f"{words}: {', '.join(names)}"


def _find_final_state(
    check: ObservedCheck, session: ObservedSession, last_run: tuple[int, int]
) -> str:
    """Say how a check's last run ended; "" before the last edit of what it looks at.

    A selection of tests that passed says nothing of the others; one that failed counts where no
    other check was run after it.
    """
    runs = [run for run in check.runs if run.outcome.state != "unknown"]
    if not runs:
        return ""
    final = runs[-1]
    later = (edit for edit in session.edits if (edit.turn, edit.step) > (final.turn, final.step))
    if any(is_below(edit.place, final.folder, session.transcript.cwd) for edit in later):
        return ""
    is_open = final.outcome.state == "failed" and (final.turn, final.step) == last_run
    return final.outcome.state if final.is_whole or is_open else ""


def _shorten_path(path: str, paths: Sequence[str]) -> str:
    """Give the last name of a path, with as many folders as tell it apart."""
    parts = path.split("/")
    for tail in ("/".join(parts[-length:]) for length in range(1, _MAX_PATH_NAMES)):
        if sum(f"/{other}".endswith(f"/{tail}") for other in paths) == 1:
            return tail
    return path
