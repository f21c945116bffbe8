"""Jobs in the spool as the hooks leave them."""

import json
import os
import time

from place import debugging, state_of

# what a model answers to a session about tokens
DRAFT = {
    "worth_keeping": True,
    "title": "Tokens east of Greenwich",
    "context": "Tokens looked expired early.",
    "exchanges": ["Why do tokens fail? -> A local time was compared with UTC."],
    "decisions": ["Expiry is compared in UTC because users live in many zones."],
    "lessons": ["`datetime.now()` without a zone is local."],
    "actions": [],
    "statements": [],
}


def spooled(place, session="s-1", *lines, event="SessionEnd", reason="other", at=None):
    """Put a job into the spool as the hook does."""
    path = place.transcript(session, *(lines or debugging()))
    folder = state_of(place.vault) / "spool/new"
    at = at or time.time()
    name = f"{int(at * 1e9):020d}-{os.getpid()}-{session}"
    os.link(path, folder / f"{name}.jsonl")
    job = {
        "event": event,
        "reason": reason,
        "session": session,
        "transcript": str(path),
        "cwd": "/home/ana/shop",
        "at": at,
    }
    (folder / f"{name}.json").write_text(json.dumps(job))
    return path
