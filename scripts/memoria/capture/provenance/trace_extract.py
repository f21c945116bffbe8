"""Mark the lines of an extract whose words others had first.

A title that others had is not marked: a line of the session's own, or its branch, takes its place.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memoria.capture.extract.observing.commits import branch_words
from memoria.capture.extract.title_clauses import LENGTH, find_statement
from memoria.capture.provenance.marks import ARROW, is_marked, mark_origin, split_marked_parts
from memoria.capture.provenance.origins import (
    RUN,
    SENTENCE_END,
    Origins,
    fold_words,
    strip_own_summary,
)
from memoria.capture.provenance.spans import STRANGERS
from memoria.privacy.imperatives import gives_orders, has_active_content
from memoria.text.prose import clip_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memoria.vault.entry import Conclusion, Draft, Extract, Fact, Subject
    from memoria.vault.storage.ledger_records import Mistake


_WHOLE_SHARE = 0.9  # of the words of a part of a line: it is theirs, word for word


def list_texts(extract: Extract) -> list[str]:
    """Give all texts of an extract that say something."""
    facts = (fact.text for fact in (*extract.facts, *extract.results))
    return [*list_draft_lines(extract.draft), *facts, *list_conclusions(extract)]


def list_conclusions(extract: Extract) -> list[str]:
    """Give the lines that say what the subjects of an extract came to."""
    return [line.text for subject in extract.subjects for line in subject.conclusions]


def mark_foreign_line(text: str, origins: Origins) -> str:
    """Mark a line that others had; only what was asked, where the answer to it is the session's.

    A sentence of theirs is enough: a line of one's own around it would carry it along.
    """
    parts = split_marked_parts(text)
    if len(parts) > 1 and not parts[1][0]:
        # a text can hold a mark of its own making: what is behind it counts by itself
        return mark_origin(text, _find_origin(parts[1][1], origins))
    question, arrow, answer = text.partition(ARROW)
    if not arrow:
        return mark_origin(text, _find_origin(text, origins))
    asker = _find_origin(question, origins)
    # an error that a tool printed is told with what fixed it
    asker = asker if asker in STRANGERS or origins.of(text) else ""
    # within brackets or code an arrow parts nothing: "(`queued` -> `done`)"
    is_within = question.count("(") > question.count(")") or question.count("`") % 2
    if asker and not (is_within or _find_origin(answer, origins)):
        return f"{mark_origin(question, asker)}{ARROW}{answer}"
    return mark_origin(text, asker or _find_part_origin(answer, origins) or origins.of(text))


def _find_origin(text: str, origins: Origins) -> str:
    """Say who had a line, or a part of it."""
    return origins.of(text) or _find_part_origin(text, origins)


def _find_part_origin(text: str, origins: Origins) -> str:
    """Say who had a part of a line, or all of one of its sentences."""
    parts = (part for part in (text, *SENTENCE_END.split(text)) if len(fold_words(part)) >= RUN)
    return next(filter(None, (origins.of(part, _WHOLE_SHARE) for part in parts)), "")


def list_draft_lines(draft: Draft) -> list[str]:
    """Give all texts of a draft."""
    lists = (*draft.exchanges, *draft.decisions, *draft.lessons, *draft.actions)
    return [draft.title, draft.context, *lists]


def mark_foreign_draft(draft: Draft, origins: Origins) -> Draft:
    """Mark the texts of a draft that others had."""
    lists: dict[str, Any] = {
        name: tuple(mark_foreign_line(line, origins) for line in getattr(draft, name))
        for name in ("exchanges", "decisions", "lessons", "actions")
    }
    context = mark_origin(draft.context, origins.of(strip_own_summary(draft.context)))
    return replace(draft, title=_choose_own_title(draft, origins), context=context, **lists)


_BRANCH = re.compile(r"\ABranch `([^`]+)`")


def _choose_own_title(draft: Draft, origins: Origins) -> str:
    """Give the title, or where others had its words a line's first clause or the branch."""
    if not origins.find_name_origin(draft.title):
        return draft.title
    lines = (*draft.decisions, *draft.lessons, *draft.exchanges)
    own_lines = [line for line in lines if mark_foreign_line(line, origins) == line]
    branch = _BRANCH.match(draft.context)
    names = (*map(find_statement, own_lines), branch_words(branch[1]) if branch else "", *own_lines)
    own_names = (name for name in names if name and not origins.find_name_origin(name))
    return clip_text(next(own_names, ""), LENGTH)


