"""Lines of a transcript as clients write them, made by hand for tests."""

import json
from datetime import UTC, datetime, timedelta
from itertools import count

from memoria.agents.claude_code.turns import Reading
from memoria.agents.pieces import Limits
from memoria.agents.transcript import Call, Compaction, Interrupt, Say, Steer

START = datetime(2026, 3, 2, 10, tzinfo=UTC)
WRITTEN = datetime(2026, 3, 9, tzinfo=UTC)
_numbers = count()


def stamp(minutes):
    return (START + timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")


def line(kind, at=0, **extra):
    """A line of that type; a value of None takes the key out."""
    record = {
        "parentUuid": None,
        "isSidechain": False,
        "cwd": "/home/ana/shop",
        "sessionId": "s-1",
        "version": "2.1.30",
        "gitBranch": "main",
        "type": kind,
        "uuid": f"u-{next(_numbers)}",
        "timestamp": stamp(at),
        **extra,
    }
    return {key: value for key, value in record.items() if value is not None}


def user(content, at=0, **extra):
    return line("user", at, message={"role": "user", "content": content}, **extra)


def assistant(*blocks, at=0, reply=None, model="claude-opus-4-6", tokens=(1, 2, 3, 4), **extra):
    names = ("input_tokens", "output_tokens", "cache_read_input_tokens")
    usage = dict(zip((*names, "cache_creation_input_tokens"), tokens, strict=True))
    message = {"id": reply or f"m-{next(_numbers)}", "role": "assistant", "model": model}
    return line(
        "assistant", at, message={**message, "content": list(blocks), "usage": usage}, **extra
    )


def text(words):
    return {"type": "text", "text": words}


def say(words, at=0, **extra):
    return assistant(text(words), at=at, **extra)


def tool(key, name="Bash", **arguments):
    return {"type": "tool_use", "id": key, "name": name, "input": arguments}


def result(key, content="done", at=0, *, error=None, **extra):
    block = {"type": "tool_result", "tool_use_id": key, "content": content}
    return user([block if error is None else {**block, "is_error": error}], at, **extra)


def queue(operation, content=None, at=0, **extra):
    record = {"type": "queue-operation", "operation": operation, "timestamp": stamp(at)}
    record |= {"sessionId": "s-1", "content": content, **extra}
    return {key: value for key, value in record.items() if value is not None}


def attached(prompt, at=0, **attachment):
    return line(
        "attachment", at, attachment={"type": "queued_command", "prompt": prompt, **attachment}
    )


def encode(record):
    return record if isinstance(record, bytes) else json.dumps(record).encode() + b"\n"


def fold(records, *, leave_open=False, start=0, **options):
    """Feed records to a Reading and give all parts, the last one also without turns."""
    reading = Reading(
        "stem", WRITTEN, options.pop("limits", None) or Limits(), start=start, **options
    )
    parts, end = [], start
    for record in records:
        raw = encode(record)
        end += len(raw)
        parts += reading.line(raw, end)
    return [*parts, reading.finish(leave_open=leave_open)]


def shown(part):
    """Turns as short texts: the prompt, then its steps."""
    return [(turn.prompt, *map(_step, turn.steps)) for turn in part.turns]


def _step(step):
    match step:
        case Say(words):
            return f"say {words}"
        case Call():
            return f"{step.name} {step.result if step.answered else '?'}"
        case Steer(words):
            return f"steer {words}"
        case Interrupt():
            return "stop"
        case Compaction(summary):
            return f"compacted {summary}"
