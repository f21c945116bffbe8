"""Mark the lines of an extract whose words others had first: "... (from a web page)".

A marked line is a fact that search finds and no hook ever says.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from memoria.capture.extract.titles.entry_title import branch_words
from memoria.capture.extract.titles.title_clauses import LENGTH, statement
from memoria.capture.provenance.origins import RUN, SENTENCE_END, folded
from memoria.capture.provenance.spans import OTHERS, PAGE, PASTED
from memoria.text.prose import clipped

if TYPE_CHECKING:
    from memoria.capture.provenance.origins import Origins
    from memoria.vault.entry import Draft, Extract

# behind it may stand the log that a line comes from, its day, or what is left of a fence
_MARK = re.compile(rf"\s*\(from ({'|'.join(OTHERS)})\)")
# of the words of a part of a line: it is theirs, word for word
_WHOLE = 0.9
# between what was asked and what came out
_ARROW = " -> "


def is_marked(text: str) -> bool:
    """Whether a line says that its words come from a page, a file, a tool or a paste."""
    return bool(_MARK.search(text))


def split(text: str) -> tuple[str, str]:
    """Part a line from its mark: who had it ("" for no mark), and its words."""
    found = _MARK.search(text)
    return (
        (found[1], text[: found.start()] + _MARK.sub("", text[found.end() :]))
        if found
        else ("", text)
    )


def parted(text: str) -> tuple[tuple[str, str], ...]:
    """Part a line into who had its words and these; an answer may be behind what others asked."""
    found = _MARK.search(text)
    if found and text.startswith(_ARROW, found.end()):
        after = text[found.end() + len(_ARROW) :]
        return (found[1], text[: found.start()]), split(after)
    return (split(text),)


def marked(text: str, who: str) -> str:
    """Write behind a line where its words come from; "" for `who` leaves it alone."""
    # one in the middle, before an arrow, says nothing of the end
    return text if not who or not text.strip() or parted(text)[-1][0] else f"{text} (from {who})"


def texts(extract: Extract) -> list[str]:
    """Give all texts of an extract that say something."""
    return [*lines(extract.draft), *(fact.text for fact in extract.facts), *concluded(extract)]


def concluded(extract: Extract) -> list[str]:
    """Give the lines that say what the subjects of an extract came to."""
    return [line.text for subject in extract.subjects for line in subject.conclusions]


def traced_line(text: str, origins: Origins) -> str:
    """Mark a line that others had; only what was asked, where the answer to it is the session's.

    A sentence of theirs is enough: a line of one's own around it would carry it along.
    """
    parts = parted(text)
    if len(parts) > 1 and not parts[1][0]:
        # a text can hold a mark of its own making: what is behind it counts by itself
        return marked(text, origins.of(parts[1][1]) or _of_any(parts[1][1], origins))
    asked, arrow, answer = text.partition(_ARROW)
    if not arrow:
        return marked(text, origins.of(text) or _of_any(text, origins))
    who, theirs = _of_asked(asked, text, origins), _of_any(answer, origins)
    if who and not (theirs or origins.of(answer)):
        return f"{marked(asked, who)}{_ARROW}{answer}"
    return marked(text, who or theirs or origins.of(text))


def _of_asked(asked: str, text: str, origins: Origins) -> str:
    """Say who had what was asked; an error that a tool printed is told with what fixed it."""
    who = origins.of(asked) or _of_any(asked, origins)
    return who if who in {PAGE, PASTED} or origins.of(text) else ""


def _of_any(text: str, origins: Origins) -> str:
    """Say who had a part of a line, or all of one of its sentences."""
    parts = [text, *SENTENCE_END.split(text)]
    long = (part for part in parts if len(folded(part)) >= RUN)
    return next(filter(None, (origins.of(part, _WHOLE) for part in long)), "")


def lines(draft: Draft) -> list[str]:
    """Give all texts of a draft."""
    listed = (*draft.exchanges, *draft.decisions, *draft.lessons, *draft.actions)
    return [draft.title, draft.context, *listed]


def traced(draft: Draft, origins: Origins) -> Draft:
    """Mark the texts of a draft that others had."""

    def each(found: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(traced_line(line, origins) for line in found)

    return replace(
        draft,
        title=_own_title(draft, origins),
        context=marked(draft.context, origins.of(draft.context)),
        exchanges=each(draft.exchanges),
        decisions=each(draft.decisions),
        lessons=each(draft.lessons),
        actions=each(draft.actions),
    )


_BRANCH = re.compile(r"\ABranch `([^`]+)`")


def _own_title(draft: Draft, origins: Origins) -> str:
    """Give the title, or where others had its words a line's first clause or the branch."""
    if not origins.of_name(draft.title):
        return draft.title
    listed = (*draft.decisions, *draft.lessons, *draft.exchanges)
    own = [line for line in listed if traced_line(line, origins) == line]
    branch = _BRANCH.match(draft.context)
    names = (*map(statement, own), branch_words(branch[1]) if branch else "", *own)
    return clipped(next(filter(None, names), ""), LENGTH)


def extracted(extract: Extract, origins: Origins) -> Extract:
    """Mark what of an extract others had, and leave out what a subject came to in their words."""
    facts = tuple(replace(one, text=traced_line(one.text, origins)) for one in extract.facts)
    subjects = tuple(
        replace(
            subject,
            conclusions=tuple(
                line
                for line in subject.conclusions
                if not is_marked(traced_line(line.text, origins))
            ),
        )
        for subject in extract.subjects
    )
    return replace(extract, draft=traced(extract.draft, origins), facts=facts, subjects=subjects)
