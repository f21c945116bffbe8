"""A vault in memory for tests of the compiler: entries and facts by hand, articles applied."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import groupby

from memoria.compile.apply import apply
from memoria.compile.patch import Context, Patch, check
from memoria.compile.topics import compile_day
from memoria.llm.requests import Day
from memoria.text.terms import terms
from memoria.vault.article import Article, parse, render
from memoria.vault.entry import Draft, Entry, Extract, Fact
from memoria.vault.schema import Kind, Schema

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
SECTIONS = (
    *("Key Points", "Details", "Decisions", "Gotchas and Causes", "Errors and Fixes"),
    *("Questions Answered", "Before the Change", "Related Concepts", "Sources"),
)
SCHEMA = Schema(
    "",
    (
        Kind("concept", "concepts", (), SECTIONS, proposed=True),
        Kind(
            "connection",
            "connections",
            (),
            ("The Connection", "Key Insight", "Evidence", "Related Concepts", "Sources"),
            proposed=True,
        ),
    ),
)


def fact(text, kind="lesson", score=4.0, turn=0):
    return Fact(kind, text, "assistant", score, turn, terms(text))


def extract(*facts, branch="main", titled_by="ask", title="", **more):
    return Extract(Draft(title, "context"), facts, (), branch=branch, titled_by=titled_by, **more)


def entry(number, day=0, project="p", session=None, draft=None):
    at = START + timedelta(days=day, minutes=number)
    return Entry(
        f"e-{number:012x}",
        at.date(),
        at,
        project,
        session or f"s{number}",
        "offline",
        draft or Draft(f"Session {number}", ""),
    )


class Vault:
    """Entries with their extracts, and the articles that compiling them made."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.extracts: dict[str, Extract] = {}
        self.articles: dict[str, Article] = {}

    def add(self, one: Entry, found: Extract | None = None) -> None:
        """Add an entry; what was found in it may bring a title of its own."""
        if found and found.draft.title:
            one = replace(one, draft=found.draft)
        self.entries.append(one)
        if found:
            self.extracts[one.id] = found

    def compile(self, new: Iterable[Entry]) -> Patch:
        """Compile entries against what was added before them, and apply what comes out."""
        new = tuple(new)
        ids = {one.id for one in new}
        first = min(one.at for one in new)
        old = tuple(one for one in self.entries if one.at < first and one.id not in ids)
        patch = compile_day(Day(new, self.extracts, old, tuple(self.articles.values())))
        known = {one.id: one for one in (*old, *new)}
        context = Context(SCHEMA, known, self.articles, lambda _: True)
        checked = check(patch, context)
        assert not checked.refused
        for one in apply(checked.patch, context):
            article = one.article
            self.articles[article.path] = parse(article.path, article.kind, render(article))
        return patch

    def compile_all(self) -> None:
        """Compile day by day in the order of time."""
        for _, group in groupby(sorted(self.entries, key=lambda one: one.at), key=_day):
            self.compile(group)

    def lines(self, path: str) -> list[str]:
        """Give the lines of an article without their sources, in order."""
        article = self.articles[path]
        own = [body for name, body in article.sections if name not in SECTIONS[-2:]]
        found = [line for body in own for line in body.splitlines() if line.startswith("- ")]
        return [line[2:].partition(" ([[daily/")[0] for line in found]


def _day(one: Entry) -> date:
    return one.day
