"""Answer `memoria query "question"` by the pages that search finds, each cited.

As many pages as the budget holds are read, the engine answers, code checks: what is printed links
only to what was shown. Each query leaves its entry in log.md and its cost in the ledger;
--file-back leaves the answer as a note, in one transaction with them. An answer is paid for, so it
is printed also where it cannot be written down.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from memoria import terminal
from memoria.capture.provenance import allowed_orders
from memoria.errors import BadReply, ModelError, UsageError, VaultError
from memoria.llm.port import Model, QueryMaterial, Reply, Request, register
from memoria.privacy import clean
from memoria.rules import model as rule_model
from memoria.rules.rulebook import read_approvals
from memoria.search import answer as answers, excerpt, injectable, pages, team_lines
from memoria.search.index import passages
from memoria.search.origin_marks import mark_answer
from memoria.search.service import refresh_index
from memoria.text.markdown import find_wikilinks, make_inert
from memoria.text.numbers import format_count
from memoria.vault import index as vault_index, package_files
from memoria.vault.citations import Citation
from memoria.vault.storage import clock, disk, ledger_records as records
from memoria.vault.storage.state import encode_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence

    from memoria.search.answer import CheckedAnswer
    from memoria.search.index.ranking import Hit
    from memoria.search.pages import Page
    from memoria.vault.article import Article
    from memoria.vault.schema import Kind
    from memoria.vault.transaction import Transaction
    from memoria.workspace import Workspace

# characters of a question and an error message; what is longer is a document
_LIMIT = 4_000
# more than the budget holds, since some are short
_MAX_ARTICLES = 60
# what was captured and not compiled, or too little for an article: as a rule articles know better
_MAX_ENTRIES, _ENTRY_BYTES = 4, pages.BUDGET // 3
# entries of colleagues: beside one's own, never in their place
_MAX_COLLEAGUES = 2
# Of the score of the best one of its kind: what has less is not sent to a model, which is paid by
# what it reads, but for the first few. Of 738 questions on documentation, on made-up pages and on
# those of a model none lost a wanted page that was among the first 12, which is what the budget
# holds; with .4 four did.
_FLOOR, _KEPT = 0.3, 3
# pages that are named where none answers: what one opens before asking anew
_SHOWN_NEAREST = 3

# of a rule that no person has approved, or not in these words
_WAITS = "not a rule yet: it waits for your review"

register("query", lambda question: asdict(excerpt.extract_answer(question)))


class AnsweredQuestion(NamedTuple):
    """A question with its checked answer, and who gave it."""

    question: QueryMaterial
    checked: CheckedAnswer
    reply: Reply

    @property
    def consulted(self) -> list[str]:
        """The paths of all pages that were shown, each once."""
        return list(dict.fromkeys(page.path for page in self.question.pages))


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Answer, print, and keep a record."""
    # what a shell passes on may be no Unicode
    text = " ".join(arguments.question).encode("utf-8", "replace").decode()
    question = " ".join(clean.clean_value(text, work.settings.secrets).split())
    if not question:
        raise UsageError('nothing is asked: `memoria query "question"`')
    if len(question) > _LIMIT:
        raise UsageError(f"the question has {len(question)} characters; ask in at most {_LIMIT}")
    asker = Asker(work, work.model(arguments.engine))
    answer = asker.ask(question)
    filed = None
    try:
        filed = asker.keep(answer, file_back=arguments.file_back)
    finally:
        if arguments.json:
            terminal.print_json(_build_json(answer, filed))
        else:
            terminal.print_line(answer.checked.text)
    _print_summary(work, answer, filed, file_back=arguments.file_back)
    return 0


def _build_json(answer: AnsweredQuestion, filed: str | None) -> dict[str, Any]:
    checked, reply = answer.checked, answer.reply
    return {
        "answer": checked.text,
        "citations": list(checked.citations),
        "consulted": answer.consulted,
        "filed": filed,
        "known": checked.known,
        "engine": reply.engine,
        "cost": round(reply.cost.usd, 6),
    }


