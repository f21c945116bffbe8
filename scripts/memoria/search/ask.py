"""`memoria query "question"`: a question -> an answer that cites the pages it was made from.

Search finds pages, as many as the budget holds are read, the engine answers, code checks: what is
printed links only to what was shown. Each query leaves its entry in log.md and its cost in the
ledger; --file-back leaves the answer as a note, in one transaction with them. The trap: an answer
is paid for, so it is printed also where it cannot be written down.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

from memoria import terminal
from memoria.capture.provenance import allowed_orders as warrant
from memoria.errors import BadReply, ModelError, UsageError, VaultError
from memoria.llm.offline import register
from memoria.llm.outcomes import add
from memoria.llm.requests import Question, Reply, Request
from memoria.privacy import clean as gate
from memoria.rules import model as rule
from memoria.search import answer as answers
from memoria.search import excerpt, team_lines
from memoria.search import filed_answer as filing
from memoria.search import injectable as tellable
from memoria.search import pages as page
from memoria.search import unknown_lines as newcomer
from memoria.search.index import passages as passage
from memoria.search.origin_marks import answered
from memoria.search.service import extract, refreshed
from memoria.text.markdown import inert
from memoria.text.numbers import counted
from memoria.vault import index as catalog
from memoria.vault import package_files as resource
from memoria.vault.storage import clock, disk
from memoria.vault.storage import history as records
from memoria.vault.storage.state import encode

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from memoria.llm.port import Model
    from memoria.search.answer import Answer, Checked
    from memoria.search.index.passages import Document
    from memoria.search.index.store import Hit
    from memoria.search.pages import Page
    from memoria.vault.article import Article
    from memoria.vault.schema import Kind
    from memoria.vault.transaction import Transaction
    from memoria.workspace import Workspace

# a question and an error message; what is longer is a document (characters)
_LONGEST = 4_000
# more than the budget holds, since some are short
_ARTICLES = 60
# what was captured and not compiled, or too little for an article: as a rule articles know better
_ENTRIES, _OF_ENTRIES = 4, page.BUDGET // 3
# entries of colleagues: beside one's own, never in their place
_OF_TEAM = 2
# Of the score of the best one of its kind: what has less is not sent to a model, which is paid by
# what it reads, but for the first few. Of 738 questions on documentation, on made-up pages and on
# those of a model none lost a wanted page that was among the first 12, which is what the budget
# holds; with .4 four did.
_FLOOR, _FIRST = 0.3, 3
# pages that are named where none answers: what one opens before asking anew
_NEAREST = 3
_VOID = {"rejected", "retired"}

register("query", lambda question: _offline_answer(excerpt.excerpt(question)))


def _offline_answer(found: Answer) -> dict[str, object]:
    """Give an excerpt in the fields that a model fills in."""
    return {
        "known": found.known,
        "answer": found.text,
        "citations": found.citations,
        "follow_ups": found.follow_ups,
    }


@dataclass
class Result:
    """What came of a question: the fields of `--json`.

    `citations` and `consulted` (all that was shown) are what links name; `filed` is the note's
    file, relative to the vault. `cost` is in US dollars.
    """

    answer: str
    citations: list[str]
    consulted: list[str]
    filed: str | None
    known: bool
    engine: str
    cost: float


@dataclass(frozen=True, slots=True)
class Answered:
    """A question with its checked answer, and who gave it."""

    question: Question
    checked: Checked
    reply: Reply


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Answer, print, and keep a record."""
    work.vault.require()
    question = _cleaned(" ".join(arguments.question), work)
    asker = Asker(work, work.model(arguments.engine))
    found = asker.ask(question)
    result = _result(found)
    try:
        result.filed = asker.keep(found, file_back=arguments.file_back)
    finally:
        if arguments.json:
            terminal.data(asdict(result))
        else:
            terminal.line(result.answer)
    _tell(work, found, result, file_back=arguments.file_back)
    return 0


