"""Say where a rule, a line of an article or of a log was said: `memoria why ID|PATH[:LINE]`.

What is named is found here and told in lines; where_said.py finds each line's entry and session.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoria import terminal
from memoria.errors import UsageError, VaultError
from memoria.rules.model import ID, Rule
from memoria.rules.review import waiting
from memoria.rules.rulebook import rulebook
from memoria.search.where_said import EntrySource, SourceLookup, Trace
from memoria.text.prose import clip_text
from memoria.text.unicode import strip_hidden
from memoria.vault.citations import Citation, parse_citations, parse_quote, strip_mark_and_sources
from memoria.vault.file_names import slugify
from memoria.vault.schema import GENERATED
from memoria.vault.store import MAX_LOG_BYTES

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from memoria.vault.article import Article
    from memoria.workspace import Workspace

_RULE_ID = re.compile(r"(?:arch|wf|tool|dk)-[0-9a-f]{1,10}")  # "wf-3f2a01bc9d" or its beginning
_ENTRY_ID = re.compile(r"[eh]-[0-9a-f]{6,12}")  # "e-0f3a12bc34de"
_PATH_AND_LINE = re.compile(r"(.+?):(\d{1,7})")  # "concepts/auth:12"
_LOG_PATH = re.compile(r"(?:daily/)?(\d{4}-\d{2}-\d{2})")  # "daily/2026-01-16"
_PAGE_PATH = re.compile(r"(?:daily/)?(\d{4}-\d{2}-\d{2}-[^/]+)")  # "2026-01-16-auth"
# lines that an error names as ones to ask for; characters of a line in the list of all lines
_MAX_NAMED, _MAX_BRIEF = 8, 90


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Trace what was asked for, and print where it comes from."""
    name = strip_hidden(arguments.what).strip()
    name = name.removeprefix("[[").removesuffix("]]").strip()
    if not name:
        raise UsageError("why what? name a rule's id, or a note with a line: concepts/x:12")
    account = SourceTracer(work).answer(name)
    if arguments.json:
        terminal.print_json(account)
    else:
        for line in format_account(account):
            terminal.print_line(strip_hidden(line))
    return 0


