"""Write the extract of a session that waits too long for its model as its entry, for the time.

What stands in is an ordinary entry of the Offline engine. What is kept to ask again is the redacted
record that a model is shown, and not the transcript: that is given up here. When the model
answers, its entry takes the same place, unless a person has edited the one that stood in.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from memoria.capture import flush_request
from memoria.capture.digest import digest
from memoria.capture.extract import extract_record
from memoria.capture.flush_request import Occasion
from memoria.capture.provenance import allowed_orders as warrant
from memoria.capture.provenance import marks, spans
from memoria.capture.provenance.origins import Origins
from memoria.capture.service import Capture, occasion
from memoria.errors import ModelError
from memoria.evidence.withholding.adherence_service import RuleObserver
from memoria.llm.offline import Offline
from memoria.llm.requests import Session
from memoria.privacy import clean as gate
from memoria.vault import daily
from memoria.vault.entry import Entry
from memoria.vault.storage import clock
from memoria.vault.storage import history as records
from memoria.vault.storage.state import encode

if TYPE_CHECKING:
    from pathlib import Path

    from memoria.capture.service import Part
    from memoria.capture.spool import Job
    from memoria.llm.port import Model
    from memoria.llm.requests import Reply
    from memoria.vault.entry import Draft
    from memoria.workspace import Workspace


def stand(work: Workspace, file: Path, job: Job) -> str:
    """Write what is new with the Offline engine; give the ids of the entries to ask for again."""
    engine = Offline()
    observer = RuleObserver(work.vault)
    capture = Capture(work.vault, work.settings, engine, work.spool, observer=observer)
    names = []
    for part in capture.parts(file, source=job.source):
        delivery = capture.entry(part)
        if delivery.entry:
            work.spool.keep_standing(part.entry_id, _kept(part))
            names.append(part.entry_id)
        capture.deliver([delivery])
    work.spool.drop_link(job)
    # a job with nothing to ask for is done at its next turn
    return ",".join(names) or "-"


def redeem(work: Workspace, model: Model, job: Job) -> list[str]:
    """Ask the model again for the entries that an extract stands in for; ModelError: later.

    What the model will never answer stays as it stands; the text given back says so.
    """
    said = []
    for name in job.standing.split(","):
        kept = work.spool.standing(name)
        if kept is None:
            continue
        if model.reads == "material":
            # the person has gone over to the Offline engine: what stands in is the entry
            work.spool.drop_standing(name)
            continue
        try:
            _redeem(work, model, kept)
        except ModelError as error:
            if error.later:
                raise
            said.append(f"{error}; the Offline engine's entry stays")
        work.spool.drop_standing(name)
    return said


def rewrite(work: Workspace, model: Model, part: Part) -> bool:
    """Let a model write the entry of a part again; False where it stays. ModelError: see above."""
    return _redeem(work, model, _kept(part))


def _redeem(work: Workspace, model: Model, kept: dict[str, Any]) -> bool:
    # a language model reads the prompt; the material went with the transcript
    material = Session(transcript=None, extract=None)  # type: ignore[arg-type]  # not read
    replies = flush_request.ask(model, kept["chunks"], Occasion(**kept["occasion"]), material)
    words = gate.clean(flush_request.joined(replies).draft(), work.settings.secrets)
    # the transcript has gone; what the model was shown has marks of who wrote it
    shown = Origins(spans.of_record("\n".join(kept["chunks"])), marks.lines(words))
    words = marks.traced(words, shown)
    return _replace(work, _entry(kept["entry"], words, model.name), shown, replies)


def _kept(part: Part) -> dict[str, Any]:
    place = {
        "id": part.entry_id,
        "day": part.ended.date().isoformat(),
        "at": part.ended.replace(tzinfo=None).isoformat(),
        "project": part.project,
        "session": part.transcript.session,
    }
    chunks = digest(part.transcript).chunks
    return {"entry": place, "chunks": list(chunks), "occasion": asdict(occasion(part))}


def _entry(place: dict[str, str], words: Draft, engine: str) -> Entry:
    return Entry(
        id=place["id"],
        day=date.fromisoformat(place["day"]),
        at=datetime.fromisoformat(place["at"]),
        project=place["project"],
        session=place["session"],
        engine=engine,
        draft=words,
    )


def _replace(work: Workspace, entry: Entry, shown: Origins, replies: list[Reply]) -> bool:
    """Put an entry where the extract stood in, and keep what was paid, also for nothing."""
    now = clock.now(work.settings.zone)
    state = work.vault.state
    with work.vault.changing() as change:
        log = work.vault.log(entry.day)
        # a person may have deleted the one that stood in: it does not come back
        held = any(block.entry.id == entry.id for block in log.blocks)
        there = held and entry.draft.worth_keeping
        placed = daily.place(log.text, entry) if there else daily.Placed(log.text, "edited")
        change.put_log(log, placed.text)
        path = state.extracts / f"{entry.id}.json"
        extract = extract_record.decode(state.read_json(path))
        if extract and placed.how == "replaced":
            value = replace(extract, draft=entry.draft)
            work.vault.lines.add(*warrant.sorted_lines(entry.draft, shown, extract=value))
            kept = extract_record.encode(value, daily.digest(entry))
            change.put_state(path, encode(kept))
        for reply in replies:
            if reply.model:
                change.record(records.called(now, "flush", reply) | {"entry": entry.id})
    return placed.how == "replaced"