def _cleaned(asked: str, work: Workspace) -> str:
    # what a shell passes on may be no Unicode
    text = asked.encode("utf-8", "replace").decode()
    question = " ".join(gate.clean(text, work.settings.secrets).split())
    if not question:
        raise UsageError('nothing is asked: `memoria query "question"`')
    if len(question) > _LONGEST:
        raise UsageError(f"the question has {len(question)} characters; ask in at most {_LONGEST}")
    return question


def _result(found: Answered) -> Result:
    checked = found.checked
    return Result(
        checked.text,
        list(checked.citations),
        _consulted(found.question.pages),
        None,
        checked.known,
        found.reply.engine,
        round(found.reply.cost.usd, 6),
    )


def _pages_of(links: Iterable[str]) -> list[str]:
    """Give the notes of the vault that links name."""
    notes = dict.fromkeys(link.partition("#")[0] for link in links)
    return [note for note in notes if not note.startswith("team/")]


def _consulted(pages: Iterable[Page]) -> list[str]:
    return list(dict.fromkeys(one.path for one in pages))


def _tell(work: Workspace, found: Answered, result: Result, *, file_back: bool) -> None:
    for fault in found.checked.faults:
        taken = " and was taken out" if fault.startswith("[[") else ""
        work.terminal.warn(f"In the answer, {fault}{taken}.")
    if not result.known and result.consulted:
        work.terminal.say(f"Nearest: {', '.join(result.consulted[:_NEAREST])}.")
    cost = found.reply.cost
    work.terminal.say(
        f"{len(result.consulted)} pages read, {len(result.citations)} cited, {result.engine} "
        f"engine, {cost.input_tokens} + {cost.output_tokens} tokens, ${cost.usd:.4f}."
    )
    if result.filed:
        work.terminal.say(f"Filed: {work.vault.root / result.filed}")
    elif file_back:
        work.terminal.say("Nothing is filed: there is no answer.")


