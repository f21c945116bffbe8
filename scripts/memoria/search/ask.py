"""Answer `memoria query "question"` by the pages that search finds, each cited.

As many pages as the budget holds are read, the engine answers, code checks: what is printed links
only to what was shown. Each query leaves its entry in log.md and its cost in the ledger;
--file-back leaves the answer as a note, in one transaction with them. An answer is paid for, so it
is printed also where it cannot be written down.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from memoria import terminal
from memoria.capture.provenance import allowed_orders as warrant
from memoria.errors import BadReply, ModelError, UsageError, VaultError
from memoria.llm.port import Model, Question, Reply, Request, register
from memoria.privacy import clean as gate
from memoria.rules import model as rule
from memoria.search import (
    answer as answers,
    excerpt,
    injectable as tellable,
    pages as page,
    team_lines,
)
from memoria.search.index import passages as passage
from memoria.search.origin_marks import answered
from memoria.search.service import extract, refreshed
from memoria.text.markdown import inert, wikilinks
from memoria.text.numbers import counted
from memoria.vault import index as catalog, package_files as resource
from memoria.vault.citations import Citation
from memoria.vault.storage import clock, disk, ledger_records as records
from memoria.vault.storage.state import encode

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence

    from memoria.search.answer import Checked
    from memoria.search.index.ranking import Hit
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

register("query", lambda question: asdict(excerpt.excerpt(question)))


class Answered(NamedTuple):
    """A question with its checked answer, and who gave it."""

    question: Question
    checked: Checked
    reply: Reply

    @property
    def consulted(self) -> list[str]:
        """The paths of all pages that were shown, each once."""
        return list(dict.fromkeys(page.path for page in self.question.pages))


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Answer, print, and keep a record."""
    # what a shell passes on may be no Unicode
    text = " ".join(arguments.question).encode("utf-8", "replace").decode()
    question = " ".join(gate.clean(text, work.settings.secrets).split())
    if not question:
        raise UsageError('nothing is asked: `memoria query "question"`')
    if len(question) > _LONGEST:
        raise UsageError(f"the question has {len(question)} characters; ask in at most {_LONGEST}")
    asker = Asker(work, work.model(arguments.engine))
    answer = asker.ask(question)
    checked, filed = answer.checked, None
    try:
        filed = asker.keep(answer, file_back=arguments.file_back)
    finally:
        if arguments.json:
            terminal.data(
                {
                    "answer": checked.text,
                    "citations": list(checked.citations),
                    "consulted": answer.consulted,
                    "filed": filed,
                    "known": checked.known,
                    "engine": answer.reply.engine,
                    "cost": round(answer.reply.cost.usd, 6),
                }
            )
        else:
            terminal.line(checked.text)
    _tell(work, answer, filed, file_back=arguments.file_back)
    return 0


def _tell(work: Workspace, answer: Answered, filed: str | None, *, file_back: bool) -> None:
    checked, consulted = answer.checked, answer.consulted
    for fault in checked.faults:
        taken = " and was taken out" if fault.startswith("[[") else ""
        work.terminal.warn(f"In the answer, {fault}{taken}.")
    if not checked.known and consulted:
        work.terminal.say(f"Nearest: {', '.join(consulted[:_NEAREST])}.")
    reply, cost = answer.reply, answer.reply.cost
    count = f"{counted(len(consulted), 'note')} read, {len(checked.citations)} cited"
    paid = f"{reply.engine} engine, {cost.input_tokens} + {cost.output_tokens} tokens"
    price = f", {paid}, ${cost.usd:.4f}" if reply.engine != "offline" else ""
    work.terminal.say(f"{count}{price}.")
    if filed:
        work.terminal.say(f"Filed: {work.vault.root / filed}")
    elif file_back:
        work.terminal.say("Nothing is filed: there is no answer.")


