"""Put words into the text of the client's settings, as a hook that says them at a start.

The client reads no key of its settings as instructions, but what a SessionStart hook prints reaches
the model: so the words are the argument of `echo`, known by the mark that they begin with.
"""

from __future__ import annotations

from typing import NamedTuple

from memoria.agents.claude_code import settings as client_settings
from memoria.errors import UsageError
from memoria.text import json_edit

EVENT, MATCHER, PROGRAM = "SessionStart", "startup|clear|compact", "echo"
# the client shows a preview of what is longer; in UTF-16 units, as it counts
LONGEST = 9_900


class _Place(NamedTuple):
    """Where the entry stands: its words, and (bracket, item) from the inside out."""

    words: str
    steps: tuple[tuple[int, json_edit.Item], ...]


def words(text: str, where: str) -> str:
    """Give the words that our entry says, "" where there is none.

    Raises SettingsError, naming `where` and the line, for settings the client would not read.
    """
    place = _place(text, where)
    return place.words if place else ""


def announced(text: str, said: str, where: str) -> str:
    """Put the words into the settings, or (for "") take our entry out; nothing else changes.

    Brackets that held nothing else go with the entry. Raises SettingsError as `words` does, and
    UsageError for more words than the client takes.
    """
    place = _place(text, where)
    if not said:
        return _removed(text, place) if place else text
    if len(said.encode("utf-16-le", "replace")) // 2 > LONGEST:
        raise UsageError(
            f"{where}: the client takes {LONGEST:,} characters from a hook, and these rules are "
            "longer: promote fewer of them, or to another target"
        )
    handler = {"type": "command", "command": PROGRAM, "args": [said]}
    if not place:
        return _inserted(text, {"matcher": MATCHER, "hooks": [handler]})
    same = said == place.words
    return text if same else json_edit.replace(text, place.steps[0][1], handler)


def _inserted(text: str, group: dict[str, object]) -> str:
    bare = text.removeprefix(json_edit.BOM)
    if not bare.strip(json_edit.SPACE):  # a file without content is no JSON
        text = text[: len(text) - len(bare)] + "{}\n"
    top = json_edit.root(text)
    hooks = json_edit.member(text, top, "hooks")
    if hooks is None:
        return json_edit.insert(text, top, "hooks", {EVENT: [group]})
    event = json_edit.member(text, hooks.value, EVENT)
    if event is None:
        return json_edit.insert(text, hooks.value, EVENT, [group])
    return json_edit.insert(text, event.value, "", group)


def _removed(text: str, place: _Place) -> str:
    """Take the entry out, and with it the brackets around that held nothing else."""
    own = [(at, item) for at, item in place.steps if len(json_edit.items(text, at)) > 1]
    at, item = (own or place.steps[-1:])[0]
    return json_edit.delete(text, at, json_edit.items(text, at).index(item))


def _place(text: str, where: str) -> _Place | None:
    client_settings.installed(text, where)  # raises SettingsError for what it cannot read
    if not text.removeprefix(json_edit.BOM).strip(json_edit.SPACE):
        return None
    top = json_edit.root(text)
    hooks = json_edit.member(text, top, "hooks")
    event = json_edit.member(text, hooks.value, EVENT) if hooks else None
    if hooks is None or event is None:
        return None
    outer = ((hooks.value, event), (top, hooks))
    for group in json_edit.items(text, event.value):
        is_object = text[group.value] == "{"
        handlers = json_edit.member(text, group.value, "hooks") if is_object else None
        if handlers is None or text[handlers.value] != "[":
            continue
        for item in json_edit.items(text, handlers.value):
            said = _said(json_edit.load(text, item))
            if said:
                return _Place(said, ((handlers.value, item), (event.value, group), *outer))
    return None


def _said(handler: object) -> str:
    """Give the words of an entry of ours, "" for any other's."""
    args = handler.get("args") if isinstance(handler, dict) else None
    if not isinstance(args, list) or len(args) != 1 or not isinstance(args[0], str):
        return ""
    opening = "<!-- memoria:begin "
    return args[0] if args[0].startswith(opening) else ""