class SourceTracer:
    """Answers for one vault; what is read is kept."""

    def __init__(self, work: Workspace) -> None:
        self._work = work
        self._vault = work.vault
        self._lookup = SourceLookup(work)
        self._history = self._lookup.history

    def answer(self, name: str) -> dict[str, Any]:
        """Say where what is named comes from; UsageError where nothing is called so."""
        if _RULE_ID.fullmatch(name.lower()):
            return self._trace_rule(rulebook(self._work).find(name))
        if _ENTRY_ID.fullmatch(name.lower()):
            return self._trace_entry(name.lower())
        if name.startswith("team/"):
            from memoria.search import team_lines  # noqa: PLC0415 - few belong to a team
            from memoria.team import reports  # noqa: PLC0415 - as above

            return reports.trace_entry(team_lines.open_mirror(self._work), name)
        placed = _PATH_AND_LINE.fullmatch(name)
        path = self._resolve_path(placed[1] if placed else name)
        number = int(placed[2]) if placed else 0
        if placed and not number:
            raise UsageError(f"{name}: lines are counted from 1")
        if path.startswith("daily/"):
            trace = self._trace_page if _PAGE_PATH.fullmatch(path) else self._trace_log
            return trace(path, number)
        article = self._vault.articles.get(path) if path.startswith("rules/") else None
        identity = str(article.meta.get("id") or "") if article else ""
        if ID.fullmatch(identity):
            text = self._read_line(f"knowledge/{path}.md", number).strip() if number else ""
            return self._trace_rule(rulebook(self._work).find(identity), text)
        return self._trace_article(path, number)

    def _trace_rule(self, rule: Rule, only: str = "") -> dict[str, Any]:
        """Trace a rule by its evidence, or by one line of it, and say what was decided about it."""
        book = rulebook(self._work)
        why_not = waiting.obstacle(rule, book.approvals)
        keys = ("at", "id", "status", "by", "superseded_by")
        records = (
            record for record in self._history.records_of("rule") if record.get("id") == rule.id
        )
        quotes = [only] if only in rule.quotes else rule.quotes
        return {
            "kind": "rule",
            "id": rule.id,
            "text": rule.text,
            "category": rule.category,
            "status": rule.status,
            "in_force": not why_not,
            "why_not": why_not or None,
            "scope": list(rule.scope),
            "frequency": rule.frequency,
            "path": f"knowledge/{rule.path}.md" if rule.path else None,
            "origins": waiting.origins(self._work, rule),
            "aliases": list(rule.aliases),
            "evidence": [self._lookup.trace_quote(parse_quote(line), rule) for line in quotes],
            "decisions": [
                {key: str(row.get(key) or "") or None for key in keys} for row in records
            ],
        }

    def _trace_entry(self, identity: str) -> dict[str, Any]:
        """Trace an entry by its id."""
        capture = self._history.captures.get(identity)
        days = [Citation(f"daily/{capture.day}").day] if capture else self._vault.logs()
        for day in filter(None, days):
            for source in self._lookup.read_day(day):
                if source.block.entry.id == identity:
                    return self._describe_entry(source)
        raise UsageError(f"there is no entry {identity}")

    def _describe_entry(self, source: EntrySource, at: int = 0, line: str = "") -> dict[str, Any]:
        entry, words = source.block.entry, strip_mark_and_sources(line)
        source_account = self._lookup.describe_entry(source.block)
        if at:
            trace = source.trace(words) or Trace(source.block, words, "cited")
            source_account = self._lookup.trace_source(trace, deep=True)
        entry_account = {
            "kind": "entry",
            "path": f"daily/{entry.day}.md",
            "title": entry.draft.title,
        }
        text = words if at else None
        return entry_account | {"line": at or None, "text": text, "sources": [source_account]}

    def _trace_log(self, path: str, number: int) -> dict[str, Any]:
        day = Citation(path).day
        log = self._lookup.log(day) if day else None
        if day is None or log is None or not log.sha:
            raise UsageError(f"there is no log {path}.md")
        entries = self._lookup.read_day(day)
        if not number:
            described = [self._lookup.describe_entry(source.block) for source in entries]
            return {"kind": "log", "path": f"{path}.md", "sources": described}
        text = self._read_line(f"{path}.md", number)
        start = sum(len(line) + 1 for line in log.text.split("\n")[: number - 1])
        for source in entries:
            if source.block.start <= start < source.block.end:
                return self._describe_entry(source, number if text.strip() else 0, text)
        raise UsageError(f"{path}.md:{number} stands outside of the sessions: a person wrote it")

    def _trace_page(self, path: str, number: int) -> dict[str, Any]:
        """Say of an entry that a person wrote, or a review's, whose words it holds."""
        text = strip_mark_and_sources(self._read_line(f"{path}.md", number or 1))
        page_account = {"kind": "written", "path": f"{path}.md", "line": number or None}
        return page_account | {
            "text": text if number else None,
            "sources": [self._lookup.page(path)],
        }

    def _trace_article(self, path: str, number: int) -> dict[str, Any]:
        article = self._vault.articles.get(path)
        if article is None:
            raise VaultError(self._vault.articles.fault(path) or f"knowledge/{path}.md is gone")
        file = f"knowledge/{path}.md"
        lines = list(_find_lines(self._read_text(file)))
        account = {"kind": article.kind, "path": file, "title": article.title}
        if not number:
            rows = [self._trace_line(article, *line, deep=False) for line in lines]
            return account | {"lines": rows, "consulted": list(article.names("consulted"))}
        self._read_line(file, number)
        for line in lines:
            if line[0] == number:
                return account | self._trace_line(article, *line, deep=True)
        numbers = ", ".join(str(line_number) for line_number, _, _ in lines[:_MAX_NAMED])
        hint = f"; ask for one of lines {numbers}" if numbers else ""
        raise UsageError(f"{file}:{number} says nothing that was learned{hint}")

    def _trace_line(
        self, article: Article, number: int, section: str, line: str, *, deep: bool
    ) -> dict[str, Any]:
        """Trace a line by its links, prose without them by the sources of its article."""
        text, trace = strip_mark_and_sources(line), self._lookup.trace_citation
        links = parse_citations(line)
        citations = links or parse_citations(article.section("Sources"))
        sources = [trace(citation, text, deep=deep) for citation in citations]
        if not links:
            exact_sources = [source for source in sources if source.get("sure") == "exact"]
            is_made = self._history.written.get(article.path) == article.sha
            # of what a person edited an entry says only what stands in it
            sources = exact_sources or sources * is_made
        return {"line": number, "section": section, "text": text, "sources": sources}

    def _resolve_path(self, name: str) -> str:
        """Give the path of what is named: daily/DATE..., or an article's relative to knowledge/."""
        path = Path(name).expanduser()
        relative = name.replace("\\", "/")
        if path.is_absolute():
            try:
                relative = path.resolve().relative_to(self._vault.root.resolve()).as_posix()
            except ValueError as error:
                raise UsageError(f"{name} is not in the vault {self._vault.root}") from error
        relative = relative.removeprefix("./").removeprefix("knowledge/").removesuffix(".md")
        dated = _LOG_PATH.fullmatch(relative) or _PAGE_PATH.fullmatch(relative)
        return f"daily/{dated[1]}" if dated else self._find_article(relative)

    def _find_article(self, name: str) -> str:
        """Find an article by its path or its last part; UsageError for none and for several."""
        paths = self._vault.articles.paths()
        names = {name, slugify(name)} - {""}
        matches = [path for path in paths if path.rpartition("/")[2] in names]
        if name in paths or len(matches) == 1:
            return name if name in paths else matches[0]
        if matches:
            raise UsageError(f"{name} may be {' or '.join(matches[:3])}: name one of them")
        from difflib import get_close_matches  # noqa: PLC0415 - for a wrong word alone

        # a path, or its last part
        similar = get_close_matches(name, [*paths, *(path.rpartition("/")[2] for path in paths)], 1)
        hint = f"did you mean {similar[0]}?" if similar else '`memoria search "..."` finds notes'
        raise UsageError(f"nothing here is called {name!r}; {hint}")

    def _read_text(self, file: str) -> str:
        text, sha = self._vault.read(file, MAX_LOG_BYTES)
        if not sha:
            raise UsageError(f"there is no file {file}")
        return text

    def _read_line(self, file: str, number: int) -> str:
        lines = self._read_text(file).split("\n")
        count = len(lines) - (not lines[-1])
        if not 1 <= number <= count:
            raise UsageError(f"{file} has {count} lines, not {number}")
        return lines[number - 1].rstrip("\r")


