"""Capture what lies after a transcript's watermark as entries of the daily logs.

Read a part, pass it through the gate, let the engine write the entry, and deliver entry, extract,
mistakes and watermark in one transaction: either all of it is there or none, so nothing is captured
twice and nothing is lost whatever instant the process dies. A reply that was paid for is stored
before it is applied.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from memoria.agents.port import Agent, agent_of
from memoria.capture import flush_request
from memoria.capture.coverage import is_excluded, lies_in, matches_excludes
from memoria.capture.day_logs import (
    DayLogs,
    build_entry,
    find_done_items,
    list_notes,
    list_open_items,
)
from memoria.capture.digest import SessionRecord, digest
from memoria.capture.extract import extract_record
from memoria.capture.extract.mistakes import find_mistakes
from memoria.capture.extract.observed import observe
from memoria.capture.extract.session_context import build_context
from memoria.capture.extract.session_extract import extract
from memoria.capture.noted_lines import find_printed_notes
from memoria.capture.parts import Delivery, KnownTurns, Observer, Part, build_entry_id
from memoria.capture.provenance import allowed_orders, spans, trace_extract
from memoria.capture.provenance.origins import Origins
from memoria.capture.provenance.quotes import parse_judgements, verify_claims, verify_judgements
from memoria.capture.provenance.session_spans import SessionSpans
from memoria.llm.flush_form import FLUSH_SCHEMA
from memoria.llm.port import Cost, FlushMaterial, Model, OfflineModel, Reply, Request
from memoria.privacy import clean
from memoria.privacy.private import strip_private
from memoria.privacy.project_keys import project_key
from memoria.text.json_text import texts_at
from memoria.vault import daily_log
from memoria.vault.storage import clock, ledger_records as records
from memoria.vault.storage.state import encode_json

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from memoria.agents.transcript import Transcript
    from memoria.capture.flush_request import Texts
    from memoria.capture.spool import Spool
    from memoria.llm.flush_form import FlushAnswer
    from memoria.settings import Settings
    from memoria.vault.entry import Draft, Entry, Extract
    from memoria.vault.store import Vault
    from memoria.vault.transaction import Transaction


class CaptureService:
    """Captures transcripts into one vault with one engine; the ledger is read once, at first.

    What is said in a transcript that lies in none of `places` brings no rule in force; None says
    that a person vouches for all of them.
    """

    def __init__(  # noqa: PLR0913 - all that a capture works with
        self,
        vault: Vault,
        settings: Settings,
        model: Model,
        spool: Spool,
        agent: Agent | None = None,
        *,
        observer: Observer | None = None,
        places: Collection[Path] | None = None,
    ) -> None:
        self._agent = agent
        self._places = places
        self._observer = observer or Observer()
        history = vault.history()
        self.watermarks = dict(history.watermarks)
        # sessions that the person's excludes kept out
        self.excluded: set[str] = set()
        self.known = KnownTurns(history.turns, history.has_forgotten)
        self._forgotten = history.has_forgotten
        contexts = ((name, row.context) for name, row in history.sessions.items())
        self._outside = {name: texts_at(context, "outside") for name, context in contexts}
        self._entries = frozenset(history.captures)
        self._vault = vault
        self._settings = settings
        self._model = model
        self._spool = spool

    def parts(
        self, file: Path, *, source: Path | None = None, leave_open: bool = False
    ) -> Iterator[Part]:
        """Read what is new in a transcript; `source` is its own place if `file` is a link to it.

        A part without turns only moves the watermark. Sessions of excluded folders and projects and
        Memoria's own give nothing.
        """
        key = str(source or file)
        agent = self._agent or agent_of(source or file)
        mark = self.watermarks.get(key)
        start = mark.end if mark and agent.extends(file, mark.end, mark.tail) else 0
        transcripts = agent.read(
            file, start=start, known=self.known, leave_open=leave_open, empty=True, source=source
        )
        for raw in transcripts:
            if is_excluded(raw.cwd, self._settings, self._vault) or self._forgotten(raw.session):
                if matches_excludes(raw.cwd, self._settings):
                    self.excluded.add(raw.session)
                return
            self.known.add(turn.uuid for turn in raw.turns)
            # the file may not hold any more what was read before
            read_before = self._outside.get(raw.session, ())
            part = self._build_part(raw, file, key, agent, read_before)
            self._outside[raw.session] = part.outside
            self.watermarks[key] = part.watermark
            yield part

    def again(self, file: Path, names: Collection[str]) -> Iterator[Part]:
        """Read a transcript from its start; give the parts whose entries have these ids."""
        agent = self._agent or agent_of(file)
        for raw in agent.read(file, empty=True):
            ids = [build_entry_id(turn.uuid) for turn in raw.turns]
            starts = [at for at, name in enumerate(ids) if name in self._entries or name in names]
            for start, end in zip(starts, [*starts, len(ids)][1:], strict=True):
                if ids[start] in names:
                    part = replace(raw, turns=raw.turns[start:end])
                    yield self._build_part(part, file, str(file), agent)

    def entry(self, part: Part, model: Model | None = None) -> Delivery:
        """Let the engine (or the given one) write the part's entry."""
        model = model or self._model
        if not part.transcript.turns:
            return Delivery(part, None, part.extract, engine=model.name)
        replies, record, items = self._answers(part, model)
        answer = flush_request.merge_replies(replies)
        draft, engine = answer.draft(), model.name
        if not draft.worth_keeping and _has_statements(part.extract):
            # what the user laid down is kept, whatever a model makes of it
            draft, engine = part.extract.draft, OfflineModel.name
        draft = clean.clean_value(draft, self._settings.secrets)
        judgements = [
            claim for reply in replies for claim in parse_judgements(reply.value, record.spans)
        ]
        rules = self._observer.list_given_rules(part.transcript.session)
        notes, origins, unquoted = part.extract, part.origins, 0
        if model.reads == "prompt" and engine == model.name:
            # its words are others than those that plain code found
            notes, origins, unquoted = self._trace_answer(part, answer, draft, record, rules)
        draft = trace_extract.mark_foreign_draft(draft, origins)
        if draft.worth_keeping and engine == model.name != OfflineModel.name:
            # what was seen of branch, commits and checks is told by code, whoever writes the rest
            contexts = (part.extract.draft.context, draft.context)
            draft = replace(draft, context=" ".join(filter(None, contexts)))
        notes = self._demote_unvouched_rules(notes, Path(part.watermark.path))
        notes = replace(notes, draft=draft, outside=bool(part.outside))
        notes = allowed_orders.strip_subject_orders(notes, origins)
        known_texts = allowed_orders.find_known_texts(part.seen)
        harmless, doubtful = allowed_orders.partition_lines(draft, origins, known_texts, notes)
        return Delivery(
            part,
            build_entry(part, draft, engine) if draft.worth_keeping else None,
            notes,
            tuple(reply for reply in replies if reply.model),
            model.name,
            verify_judgements(judgements, part.transcript, rules, is_tainted=part.is_tainted),
            harmless,
            doubtful,
            find_done_items(self._vault, part, items, answer.closed),
            unquoted,
        )

    def _trace_answer(
        self, part: Part, answer: FlushAnswer, draft: Draft, record: SessionRecord, rules: Texts
    ) -> tuple[Extract, Origins, int]:
        """Give the extract with a model's answer, who had its words, and how many are unquoted."""
        cleaned = clean.clean_value(answer, self._settings.secrets)
        subjects = flush_request.attach_conclusions(part.extract.subjects, cleaned, record.spans)
        results = flush_request.build_results(cleaned, record.spans)
        left = flush_request.build_left(cleaned)
        notes = replace(part.extract, subjects=subjects, results=results, left=left)
        texts = [*trace_extract.list_draft_lines(draft), *trace_extract.list_texts(notes)]
        # the rules that it is to judge were shown to it, too: they have their own way
        rule_spans = [spans.Span(spans.FILE, text) for text in rules.values()]
        origins = Origins(chain(part.spans.list_spans(texts, {}), rule_spans), texts)
        quoted = verify_claims(answer.claims, record.spans, part.transcript)
        subjects = trace_extract.keep_own_conclusions(subjects, origins)
        notes = replace(notes, statements=quoted.statements, subjects=subjects)
        results, left = (
            trace_extract.mark_foreign_facts(facts, origins) for facts in (results, left)
        )
        notes = replace(notes, results=results, left=left)
        return notes, origins, quoted.unquoted

    def deliver(self, deliveries: Collection[Delivery]) -> tuple[Entry, ...]:
        """Write deliveries in one transaction; give the entries that are new in the logs."""
        new: list[Delivery] = []
        with self._vault.open_transaction() as change:
            logs = DayLogs(self._vault)
            # what was forgotten while its model answered does not come back
            forgotten = self._vault.history().has_forgotten
            for delivery in deliveries:
                raw = delivery.part.transcript
                keys = (records.turn_key(turn.uuid) for turn in raw.turns)
                if forgotten(raw.session) or any(map(forgotten, keys)):
                    continue
                if delivery.entry and logs.place(delivery.entry):
                    new.append(delivery)
                elif not delivery.entry and raw.turns:
                    logs.list(delivery.part)
                logs.close(delivery.closed)
                self._record_delivery(delivery, change)
            logs.write(change)
            self._observer.handle_deliveries(new, change, clock.now(self._settings.zone))
        for delivery in deliveries:
            # also those to what the part was before it grew
            self._spool.drop_replies(f"{delivery.part.entry_id}-")
        return tuple(delivery.entry for delivery in new if delivery.entry)

    def rewrite(self, part: Part) -> bool:
        """Let the engine write the entry of a part again; whether it took the place of the other.

        The ledger knows the part already, its errors too, so only the entry and what follows from
        its words is written; what was paid is kept, also for nothing. A ModelError says whether
        waiting helps.
        """
        delivery = self.entry(part)
        entry = delivery.entry
        now = clock.now(self._settings.zone)
        with self._vault.open_transaction() as change:
            logs = DayLogs(self._vault)
            entry_ids = [block.entry.id for block in self._vault.log(part.ended.date()).blocks]
            is_written = False
            # a person may have deleted the one that stood in: it does not come back
            if entry and entry.engine != OfflineModel.name and entry.id in entry_ids:
                is_written = logs.place(entry)
            logs.close(delivery.closed)
            logs.write(change)
            if entry and is_written:
                self._keep_extract(entry, delivery, change)
                self._observer.handle_deliveries([delivery], change, now)
            for reply in delivery.replies:
                call = records.build_call_record(now, "flush", reply)
                change.record(call | {"entry": part.entry_id})
        self._spool.drop_replies(f"{part.entry_id}-")
        return is_written

    def _build_part(
        self, raw: Transcript, file: Path, key: str, agent: Agent, read_before: Iterable[str] = ()
    ) -> Part:
        cleaned = clean.clean_value(clean.without_private(raw), self._settings.secrets)
        seen = observe(cleaned)
        mistakes, notes = find_mistakes(seen), extract(seen)
        texts = [*trace_extract.list_texts(notes), *trace_extract.list_remedy_texts(mistakes)]

        def reread(start: int) -> Iterator[Transcript]:
            return agent.read(file, start=start, source=Path(key))

        # a file that says `<private>` hides nothing of who said a thing first
        calls = (call for turn in raw.turns for call in turn.calls)
        hides = any(strip_private(call.result) != call.result for call in calls)
        whole = clean.clean_value(raw, self._settings.secrets) if hides else cleaned
        session = SessionSpans(reread, whole, self._settings.secrets)
        outside = dict.fromkeys(read_before)
        origins = Origins(session.list_spans(texts, outside), texts)
        remedied = (trace_extract.strip_foreign_remedy(mistake, origins) for mistake in mistakes)
        last = raw.turns[-1].until if raw.turns else clock.now(self._settings.zone)
        # the first turn names the part, however often and from which copy it is read
        first = raw.turns[0].uuid if raw.turns else f"{raw.session}:{raw.start}"
        return Part(
            transcript=cleaned,
            seen=seen,
            project=project_key(raw.cwd),
            entry_id=build_entry_id(first),
            ended=clock.to_local_time(last, self._settings.zone),
            mistakes=tuple(remedied),
            extract=trace_extract.mark_foreign_extract(notes, origins),
            watermark=records.Watermark(key, raw.session, raw.end, agent.tail_hash(file, raw.end)),
            spans=session,
            origins=origins,
            outside=tuple(outside | dict.fromkeys(spans.list_outside_sources(raw))),
            is_tainted=bool(outside),
        )

    def _demote_unvouched_rules(self, notes: Extract, path: Path) -> Extract:
        """Let what somebody else may have written for the user's words only propose rules."""
        if self._places is None or lies_in(path, self._places):
            return notes
        proposed = (replace(claim, standing=False) for claim in notes.statements)
        return replace(notes, statements=tuple(proposed))

    def _answers(self, part: Part, model: Model) -> tuple[list[Reply], SessionRecord, Texts]:
        """Let the engine answer; a model is asked with the record, which its answer cites.

        Beside the replies and the record, give the open items that the model was shown, by id.
        """
        if model.reads == "material":
            material = FlushMaterial(part.transcript, part.extract)
            return [model.ask(Request("flush", "", FLUSH_SCHEMA, material))], SessionRecord(), {}
        # a part that has grown since is another question
        key = f"{part.entry_id}-{part.watermark.end}"
        items = list_open_items(self._vault, part.project, part.ended)
        items_by_id = {f"O{number}": item.text for number, item in enumerate(items, 1)}
        # a reply that was kept names items by the ids of its own prompt
        memo = self._spool.reply(key) or {"replies": [], "items": items_by_id}
        record = digest(part.transcript)
        notes = list_notes(self._vault, part.project, part.ended)
        replies = flush_request.ask(
            model,
            part,
            record.chunks,
            self._observer.list_given_rules(part.transcript.session),
            memo["items"],
            find_printed_notes(notes, part.transcript),
            [Reply(**row | {"cost": Cost(**row["cost"])}) for row in memo["replies"]],
            lambda new: self._spool.keep_reply(
                key, {"replies": [asdict(reply) for reply in new], "items": memo["items"]}
            ),
        )
        return replies, record, memo["items"]

    def _record_delivery(self, delivery: Delivery, change: Transaction) -> None:
        part, entry, raw = delivery.part, delivery.entry, delivery.part.transcript
        now, zone = clock.now(self._settings.zone), self._settings.zone
        context: records.Record = {}
        if raw.turns:
            context = build_context(part.seen, part.project, part.extract.files).record()
            if part.outside:
                # told at the review of a rule that was said there
                context |= {"outside": list(part.outside)}
        capture = records.Capture(
            entry=entry.id if entry else "",
            session=raw.session,
            project=part.project,
            day=part.ended.date().isoformat(),
            at=part.ended.isoformat(timespec="seconds"),
            engine=delivery.engine,
            agent=raw.agent,
        )
        change.record(
            records.build_capture_record(
                at=now,
                capture=capture,
                watermark=part.watermark,
                turns=[turn.uuid for turn in raw.turns],
                skipped=delivery.skipped,
                began=raw.turns[0].at if raw.turns else None,
                context=context,
                line="" if entry or not raw.turns else part.entry_id,
            )
        )
        for mistake in part.mistakes:  # pages tell its day, which is the person's
            local = replace(mistake, at=clock.to_local_time(mistake.at, zone))
            change.record(records.build_mistake_record(local, raw.session, part.project))
        for record in self._observer.records(part, delivery.judgements, now):
            change.record(record)
        for reply in delivery.replies:
            change.record(records.build_call_record(now, "flush", reply))
        if entry:
            self._keep_extract(entry, delivery, change)

    def _keep_extract(self, entry: Entry, delivery: Delivery, change: Transaction) -> None:
        """Keep the extract of an entry, and which of its lines this machine knows."""
        cleaned = clean.clean_value(delivery.extract, self._settings.secrets)
        value = extract_record.encode(cleaned, daily_log.digest(entry))
        change.put_state(self._vault.state.extracts / f"{entry.id}.json", encode_json(value))
        self._vault.lines.add(delivery.sayable, delivery.held)


def _has_statements(notes: Extract) -> bool:
    """Whether the user laid something down: a rule, or a decision in words of theirs."""
    decided = (fact.text for fact in notes.facts if fact.kind == "decision")
    return bool(notes.statements) or any(text.startswith("User: ") for text in decided)
