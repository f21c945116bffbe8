"""List the tools that a model may call, and check the arguments of a call.

All schemas stand in the context of every session: together they are below 8,000 characters. An
error is one line that says what would do. Models send numbers as text and null for what they leave
out; both mean what they seem to.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from memoria.errors import UsageError
from memoria.rules.model import PREFIX, STATUSES
from memoria.rules.promotion.targets import TARGETS

# characters of an argument: a question with an error message
_MAX_TEXT = 4_000
# of a call's arguments as they may come from a client, before anything looks at them
_MAX_NAMES = 20
_CHOICES: Mapping[str, tuple[Any, ...]] = {
    "category": tuple(PREFIX),
    "scope": ("articles", "daily", "all"),
    "status": STATUSES,
    "target": tuple(TARGETS),
    "reward": (1, 0, -1),
}
# A tool begins with its name, the word that says what it does to the user's own (it writes, again
# or destroys or asks a model as well; nothing: it only reads) and its title; then what it is for.
# Of an argument: its name with ! where it has to be given, its kind, the longest text, most ids or
# least-most of a number, =default, and what it means.
_TABLE = """
memory_search - Search memory
Search what earlier sessions learned: decisions, fixes, gotchas, rules. Use it first; it gives ids
with snippets, memory_read gives the text.
    query! text  key words, error text
    k number 1-20 =8  results, up to 20
    scope choice
    project text  part of its name; default: all
    since text  YYYY-MM-DD
    kind text  concept, rule, qa, entry, ...

memory_read - Read memory
Read a note or log by an id from memory_search, whole or one section.
    id! text  concepts/x, daily/2026-04-01, index, a rule's id
    section text  heading, or an entry's title
    offset number 0-10000000
    limit number 200-8000 =4000  characters

memory_query writes,again,asks Ask memory
Answer a question from the vault, with links. Slower than memory_search and may cost a model call;
for what several notes say together.
    question! text

memory_status - Memory status
What the vault holds: notes, sessions, rules by category and confidence, what waits.

memory_rules - List rules
List the user's rules with ids, strongest first.
    category choice
    status choice
    words text  only rules with these words
    limit number 1-50 =20
    offset number 0-100000

memory_diff - Rules to review
List the rules that wait for the user's decision, with the words they rest on.
    limit number 1-50 =20

memory_promote writes,again Propose to promote rules
Propose to approve rules and write them into the project's CLAUDE.md or another target. The user
decides: asked at once where the client can, else in `memoria review`.
    ids! ids 10  rule ids
    target choice  default claude-md

memory_reject writes,again,destroys Propose to reject rules
Propose to reject rules that are wrong. The user decides, as with memory_promote.
    ids! ids 10  rule ids

memory_learn_from_review writes,again,asks Learn from a review
Take the general rules out of a code review's text and file them for the user's decision.
    review! text 100000  its text
    name text 80  e.g. PR 12

memory_log_reward writes Note a rule's worth
Note whether a rule helped. Kept as the model's opinion, which is shown to the user and does not
count as theirs.
    skill_id! text 40  rule id
    reward! choice  1 helped, 0 not, -1 hurt
    context text 200  e.g. type-errors
    outcome text 500  what came of it

memory_rewards - Rewards of rules
Show what rules earned and what is believed of them.
    skill_id text 40  only this rule
    limit number 1-50 =20

memory_start_session writes Start a tracked session
Start a tracked session of the running experiment, outside Claude Code (its sessions are tracked by
themselves). Chance gives the arm.
    error_class text 80
    project text  part of its name; default: this folder's

memory_end_session writes End the tracked session
End the tracked session; gives its errors.
    project text  part of its name; default: this folder's

memory_log_mistake writes Log an error
Log an error of the tracked session (one is started if none is open); says whether it was met
before.
    error_class! text 80  type-errors, lint, ...
    description! text 1000
    project text  part of its name; default: this folder's

memory_session_metrics - Session metrics
Rates of an experiment so far: sessions, errors, repeats (RMR) by arm.
    experiment text  id; default: the running or last
    project text  part of its name; default: this folder's

memory_experiment_report - Experiment report
Whether memory helps: the verdict with its figures and caveats.
    experiment text  id; default: the running or last
    project text  part of its name; default: this folder's
"""
# "    limit number 1-50 =20  characters": name, !, kind, least, most, default, meaning
_ARGUMENT = re.compile(r"    (\w+)(!?) (\w+)(?: (?:(\d+)-)?(\d+))?(?: =(\d+))?(?:  (.+))?")


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument: `limit` is the longest text, the most ids, or the highest number.

    What is too high or low for a number is brought within `minimum` and `limit`.
    """

    kind: str
    about: str = ""
    required: bool = False
    choices: tuple[Any, ...] = ()
    limit: int = _MAX_TEXT
    minimum: int = 0
    default: int = 0

    @property
    def schema(self) -> dict[str, Any]:
        """The argument's JSON Schema."""
        kinds: dict[str, dict[str, Any]] = {
            "text": {"type": "string"},
            "number": {"type": "integer"},
            "choice": {"enum": list(self.choices)},
            "ids": {"type": "array", "items": {"type": "string"}},
        }
        return kinds[self.kind] | ({"description": self.about} if self.about else {})


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool; `does` says what to the user's own, nothing where it only reads."""

    name: str
    title: str
    about: str
    arguments: Mapping[str, Argument]
    does: frozenset[str]

    @property
    def described(self) -> dict[str, Any]:
        """The tool as the protocol lists it."""
        does = self.does
        hints = {"readOnlyHint": "writes" not in does, "openWorldHint": "asks" in does}
        if "writes" in does:
            hints |= {"destructiveHint": "destroys" in does, "idempotentHint": "again" in does}
        properties = {name: argument.schema for name, argument in self.arguments.items()}
        required = [name for name, argument in self.arguments.items() if argument.required]
        schema: dict[str, Any] = {"type": "object", "properties": properties}
        return {
            "name": self.name,
            "title": self.title,
            "description": self.about,
            "inputSchema": schema | ({"required": required} if required else {}),
            "annotations": hints,
        }