def _find_lines(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield what an article says of its own: a line's number (from 1), its section, its text."""
    lines, section = text.removeprefix("\ufeff").split("\n"), ""
    marks = [at for at, line in enumerate(lines, 1) if line.rstrip() == "---"]
    start = marks[1] if marks[:1] == [1] and len(marks) > 1 else 0
    for number, line in enumerate(lines[start:], start + 1):
        if line.startswith("## "):
            section = line[3:].strip()
        elif line.strip() and not line.startswith("# ") and section not in GENERATED:
            yield number, section, line.rstrip("\r")


# -- What is printed: lines made of what --json prints; hidden characters are taken out ------------


def format_account(account: Mapping[str, Any]) -> Iterator[str]:
    """Give the lines that tell where a rule, a note or a line comes from."""
    if account["kind"] == "rule":
        yield from _format_rule(account)
        return
    line_mark = f":{account['line']}" if account.get("line") else ""
    title = f"  {account['title']}" if account.get("title") else ""
    yield f"{account['path']}{line_mark}{title}"
    if account.get("text"):
        yield f'  "{account["text"]}"'
    for row in account.get("lines", ()):
        if "said" in row:  # by a colleague
            yield f"  {row['said']}: {row['text']}"
        else:
            yield f"  {row['line']:>4}  {clip_text(row['text'], _MAX_BRIEF)}"
            yield from (f"        {_format_head(source)}" for source in row["sources"])
    for name in account.get("consulted", ()):
        yield f"  made from {name}: `memoria why {name}`"
    for source in account.get("sources", ()):
        yield from _format_source(source)
    if account.get("text") and not account.get("sources"):
        yield "  no entry says this: a person wrote it, or its entry is gone"


def _format_rule(account: Mapping[str, Any]) -> Iterator[str]:
    yield f"{account['id']}  {account['text']}"
    unused = f"{account['status']}, not used: {account['why_not']}"
    yield f"  {'active' if account['in_force'] else unused}"
    scope = " and ".join(account["scope"]) or "every project"
    yield f"  {account['category']}, seen {account['frequency']}x, holds in {scope}"
    if account["path"]:
        yield f"  {account['path']}"
    yield from (f"  {line}" for line in account["origins"])
    for name in account["aliases"]:
        yield f"  also: {name}"
    for evidence in account["evidence"]:
        # of words from elsewhere the user said what stands so in a session of this machine
        is_heard = not account["origins"] or evidence.get("origin") == "user"
        yield f'{"said" if is_heard else "quoted"}: "{evidence["words"]}"'
        yield from _format_source(evidence)
    for decision in account["decisions"]:
        newer = decision["superseded_by"]
        overruled = f", overruled by {newer}" if newer else ""
        yield f"decided: {decision['at']} {decision['status']} by {decision['by']}{overruled}"
    if not account["decisions"] and account["in_force"]:
        yield "decided: by nobody; its own words say that it lasts"


def _format_head(source: Mapping[str, Any]) -> str:
    if source.get("note"):
        return f"{source['path']}: {source['note']}"
    sure = f", {source['sure']}" if source.get("sure") else ""
    turn = f", turn {source['turn']}" if source.get("turn") else ""
    when = source.get("at") or f"{source['day']} {source['time']}"
    return f"{source['path']}:{source['line']}, {source['title']} ({when}{turn}{sure})"


def _format_source(source: Mapping[str, Any]) -> Iterator[str]:
    yield f"  {_format_head(source)}"
    if source.get("note"):
        return
    if source.get("session"):
        yield f"    session {source['session']} of {source['project'] or 'no project'}"
    if source.get("transcript"):
        absence = "" if source["exists"] else " (no longer there)"
        yield f"    transcript {source['transcript']}{absence}"
    if source.get("asked"):
        yield f"    asked: {source['asked']}"
