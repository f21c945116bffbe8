"""A tool call that is about to be made -> refused, asked about or noted where it breaks a rule.

The person's guards are one compiled file; most calls end at its index. What a session did before,
and what it was refused, stands in a small file of lines that are only ever appended, since the
client starts several of these at once. The trap: two equal calls of one reply are no second
thought; so a call passes only if its like was refused before the model can have answered since.
"""

from __future__ import annotations

import os
import sys
import time

from memoria.hooks import protocol, session_file

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from typing import Any

    from memoria.rules.guards.act import Act
    from memoria.rules.guards.compiled import Breach, Guard
    from memoria.rules.guards.judge import Memory

EVENT = "PreToolUse"
_FIELDS = ("kind", "rule", "mark", "call", "owner")
FIRED, PASSED = "fired", "passed"
COMPILED = "guards.compiled.json"
# no model answers a refusal so fast; the hooks of one reply start within less
_SAME_REPLY_SECONDS = 0.5
# ids of calls and prompts have up to 36 characters
_KEY = 64


def handle(place: protocol.Place, event: dict[str, Any]) -> None:
    """Judge a call and answer, where a guard is on that is about it."""
    value = protocol.stored(place.path(COMPILED)) or {}
    tool, session = protocol.text(event, "tool_name"), protocol.session_of(event)
    tools = value.get("tools")
    if not isinstance(tools, dict) or tool not in tools or not session:
        return
    if protocol.own_work(place, event):
        return
    # here: the calls of other tools end above
    from memoria.rules.guards import compiled  # noqa: PLC0415
    from memoria.rules.guards.act import act  # noqa: PLC0415

    root = protocol.root(event)
    done = act(tool, event.get("tool_input"), root)
    guards = compiled.sought(value, done)
    if guards:
        Call(place, event, session, root).judge(
            guards, done, int(value.get("most") or compiled.MOST)
        )


class Call:
    """One call while it is judged; what the session did before is read once it is needed."""

    def __init__(
        self, place: protocol.Place, event: dict[str, Any], session: str, root: str
    ) -> None:
        self._place, self._event, self._session, self._root = place, event, session, root
        self._id = protocol.text(event, "tool_use_id")[:_KEY]
        self._past = Past(place.path("seen", f"{session}.guards"))

    def judge(self, guards: list[Guard], done: Act, most: int) -> None:
        """Answer what is to be answered, and remember what the call changes."""
        from memoria.rules.guards import compiled  # noqa: PLC0415 - as above

        guards = self._of_project(guards)
        needy = any(guard.check.needs for guard in guards)
        memories = self._past.memories() if needy else {}
        broken = compiled.breaches(guards, done, memories)
        if broken:
            broken = self._decided(broken, most)
        answer = compiled.answer(broken)
        if answer:
            self._print(answer)
        if needy and "permissionDecision" not in answer:
            self._past.remember(guards, done, memories)

    def _of_project(self, guards: list[Guard]) -> list[Guard]:
        """Leave out the rules of other projects."""
        if not any(guard.project for guard in guards):
            return guards
        from memoria.agents.claude_code.git import project_key  # noqa: PLC0415 - for rules of a project alone

        key = project_key(self._root) if self._root else ""
        return [guard for guard in guards if guard.project in {"", key}]

    def _decided(self, broken: list[Breach], most: int) -> list[Breach]:
        """Decide about each, claim what fires, and leave word of it for the ledger."""
        from memoria.hooks.session_claims import Given  # noqa: PLC0415 - few calls come so far
        from memoria.rules.guards import compiled  # noqa: PLC0415 - as above

        given = Given(self._place, self._session)
        if given.is_control:  # a wall of the person's own hand stands in each session
            broken = [breach for breach in broken if breach.guard.mode == "deny"]
        headless = compiled.is_headless(os.environ.get("CLAUDE_CODE_ENTRYPOINT", ""))
        for breach in broken:
            mark = self._mark(breach)
            fired = self._past.fired(breach.guard.id)
            repeated = self._past.was_refused(breach.guard.id, mark, self._id)
            breach.decision = compiled.decision(
                breach.guard.mode, fired=fired, most=most, repeated=repeated, headless=headless
            )
            breach.turned_down = breach.decision == compiled.NOTED and breach.guard.mode != "note"
            if breach.decision == compiled.NOTED and repeated:
                breach.decision = compiled.PASSED  # it was told in this occasion
            kind = PASSED if breach.decision == compiled.PASSED else FIRED
            if self._past.claim(kind, breach.guard.id, mark, self._id):
                self._record(given, breach)
            elif breach.decision == compiled.NOTED:
                breach.decision = compiled.PASSED  # another installation's hook tells it
        return broken

    def _mark(self, breach: Breach) -> str:
        """Name the occasion: the same thing done again by the same agent for the same prompt."""
        import zlib  # noqa: PLC0415 - few calls come so far

        agent = protocol.text(self._event, "agent_id")[:_KEY]
        prompt = protocol.text(self._event, "prompt_id")[:_KEY]
        number = zlib.crc32("\n".join(breach.by).encode("utf-8", "replace"))
        return f"{prompt or '-'} {agent or '-'} {number:08x}"

    def _record(self, given: Any, breach: Breach) -> None:  # noqa: ANN401 - a Given, loaded late
        # not the call's words: they may hold a secret, and the transcript has them under its id
        given.record(
            EVENT,
            _project(self._root),
            kind="guard",
            about=self._id,
            agent=protocol.text(self._event, "agent_id")[:_KEY],
            id=breach.guard.id,
            hash=breach.guard.digest,
            mode=breach.guard.mode,
            decision="turned_down" if breach.turned_down else breach.decision,
        )

    def _print(self, answer: dict[str, str]) -> None:
        import json  # noqa: PLC0415 - protocol has loaded it

        value = {"hookSpecificOutput": {"hookEventName": EVENT, **answer}}
        printed = json.dumps(value, ensure_ascii=False)
        protocol.put(1, printed.encode("utf-8", "replace"))


