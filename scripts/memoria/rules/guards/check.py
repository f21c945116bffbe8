"""Read the `check` of a rule's note: when the rule's occasion arises, and what breaks it.

It is data in a closed schema, never code, and has no regular expressions, since Python's have no
timeout. A hook reads checks while somebody waits, so this module imports nothing but errors.
"""

from __future__ import annotations

from memoria.errors import UsageError

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

NOTE_KEY = "check"
MODES = ("note", "bump", "ask", "deny")
DEFAULT_MODE = "bump"
_COMMAND_LISTS = ("command", "with", "without", "under", "not_under")
# what a part may say; each is a list, of which one has to fit
LISTS = ("tools", *_COMMAND_LISTS, "path", "reads", "added", "removed")
PARTS = ("occasion", "broken", "needs", "since")
_TEXT_KEYS = ("instead", "why")
# stands for the file that the occasion is about: "read the file before it is edited"
SAME_FILE = "{path}"
# of a list: a person writes five; and of a pattern: a line
MAX_ITEMS, MAX_CHARS, MIN_CHARS = 20, 200, 2
WRITERS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
READERS = ("Read", "NotebookRead")
SHELLS = ("Bash", "PowerShell")
# without these nothing gets done; others a rule may forbid altogether
_EVERYDAY = frozenset({*WRITERS, *READERS, *SHELLS, "Glob", "Grep", "LS"})


class Part:
    """What a call has to be like: of each list that is given one item has to fit.

    `command`: program, then the words of its subcommand, options passed over ("git push"); `with`:
    option or argument words that it has, `without`: words of which it has none; `under`,
    `not_under`: programs that run it ("sudo", "uv run"); `path`: globs of files that are written,
    `reads`: of files that are read; `added`, `removed`: literal text of an edit. In `command`,
    `path` and `reads` an item that begins with ! excludes.
    """

    __slots__ = ("lists",)

    def __init__(self, lists: Mapping[str, tuple[str, ...]]) -> None:
        self.lists = {name: lists[name] for name in LISTS if lists.get(name)}

    def get(self, name: str) -> tuple[str, ...]:
        """Give the list of that name, () where it is not given."""
        return self.lists.get(name, ())

    def __bool__(self) -> bool:
        return bool(self.lists)

    @property
    def is_about_command(self) -> bool:
        """Whether it speaks of a shell command."""
        return any(name in self.lists for name in _COMMAND_LISTS)

    def tools(self) -> tuple[str, ...]:
        """Give the names of the tools whose calls can fit."""
        if "tools" in self.lists:
            return self.lists["tools"]
        if self.is_about_command:
            return SHELLS
        if self.lists.keys() & {"added", "removed", "path"}:
            return (*WRITERS, *SHELLS)
        # what was written whole is known as if it had been read
        writers = ("Write",) if SAME_FILE in self.get("reads") else ()
        return (*READERS, *writers, *SHELLS) if self.lists else ()


class Check:
    """A rule's check.

    `occasion` is when the rule is to be thought of. It is broken by a call that also fits `broken`,
    or, where `needs` is given, when no call that fits `needs` was seen since the last one that fits
    `since` (without a `since`: since the session's start; before the first: it is kept); with both,
    only when both hold; with neither, by the occasion itself. `instead` is what to do and `why` the
    rule's reason, "" where the rule says it.
    """

    __slots__ = (*PARTS, *_TEXT_KEYS)

    def __init__(self, parts: Mapping[str, Part], instead: str, why: str) -> None:
        known = (parts.get(name) or Part({}) for name in PARTS)
        self.occasion, self.broken, self.needs, self.since = known
        self.instead, self.why = instead, why

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Check) and check_to_json(self) == check_to_json(other)

    def __hash__(self) -> int:
        return hash(repr(check_to_json(self)))

    def tools(self) -> tuple[str, ...]:
        """Give the names of the tools whose calls a guard has to see, in order."""
        parts = (self.occasion, self.needs, self.since)
        return tuple(sorted({name for part in parts for name in part.tools()}))


