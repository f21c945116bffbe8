"""Restore a dataclass from the JSON object that `asdict` wrote.

A field that is missing gets its default and an unknown one is passed over.
"""

from dataclasses import fields, is_dataclass
from functools import cache
from itertools import starmap
from math import isfinite
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

_Record = TypeVar("_Record")


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
    return "record", [(row.name, hints[row.name]) for row in fields(hint)]


def _restore_fields(kind: Any, value: Any) -> Any:  # noqa: ANN401 - as above, from JSON
    rows = [(name, hint) for name, hint in _inspect_type(kind)[1] if name in value]
    return kind(**{name: _restore_value(hint, value[name]) for name, hint in rows})


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
            return tuple(_restore_value(parts[0], item) for item in value)
        return tuple(starmap(_restore_value, zip(parts, value, strict=True)))
    if origin is Literal and value in parts:
        return value
    raise ValueError(value)
