"""Restore a dataclass from the JSON object that `asdict` wrote, perhaps in another version.

A field that is missing gets its default and an unknown one is passed over. Who wrote a value that
a Literal of this version does not have knew more: then the field has its default, and a row of a
list that cannot do without it is left out.
"""

from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from itertools import starmap
from math import isfinite
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

_Record = TypeVar("_Record")


class _UnknownError(ValueError):
    """The value of a Literal is none that this version knows."""


def restore_record(kind: type[_Record], value: object) -> _Record | None:
    """Restore a record, None where the value is none; a number that is none becomes 0."""
    try:
        record: _Record = _restore_fields(kind, value)
    except (ValueError, TypeError, OverflowError):
        return None
    return record


@cache
def _inspect_type(hint: Any) -> tuple[Any, Any]:  # noqa: ANN401 - a type, or what typing has for one
    """Give what a type is made of: the fields of a dataclass, the parts of a tuple or Literal."""
    if not is_dataclass(hint):
        return get_origin(hint), get_args(hint)
    hints = get_type_hints(hint)
    return "record", [(row.name, hints[row.name], row.default is MISSING) for row in fields(hint)]


def _restore_fields(kind: Any, value: Any) -> Any:  # noqa: ANN401 - as above, from JSON
    arguments = {}
    for name, hint, is_needed in _inspect_type(kind)[1]:
        if name in value:
            try:
                arguments[name] = _restore_value(hint, value[name])
            except _UnknownError:
                if is_needed:
                    raise
    return kind(**arguments)


def _restore_value(hint: Any, value: Any) -> Any:  # noqa: ANN401 - as above
    if hint is float and type(value) in {int, float}:
        # what is no number would put an order out of order
        return number if isfinite(number := float(value)) else 0.0
    if type(value) is hint:
        return value
    origin, parts = _inspect_type(hint)
    if origin == "record":
        return _restore_fields(hint, value)
    if origin is tuple and isinstance(value, list):
        if parts[-1] is Ellipsis:
            return _restore_items(parts[0], value)
        return tuple(starmap(_restore_value, zip(parts, value, strict=True)))
    if origin is Literal and value in parts:
        return value
    raise _UnknownError(value) if origin is Literal else ValueError(value)


def _restore_items(hint: Any, values: list[Any]) -> tuple[Any, ...]:  # noqa: ANN401 - as above
    items = []
    for value in values:
        try:
            items.append(_restore_value(hint, value))
        except _UnknownError:
            continue
    return tuple(items)