def parse_check(value: object) -> Check:
    """Read the `check` of a note; UsageError says what is wrong with it and what to write."""
    if not isinstance(value, dict):
        raise UsageError("check: write keys under it: occasion, and broken or needs")
    keys = (*PARTS, *_TEXT_KEYS)
    unknown = [str(name) for name in value if name not in keys]
    if unknown:
        raise UsageError(f"check: there is no {unknown[0]!r}; it has {', '.join(keys)}")
    instead, why = (_parse_line(name, value.get(name, "")) for name in _TEXT_KEYS)
    parts = {name: _parse_part(name, value[name]) for name in PARTS if name in value}
    if not parts.get("occasion"):
        raise UsageError("check: say when it arises: occasion: {command: [...]} or path, added")
    if parts.get("since") and not parts.get("needs"):
        raise UsageError("check: since says since when `needs` counts; write needs, too")
    check = Check(parts, instead, why)
    _refuse_wall(check)
    return check


def check_to_json(check: Check) -> dict[str, Any]:
    """Give a check as it is written in a note; `parse_check` reads the same from it."""
    parts: dict[str, Part] = {name: getattr(check, name) for name in PARTS}
    value: dict[str, Any] = {
        name: {key: list(items) for key, items in part.lists.items()}
        for name, part in parts.items()
        if part
    }
    return value | {name: line for name in _TEXT_KEYS if (line := getattr(check, name))}


def _parse_line(name: str, value: object) -> str:
    if not isinstance(value, str) or len(value) > MAX_CHARS or "\n" in value.strip():
        raise UsageError(f"check: {name}: write one line of at most {MAX_CHARS} characters")
    return value.strip()


def _parse_part(name: str, value: object) -> Part:
    if not isinstance(value, dict):
        raise UsageError(f"check: {name}: write keys under it, such as command: [git push]")
    unknown = [key for key in value if key not in LISTS]
    if unknown:
        raise UsageError(f"check: {name}: there is no {unknown[0]!r}; it has {', '.join(LISTS)}")
    return Part({key: tuple(_parse_items(f"check: {name}: {key}", value[key])) for key in value})


def _parse_items(label: str, value: object) -> Iterator[str]:
    items = value if isinstance(value, list | tuple) else [value]
    if not 0 < len(items) <= MAX_ITEMS:
        raise UsageError(f"{label}: write one to {MAX_ITEMS} patterns")
    for item in items:
        if not isinstance(item, str) or item.strip() in {"", "!"}:
            raise UsageError(f"{label}: {item!r} is no text; put it into quotes")
        if len(item) > MAX_CHARS or "\0" in item:
            raise UsageError(f"{label}: a pattern has at most {MAX_CHARS} characters")
        # a tool's name becomes part of the client's matcher, which is a regular expression
        letters = item.strip().replace("_", "").replace("-", "")
        if label.endswith("tools") and not (letters.isascii() and letters.isalnum()):
            raise UsageError(
                f"{label}: {item!r} is no tool's name, such as Bash or mcp__kb__search"
            )
        yield item if label.endswith(("added", "removed")) else item.strip()


def _refuse_wall(check: Check) -> None:
    """Refuse what nearly every call would break; the rest of it is in judge.find_refusal."""
    tools = set(check.occasion.get("tools"))
    if _is_particular(check.occasion) or _is_particular(check.broken):
        return
    if tools and not tools & _EVERYDAY:
        return
    if not check.needs or not tools or tools & {*check.needs.tools(), *SHELLS}:
        raise UsageError(
            "check: this would refuse nearly every call; name a command, a path or a text in it"
        )


def _is_particular(part: Part) -> bool:
    """Whether one of its patterns says something particular, rather than "any"."""
    patterns = [item.split()[0] for item in part.get("command")]
    for name in ("with", "path", "reads", "added", "removed"):
        patterns += part.get(name)
    return any(
        len(item.replace(SAME_FILE, "").strip("*?/.")) >= MIN_CHARS and not item.startswith("!")
        for item in patterns
    )
