"""Refuse, ask about or note a tool call that is about to be made and breaks a rule.

The person's guards are one compiled file; most calls end at its index. What a session did before,
and what it was refused, stands in a small file of lines that are only ever appended, since the
client starts several hooks at once. Two equal calls of one reply are no second thought: the second
passes only if the first was refused long enough ago for the model to have read why.
"""

from __future__ import annotations

import os
import time

from memoria.hooks import protocol

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from typing import Any

    from memoria.rules.guards.act import Act
    from memoria.rules.guards.guard_index import Breach, Guard
    from memoria.rules.guards.judge import Memory

EVENT = "PreToolUse"
_ROW_FIRED, _ROW_PASSED = "fired", "passed"
# parts of a row of these two kinds
_FIELDS = 5
COMPILED = "guards.compiled.json"
# Gemini CLI's names of tools and Copilot CLI's of inputs, with Claude Code's
_TOOLS = {
    "run_shell_command": "Bash",
    "replace": "Edit",
    "write_file": "Write",
    "read_file": "Read",
}
_INPUTS = {"file_text": "content", "old_str": "old_string", "new_str": "new_string"}
# no model answers a refusal so fast; the hooks of one reply start within less
_SAME_REPLY_SECONDS = 0.5


def handle(place: protocol.HookPlace, event: dict[str, Any]) -> None:
    """Judge a call and answer, where a guard is on that is about it."""
    value = protocol.read_json(place.path(COMPILED)) or {}
    session, tools = protocol.session_of(event), value.get("tools")
    if not isinstance(tools, dict) or not session:
        return
    calls = [(tool, inputs) for tool, inputs in _list_calls(event) if tool in tools]
    if not calls or protocol.is_own_work(place, event):
        return
    # here: the calls of other tools end above
    from memoria.rules.guards import guard_index  # noqa: PLC0415
    from memoria.rules.guards.act import build_act  # noqa: PLC0415

    root = protocol.session_folder(event)
    for tool, inputs in calls:
        tool_call = build_act(tool, inputs, root)
        guards = guard_index.find_guards(value, tool_call)
        limit = int(value.get("most") or guard_index.MAX_FIRED)
        if guards and GuardedCall(place, event, session, root).judge(guards, tool_call, limit):
            return


def _list_calls(event: dict[str, Any]) -> list[tuple[str, object]]:
    """Give what a call does as calls of Claude Code's tools: a patch of Codex's has several."""
    tool, inputs = protocol.text_at(event, "tool_name"), event.get("tool_input")
    if not isinstance(inputs, dict):
        return [(tool, inputs)]
    if tool != "apply_patch":
        values = {_INPUTS.get(name, name): value for name, value in inputs.items()}
        return [(_TOOLS.get(tool, tool), values)]
    from memoria.agents.codex.tools import split_patch  # noqa: PLC0415 - few calls come so far

    patch = protocol.text_at(inputs, "command") or protocol.text_at(inputs, "input")
    return list(split_patch(patch))


