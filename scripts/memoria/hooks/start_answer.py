"""Tell a session at its start the project's rules and latest knowledge; start a sweep beside it.

All of it was prepared by the last flush in one small file a project, so the cost does not grow with
the vault. The sweep finds sessions that ended without SessionEnd. Where nothing can be captured
this is the place that says so, in one line; nothing of a vault that is gone is told.
"""

from __future__ import annotations

import os
import sys
import time

from memoria.agents import instruction_files
from memoria.agents.claude_code.git import current_branch
from memoria.hooks import protocol, session_allotment
from memoria.privacy.project_keys import project_key
from memoria.search import injection
from memoria.vault import project

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from typing import Any

# the client starts hooks of several installations within moments of each other
_TWICE_SECONDS = 10.0
# a capture that waits longer than this has met more than a short outage
_STALE_SECONDS = 6 * 3600
# less than a day's log and its journal need: a disk with this little left is as good as full
_ROOM_BYTES = 1024 * 1024
# what was left alone for longer than two months is not where somebody goes on
_LATELY_SECONDS = 60 * 86_400
_DOCTOR = "Tell the user to run `memoria doctor`."
_GONE = (
    "the vault {vault} is not there (moved or deleted?). Tell the user to put it back, or to run "
    "`memoria install --vault FOLDER` for the folder where it lies now; `memoria uninstall` ends "
    "this."
)


def handle(place: protocol.HookPlace, event: dict[str, Any]) -> None:
    """Print the injection and start the sweep."""
    session = protocol.session_of(event)
    source = protocol.text_at(event, "source") or "startup"
    if not session or protocol.is_own_work(place, event):
        return
    error = ""
    try:
        is_first = claim_first_answer(place, session, source)
    except OSError as refused:
        is_first, error = True, refused.strerror or type(refused).__name__
    broken = find_fault(place, error)
    if is_first:
        context = build_context(place, session, protocol.text_at(event, "cwd"), broken)
        if context:
            protocol.print_answer(place, "SessionStart", {"additionalContext": context})
    if _is_there(place.vault):
        protocol.start_flush(place, "--sweep")


def handle_lost_state(place: protocol.HookPlace, event: dict[str, Any]) -> None:
    """Say that the state which the installed hook names cannot be read; once a session."""
    if protocol.text_at(event, "source") != "startup" or protocol.is_own_work(place, event):
        return
    if (protocol.read_json(place.path("vault.json")) or {}).get("demo") is True:
        return  # no session is told of the demo vault, by whatever line
    from memoria.program import quote_words  # noqa: PLC0415 - what it loads would cost each start 3 ms

    reason = _GONE.format(vault=place.vault)
    if _is_there(place.vault):
        reason = (
            f"its state {place.state} is gone, damaged or open to others. Tell the user to run "
            f"`memoria install --vault {quote_words(place.vault)}`."
        )
    line = _expand_commands(f"Memoria: nothing is captured, because {reason}")
    context = injection.compose({}, place.vault, os.urandom(8).hex(), [line])
    protocol.print_answer(place, "SessionStart", {"additionalContext": context})


def build_context(place: protocol.HookPlace, session: str, cwd: str, broken: str = "") -> str:
    """Give what a session in that folder gets; "" when nothing is known yet.

    `broken` is the line about what is broken. In the control arm of an experiment a session gets
    what belongs to no experiment: pinned rules, and word of a capture that has stopped.
    """
    # a boundary that earlier content cannot have known
    boundary = os.urandom(8).hex()
    if not _is_there(place.vault):
        return injection.compose({}, place.vault, boundary, [_expand_commands(broken)])
    key = project_key(cwd)
    names = [project.file_name(key), "default"] if key else ["default"]
    stored = (protocol.read_json(place.path("inject", f"{name}.json")) for name in names)
    snapshot: dict[str, Any] = next(filter(None, stored), {})
    loaded = instruction_files.list_files(place.agent, protocol.client_folder(place), cwd)
    snapshot["start"] = choose_start_lines(snapshot, cwd)
    allotment = session_allotment.load_or_draw_allotment(place, session, key, snapshot, loaded)
    parts = {"rules": session_allotment.list_rule_texts(snapshot, allotment)}
    lines = list_notices(place, broken)
    if allotment.get("arm") != session_allotment.CONTROL:
        parts |= {"start": snapshot["start"]}
        lines += [line for line in [protocol.text_at(snapshot, "offer")] if line]
    return injection.compose(parts, place.vault, boundary, [*map(_expand_commands, lines)])