def _project(root: str) -> str:
    from memoria.agents.claude_code.git import project_key  # noqa: PLC0415 - few calls come so far

    return project_key(root) if root else ""


class Past:
    """What a session's guards saw and did: lines that are appended, the first of its kind counts.

    `fired RULE MARK CALL TIME`, `passed` likewise, `seen RULE WHAT` and `gone RULE`, with tabs.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._rows = self._read()

    def memories(self) -> dict[str, Memory]:
        """Give what each rule's `needs` has seen since its last `since`."""
        found: dict[str, Memory] = {}
        for kind, rule, *rest in self._rows:
            if kind == "gone":
                found[rule] = ()
            elif kind == "seen" and rest:
                found[rule] = (*found.get(rule, ()), rest[0])
        return found

    def remember(self, guards: list[Guard], done: Act, memories: dict[str, Memory]) -> None:
        """Write down what an act changes of that."""
        from memoria.rules.guards.judge import remembered  # noqa: PLC0415 - loaded already

        rows: list[tuple[str, ...]] = []
        for guard in guards:
            old = memories.get(guard.id, ())
            new = remembered(guard.check, done, old)
            if new[: len(old)] != old:
                rows.append(("gone", guard.id))
                old = ()
            rows += [("seen", guard.id, what) for what in new[len(old) :]]
        if rows:
            session_file.append(self._path, rows)

    def fired(self, rule: str) -> int:
        """Count how often a rule's guard has acted in this session."""
        return len({row[3:4] for row in self._rows if row[:2] == (FIRED, rule)})

    def was_refused(self, rule: str, mark: str, call: str) -> bool:
        """Whether its like was refused so long ago that the model has answered since."""
        now = time.time()
        return any(
            other != call and now - _seconds(at) >= _SAME_REPLY_SECONDS
            for other, at in self._like(FIRED, rule, mark)
        )

    def claim(self, kind: str, rule: str, mark: str, call: str) -> bool:
        """Claim to act on a call; False where another installation's hook has claimed it."""
        owner = f"{time.time():.3f}-{os.getpid()}"
        session_file.append(self._path, [(kind, rule, mark, call, owner)])
        self._rows = self._read()
        mine = [at for other, at in self._like(kind, rule, mark) if other == call]
        return not call or mine[:1] == [owner]

    def _like(self, kind: str, rule: str, mark: str) -> list[tuple[str, str]]:
        """Give call and owner of what was done in the same occasion."""
        found = [row for row in self._rows if row[:3] == (kind, rule, mark)]
        return [(row[3], row[4]) for row in found if len(row) == len(_FIELDS)]

    def _read(self) -> list[tuple[str, ...]]:
        return [tuple(line.split("\t")) for line in session_file.read(self._path) if "\t" in line]


def _seconds(owner: str) -> float:
    try:
        return float(owner.partition("-")[0])
    except ValueError:
        return 0.0


def main(vault: str = "") -> None:
    """Run the hook for the vault named on the command line, or for `vault`, and end the program."""
    protocol.run(handle, sys.argv, vault)
