"""Describe a tool that a model may call, and check the arguments of a call.

An error is one line that says what would do. Models send numbers as text and null for what they
leave out; both mean what they seem to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from memoria.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

Kind = Literal["text", "number", "choice", "ids"]
# characters of an argument: a question with an error message
_LONGEST = 4_000
# of a call's arguments as they may come from a client, before anything looks at them
_NAMES = 20


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument: `most` is the longest text, the most ids, or the highest number (0: no limit).

    `default` of a number is what stands in where none is given; what is too high or low is brought
    within `least` and `most`.
    """

    kind: Kind = "text"
    about: str = ""
    required: bool = False
    choices: tuple[Any, ...] = ()
    most: int = _LONGEST
    least: int = 0
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
    """A tool: `writes` what is the user's own, `repeats` without a second effect, `asks` a model.

    A tool that does not write is read-only; one that `asks` may reach the model's service.
    """

    name: str
    title: str
    about: str
    arguments: Mapping[str, Argument]
    writes: bool = False
    destroys: bool = False
    repeats: bool = False
    asks: bool = False

    @property
    def described(self) -> dict[str, Any]:
        """The tool as the protocol lists it."""
        hints: dict[str, Any] = {"readOnlyHint": not self.writes, "openWorldHint": self.asks}
        if self.writes:
            hints |= {"destructiveHint": self.destroys, "idempotentHint": self.repeats}
        given = {name: argument.schema for name, argument in self.arguments.items()}
        required = [name for name, argument in self.arguments.items() if argument.required]
        schema: dict[str, Any] = {"type": "object", "properties": given}
        return {
            "name": self.name,
            "title": self.title,
            "description": self.about,
            "inputSchema": schema | ({"required": required} if required else {}),
            "annotations": hints,
        }


def checked(tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """Check a call's arguments; give all of them, "" or () or the default where none was given.

    UsageError for one that is missing, unknown, too long or of the wrong kind.
    """
    unknown = [name for name in list(given)[:_NAMES] if name not in tool.arguments]
    if unknown:
        known = ", ".join(tool.arguments) or "none"
        raise UsageError(f"{tool.name} has no argument {unknown[0][:80]!r}; it takes: {known}")
    return {
        name: _value(name, argument, given.get(name)) for name, argument in tool.arguments.items()
    }


def _value(name: str, argument: Argument, value: Any) -> Any:  # noqa: ANN401 - whatever JSON can hold
    if value is None or value in ("", []):
        if argument.required:
            raise UsageError(f"{name} is missing{f': {argument.about}' if argument.about else ''}")
        return {"text": "", "choice": "", "ids": (), "number": argument.default}[argument.kind]
    return _CHECKS[argument.kind](name, argument, value)


def _text(name: str, argument: Argument, value: Any) -> str:  # noqa: ANN401 - as above
    if not isinstance(value, str):
        raise UsageError(f"{name} has to be text")
    # half an emoji, which JSON can escape and no file can hold
    text = value.encode("utf-8", "replace").decode()
    if len(text) > argument.most:
        raise UsageError(f"{name} has {len(text)} characters; at most {argument.most} are taken")
    if argument.required and not text.strip():
        raise UsageError(f"{name} is empty")
    return text


def _number(name: str, argument: Argument, value: Any) -> int:  # noqa: ANN401 - as above
    number = _whole(value)
    if number is None:
        raise UsageError(f"{name} has to be a whole number")
    return max(argument.least, min(argument.most, number))


def _whole(value: Any) -> int | None:  # noqa: ANN401 - as above
    if isinstance(value, str) and len(value) < len("-1000000000") and value.strip():
        try:
            return int(value)
        except ValueError:
            return None
    if isinstance(value, float) and value == value // 1 and abs(value) < 1e9:  # noqa: PLR2004 - no float beyond is exact in all clients
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _choice(name: str, argument: Argument, value: Any) -> Any:  # noqa: ANN401 - as above
    wanted = _whole(value) if isinstance(argument.choices[0], int) else value
    if isinstance(wanted, str) and isinstance(argument.choices[0], str):
        # the seed's targets and categories have underscores
        plain = wanted.strip().lower().replace("_", "-")
        known = (word for word in argument.choices if word.lower().replace("_", "-") == plain)
        wanted = next(known, wanted)
    if wanted is None or wanted not in argument.choices:
        raise UsageError(f"{name} has to be one of {', '.join(map(str, argument.choices))}")
    return wanted


def _ids(name: str, argument: Argument, value: Any) -> tuple[str, ...]:  # noqa: ANN401 - as above
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise UsageError(f"{name} has to be a list of rule ids")
    if len(texts) > argument.most:
        raise UsageError(f"{name} has {len(texts)} rules; at most {argument.most} at once")
    return tuple(dict.fromkeys(text.strip()[:40] for text in texts))


_CHECKS = {"text": _text, "number": _number, "choice": _choice, "ids": _ids}
