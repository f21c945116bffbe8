"""The `check` of a rule's note <-> Check: when a rule's occasion arises, and what breaks it.

It is data in a closed little schema, never code: names of tools, shell words, globs and literal
text, and "this was not seen since that". No regular expressions, since Python's have no timeout.
What would refuse everything is refused here: a check has to leave the person a way on. The trap: a
hook reads checks while somebody waits, so this module imports nothing.
"""

from __future__ import annotations

from memoria.errors import UsageError

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

KEY = "check"
MODES = ("note", "bump", "ask", "deny")
DEFAULT = "bump"
# what a part may say; each is a list, of which one has to fit
LISTS = (
    "tools",
    "command",
    "with",
    "without",
    "under",
    "not_under",
    "path",
    "reads",
    "added",
    "removed",
)
PARTS = ("occasion", "broken", "needs", "since")
_LINES = ("instead", "why")
# stands for the file that the occasion is about: "read the file before it is edited"
SAME = "{path}"
# of a list: a person writes five; and of a pattern: a line
MOST, LONGEST, FEWEST = 20, 200, 2
_FILES = ("Edit", "Write", "MultiEdit", "NotebookEdit")
_SHELLS = ("Bash", "PowerShell")
# without these nothing gets done; others a rule may forbid altogether
_EVERYDAY = frozenset({*_FILES, *_SHELLS, "Read", "NotebookRead", "Glob", "Grep", "LS"})
_COMMAND = ("command", "with", "without", "under", "not_under")


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
        return any(name in self.lists for name in _COMMAND)

    def tools(self) -> tuple[str, ...]:
        """Give the names of the tools whose calls can fit."""
        if "tools" in self.lists:
            return self.lists["tools"]
        if self.is_about_command:
            return _SHELLS
        if "added" in self.lists or "removed" in self.lists or "path" in self.lists:
            return (*_FILES, *_SHELLS)
        # what was written whole is known as if it had been read
        own = ("Write",) if SAME in self.lists.get("reads", ()) else ()
        return ("Read", "NotebookRead", *own, *_SHELLS) if "reads" in self.lists else ()


class Check:
    """A rule's check.

    `occasion` is when the rule is to be thought of. It is broken by a call that also fits `broken`,
    or, where `needs` is given, when no call that fits `needs` was seen since the last one that fits
    `since` (without a `since`: since the session's start; before the first: it is kept); with both,
    only when both hold; with neither, by the occasion itself. `instead` is what to do and `why` the
    rule's reason, "" where the rule says it.
    """

    __slots__ = ("broken", "instead", "needs", "occasion", "since", "why")

    def __init__(  # noqa: PLR0913 - a field each
        self,
        occasion: Part,
        broken: Part | None = None,
        needs: Part | None = None,
        since: Part | None = None,
        *,
        instead: str = "",
        why: str = "",
    ) -> None:
        nothing = Part({})
        self.occasion, self.broken = occasion, broken or nothing
        self.needs, self.since = needs or nothing, since or nothing
        self.instead, self.why = instead, why

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Check) and written(self) == written(other)

    def __hash__(self) -> int:
        return hash(repr(written(self)))

    def tools(self) -> tuple[str, ...]:
        """Give the names of the tools whose calls a guard has to see, in order."""
        parts = (self.occasion, self.needs, self.since)
        return tuple(sorted({name for part in parts for name in part.tools()}))


def parsed(value: object) -> Check:
    """Read the `check` of a note; UsageError says what is wrong with it and what to write."""
    if not isinstance(value, dict):
        raise UsageError("check: write keys under it: occasion, and broken or needs")
    known = (*PARTS, *_LINES)
    unknown = [str(name) for name in value if name not in known]
    if unknown:
        raise UsageError(f"check: there is no {unknown[0]!r}; it has {', '.join(known)}")
    instead, why = (_line(name, value.get(name, "")) for name in _LINES)
    parts = {name: _part(name, value[name]) for name in PARTS if name in value}
    if not parts.get("occasion"):
        raise UsageError("check: say when it arises: occasion: {command: [...]} or path, added")
    if parts.get("since") and not parts.get("needs"):
        raise UsageError("check: since says since when `needs` counts; write needs, too")
    found = Check(*(parts.get(name) or Part({}) for name in PARTS), instead=instead, why=why)
    _is_particular(found)
    return found


def written(check: Check) -> dict[str, Any]:
    """Give a check as it is written in a note; `parsed` reads the same from it."""
    found: dict[str, Any] = {}
    for name in PARTS:
        part: Part = getattr(check, name)
        if part:
            found[name] = {key: list(items) for key, items in part.lists.items()}
    for name in _LINES:
        if getattr(check, name):
            found[name] = getattr(check, name)
    return found


def _line(name: str, value: object) -> str:
    if not isinstance(value, str) or len(value) > LONGEST or "\n" in value.strip():
        raise UsageError(f"check: {name}: write one line of at most {LONGEST} characters")
    return value.strip()


def _part(name: str, value: object) -> Part:
    if not isinstance(value, dict):
        raise UsageError(f"check: {name}: write keys under it, such as command: [git push]")
    found = {}
    for key, items in value.items():
        if key not in LISTS:
            raise UsageError(f"check: {name}: there is no {key!r}; it has {', '.join(LISTS)}")
        found[key] = tuple(_items(f"check: {name}: {key}", items))
    return Part(found)


def _items(where: str, value: object) -> Iterator[str]:
    items = value if isinstance(value, list | tuple) else [value]
    if not 0 < len(items) <= MOST:
        raise UsageError(f"{where}: write one to {MOST} patterns")
    for item in items:
        if not isinstance(item, str) or not item.strip():
            raise UsageError(f"{where}: {item!r} is no text; put it into quotes")
        if len(item) > LONGEST or "\0" in item:
            raise UsageError(f"{where}: a pattern has at most {LONGEST} characters")
        if where.endswith("tools") and not _is_name(item.strip()):
            raise UsageError(
                f"{where}: {item!r} is no tool's name, such as Bash or mcp__kb__search"
            )
        yield item if where.endswith(("added", "removed")) else item.strip()


def _is_name(text: str) -> bool:
    """Whether it can be a tool's name: it becomes part of the client's matcher."""
    bare = text.replace("_", "").replace("-", "")
    return bare.isascii() and bare.isalnum()


def _is_particular(check: Check) -> None:
    """Refuse what nearly every call would break; the rest of it is in adjudication.refused."""
    named = [*_named(check.occasion), *_named(check.broken)]
    own = set(check.occasion.get("tools"))
    if named or (own and not own & _EVERYDAY):
        return
    wanted = set(check.needs.tools()) | set(_SHELLS)
    if not check.needs or not own or own & wanted:
        raise UsageError(
            "check: this would refuse nearly every call; name a command, a path or a text in it"
        )


def _named(part: Part) -> Iterator[str]:
    """Give the patterns that say something particular, rather than "any"."""
    for name in ("command", "with", "path", "reads", "added", "removed"):
        for item in part.get(name):
            first = item.split()[0] if name == "command" else item
            bare = first.replace(SAME, "").strip("*?/.")
            if len(bare) >= FEWEST and not item.startswith("!"):
                yield item