def choose_start_lines(snapshot: dict[str, Any], cwd: str) -> session_allotment.Sections:
    """Choose the lines that the session's branch calls for, under their headings."""
    rows, rules = (_list_objects(snapshot.get(name)) for name in ("start", "rules"))
    fields = injection.FIELDS
    lines = [row for row in rows if all(isinstance(row.get(name), str) for name in fields)]
    if not lines:
        return []
    since = time.strftime("%Y-%m-%d", time.gmtime(time.time() - _LATELY_SECONDS))
    texts = [rule["text"] for rule in rules if isinstance(rule.get("text"), str)]
    used_units = sum(injection.count_units(text) + 1 for text in texts)
    branch_lines = injection.choose_for_branch(lines, current_branch(cwd), since)
    return injection.group_by_section(branch_lines, used_units)


def _list_objects(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def claim_first_answer(place: protocol.HookPlace, session: str, source: str) -> bool:
    """Whether no other installation of this hook has answered this event moments ago."""
    os.makedirs(place.path("seen"), mode=0o700, exist_ok=True)
    source_name = "".join(char for char in source[:16] if char.isascii() and char.isalnum())
    marker = place.path("seen", f"{session}-{source_name}")
    if _create_file(marker):
        return True
    marked_at = os.stat(marker).st_mtime_ns
    # a clock that was set back shows a time to come: that is no reason to be silent until then
    if abs(time.time_ns() - marked_at) < _TWICE_SECONDS * 1e9:
        return False
    # of several that find the same old marker one alone can make this file
    if not _create_file(f"{marker}.{marked_at}"):
        return False
    os.utime(marker)
    return True


def list_notices(place: protocol.HookPlace, broken: str = "") -> list[str]:
    """Say in one line each what a person has to know: a capture that has silently stopped."""
    if broken:
        return [broken]
    waiting, lines = _list_jobs(place, "new") + _list_jobs(place, "claimed"), list[str]()
    # the name begins with the time of the job in nanoseconds
    oldest = min(waiting, default="").split("-", 1)[0]
    if oldest.isdigit() and time.time() - int(oldest) / 1e9 > _STALE_SECONDS:
        lines.append(
            f"Memoria: {len(waiting)} captured sessions wait to be written down for over "
            f"{_STALE_SECONDS // 3600} hours. {_DOCTOR}"
        )
    if dead := _list_jobs(place, "dead"):
        lines.append(
            f"Memoria: {len(dead)} session{'s' * (len(dead) > 1)} could not be captured. {_DOCTOR}"
        )
    return lines


def _list_jobs(place: protocol.HookPlace, state: str) -> list[str]:
    return [
        name for name in protocol.list_names(place.path("spool", state)) if name.endswith(".json")
    ]


def find_fault(place: protocol.HookPlace, error: str = "") -> str:
    """Say in one line what keeps sessions from being captured, "" where nothing is known to."""
    if not _is_there(place.vault):
        reason = _GONE.format(vault=place.vault)
        return f"Memoria: sessions wait to be written down, because {reason}"
    for folder in (place.state, os.path.join(place.vault, "daily")):
        reason = (error if folder == place.state else "") or _find_write_fault(folder)
        if reason:
            fault = f"{folder} cannot be written to ({reason})"
            return f"Memoria: nothing is captured, because {fault}. {_DOCTOR}"
    words = protocol.vault_command(place)
    missing_files = [word for word in words if os.path.isabs(word) and not os.path.isfile(word)]
    if missing_files or not words:
        note = f" ({missing_files[0]})" if missing_files else ""
        return (
            f"Memoria: what writes sessions down{note} is gone, so they wait. Tell the user to "
            "run `memoria install`, after installing memoria-compiler again if that is gone, too."
        )
    return ""


def _is_there(vault: str) -> bool:
    """Whether the folders that make a vault are there; the point of a disk may be, without it."""
    return all(os.path.isdir(os.path.join(vault, name)) for name in ("daily", "knowledge"))


def _find_write_fault(folder: str) -> str:
    """Say why a folder takes no files, as far as that is known without writing one; else ""."""
    if not os.access(folder, os.W_OK | os.X_OK):
        return "read-only, or another user's"
    if sys.platform == "win32":
        return ""
    try:
        disk = os.statvfs(folder)
    except OSError:
        return ""
    # some network disks tell no size at all
    is_full = disk.f_blocks and disk.f_bavail * disk.f_frsize < _ROOM_BYTES
    return "the disk is full" if is_full else ""


def _expand_commands(line: str) -> str:
    """Give a line with its commands as they can be typed here."""
    from memoria.program import expand_commands  # noqa: PLC0415 - most starts say no command

    return expand_commands(line)


def _create_file(path: str) -> bool:
    """Make a file; False where it is there already, OSError where the disk takes no byte."""
    try:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        return False
    try:
        os.write(handle, b"1")  # a full disk takes empty files
    finally:
        os.close(handle)
    return True
