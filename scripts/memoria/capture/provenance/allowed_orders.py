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

from memoria.capture.provenance.marks import ARROW, known_by, of_draft, said_part
from memoria.capture.provenance.origins import Origins, folded
from memoria.capture.provenance.trace_extract import concluded
from memoria.privacy.imperatives import acts, orders
from memoria.text.markdown import inert
from memoria.vault.trust.known_lines import words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memoria.capture.extract.observed import Observed
    from memoria.vault.entry import Draft, Extract

# how an entry tells of the user's words (capture/extract/user/user_choices.py)
_QUOTES = re.compile(
    r"(?:^|: |-> )User(?:, (?:on the plan|refusing (?:a step|(?:an edit of )?`[^`\n]{1,200}`)))?: "
)
_COMMITTED = "Committed: "
# where a recap goes on to its next point
_CLAUSE = re.compile(r"(?<=[.;!?])\s+|\s+(?=[-\u2013\u2014]\s)")
# of a line's words: the rest may be a name that was written otherwise, or the mark of a cut
_HIS = 0.8
# words of a question: fewer are chance
_LEAST = 2


class Known(NamedTuple):
    """What of a session is known by its form: subjects of commits, questions that were answered."""

    commits: frozenset[str] = frozenset()
    questions: tuple[str, ...] = ()


NOTHING = Known()


def known(seen: Observed) -> Known:
    """Find what a session committed, and what the client asked the user and was answered."""
    asked = [answer.question for call in seen.transcript.calls for answer in call.answers]
    return Known(
        frozenset(_plain(commit.subject) for commit in seen.kept), tuple(map(_plain, asked))
    )


def sorted_lines(
    draft: Draft, origins: Origins, past: Known = NOTHING, extract: Extract | None = None
) -> tuple[frozenset[str], frozenset[str]]:
    """Part the lines of a draft and of facts, as the log has them: keys of told ones, of held ones.

    Where the session read nothing of outside the project, all is told that is not marked and does
    not act.
    """
    made = (*extract.facts, *extract.results) if extract else ()
    facts = [*(fact.text for fact in made), *(concluded(extract) if extract else ())]
    risky = orders if extract is None or extract.outside else acts

    def may(line: str) -> bool:
        text = said_part(line)
        if not text or not _is_true(text, origins, past):
            return False
        return not risky(text) or _is_agreed(text, origins, past)

    free = {line for line in (*of_draft(draft), *facts) if may(line)}
    risks = {*of_draft(draft), *facts} - free
    # as the log has them
    told_keys, held_keys = ([known_by(inert(line)) for line in lines] for lines in (free, risks))
    return frozenset(told_keys), frozenset(held_keys)


def trimmed(extract: Extract, origins: Origins) -> Extract:
    """Take out of what subjects came to the clauses that order, where these would hold it back.

    Most of a recap states; a half-sentence ("never overwrites") may read like an order.
    """
    subjects = tuple(
        replace(
            subject,
            conclusions=tuple(
                replace(line, text=_without_orders(line.text, extract, origins))
                for line in subject.conclusions
            ),
        )
        for subject in extract.subjects
    )
    return replace(extract, subjects=subjects)


def _without_orders(text: str, extract: Extract, origins: Origins) -> str:
    risky = orders if extract.outside else acts
    if not risky(text) or _is_agreed(text, origins, NOTHING):
        return text
    parts = _CLAUSE.split(text)
    rest = [part for part in parts if not risky(part) or _is_agreed(part, origins, NOTHING)]
    return " ".join(part.strip(" -\u2013\u2014") for part in rest)


def sayable(lines: Iterable[str], *, outside: bool) -> tuple[frozenset[str], frozenset[str]]:
    """Part lines that stand in a note already: keys of told ones, of held ones."""
    risky = orders if outside else acts
    texts = {words(line) for line in lines}
    plain = {
        line
        for line in texts
        if (part := said_part(line)) and not (risky(part) or risky(_spelled(part)))
    }
    # what the user said is known from the capture
    harmless = {line for line in plain if not _QUOTES.search(line)}
    return frozenset(map(known_by, harmless)), frozenset(map(known_by, texts - harmless))


def _spelled(text: str) -> str:
    """Give a path as words: a title that orders orders as a file's name, too."""
    return re.sub(r"[-_/]+", " ", text.rpartition("/")[2]) if " " not in text else text


def _is_true(line: str, origins: Origins, past: Known) -> bool:
    """Whether a line that claims to be the user's words, or a commit, is that."""
    if quoted := _QUOTES.search(line):
        # but for a word here and there that orders nothing
        text = line[quoted.end() :]
        whole, remainder = folded(text), origins.unsaid(text)
        # an X stands for each run that he said
        rest = len(folded(remainder)) - len(re.findall(r"\bX\b", remainder))
        return bool(whole) and rest <= (1 - _HIS) * len(whole) and not orders(remainder)
    if line.startswith(_COMMITTED):
        plain = _plain(line.removeprefix(_COMMITTED))
        return any(_is_begun(plain, commit) for commit in past.commits)
    return True


def _is_agreed(line: str, origins: Origins, past: Known) -> bool:
    """Whether an order is the user's own, or what he was asked and answered."""
    asked, arrow, answer = line.partition(ARROW)
    plain = _plain(asked)
    # the client asked this, a question that orders nothing itself
    names = len(plain.split()) >= _LEAST and not orders(asked)
    if arrow and names and any(plain in text or _is_begun(plain, text) for text in past.questions):
        return not orders(origins.unsaid(answer))
    return not any(orders(origins.unsaid(part)) for part in line.split(ARROW))


def _is_begun(text: str, whole: str) -> bool:
    """Whether a line has the whole of a text, or its beginning where it was cut for the line."""
    return text == whole or (len(text.split()) > 2 * _LEAST and whole.startswith(text))


def _plain(text: str) -> str:
    return " ".join(folded(text))
