"""Index the guards that are on for the hook, find those that a call breaks, and answer it.

The compiled file has an index by tool and first word, and each guard as one text, so that of two
hundred a call reads those alone that may be about it. The client keeps one answer: it gives all
reasons, and the strictest decides.
"""

from __future__ import annotations

import json

from memoria.rules.guards import judge
from memoria.rules.guards.check import SHELLS, Part, parse_check

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from memoria.rules.guards.act import Act

VERSION = 1
# a guard that fires this often in a session keeps nobody from anything any more: it is only told
MAX_FIRED = 5
# words of the index: any call of the tool, and one that reads or writes files
ANY_CALL, FILES = "", ">"
# what is done about a call; the strictest decides
PASSED, NOTED, ASKED, REFUSED, DENIED = "passed", "note", "asked", "refused", "denied"
_BY_STRICTNESS = (PASSED, NOTED, ASKED, REFUSED, DENIED)
# characters of a reason, and of a command in it: the client has no limit, a reader has
_MAX_REASON, _MAX_SHOWN = 4_000, 160
# values of CLAUDE_CODE_ENTRYPOINT where nobody can be asked: -p, the SDKs, an action, a server
_HEADLESS = ("sdk", "mcp", "claude-code-github-action")


class Guard:
    """One guard that is on: a rule's words, its check and mode; `project` is where it holds."""

    __slots__ = ("check", "digest", "id", "mode", "project", "text")

    def __init__(self, value: Mapping[str, Any]) -> None:
        self.id, self.text = str(value["id"]), str(value["text"])
        self.mode, self.project = str(value["mode"]), str(value["project"])
        self.digest = str(value["hash"])
        self.check = parse_check(value["check"])


class Breach:
    """A guard that a call breaks, by what, and what is done about it."""

    __slots__ = ("by", "decision", "guard", "turned_down")

    def __init__(self, broken: Guard, by: tuple[str, ...]) -> None:
        self.guard, self.by = broken, by
        self.decision, self.turned_down = NOTED, False


def build_index(values: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Give what the hook reads of guards, each with id, text, mode, project, hash and check."""
    tools: dict[str, dict[str, list[int]]] = {}
    for at, value in enumerate(values):
        check = parse_check(value["check"])
        for part in filter(None, (check.occasion, check.needs, check.since)):
            for tool in part.tools():
                for word in _list_index_words(part, tool):
                    rows = tools.setdefault(tool, {}).setdefault(word, [])
                    if at not in rows:
                        rows.append(at)
    texts = [json.dumps(value, ensure_ascii=False) for value in values]
    return {"version": VERSION, "most": MAX_FIRED, "tools": tools, "guards": texts}


def _list_index_words(part: Part, tool: str) -> list[str]:
    """Give the words by which a call of that tool is recognised as one for a part."""
    if tool not in SHELLS:
        return [ANY_CALL]
    programs = [item.split()[0] for item in part.get("command") if not item.startswith("!")]
    if programs and not any(sign in word for word in programs for sign in "*?"):
        return sorted(set(programs))
    is_of_files = not part.is_about_command and part.lists.keys() & {"path", "reads", "added"}
    return [FILES if is_of_files else ANY_CALL]


def find_guards(value: Mapping[str, Any], act: Act) -> list[Guard]:
    """Give the guards that may be about an act."""
    index = value["tools"].get(act.tool) or {}
    words = {ANY_CALL, *([FILES] if act.paths or act.reads else [])}
    words.update(name for command in act.commands for name in judge.program_names(command.name))
    places = sorted({at for word in words for at in index.get(word, ())})
    return [Guard(json.loads(value["guards"][at])) for at in places]


def find_breaches(guards: list[Guard], act: Act, memories: dict[str, judge.Memory]) -> list[Breach]:
    """Give those that an act breaks."""
    by = {guard: judge.broken_by(guard.check, act, memories.get(guard.id, ())) for guard in guards}
    return [Breach(guard, by[guard]) for guard in guards if by[guard]]


def decide(mode: str, *, fired: int, limit: int, repeated: bool, headless: bool) -> str:
    """Say what is done about a breach.

    `fired` is how often the guard has acted in this session, `repeated` whether it has refused this
    very call in this occasion, `headless` whether nobody can be asked. A person's own wall (deny)
    is never turned down.
    """
    if mode == "deny":
        return DENIED
    if mode == "note" or fired >= limit:
        return NOTED
    if mode == "ask" and not headless:
        return ASKED
    return PASSED if repeated else REFUSED


def is_headless(entrypoint: str) -> bool:
    """Whether a client that was started so has nobody to ask."""
    return entrypoint.startswith(_HEADLESS)


# decision: how its answer begins, and how it ends
_FRAMES = {
    NOTED: ("Memoria, for the next time: this call broke a rule that the user keeps.", ""),
    ASKED: ("Memoria: this breaks a rule that you keep.", ""),
    REFUSED: (
        "Memoria: the call was not run, it breaks a rule that the user keeps.",
        (
            "Think again whether it is right here. If it is, make the same call once more: it is "
            "let through then."
        ),
    ),
    DENIED: (
        "Memoria: the call was not run; the user has forbidden it.",
        "It will be refused each time: do it another way, or ask the user.",
    ),
}


def format_answer(broken: Sequence[Breach]) -> dict[str, str]:
    """Give the hook's answer about a call, {} for none: one reason, for all of them."""
    alarms = [breach for breach in broken if breach.decision != PASSED]
    if not alarms:
        return {}
    strictest = max((breach.decision for breach in alarms), key=_BY_STRICTNESS.index)
    beginning, end = _FRAMES[strictest]
    lines = filter(None, (beginning, *map(_format_breach, alarms), end))
    text = _clip("\n".join(lines), _MAX_REASON)
    if strictest == NOTED:
        return {"additionalContext": text}
    verdict = "ask" if strictest == ASKED else "deny"
    return {"permissionDecision": verdict, "permissionDecisionReason": text}


def _format_breach(breach: Breach) -> str:
    check = breach.guard.check
    parts = (" ".join(part.replace("`", "'").split()) for part in breach.by[:3])
    by = ", ".join(f"`{_clip(part, _MAX_SHOWN)}`" for part in parts)
    sentences = (
        f'- "{breach.guard.text}" ({breach.guard.id}), broken by {by}.',
        check.why and f"Why: {check.why}",
        check.instead and f"Instead: {check.instead}",
        "It fired so often in this session that it is only told now." * breach.turned_down,
    )
    return " ".join(filter(None, sentences))


def _clip(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 4] + " ..."