class GuardedCall:
    """One call while it is judged; what the session did before is read once it is needed."""

    def __init__(
        self, place: protocol.HookPlace, event: dict[str, Any], session: str, root: str
    ) -> None:
        self._place, self._event, self._session, self._root = place, event, session, root
        self._id = protocol.id_at(event, "tool_use_id")
        self._agent = protocol.id_at(event, "agent_id")
        self._history = GuardHistory(place.path("seen", f"{session}.guards"))

    def judge(self, guards: list[Guard], tool_call: Act, limit: int) -> bool:
        """Answer what is to be answered, and remember what the call changes; whether it did."""
        from memoria.rules.guards import guard_index  # noqa: PLC0415 - as above

        if any(guard.project for guard in guards):
            key = self._project()
            guards = [guard for guard in guards if guard.project in {"", key}]
        needy = any(guard.check.needs for guard in guards)
        memories = self._history.memories() if needy else {}
        broken = guard_index.find_breaches(guards, tool_call, memories)
        answer = guard_index.format_answer(
            self._decide_breaches(broken, limit) if broken else broken
        )
        if answer:
            protocol.print_answer(self._place, EVENT, answer)
        if needy and "permissionDecision" not in answer:
            self._history.remember(guards, tool_call, memories)
        return bool(answer)

    def _project(self) -> str:
        from memoria.privacy.project_keys import project_key  # noqa: PLC0415 - few calls come so far

        return project_key(self._root)

    def _decide_breaches(self, broken: list[Breach], limit: int) -> list[Breach]:
        """Decide about each, claim what fires, and leave word of it for the ledger."""
        from memoria.hooks.session_claims import SessionClaims  # noqa: PLC0415 - few calls come so far
        from memoria.rules.guards import guard_index  # noqa: PLC0415 - as above

        claims = SessionClaims(self._place, self._session)
        if claims.is_control:  # a wall of the person's own hand stands in each session
            broken = [breach for breach in broken if breach.guard.mode == "deny"]
        # other clients cannot be told to ask
        entrypoint = os.environ.get("CLAUDE_CODE_ENTRYPOINT", "")
        headless = bool(self._place.agent) or guard_index.is_headless(entrypoint)
        for breach in broken:
            rule, mark = breach.guard.id, self._occasion_key(breach)
            fired = self._history.count_fired(rule)
            repeated = self._history.was_refused(rule, mark, self._id)
            breach.decision = guard_index.decide(
                breach.guard.mode, fired=fired, limit=limit, repeated=repeated, headless=headless
            )
            is_note = breach.decision == guard_index.NOTED
            breach.turned_down = is_note and breach.guard.mode != "note"
            if is_note and repeated:
                breach.decision = guard_index.PASSED  # it was told in this occasion
            has_passed = breach.decision == guard_index.PASSED
            kind = _ROW_PASSED if has_passed else _ROW_FIRED
            if self._history.claim(kind, rule, mark, self._id):
                claims.record(EVENT, self._project(), **self._build_record(breach))
            elif breach.decision == guard_index.NOTED:
                breach.decision = guard_index.PASSED  # another installation's hook tells it
        return broken

    def _build_record(self, breach: Breach) -> dict[str, str]:
        """Say what was decided, in none of the call's words: they may hold a secret."""
        return {
            "kind": "guard",
            "about": self._id,
            "agent": self._agent,
            "id": breach.guard.id,
            "hash": breach.guard.digest,
            "mode": breach.guard.mode,
            "decision": "turned_down" if breach.turned_down else breach.decision,
        }

    def _occasion_key(self, breach: Breach) -> str:
        """Name the occasion: the same thing done again by the same agent for the same prompt."""
        import zlib  # noqa: PLC0415 - few calls come so far

        prompt = protocol.id_at(self._event, "prompt_id", "turn_id")
        number = zlib.crc32("\n".join(breach.by).encode("utf-8", "replace"))
        return f"{prompt or '-'} {self._agent or '-'} {number:08x}"


class GuardHistory:
    """What a session's guards saw and did: lines that are appended, the first of its kind counts.

    `fired RULE MARK CALL TIME`, `passed` likewise, `seen RULE WHAT` and `gone RULE`, with tabs.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._rows = self._read()

    def memories(self) -> dict[str, Memory]:
        """Give what each rule's `needs` has seen since its last `since`."""
        seen: dict[str, Memory] = {}
        for kind, rule, *values in self._rows:
            if kind == "gone":
                seen[rule] = ()
            elif kind == "seen" and values:
                seen[rule] = (*seen.get(rule, ()), values[0])
        return seen

    def remember(self, guards: list[Guard], tool_call: Act, memories: dict[str, Memory]) -> None:
        """Write down what an act changes of that."""
        from memoria.rules.guards.judge import remember  # noqa: PLC0415 - loaded already

        rows: list[tuple[str, ...]] = []
        for guard in guards:
            old = memories.get(guard.id, ())
            new = remember(guard.check, tool_call, old)
            if new[: len(old)] != old:
                rows.append(("gone", guard.id))
                old = ()
            rows += [("seen", guard.id, item) for item in new[len(old) :]]
        if rows:
            protocol.append_rows(self._path, rows)

    def count_fired(self, rule: str) -> int:
        """Count how often a rule's guard has acted in this session."""
        return len({row[3:4] for row in self._rows if row[:2] == (_ROW_FIRED, rule)})

    def was_refused(self, rule: str, mark: str, call: str) -> bool:
        """Whether its like was refused so long ago that the model has answered since."""
        now = time.time()
        return any(
            earlier_call != call and now - _parse_seconds(owner) >= _SAME_REPLY_SECONDS
            for earlier_call, owner in self._find_same_occasion(_ROW_FIRED, rule, mark)
        )

    def claim(self, kind: str, rule: str, mark: str, call: str) -> bool:
        """Claim to act on a call; False where another installation's hook has claimed it."""
        owner = f"{time.time():.3f}-{os.getpid()}"
        protocol.append_rows(self._path, [(kind, rule, mark, call, owner)])
        self._rows = self._read()
        rows = self._find_same_occasion(kind, rule, mark)
        # of a call without an id nobody can tell whether another has claimed it
        return not call or next((at for claimed, at in rows if claimed == call), "") == owner

    def _find_same_occasion(self, kind: str, rule: str, mark: str) -> list[tuple[str, str]]:
        """Give call and owner of what was done in the same occasion."""
        rows = [row for row in self._rows if row[:3] == (kind, rule, mark)]
        return [(row[3], row[4]) for row in rows if len(row) == _FIELDS]

    def _read(self) -> list[tuple[str, ...]]:
        lines = protocol.read_whole_lines(self._path)
        return [tuple(line.split("\t")) for line in lines if "\t" in line]


def _parse_seconds(owner: str) -> float:
    try:
        return float(owner.partition("-")[0])
    except ValueError:
        return 0.0
