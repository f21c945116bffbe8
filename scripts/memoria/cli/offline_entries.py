"""Write the extract of a session that waits too long for its model as its entry, for the time.

What stands in is an ordinary entry of the Offline engine. When the model answers, its entry takes
the same place, unless a person has edited or deleted the one that stood in. The trap: the hook's
link is given up here, so of a transcript that its agent has deleted meanwhile the extract stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.capture.service import Capture
from memoria.errors import ModelError
from memoria.evidence.rule_observer import RuleObserver
from memoria.llm.port import Offline

if TYPE_CHECKING:
    from pathlib import Path

    from memoria.capture.parts import Delivery, Part
    from memoria.capture.spool import Job
    from memoria.llm.port import Model
    from memoria.workspace import Workspace


def stand(work: Workspace, file: Path, job: Job) -> str:
    """Write what is new with the Offline engine; give the ids of the entries to ask for again."""
    capture = capturing(work, Offline())
    names = []
    for part in capture.parts(file, source=job.source):
        delivery = capture.entry(part)
        names += [part.entry_id] if delivery.entry else []
        capture.deliver([delivery])
    work.spool.drop_link(job)
    # a job with nothing to ask for is done at its next turn
    return ",".join(names) or "-"


def redeem(work: Workspace, model: Model, job: Job) -> list[str]:
    """Ask the model again for the entries that an extract stands in for; ModelError: later.

    What the model will never answer stays as it stands; the text given back says so.
    """
    # what was answered before the model went out of reach again is not paid for twice
    answered = {str(call.get("entry")) for call in work.vault.history().calls}
    names = set(job.standing.split(",")) - {"-"} - answered
    # the person may have gone over to the Offline engine: what stands in is the entry
    if not names or job.source is None or model.reads == "material":
        return []
    if not job.source.is_file():
        return ["the transcript is gone; the Offline engine's entry stays"]
    said = []
    capture = capturing(work, model)
    for part in capture.again(job.source, names):
        try:
            capture.rewrite(part)
        except ModelError as error:
            if error.later:
                raise
            said.append(f"{error}; the Offline engine's entry stays")
    return said


def capturing(work: Workspace, model: Model) -> Capture:
    """Make what captures sessions with a model, and sees how rules were kept."""
    observer = RuleObserver(work.vault)
    return Capture(work.vault, work.settings, model, work.spool, observer=observer)


def asked(capture: Capture, part: Part, problems: list[str], where: str = "") -> Delivery:
    """Ask for the entry of a part; what a model will never answer the Offline engine writes."""
    try:
        return capture.entry(part)
    except ModelError as error:
        if error.later:
            raise
        problems.append(f"{where}{error}; the Offline engine wrote the entry")
        return capture.entry(part, Offline())
