"""Read the lines of a Gemini CLI session as neutral pieces.

A message is written again, under the same id, whenever something is added to it: its calls, its
tokens. The traps: a result comes a second time as a message of the user; the history of the model,
which a line may write down whole, has nothing new; and a shell tells an exit code only where it is
not 0.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from memoria.agents import renamed_tools
from memoria.agents.json_line import NAME, load, moment
from memoria.agents.pieces import Answered, Line, Place, Prompted, Said, Spent, Titled, Withdrawn
from memoria.agents.renamed_tools import Ending, ToolNames, count, text_of
from memoria.text.shorten import shorten

if TYPE_CHECKING:
    from datetime import datetime

    from memoria.agents.pieces import Called, Limits, Piece
    from memoria.agents.transcript import Call

# The line types that are known: user and gemini were seen in files of 0.61.0, as were `$set` and
# the first line, which have no type; the others, and `$rewindTo`, in the client's source alone.
WANTED = frozenset({"user", "gemini"})
NOISE = frozenset({"info", "warning", "error"})
TOOLS = ToolNames(
    {
        "run_shell_command": "Bash",
        "replace": "Edit",
        "write_file": "Write",
        "read_file": "Read",
        "read_many_files": "Read",
        "grep_search": "Grep",
        "search_file_content": "Grep",
        "glob": "Glob",
        "list_directory": "LS",
        "web_fetch": "WebFetch",
        "google_web_search": "WebSearch",
        "ask_user": "AskUserQuestion",
        "write_todos": "TodoWrite",
        "enter_plan_mode": "EnterPlanMode",
        "exit_plan_mode": "ExitPlanMode",
    },
    {"absolute_path": "file_path"},
)
_MODEL_TITLE = 1  # the rank of a title that a model gave
# what the client puts before or among a person's words
_SCAFFOLDING = ("<session_context>", "<state_snapshot>")
# what a hook told stands before a person's words or behind a tool's result, without a "<" inside
_TOLD = re.compile(r"<hook_context>[^<]*</hook_context>")
_COMMANDS = ("/", "?")
_WRAPPER = re.compile(r"\A<untrusted_context>\n|\n</untrusted_context>\s*\Z")
# what the client says of a command stands behind its output, in this order
_TRAILER = re.compile(
    r"(?:\nExit Code: (\d{1,5}))?(?:\nSignal: (\w{1,20}))?"
    r"(?:\nBackground PIDs: [\d, ]{1,200})?(?:\nProcess Group PGID: \d{1,12})?\s*\Z"
)
_TAIL = 500  # characters in which it stands
_ENDED = ("success", "error", "cancelled")
# nothing says how these ended
_UNENDED = ("Command moved to background", "Command was automatically cancelled")
_SESSION = re.compile(r"[A-Za-z0-9_-]{1,64}")
# messages that may still be added to or taken back: a session has hundreds, a hostile file millions
_REMEMBERED = 1000


class Chats:
    """The format of Gemini CLI's lines; it remembers which messages were told how far."""

    agent = "gemini"
    head = 1  # the first line alone says whose session it is

    def __init__(self, cwd: str) -> None:
        """Know the folder of the project, which no line has."""
        self._cwd = shorten(cwd, renamed_tools.PATH)
        self._place = Place("", self._cwd, "", "")
        self._told: dict[str, bool] = {}
        self._calls: set[str] = set()
        self._endings: dict[str, Ending] = {}

    def read_line(self, raw: bytes, limits: Limits) -> Line | str:
        """Parse one line, or say why it is left out ("" where it is no conversation)."""
        loaded = load(raw)
        if isinstance(loaded, str):
            return loaded
        record, damaged = loaded
        kind, at = str(record.get("type", "")), moment(record.get("timestamp"))
        pieces: list[Piece]
        if not kind:
            pieces = self._bookkept(record, limits)
            uuid, spent = "", None
        elif kind in WANTED:
            key = text_of(record.get("id"))[:NAME]
            pieces = self._message(key, record, limits)
            uuid = key if kind == "user" else ""
            spent = self._spent(key, record) if kind == "gemini" else None
        else:
            return "" if kind in NOISE else f"type {shorten(kind, NAME)}"
        if not pieces and spent is None and not damaged:
            return ""
        return Line(uuid, at, self._place, False, damaged, bool(kind), tuple(pieces), spent)

    def call(self, called: Called, at: datetime, result: Answered | None, _: Limits) -> Call:
        """Make the Call of a tool's inputs, and of its result where there is one."""
        ending = self._endings.pop(called.id, None) if result else None
        return renamed_tools.call(called, at, result, ending)

    def _bookkept(self, record: dict[str, Any], limits: Limits) -> list[Piece]:
        """Read a line that is no message: the first one, changes of what it said, a rewinding."""
        session = text_of(record.get("sessionId"))
        if session and not self._place.session and _SESSION.fullmatch(session):
            self._place = Place(session, self._cwd, "", "")
        back = record.get("$rewindTo")
        if isinstance(back, str):
            return self._rewound(back[:NAME])
        changed = record.get("$set")
        summary = text_of(changed.get("summary")) if isinstance(changed, dict) else ""
        return [Titled(_MODEL_TITLE, shorten(summary, limits.text))] if summary else []

    def _rewound(self, key: str) -> list[Piece]:
        """Take back all from a message on."""
        names = list(self._told)
        if key not in self._told:
            return []
        gone = names[names.index(key) :]
        turns = sum(self._told.pop(name) for name in gone)
        return [Withdrawn(turns)] if turns else []

    def _message(self, key: str, record: dict[str, Any], limits: Limits) -> list[Piece]:
        """Give what is new in a message."""
        is_new = key not in self._told
        if record["type"] == "user":
            text = shorten(_own_words(record), limits.text) if is_new else ""
            self._remember(key, is_prompt=bool(text))
            return [Prompted(text)] if text else []
        self._remember(key, is_prompt=False)
        text = shorten(_joined(record.get("content")), limits.text) if is_new else ""
        pieces: list[Piece] = [Said(text)] if text.strip() else []
        calls = record.get("toolCalls")
        for one in calls if isinstance(calls, list) else ():
            if isinstance(one, dict):
                pieces += self._called(one, limits)
        return pieces

    def _called(self, told: dict[str, Any], limits: Limits) -> list[Piece]:
        key = text_of(told.get("id"))[:NAME]
        state, result = told.get("status"), told.get("result")
        if key in self._calls or state not in _ENDED:
            return []
        if len(self._calls) >= _REMEMBERED:
            self._calls.clear()
        self._calls.add(key)
        called = TOOLS.called(key, text_of(told.get("name")), told.get("args"), limits)
        text = _WRAPPER.sub("", _TOLD.sub("", _result(result)).rstrip())
        ending, body = Ending(is_refused=state == "cancelled"), text
        if called.name == "Bash":
            ending, body = _shell(text, str(state))
        self._endings[key] = ending
        failed = state != "success" or ending.status not in {None, 0}
        return [called, Answered(key, shorten(body, limits.result), failed)]

    @staticmethod
    def _spent(key: str, record: dict[str, Any]) -> Spent | None:
        tokens = record.get("tokens")
        if not isinstance(tokens, dict):
            return None
        names = ("input", "output", "thoughts", "cached")
        sent, made, thought, cached = (count(tokens.get(name)) for name in names)
        model = text_of(record.get("model"))[:NAME]
        return Spent(key, model, (max(0, sent - cached), made + thought, cached, 0))

    def _remember(self, key: str, *, is_prompt: bool) -> None:
        """Note that a message was told, and whether it opened a turn."""
        if len(self._told) >= _REMEMBERED:
            del self._told[next(iter(self._told))]
        self._told.setdefault(key, is_prompt)