def _parse_tool(text: str) -> Tool:
    head, *lines = text.split("\n")
    name, does, title = head.split(" ", 2)
    about = " ".join(line for line in lines if line[0] != " ")
    arguments = {}
    for match in filter(None, map(_ARGUMENT.fullmatch, lines)):
        key, required, kind, minimum, limit, default, meaning = match.groups(default="")
        arguments[key] = Argument(
            kind,
            meaning,
            bool(required),
            _CHOICES[key] if kind == "choice" else (),
            int(limit or _MAX_TEXT),
            int(minimum or 0),
            int(default or 0),
        )
    return Tool(name, title, about, arguments, frozenset(does.split(",")))


_TOOLS = map(_parse_tool, _TABLE.strip().split("\n\n"))
TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in _TOOLS}


def find_tool(name: str) -> Tool:
    """Give a tool by its name; UsageError names the nearest."""
    match = TOOLS.get(name)
    if match is None:
        names = get_close_matches(name[:80], TOOLS, 1, 0.5)
        hint = f"did you mean {names[0]}?" if names else f"there are {', '.join(TOOLS)}"
        raise UsageError(f"there is no tool {name[:80]!r}; {hint}")
    return match


def parse_arguments(tool: Tool, values: Mapping[str, Any]) -> dict[str, Any]:
    """Check a call's arguments; give all of them, "" or () or the default where none was given.

    UsageError for one that is missing, unknown, too long or of the wrong kind.
    """
    unknown = [name for name in list(values)[:_MAX_NAMES] if name not in tool.arguments]
    if unknown:
        names = ", ".join(tool.arguments) or "none"
        raise UsageError(f"{tool.name} has no argument {unknown[0][:80]!r}; it takes: {names}")
    items = tool.arguments.items()
    return {name: _parse_value(name, argument, values.get(name)) for name, argument in items}


def _parse_value(name: str, argument: Argument, value: Any) -> Any:  # noqa: ANN401 - whatever JSON can hold
    if value is None or value in ("", []):
        if argument.required:
            raise UsageError(f"{name} is missing{f': {argument.about}' if argument.about else ''}")
        return {"text": "", "choice": "", "ids": (), "number": argument.default}[argument.kind]
    return _CHECKS[argument.kind](name, argument, value)


def _parse_text(name: str, argument: Argument, value: Any) -> str:  # noqa: ANN401 - as above
    if not isinstance(value, str):
        raise UsageError(f"{name} has to be text")
    # half an emoji, which JSON can escape and no file can hold
    text = value.encode("utf-8", "replace").decode()
    if len(text) > argument.limit:
        raise UsageError(f"{name} has {len(text)} characters; at most {argument.limit} are taken")
    if argument.required and not text.strip():
        raise UsageError(f"{name} is empty")
    return text


def _parse_number(name: str, argument: Argument, value: Any) -> int:  # noqa: ANN401 - as above
    number = _parse_whole_number(value)
    if number is None:
        raise UsageError(f"{name} has to be a whole number")
    return max(argument.minimum, min(argument.limit, number))


def _parse_whole_number(value: Any) -> int | None:  # noqa: ANN401 - as above
    if isinstance(value, str) and len(value) < len("-1000000000") and value.strip():
        try:
            return int(value)
        except ValueError:
            return None
    if isinstance(value, float) and value == value // 1 and abs(value) < 1e9:  # noqa: PLR2004 - no float beyond is exact in all clients
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _parse_choice(name: str, argument: Argument, value: Any) -> Any:  # noqa: ANN401 - as above
    choice = _parse_whole_number(value) if isinstance(argument.choices[0], int) else value
    if isinstance(choice, str) and isinstance(argument.choices[0], str):
        # the seed's targets and categories have underscores
        word_form = choice.strip().lower().replace("_", "-")
        words = (word for word in argument.choices if word.lower().replace("_", "-") == word_form)
        choice = next(words, choice)
    if choice is None or choice not in argument.choices:
        raise UsageError(f"{name} has to be one of {', '.join(map(str, argument.choices))}")
    return choice


def _parse_ids(name: str, argument: Argument, value: Any) -> tuple[str, ...]:  # noqa: ANN401 - as above
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise UsageError(f"{name} has to be a list of rule ids")
    if len(texts) > argument.limit:
        raise UsageError(f"{name} has {len(texts)} rules; at most {argument.limit} at once")
    return tuple(dict.fromkeys(text.strip()[:40] for text in texts))


_CHECKS = {"text": _parse_text, "number": _parse_number, "choice": _parse_choice, "ids": _parse_ids}