class Asker:
    """Answers questions from one vault with one engine."""

    def __init__(self, work: Workspace, model: Model) -> None:
        self._work = work
        self._vault = work.vault
        self._model = model
        self._before = work.vault.history()
        self._reads_prompt = model.reads == "prompt"

    def ask(self, question: str) -> Answered:
        """Find pages, ask the engine, check what it says; without a page nobody is asked."""
        with self._work.terminal.progress("Answering", 2) as step:
            asked = self.found(question)
            step(f"{counted(len(asked.pages), 'note')} found")
            if not asked.pages:
                unknown = answers.check(answers.Answer(known=False, answer=""), ())
                return Answered(asked, unknown, Reply({}, self._model.name))
            answer = self._asked(asked)
            step("answered")
        return answer

    def found(self, question: str) -> Question:
        """Find the pages for a question, the note of an earlier answer to it first."""
        index = refreshed(self._work)
        before = answers.earlier(question, self._notes())
        hits = index.find(question, most=_ARTICLES, scope="articles")
        entered = index.find(question, most=_ENTRIES, scope="own")
        theirs = index.find(question, most=_OF_TEAM, scope="team")
        if self._reads_prompt:
            hits, entered, theirs = map(_near, (hits, entered, theirs))
        paths = [hit.path.removeprefix("knowledge/").removesuffix(".md") for hit in hits]
        if self._reads_prompt:
            paths = self._with_linked(paths)
        if before:
            paths = [before.path, *before.names("consulted"), *paths]
        entry_pages = (*self._entries(entered), *(self._colleagues(theirs) if theirs else ()))
        # a person may have written a secret into a note; the path is what links name
        entries = page.within(map(self._safe, entry_pages), question, _OF_ENTRIES)
        room = page.BUDGET - sum(map(page.size, entries))
        articles = map(self._safe, self._articles(dict.fromkeys(paths)))
        return Question(question, (*page.within(articles, question, room), *entries), before)

    def request(self, asked: Question, refusals: tuple[str, ...] = ()) -> Request:
        """Make the request; what plain code answers needs no prompt."""
        template = resource.text("prompts/query.md")
        prompt = answers.query_prompt(template, asked, refusals) if self._reads_prompt else ""
        return Request("query", prompt, answers.QUERY_SCHEMA, asked)

    def keep(self, answer: Answered, *, file_back: bool) -> str | None:
        """Write log.md, the ledger and, if wanted, the note; give the note's file."""
        now = clock.now(self._work.settings.zone)
        filed = ""
        with self._vault.changing() as change:
            self._vault.unforgotten(self._before)
            if file_back and answer.checked.known:
                # only what leaves a note is a step that a person may want to take back
                change.label = "query"
                filed = self._file(answer, change)
                self._know(answer, change.articles.get(filed))
                change.put_index()
            notes = dict.fromkeys(link.partition("#")[0] for link in answer.checked.citations)
            own = [note for note in notes if not note.startswith("team/")]
            lines = [
                f"Consulted: {catalog.links(own)}",
                f"Filed to: {catalog.links([filed] if filed else [])}",
            ]
            subject = f'"{inert(answer.question.text)}"'
            change.append_log(catalog.log_entry(now, "query", subject, lines))
            change.record(records.called(now, "query", answer.reply))
            if change.wrote:
                at = now.isoformat(timespec="seconds")
                change.record({"kind": "wrote", "at": at, "wrote": change.wrote})
        disk.replace(self._vault.state.summary, encode(self._vault.history().state()))
        return f"knowledge/{filed}.md" if filed else None

    def _asked(self, asked: Question) -> Answered:
        """Ask, and ask once more with the reasons where something is wrong with the answer."""
        reply = self._model.ask(self.request(asked))
        checked: Checked | None = None
        try:
            checked = self._checked(reply, asked)
            wrong = checked.faults
        except BadReply as error:
            wrong = (str(error),)
        if wrong and self._reads_prompt:
            with suppress(ModelError):
                second = self._model.ask(self.request(asked, wrong))
                reply = replace(second, cost=reply.cost + second.cost)
                checked = self._checked(second, asked)
        if checked is None:
            self._model.paid_in_vain("query", reply)
            raise BadReply(wrong[0])
        return Answered(asked, checked, reply)

    def _checked(self, reply: Reply, asked: Question) -> Checked:
        given = gate.clean(answers.answer(reply.value), self._work.settings.secrets)
        self._vault.articles.refresh()
        paths = {document.path for document in asked.pages}
        # what a colleague shared was read from the mirror just now
        live = {
            path
            for path in paths
            if path.startswith("team/")
            or path in self._vault.articles
            or (self._vault.root / f"{path}.md").is_file()
        }
        return answered(answers.check(given, live), (document.text for document in asked.pages))

    def _notes(self) -> Iterator[Article]:
        # by path: to go through the shelf itself would read every note of the vault
        folder, shelf = f"{self._kind.folder}/", self._vault.articles
        notes = (shelf.get(path) for path in shelf.paths() if path.startswith(folder))
        return (note for note in notes if note)

    def _with_linked(self, paths: Sequence[str]) -> list[str]:
        """Put what the best topic links to behind what fits, and projects' pages last.

        What a question asks and does not name often stands on a page next to the one it names; a
        project's page repeats what others tell.
        """
        topics = [path for path in paths if not path.startswith("projects/")]
        best = self._vault.articles.get(topics[0]) if topics else None
        linked = wikilinks(best.section("Related Concepts")) if best else ()
        return [*topics, *linked, *(path for path in paths if path not in topics)]

    def _articles(self, paths: Iterable[str]) -> Iterator[Page]:
        for article in filter(None, map(self._vault.articles.get, paths)):
            own_rule = rule.read_rule(article)
            if not (own_rule and own_rule.status in _VOID):
                yield page.of_article(article)

    def _entries(self, hits: list[Hit]) -> Iterator[Page]:
        # what was replaced by one of these is no answer
        links = {hit.link for hit in hits}
        current = [hit for hit in hits if hit.replaced_by not in links]
        # two entries of a day may have the same title, and then are hits twice
        named = dict.fromkeys((hit.path, hit.title) for hit in current)
        for path, title in named:
            note = path.removesuffix(".md")
            try:
                if (day := Citation(note).day) is None:  # a person wrote it in a file of its own
                    written = self._vault.page(path.removeprefix("daily/"))
                    text = passage.of_page(path, written.day, written.text, "").text
                    yield page.Page(note, title, "entry", "", text)
                    continue
                log = self._vault.log(day)
            except VaultError:
                continue  # changed since it was searched
            for entry in passage.of_log(day, log.text, log.sha, partial(extract, self._work)):
                if entry.title == title:
                    lines = (line for heard in entry.heard for line in heard.lines)
                    # what its session came to, as far as the entry leaves that out
                    came_to = [
                        f"- {line.text}"
                        for line in lines
                        if line.kind == "conclusion" and line.text not in entry.text
                    ]
                    yield page.of_entry(day, title, "\n".join([entry.text, *came_to]), entry.link)

    def _colleagues(self, hits: list[Hit]) -> Iterator[Page]:
        from memoria.team.reports import text_of  # noqa: PLC0415 - few belong to a team

        for hit in hits:
            text = text_of(team_lines.mirror(self._work), hit.link)
            yield page.of_colleague(hit.author, hit.title, text, hit.link)

    def _safe(self, document: Page) -> Page:
        return replace(gate.clean(document, self._work.settings.secrets), path=document.path)

    @property
    def _kind(self) -> Kind:
        kind = self._vault.schema.kind("qa")
        assert kind is not None  # noqa: S101 - a schema without it is refused
        return kind

    def _file(self, answer: Answered, change: Transaction) -> str:
        kind = self._kind
        now = clock.now(self._work.settings.zone)
        titles = {document.link: document.title for document in answer.question.pages}
        filed = answers.Filing(answer.question.text, answer.checked, now.date(), titles)
        before = answers.earlier(answer.question.text, self._notes())
        if before is None:
            taken = self._vault.articles.paths()
            path = kind.path(
                answers.slug(filed.question, lambda name: kind.path(name) not in taken)
            )
            change.put_article(answers.note(path, filed, kind))
            return path
        if not self._reads_prompt and excerpt.stands(before):
            return before.path
        owned = before.sha == self._vault.history().written.get(before.path)
        after = answers.updated(before, filed, kind, owned=owned)
        if after is not before:
            change.put_article(after)
        if not owned:
            change.wrote.pop(before.path, None)
        return before.path

    def _know(self, answer: Answered, note: Article | None) -> None:
        """Let hooks say the answer where this machine knows every line that it was made of."""
        if note and all(map(self._is_known, answer.consulted)):
            lines = tellable.of_note(note, self._kind.sections)
            told_keys, held_keys = warrant.sayable(lines, outside=True)
            self._vault.lines.add(told_keys - self._vault.lines.keys, held_keys)

    def _is_known(self, path: str) -> bool:
        if path.startswith("team/"):
            return False  # what it says is the colleague's, in a note, too
        article, keys = self._vault.articles.get(path), self._vault.lines.keys
        if article and article.kind == "rule":
            return self._vault.history().written.get(path) == article.sha
        if article:
            kind = self._vault.schema.kind_of(path)
            return not any(
                tellable.unknown_in_article(article, kind.sections if kind else (), keys)
            )
        day = Citation(path).day  # None for a file of a person, of which nothing is kept
        if day is None:
            return False
        return not any(tellable.unknown_in_log(self._vault.log(day).blocks, keys))


def _near(hits: list[Hit]) -> list[Hit]:
    """Leave out what scores far below the best; scores of one question can be compared."""
    least = _FLOOR * max((hit.score for hit in hits if hit.kind != "project"), default=0.0)
    return [hit for at, hit in enumerate(hits) if at < _FIRST or hit.score >= least]
