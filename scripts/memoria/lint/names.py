"""Find the names of code that an article tells of as there, and say which of them are gone.

What a project does not have and never had may belong to a library, a tool or somebody else's
project: only what its history has and its files do not have is told.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.lint.contradictions import ArticleClaim
from memoria.lint.finding import Finding

if TYPE_CHECKING:
    from memoria.lint.note import Note

# characters of a name: a shorter one is also a word, no language has a longer one
MIN_NAME, MAX_NAME = 8, 100
# "create_payment", "pkg.Type.createPayment()", "&OpenTill"; paths, options, values have other signs
_CODE_NAME = re.compile(
    r"(?:[*&@$]?\w+(?:\.|::|->|#))*[*&@$]?"
    rf"([A-Za-z_]\w{{{MIN_NAME - 1},{MAX_NAME - 1}}})(?:\([^()\s]*\))?",
    re.ASCII,
)
# within "createPayment", "HTTPServer", "create_payment": what has neither may be a word or a value
_JOINED_WORDS = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]|[A-Za-z0-9]_[A-Za-z0-9]")
# what a line says of what is not there: "was removed in March", "a planned parse_all"
_NOT_THERE = re.compile(
    r"\b(?:gone|removed|removal|deleted|dropped|renam\w+|replac\w+|supersed\w+|revert\w*|"
    r"deprecat\w+|obsolete|former(?:ly)?|previous(?:ly)?|no longer|any ?more|used to|instead of|"
    r"rather than|does not exist|plan(?:s|ned)?|propos\w+|would|not yet|will)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class NamesGone:
    """Which names a project's files do not have: `absent`, and those it had once: `gone`."""

    absent: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()


def find_names(claims: Iterable[ArticleClaim]) -> Iterator[tuple[str, int]]:
    """Give the names of code in the claims of an article, each with its line."""
    for claim in claims:
        names = dict.fromkeys(filter(None, map(parse_name, claim.code)))
        if names and not _NOT_THERE.search(_strip_code(claim.text, claim.code)):
            yield from ((name, claim.line) for name in names)


def parse_name(code: str) -> str:
    """Give the name that a piece of inline code is, without what stands before it, "" for none."""
    match = _CODE_NAME.fullmatch(code.strip())
    return match[1] if match and _JOINED_WORDS.search(match[1]) else ""


def _strip_code(text: str, codes: Iterable[str]) -> str:
    """Leave out the code: a function that is called `removed` says nothing of itself."""
    for code in codes:
        text = text.replace(" ".join(code.split()), " ")
    return text


def collect_names(notes: Iterable["Note"]) -> dict[str, frozenset[str]]:
    """Give the names to look for, by project."""
    names: dict[str, set[str]] = {}
    for note in notes:
        for project in note.projects if note.names else ():
            names.setdefault(project, set()).update(name for name, _ in note.names)
    return {project: frozenset(project_names) for project, project_names in names.items()}


def find_stale_names(notes: Sequence["Note"], found: Mapping[str, NamesGone]) -> Iterator[Finding]:
    """Tell of each line with a name that no project of its article has, and one of them had.

    `found` is what the files of each project do not have.
    """
    for note in notes:
        results = [found.get(project, NamesGone()) for project in note.projects]
        if not results:
            continue
        absent = frozenset.intersection(*(result.absent for result in results))
        gone = absent & frozenset().union(*(result.gone for result in results))
        for name, line in note.names:
            if name in gone:
                message = f"`{name}` stands nowhere in the project's code any more"
                message += ": is the line still true?"
                yield Finding("stale-names", "suggestion", note.path, line, message)