def mark_foreign_extract(extract: Extract, origins: Origins) -> Extract:
    """Mark what of an extract others had, and leave out what a subject came to in their words."""
    return replace(
        extract,
        draft=mark_foreign_draft(extract.draft, origins),
        facts=mark_foreign_facts(extract.facts, origins),
        subjects=keep_own_conclusions(extract.subjects, origins),
        results=mark_foreign_facts(extract.results, origins),
    )


def mark_foreign_facts(facts: Iterable[Fact], origins: Origins) -> tuple[Fact, ...]:
    """Mark the facts that others had."""
    return tuple(replace(fact, text=mark_foreign_line(fact.text, origins)) for fact in facts)


def keep_own_conclusions(subjects: Iterable[Subject], origins: Origins) -> tuple[Subject, ...]:
    """Leave out of subjects what they came to in the words of others."""

    def is_own(line: Conclusion) -> bool:
        return not is_marked(mark_foreign_line(line.text, origins))

    rows = ((subject, filter(is_own, subject.conclusions)) for subject in subjects)
    return tuple(replace(subject, conclusions=tuple(lines)) for subject, lines in rows)


# "the caller holds the lock already": words in a row that are no code
_PROSE = re.compile(r"(?:[^\W\d_]+(?:['\u2019][^\W\d_]+)?[,;:]?\s+){4,}[^\W\d_]+")
_ONE_WORD = re.compile(r"\w{1,40}")
# " # \u2026": what is left of a comment that was cut out
_CUT_COMMENT = re.compile(r"\s*(?:#|//|/\*|--)\s*\u2026.*")
_SAID_IN_CODE = re.compile(r"""(?x)  # comments, and strings of several words
    (?<=\#)[^\n]+|(?<=//)[^\n]+|(?<=/\*)[^\n]+|(?<=--\s)[^\n]+|"[^"\n]*\s[^"\n]*\s[^"\n]*"
    |'[^'\n]*\s[^'\n]*\s[^'\n]*'|`[^`\n]*\s[^`\n]*\s[^`\n]*`""")


def list_remedy_texts(mistakes: Iterable[Mistake]) -> list[str]:
    """Give all texts of remedies that say something, for `Origins` to look for."""
    fixes = (mistake.resolution for mistake in mistakes if mistake.resolution)
    changes = [line for fix in fixes for line in fix.change.splitlines()]
    return changes + [match[0] for line in changes for match in _SAID_IN_CODE.finditer(line[2:])]


def strip_foreign_remedy(mistake: Mistake, origins: Origins) -> Mistake:
    """Take from a mistake's remedy what others had: it might be told again as one that helps."""
    fix = mistake.resolution
    if fix is None:
        return mistake
    lines = [_strip_foreign_code_words(line, origins) for line in fix.change.splitlines()]
    new, old = (
        {_CUT_COMMENT.sub("", line[2:]) for line in lines if line.startswith(sign)}
        for sign in ("+ ", "- ")
    )
    # where nothing but words was changed, nothing is left to tell
    change = "\n".join(lines) if all(lines) and not (new and new <= old) else ""
    return replace(mistake, resolution=replace(fix, change=change))


def _strip_foreign_code_words(line: str, origins: Origins) -> str:
    """Give a line of a remedy without the words in it that others had; "" where it may not be told.

    What is changed in a file was read there first, or printed by a tool, and code itself orders. So
    only comments and strings are looked at, and what would act; a command is told whole or not.
    """
    if _ONE_WORD.fullmatch(line):
        return line
    origin = origins.of(line)
    if not line.startswith(("+ ", "- ")):
        return "" if origin or has_active_content(line) else line

    def mask_foreign(match: re.Match[str]) -> str:
        text = match[0]
        is_foreign = gives_orders(text) or has_active_content(text) or origins.of(text)
        return "\u2026" if is_foreign else text

    code = _SAID_IN_CODE.sub(mask_foreign, line[2:])
    # a changed line may be prose: of a document, or the second one of a long comment
    prose = [run[0] for run in _PROSE.finditer(code)]
    if prose and (origin or any(map(gives_orders, (code, *prose)))):
        return ""
    if origin in STRANGERS or has_active_content(line[2:]) or not code.strip():
        return ""
    return line[:2] + code
