"""Ask a model which lines of a project's pages contradict each other, and read its answer.

Claims may come from web pages: they stand within a boundary, an id that was not shown is dropped,
and what the model says is made inert.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from memoria.lint.finding import KNOWLEDGE, Finding
from memoria.llm.forms import MOST_ITEMS, STRING, TITLE, Form, array_schema, closed_object_schema
from memoria.llm.prompts import build_boundary, fill_template
from memoria.text.markdown import make_inert
from memoria.text.outline import TextBlock
from memoria.text.shorten import clip_line
from memoria.vault.article import Article
from memoria.vault.schema import GENERATED

# characters of the lines in one request: with the instructions 20,000 tokens of about four
MAX_REQUEST = 76_000
# requests of one lint: at list prices some $0.20, and no vault of a person has more pages
MAX_REQUESTS = 10
_LINE_FRAME = 8  # characters of "L123| " and the line's end
_MAX_CLAIM, _MAX_WHY = 300, 300  # of a claim, where a line of an article has 100; of a reason
_MAX_QUOTED = 160  # characters of a claim in a finding: a row or two of a terminal each
# what was so once, what is only asked or planned, and what another note is quoted for
_ASIDE = ("Since Then", "Open", "Before the Change", "Questions Answered", "Follow-Up Questions")
_PASSED_OVER = frozenset({*GENERATED, *_ASIDE, "Evidence"})
# " (daily/2026-01-16#^e-0f3a12bc34de)", without parentheses, too
_DAY_AT_END = re.compile(r"\s*\(?daily/(\d{4}-\d{2}-\d{2})(?:\.md)?(?:#\^[\w-]+)?\)?\s*$")
LINT_SCHEMA: Mapping[str, Any] = closed_object_schema(
    contradictions=array_schema(one=STRING, other=STRING, why=STRING)
)


@dataclass(frozen=True, slots=True)
class ArticleClaim:
    """One line of an article: `path` as links have it, the `day` of the log that it comes from.

    `code` is what stands in it as inline code.
    """

    path: str
    line: int
    text: str
    day: str = ""
    projects: tuple[str, ...] = ()
    code: tuple[str, ...] = ()


def find_claims(article: Article, blocks: Iterable[TextBlock]) -> Iterator[ArticleClaim]:
    """Give what an article claims, line by line; a rule claims what its title says."""
    projects = article.names("projects")
    if article.kind == "rule":
        yield ArticleClaim(article.path, 1, article.title, "", projects)
        return
    for block in blocks:
        if block.level or block.section in _PASSED_OVER or block.text.endswith("?"):
            continue
        match, text = _DAY_AT_END.search(block.text), _DAY_AT_END.sub("", block.text)
        day = match[1] if match else ""
        yield ArticleClaim(article.path, block.place, text, day, projects, block.code)


def group_claims(
    claims: Sequence[ArticleClaim], clones: Mapping[str, str] = MappingProxyType({})
) -> list[tuple[ArticleClaim, ...]]:
    """Part the claims of a vault into what is asked at once: a project's pages, none of them cut.

    What belongs to no project, or to several, is asked with each. `clones` name a project by the
    first of its checkouts.
    """
    places = [{clones.get(name, name) for name in claim.projects} for claim in claims]
    requests: dict[tuple[ArticleClaim, ...], None] = {}
    for project in sorted(set().union(*places)) or [""]:
        batch: list[ArticleClaim] = []
        placed = zip(claims, places, strict=True)
        own_claims = [claim for claim, names in placed if not names or project in names]
        for _, page in groupby(own_claims, key=attrgetter("path")):
            lines = list(page)
            size = sum(len(_format_claim(claim)) + _LINE_FRAME for claim in [*batch, *lines])
            if batch and size > MAX_REQUEST:
                requests[tuple(batch)] = None
                batch = []
            batch += lines
        requests[tuple(batch)] = None
    # two lines contradict each other, one nothing; and what a larger request holds is asked there
    claims_of = {lines: set(lines) for lines in requests}
    several = (lines for lines in requests if len(lines) > 1)
    return [
        row
        for row in several
        if not any(claims_of[row] < claims_asked for claims_asked in claims_of.values())
    ]


def build_lint_prompt(template: str, claims: Sequence[ArticleClaim]) -> str:
    """Ask which lines contradict each other; they are numbered from L1."""
    lines: list[str] = []
    numbered = enumerate(claims, 1)
    for path, page in groupby(numbered, key=lambda pair: pair[1].path):
        lines.append(f"-- {path}")
        lines += [f"L{number}| {_format_claim(claim)}" for number, claim in page]
    text = "\n".join(lines)
    return fill_template(template, {"lines": text, "boundary": build_boundary(text)})


def _format_claim(claim: ArticleClaim) -> str:
    text = " ".join(claim.text.split())[:_MAX_CLAIM]
    return f"{text} ({claim.day})" if claim.day else text


def read_contradictions(value: object, claims: Sequence[ArticleClaim]) -> Iterator[Finding]:
    """Read the answer; BadReply for one that is not of the form."""
    by_id = {f"L{number}": claim for number, claim in enumerate(claims, 1)}
    seen: set[frozenset[str]] = set()
    for item in Form(value).items("contradictions", MOST_ITEMS):
        names = [item.line(name, TITLE).strip(" |") for name in ("one", "other")]
        why = item.line("why", _MAX_WHY)
        if set(names) <= by_id.keys() and len({*names}) > 1 and frozenset(names) not in seen:
            seen.add(frozenset(names))
            yield _build_finding({name: by_id[name] for name in names}, why)


def _build_finding(pair: Mapping[str, ArticleClaim], why: str) -> Finding:
    """Tell of a contradiction at the claim that was made first: it is the one to look at.

    A reason says pages in the place of ids, which stand in the request alone.
    """
    first, last = sorted(pair.values(), key=lambda claim: claim.day)
    places = {name: f"{claim.path}, line {claim.line}" for name, claim in pair.items()}
    readable = re.sub(r"\bL\d+\b", lambda match: places.get(match[0], match[0]), why)
    when = f" on {last.day}" if last.day else ""
    reason = make_inert(readable) or "the two cannot both hold"
    other_claim = f"{last.path}, line {last.line}, says otherwise{when}: {_quote(last)}"
    message = f"{_quote(first)} - {other_claim} ({reason})"
    return Finding("contradictions", "warning", f"{KNOWLEDGE}{first.path}.md", first.line, message)


def _quote(claim: ArticleClaim) -> str:
    return f'"{make_inert(clip_line(claim.text, _MAX_QUOTED))}"'