def _print_summary(
    work: Workspace, answer: AnsweredQuestion, filed: str | None, *, file_back: bool
) -> None:
    checked, consulted = answer.checked, answer.consulted
    for fault in checked.faults:
        removal = " and was taken out" if fault.startswith("[[") else ""
        work.terminal.warn(f"In the answer, {fault}{removal}.")
    if not checked.known and consulted:
        work.terminal.say(f"Nearest: {', '.join(consulted[:_SHOWN_NEAREST])}.")
    reply, cost = answer.reply, answer.reply.cost
    count = f"{format_count(len(consulted), 'note')} read, {len(checked.citations)} cited"
    engine_cost = f"{reply.engine} engine, {cost.input_tokens} + {cost.output_tokens} tokens"
    price = f", {engine_cost}, ${cost.usd:.4f}" if reply.engine != "offline" else ""
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

    def ask(self, question: str) -> AnsweredQuestion:
        """Find pages, ask the engine, check what it says; without a page nobody is asked."""
        with self._work.terminal.progress("Answering", 2) as step:
            material = self.find_pages(question)
            step(f"{format_count(len(material.pages), 'note')} found")
            if not material.pages:
                unknown = answers.check_answer(answers.QueryAnswer(known=False, answer=""), ())
                return AnsweredQuestion(material, unknown, Reply({}, self._model.name))
            answer = self._ask_engine(material)
            step("answered")
        return answer

    def find_pages(self, question: str) -> QueryMaterial:
        """Find the pages for a question, the note of an earlier answer to it first."""
        index = refresh_index(self._work)
        earlier_note = answers.find_earlier_note(question, self._list_notes())
        hits = index.find(question, limit=_MAX_ARTICLES, scope="articles")
        own_hits = index.find(question, limit=_MAX_ENTRIES, scope="own")
        team_hits = index.find(question, limit=_MAX_COLLEAGUES, scope="team")
        if self._reads_prompt:
            hits, own_hits, team_hits = map(_remove_far_hits, (hits, own_hits, team_hits))
        paths = [hit.path.removeprefix("knowledge/").removesuffix(".md") for hit in hits]
        if self._reads_prompt:
            paths = self._add_linked(paths)
        if earlier_note:
            paths = [earlier_note.path, *earlier_note.names("consulted"), *paths]
        colleagues = self._build_colleague_pages(team_hits)
        shown = filter(None, map(self._vault.articles.get, paths))
        replaced = pages.find_replaced_lines(shown)
        own_pages = self._build_entry_pages(own_hits)
        marked = (pages.mark_replaced_lines(page, replaced) for page in own_pages)
        captured = map(self._redact_page, (*marked, *colleagues))
        entries = pages.fit_pages(captured, question, _ENTRY_BYTES)
        room = pages.BUDGET - sum(map(pages.count_bytes, entries))
        article_pages = map(self._redact_page, self._build_article_pages(dict.fromkeys(paths)))
        articles = pages.fit_pages(article_pages, question, room)
        return QueryMaterial(question, (*articles, *entries), earlier_note)

    def build_request(self, material: QueryMaterial, refusals: tuple[str, ...] = ()) -> Request:
        """Make the request; what plain code answers needs no prompt."""
        prompt = ""
        if self._reads_prompt:
            template = package_files.read_text("prompts/query.md")
            prompt = answers.build_query_prompt(template, material, refusals)
        return Request("query", prompt, answers.QUERY_SCHEMA, material)

    def keep(self, answer: AnsweredQuestion, *, file_back: bool) -> str | None:
        """Write log.md, the ledger and, if wanted, the note; give the note's file."""
        now, filed = clock.now(self._work.settings.zone), ""
        with self._vault.open_transaction() as change:
            self._vault.check_nothing_forgotten(self._before)
            if file_back and answer.checked.known:
                # only what leaves a note is a step that a person may want to take back
                change.label = "query"
                filed = self._file_answer(answer, change)
                self._allow_in_hooks(answer, change.articles.get(filed))
                change.put_index()
            notes = dict.fromkeys(link.partition("#")[0] for link in answer.checked.citations)
            own_notes = vault_index.format_links(n for n in notes if not n.startswith("team/"))
            targets = vault_index.format_links([filed] if filed else [])
            lines = [f"Consulted: {own_notes}", f"Filed to: {targets}"]
            subject = f'"{make_inert(answer.question.text)}"'
            change.append_log(vault_index.format_log_entry(now, "query", subject, lines))
            change.record(records.build_call_record(now, "query", answer.reply))
            if change.wrote:
                at = now.isoformat(timespec="seconds")
                change.record({"kind": "wrote", "at": at, "wrote": change.wrote})
        disk.replace(self._vault.state.summary, encode_json(self._vault.history().state()))
        return f"knowledge/{filed}.md" if filed else None

    def _ask_engine(self, material: QueryMaterial) -> AnsweredQuestion:
        """Ask, and ask once more with the reasons where something is wrong with the answer."""
        reply = self._model.ask(self.build_request(material))
        checked: CheckedAnswer | None = None
        try:
            checked = self._check_reply(reply, material)
            faults = checked.faults
        except BadReply as error:
            faults = (str(error),)
        if faults and self._reads_prompt:
            with suppress(ModelError):
                second = self._model.ask(self.build_request(material, faults))
                reply = replace(second, cost=reply.cost + second.cost)
                checked = self._check_reply(second, material)
        if checked is None:
            self._model.paid_in_vain("query", reply)
            raise BadReply(faults[0])
        return AnsweredQuestion(material, checked, reply)

    def _check_reply(self, reply: Reply, material: QueryMaterial) -> CheckedAnswer:
        parsed = clean.clean_value(answers.parse_answer(reply.value), self._work.settings.secrets)
        self._vault.articles.refresh()
        live_paths = {page.path for page in material.pages if self._is_there(page.path)}
        checked = answers.check_answer(parsed, live_paths)
        return mark_answer(checked, (page.text for page in material.pages))

    def _is_there(self, path: str) -> bool:
        # what a colleague shared was read from the mirror just now
        if path.startswith("team/") or path in self._vault.articles:
            return True
        return (self._vault.root / f"{path}.md").is_file()

    def _list_notes(self) -> Iterator[Article]:
        # by path: to go through the shelf itself would read every note of the vault
        folder, articles = f"{self._kind.folder}/", self._vault.articles
        notes = (articles.get(path) for path in articles.paths() if path.startswith(folder))
        return (note for note in notes if note)

    def _add_linked(self, paths: Sequence[str]) -> list[str]:
        """Put what the best topic links to behind what fits, and projects' pages last.

        What a question asks and does not name often stands on a page next to the one it names; a
        project's page repeats what others tell.
        """
        topics = [path for path in paths if not path.startswith("projects/")]
        best_article = self._vault.articles.get(topics[0]) if topics else None
        linked = find_wikilinks(best_article.section("Related Concepts")) if best_article else ()
        return [*topics, *linked, *(path for path in paths if path not in topics)]

    def _build_article_pages(self, paths: Iterable[str]) -> Iterator[Page]:
        approvals = read_approvals(self._vault.state)
        for article in filter(None, map(self._vault.articles.get, paths)):
            rule = rule_model.read_rule(article)
            if not (rule and rule.status in rule_model.CLOSED):
                page = pages.build_article_page(article)
                waits = rule and not rule_model.is_in_force(rule, approvals)
                yield replace(page, remark=_WAITS) if waits else page

    def _build_entry_pages(self, hits: list[Hit]) -> Iterator[Page]:
        # what was replaced by one of these is no answer
        links = {hit.link for hit in hits}
        current = [hit for hit in hits if hit.replaced_by not in links]
        # two entries of a day may have the same title, and then are hits twice
        for path, title in dict.fromkeys((hit.path, hit.title) for hit in current):
            with suppress(VaultError):  # changed since it was searched
                yield from self._read_entry_pages(path, title)

    def _read_entry_pages(self, path: str, title: str) -> Iterator[Page]:
        """Read the entries of a title: their lines alone, as what is quoted has to stand there."""
        note = path.removesuffix(".md")
        day = Citation(note).day
        if day is None:  # a person wrote it in a file of its own
            file = self._vault.page(path.removeprefix("daily/"))
            text = passages.build_page_document(path, file.day, file.text, "").text
            yield pages.Page(note, title, "entry", "", text)
            return
        log = self._vault.log(day)
        for entry in passages.build_log_documents(day, log.text, log.sha):
            if entry.title == title:
                yield pages.build_entry_page(day, title, entry.text, entry.link)

    def _build_colleague_pages(self, hits: list[Hit]) -> Iterator[Page]:
        for hit in hits:
            from memoria.team.reports import text_of  # noqa: PLC0415 - few belong to a team

            text = text_of(team_lines.open_mirror(self._work), hit.link)
            yield pages.build_colleague_page(hit.author, hit.title, text, hit.link)

    def _redact_page(self, page: Page) -> Page:
        # a person may have written a secret into a note; the path is what links name
        return replace(clean.clean_value(page, self._work.settings.secrets), path=page.path)

    @property
    def _kind(self) -> Kind:
        kind = self._vault.schema.kind("qa")
        assert kind is not None  # noqa: S101 - a schema without it is refused
        return kind

    def _file_answer(self, answer: AnsweredQuestion, change: Transaction) -> str:
        kind, question = self._kind, answer.question.text
        today = clock.now(self._work.settings.zone).date()
        titles = {page.link: page.title for page in answer.question.pages}
        filed = answers.Filing(question, answer.checked, today, titles)
        note = answers.find_earlier_note(question, self._list_notes())
        if note is None:
            paths = self._vault.articles.paths()
            slug = answers.choose_slug(question, lambda name: kind.path(name) not in paths)
            change.put_article(answers.build_note(kind.path(slug), filed, kind))
            return kind.path(slug)
        if not self._reads_prompt and excerpt.is_authored(note):
            return note.path
        is_owned = note.sha == self._vault.history().written.get(note.path)
        updated = answers.update_note(note, filed, kind, is_owned=is_owned)
        if updated is not note:
            change.put_article(updated)
        if not is_owned:
            change.wrote.pop(note.path, None)
        return note.path

    def _allow_in_hooks(self, answer: AnsweredQuestion, note: Article | None) -> None:
        """Let hooks say the answer where this machine knows every line that it was made of.

        An agent's question can say what a page said, and its answer repeat that: both are held.
        """
        if note and all(map(self._may_be_told, answer.consulted)):
            lines = injectable.list_sayable_lines(note, self._kind.sections)
            told_keys, held_keys = allowed_orders.partition_note_lines(lines, outside=True)
            if not self._work.driver().is_person:
                told_keys, held_keys = frozenset(), told_keys | held_keys
            self._vault.lines.add(told_keys - self._vault.lines.keys, held_keys)

    def _may_be_told(self, path: str) -> bool:
        """Whether this machine knows all that a page says."""
        if path.startswith("team/"):
            return False  # what it says is the colleague's, in a note, too
        article, keys = self._vault.articles.get(path), self._vault.lines.keys
        if article and article.kind == "rule":
            return self._vault.history().written.get(path) == article.sha
        if article:
            kind = self._vault.schema.kind_of(path)
            headings = kind.sections if kind else ()
            return not any(injectable.find_unknown_in_article(article, headings, keys))
        day = Citation(path).day  # None for a file of a person, of which nothing is kept
        blocks = self._vault.log(day).blocks if day else ()
        return day is not None and not any(injectable.find_unknown_in_log(blocks, keys))


def _remove_far_hits(hits: list[Hit]) -> list[Hit]:
    """Leave out what scores far below the best; scores of one question can be compared."""
    least_score = _FLOOR * max((hit.score for hit in hits if hit.kind != "project"), default=0.0)
    return [hit for at, hit in enumerate(hits) if at < _KEPT or hit.score >= least_score]