def _own_words(record: dict[str, Any]) -> str:
    """Give what the person typed; "" for a command to the client, and for what that added."""
    shown = record.get("displayContent")
    text = _joined(record.get("content") if shown is None else shown)
    return "" if not text.strip() or text.lstrip().startswith(_COMMANDS) else text


def _joined(content: object) -> str:
    """Give a message's text without scaffolding."""
    if isinstance(content, str):
        content = [{"text": content}]
    parts = content if isinstance(content, list) else []
    texts = [text_of(part.get("text")) for part in parts if isinstance(part, dict)]
    texts = [_TOLD.sub("", text).lstrip("\n") for text in texts]
    return "\n".join(text for text in texts if text and not text.startswith(_SCAFFOLDING))


def _result(result: object) -> str:
    """Give a result's text: what the model was answered."""
    texts = []
    for part in result if isinstance(result, list) else ():
        answer = part.get("functionResponse") if isinstance(part, dict) else None
        found = answer.get("response") if isinstance(answer, dict) else None
        if isinstance(found, dict):
            texts.append(text_of(found.get("output")) or text_of(found.get("error")))
    return "\n".join(filter(None, texts))


def _shell(text: str, state: str) -> tuple[Ending, str]:
    """Say how a command ended, and what it printed."""
    trailer = _TRAILER.search(text, max(0, len(text) - _TAIL))
    body = (text[: trailer.start()] if trailer else text).removeprefix("Output: ")
    if state == "cancelled" or text.startswith("Command was cancelled"):
        return Ending(is_refused=True), body
    if trailer and trailer[1]:
        return Ending(int(trailer[1])), body
    is_killed = trailer is not None and bool(trailer[2])
    is_known = state == "success" and not is_killed and not text.startswith(_UNENDED)
    return Ending(0 if is_known else None), body
