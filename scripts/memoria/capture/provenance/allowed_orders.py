"""Part the lines of a draft and of facts into those that hooks may say and those that stay held.

It is decided when the session is captured, where it can be seen who said what, and kept by keys in
this machine's state, which no pull brings. A line that carries a mark is others'. Where the session
read something of outside the project, a model may have been talked into an order, so there a line
that orders has to be the user's, an answer he gave, or a commit of the session; and a line that
claims to be the user's ("User: ...") has to be his word for word.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from memoria.capture.provenance.marks import (
    ARROW,
    build_line_key,
    find_sayable_part,
    list_sayable_lines,
)
from memoria.capture.provenance.origins import Origins, fold_words
from memoria.capture.provenance.trace_extract import list_conclusions
from memoria.privacy.imperatives import gives_orders, has_active_content
from memoria.text.markdown import make_inert
from memoria.vault.trust.known_lines import strip_line_marks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memoria.capture.extract.observing.observations import ObservedSession
    from memoria.vault.entry import Conclusion, Draft, Extract

# "User: ", "User, refusing `make x`: ": how an entry tells of the user's words (user_choices.py)
_USER_LABEL = re.compile(
    r"(?:^|: |-> )User(?:, (?:on the plan|refusing (?:a step|(?:an edit of )?`[^`\n]{1,200}`)))?: "
)
_COMMITTED = "Committed: "
# ". ", "; ", " - ": where a recap goes on to its next point
_POINT_BORDER = re.compile(r"(?<=[.;!?])\s+|\s+(?=[-\u2013\u2014]\s)")
# of a line's words: the rest may be a name that was written otherwise, or the mark of a cut
_USER_SHARE = 0.8
_MIN_QUESTION_WORDS = 2  # fewer are chance


class KnownTexts(NamedTuple):
    """What of a session is known by its form: subjects of commits, questions that were answered."""

    commits: frozenset[str] = frozenset()
    questions: tuple[str, ...] = ()


NOTHING = KnownTexts()


def find_known_texts(seen: ObservedSession) -> KnownTexts:
    """Find what a session committed, and what the client asked the user and was answered."""
    commits = frozenset(_fold_text(commit.subject) for commit in seen.kept)
    answers = (answer for call in seen.transcript.calls for answer in call.answers)
    return KnownTexts(commits, tuple(_fold_text(answer.question) for answer in answers))


def partition_lines(
    draft: Draft, origins: Origins, past: KnownTexts = NOTHING, extract: Extract | None = None
) -> tuple[frozenset[str], frozenset[str]]:
    """Part the lines of a draft and of facts, as the log has them: keys of told ones, of held ones.

    Where the session read nothing of outside the project, all is told that is not marked and does
    not act.
    """
    lines = {*list_sayable_lines(draft)}
    if extract:
        facts = (*extract.facts, *extract.results)
        lines.update((fact.text for fact in facts), list_conclusions(extract))
    is_risky = gives_orders if extract is None or extract.outside else has_active_content

    def may_be_said(line: str) -> bool:
        text = find_sayable_part(line)
        is_true = bool(text) and _is_true(text, origins, past)
        return is_true and (not is_risky(text) or _is_agreed(text, origins, past))

    sayable = {*filter(may_be_said, lines)}
    # as the log has them
    told_keys, held_keys = (
        frozenset(build_line_key(make_inert(line)) for line in part)
        for part in (sayable, lines - sayable)
    )
    return told_keys, held_keys


def strip_subject_orders(extract: Extract, origins: Origins) -> Extract:
    """Take out of what subjects came to the clauses that order, where these would hold it back.

    Most of a recap states; a half-sentence ("never overwrites") may read like an order.
    """

    def strip_orders(line: Conclusion) -> Conclusion:
        return replace(line, text=_strip_line_orders(line.text, extract, origins))

    rows = ((subject, map(strip_orders, subject.conclusions)) for subject in extract.subjects)
    subjects = tuple(replace(subject, conclusions=tuple(lines)) for subject, lines in rows)
    return replace(extract, subjects=subjects)


def _strip_line_orders(text: str, extract: Extract, origins: Origins) -> str:
    is_risky = gives_orders if extract.outside else has_active_content

    def may_be_said(part: str) -> bool:
        return not is_risky(part) or _is_agreed(part, origins, NOTHING)

    points = filter(may_be_said, _POINT_BORDER.split(text))
    return (
        text if may_be_said(text) else " ".join(point.strip(" -\u2013\u2014") for point in points)
    )


def partition_note_lines(
    lines: Iterable[str], *, outside: bool
) -> tuple[frozenset[str], frozenset[str]]:
    """Part lines that stand in a note already: keys of told ones, of held ones."""
    is_risky = gives_orders if outside else has_active_content
    texts = {strip_line_marks(line) for line in lines}

    def may_be_said(line: str) -> bool:
        part = find_sayable_part(line)
        # what the user said is known from the capture
        is_plain = bool(part) and not _USER_LABEL.search(line)
        return is_plain and not (is_risky(part) or is_risky(_split_path_words(part)))

    sayable = {*filter(may_be_said, texts)}
    return frozenset(map(build_line_key, sayable)), frozenset(map(build_line_key, texts - sayable))


def _split_path_words(text: str) -> str:
    """Give a path as words: a title that orders orders as a file's name, too."""
    return re.sub(r"[-_/]+", " ", text.rpartition("/")[2]) if " " not in text else text


def _is_true(line: str, origins: Origins, past: KnownTexts) -> bool:
    """Whether a line that claims to be the user's words, or a commit, is that."""
    if quoted := _USER_LABEL.search(line):
        # but for a word here and there that orders nothing
        text = line[quoted.end() :]
        words, rest = fold_words(text), origins.mask_user_words(text)
        # an X stands for each run that the user said
        added = len(fold_words(rest)) - len(re.findall(r"\bX\b", rest))
        return bool(words) and added <= (1 - _USER_SHARE) * len(words) and not gives_orders(rest)
    if line.startswith(_COMMITTED):
        subject = _fold_text(line.removeprefix(_COMMITTED))
        return any(_is_begun(subject, commit) for commit in past.commits)
    return True


def _is_agreed(line: str, origins: Origins, past: KnownTexts) -> bool:
    """Whether an order is the user's own, or what he was asked and answered."""
    question, arrow, answer = line.partition(ARROW)
    text = _fold_text(question)
    # the client asked this, a question that orders nothing itself
    is_asked = any(text in asked or _is_begun(text, asked) for asked in past.questions)
    if (
        arrow
        and is_asked
        and len(text.split()) >= _MIN_QUESTION_WORDS
        and not gives_orders(question)
    ):
        return not gives_orders(origins.mask_user_words(answer))
    return not any(gives_orders(origins.mask_user_words(part)) for part in line.split(ARROW))


def _is_begun(text: str, full_text: str) -> bool:
    """Whether a line has the whole of a text, or its beginning where it was cut for the line."""
    return text == full_text or (
        len(text.split()) > 2 * _MIN_QUESTION_WORDS and full_text.startswith(text)
    )


def _fold_text(text: str) -> str:
    return " ".join(fold_words(text))