class Asker:
    """Answers questions from one vault with one engine."""

    def __init__(self, work: Workspace, model: Model) -> None:
        self._work = work
        self._vault = work.vault
        self._model = model
        self._before = work.vault.history()

    def ask(self, question: str) -> Answered:
        """Find pages, ask the engine, check what it says; without a page nobody is asked."""
        with self._work.terminal.progress("Answering", 2) as step:
            asked = self.found(question)
            found = f"{counted(len(asked.pages), 'page')} found"
            step(found)
            if not asked.pages:
                return Answered(asked, _unknown(), Reply({}, self._model.name))
            self._work.terminal.say(f"{found}; asking the {self._model.name} engine ...")
            answered = self._asked(asked)
            step("answered")
        return answered

    def found(self, question: str) -> Question:
        """Find the pages for a question, the note of an earlier answer to it first."""
        index = refreshed(self._work)
        before = filing.earlier(question, self._notes())
        hits = index.find(question, most=_ARTICLES, scope="articles")
        entered = index.find(question, most=_ENTRIES, scope="own")
        theirs = index.find(question, most=_OF_TEAM, scope="team")
        if self._model.reads == "prompt":
            hits, entered, theirs = map(_near, (hits, entered, theirs))
        paths = [hit.path.removeprefix("knowledge/").removesuffix(".md") for hit in hits]
        if before:
            paths = [before.path, *before.names("consulted"), *paths]
        own = self._entries(entered)
        shared = self._colleagues(theirs) if theirs else ()
        entries = page.within((*own, *shared), question, _OF_ENTRIES)
        room = page.BUDGET - sum(map(page.size, entries))
        articles = page.within(self._articles(dict.fromkeys(paths)), question, room)
        return Question(question, (*articles, *entries), before)

    def request(self, asked: Question, refusals: tuple[str, ...] = ()) -> Request:
        """Make the request; what plain code answers needs no prompt."""
        template = resource.text("prompts/query.md")
        reads_prompt = self._model.reads == "prompt"
        prompt = answers.query_prompt(template, asked, refusals) if reads_prompt else ""
        return Request("query", prompt, answers.QUERY_SCHEMA, asked)

    def keep(self, found: Answered, *, file_back: bool) -> str | None:
        """Write log.md, the ledger and, if wanted, the note; give the note's file."""
        now = clock.now(self._work.settings.zone)
        filed = ""
        with self._vault.changing() as change:
            self._vault.unforgotten(self._before)
            if file_back and found.checked.known:
                # only what leaves a note is a step that a person may want to take back
                change.label = "query"
                filed = self._file(found, change)
                self._know(found, change, filed)
                change.put_index()
            lines = [
                f"Consulted: {catalog.links(_pages_of(found.checked.citations))}",
                f"Filed to: {catalog.links([filed] if filed else [])}",
            ]
            subject = f'"{inert(found.question.text)}"'
            change.append_log(catalog.log_entry(now, "query", subject, lines))
            change.record(records.called(now, "query", found.reply))
            if change.wrote:
                change.record(_wrote(change, now.isoformat(timespec="seconds")))
        summary = encode(records.state(self._vault.history()))
        disk.replace(self._vault.state.summary, summary)
        return f"knowledge/{filed}.md" if filed else None

    def _asked(self, asked: Question) -> Answered:
        """Ask, and ask once more with the reasons where something is wrong with the answer."""
        reply = self._model.ask(self.request(asked))
        checked, wrong = self._judged(reply, asked)
        if wrong and self._model.reads == "prompt":
            checked, reply = self._mended(asked, wrong, reply, checked)
        if checked is None:
            raise BadReply(wrong[0])
        return Answered(asked, checked, reply)

    def _judged(self, reply: Reply, asked: Question) -> tuple[Checked | None, tuple[str, ...]]:
        try:
            checked = self._checked(reply, asked)
        except BadReply as error:
            return None, (str(error),)
        return checked, checked.faults

    def _mended(
        self, asked: Question, wrong: tuple[str, ...], first: Reply, checked: Checked | None
    ) -> tuple[Checked | None, Reply]:
        """Ask again; where no answer comes of it, the first one has to do."""
        try:
            second = self._model.ask(self.request(asked, wrong))
            checked = self._checked(second, asked)
        except ModelError:
            return checked, first
        return checked, replace(second, cost=add(first.cost, second.cost))

    def _checked(self, reply: Reply, asked: Question) -> Checked:
        given = gate.clean(answers.answer(reply.value), self._work.settings.secrets)
        self._vault.articles.refresh()
        checked = answers.check(given, set(filter(self._exists, _consulted(asked.pages))))
        return answered(checked, (one.text for one in asked.pages))

    def _exists(self, path: str) -> bool:
        if path.startswith("team/"):
            return True  # it was read from the mirror just now
        return path in self._vault.articles or (self._vault.root / f"{path}.md").is_file()

    def _notes(self) -> Iterator[Article]:
        # by path: to go through the shelf itself would read every note of the vault
        folder, shelf = f"{self._kind.folder}/", self._vault.articles
        notes = (shelf.get(path) for path in shelf.paths() if path.startswith(folder))
        return (note for note in notes if note)

    def _articles(self, paths: Iterable[str]) -> Iterator[Page]:
        for path in paths:
            article = self._vault.articles.get(path)
            found = rule.rule(article) if article else None
            if article and not (found and found.status in _VOID):
                yield self._safe(page.of_article(article))

    def _entries(self, hits: list[Hit]) -> Iterator[Page]:
        # what was replaced by one of these is no answer
        links = {hit.link for hit in hits}
        current = [hit for hit in hits if hit.replaced_by not in links]
        # two entries of a day may have the same title, and then are hits twice
        known = dict.fromkeys((date.fromisoformat(hit.date), hit.title) for hit in current)
        for day, title in known:
            try:
                log = self._vault.log(day)
            except VaultError:
                continue  # changed since it was searched
            for found in passage.of_log(day, log.text, log.sha, partial(extract, self._work)):
                if found.title == title:
                    yield self._safe(page.of_entry(day, title, _whole(found), found.link))

    def _colleagues(self, hits: list[Hit]) -> Iterator[Page]:
        from memoria.team.reports import text_of  # noqa: PLC0415 - few belong to a team

        for hit in hits:
            text = text_of(team_lines.mirror(self._work), hit.link)
            yield self._safe(page.of_colleague(hit.author, hit.title, text, hit.link))

    def _safe(self, found: Page) -> Page:
        # a person may have written a secret into a note; the path is what links name
        return replace(gate.clean(found, self._work.settings.secrets), path=found.path)

    @property
    def _kind(self) -> Kind:
        kind = self._vault.schema.kind("qa")
        assert kind is not None  # noqa: S101 - a schema without it is refused
        return kind

    def _file(self, found: Answered, change: Transaction) -> str:
        kind = self._kind
        now = clock.now(self._work.settings.zone)
        titles = {one.path: one.title for one in found.question.pages}
        filed = filing.Filing(found.question.text, found.checked, now.date(), titles)
        before = filing.earlier(found.question.text, self._notes())
        if before is None:
            name = filing.slug(filed.question, lambda name: self._is_free(kind.path(name)))
            change.put_article(filing.note(kind.path(name), filed, kind))
            return kind.path(name)
        if self._model.reads == "material" and excerpt.stands(before):
            return before.path
        owned = before.sha == self._vault.history().written.get(before.path)
        after = filing.updated(before, filed, kind, owned=owned)
        if after is not before:
            change.put_article(after)
        if not owned:
            change.wrote.pop(before.path, None)
        return before.path

    def _know(self, found: Answered, change: Transaction, path: str) -> None:
        """Let hooks say the answer where this machine knows every line that it was made of."""
        note = change.articles.get(path)
        if note and all(self._is_known(one.path) for one in found.question.pages):
            lines = tellable.of_note(note, self._kind.sections)
            told, held = warrant.sayable(lines, outside=True)
            self._vault.lines.add(told - self._vault.lines.known, held)

    def _is_known(self, path: str) -> bool:
        if path.startswith("team/"):
            return False  # what it says is the colleague's, in a note, too
        article, known = self._vault.articles.get(path), self._vault.lines.known
        if article and article.kind == "rule":
            return self._vault.history().written.get(path) == article.sha
        if article:
            kind = self._vault.schema.kind_of(path)
            return not any(newcomer.of_article(article, kind.sections if kind else (), known))
        blocks = self._vault.log(date.fromisoformat(path.removeprefix("daily/"))).blocks
        return not any(newcomer.of_log(blocks, known))

    def _is_free(self, path: str) -> bool:
        return path not in self._vault.articles and not self._vault.articles.fault(path)


def _near(hits: list[Hit]) -> list[Hit]:
    """Leave out what scores far below the best; scores of one question can be compared."""
    least = _FLOOR * max((hit.score for hit in hits), default=0.0)
    return [hit for at, hit in enumerate(hits) if at < _FIRST or hit.score >= least]


def _whole(entry: Document) -> str:
    """Give an entry's text with what its session came to, as far as the entry leaves that out."""
    concluded = [
        f"- {line.text}"
        for heard in entry.heard
        for line in heard.lines
        if line.kind == "conclusion" and line.text not in entry.text
    ]
    return "\n".join([entry.text, *concluded])


def _unknown() -> Checked:
    return answers.check(answers.Answer(known=False, text=""), ())


def _wrote(change: Transaction, at: str) -> records.Record:
    return {"kind": "wrote", "at": at, "wrote": change.wrote}
