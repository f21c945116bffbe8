"""The text of the client's settings, words -> the same text with a hook that says them at a start.

No key of these settings carries text to the model but `claudeMd`, which only a company's managed
settings may have; a key of our own ("rules", as others write) would be read by nobody. What a
SessionStart hook prints does reach the model, so the words are the argument of `echo`, without a
shell. The entry is known by the mark that its words begin with. The trap: a file without content is
no JSON, so it gets its brackets here and has to be given back without them by the caller.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from memoria.agents.claude_code import settings as client_settings
from memoria.errors import UsageError
from memoria.text import json_edit as json_text
from memoria.vault import regions as region

EVENT, MATCHER, PROGRAM = "SessionStart", "startup|clear|compact", "echo"
# the client shows a preview of what is longer; in UTF-16 units, as it counts
LONGEST = 9_900
# origin -> how many of the entry, its group, its event and `hooks` are of our making; else all
_OURS = {"event": 2, "hooks": 3}


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the entry stands: its words, and (bracket, index) from the inside out."""

    words: str
    item: json_text.Item
    steps: tuple[tuple[int, int], ...]


def words(text: str, where: str) -> str:
    """Give the words that our entry says, "" where there is none.

    Raises SettingsError, naming `where` and the line, for settings the client would not read.
    """
    place = _place(text, where)
    return place.words if place else ""


def origin(text: str, where: str) -> str:
    """Name the innermost of the brackets around our entry that these settings have without it.

    The words remember it (region.py), because taking the entry out has to leave that one.
    """
    client_settings.installed(text, where)
    if not text.removeprefix(json_text.BOM).strip(json_text.SPACE):
        return "blank"
    hooks = json_text.member(text, json_text.root(text), "hooks")
    if hooks is None:
        return ""
    return "hooks" if json_text.member(text, hooks.value, EVENT) is None else "event"


def announced(text: str, said: str, where: str) -> str:
    """Put the words into the settings, or (for "") take our entry out; nothing else changes.

    Raises SettingsError as `words` does, and UsageError for more words than the client takes.
    """
    place = _place(text, where)
    if not said:
        return _removed(text, place) if place else text
    if len(said.encode("utf-16-le", "replace")) // 2 > LONGEST:
        raise UsageError(
            f"{where}: the client takes {LONGEST:,} characters from a hook, and these rules are "
            "longer: promote fewer of them, or to another target"
        )
    if place:
        same = said == place.words
        return text if same else json_text.replace(text, place.item, _handler(said))
    return _inserted(text, said)


def _inserted(text: str, said: str) -> str:
    bare = text.removeprefix(json_text.BOM)
    if not bare.strip(json_text.SPACE):
        text = text[: len(text) - len(bare)] + "{}\n"
    group = {"matcher": MATCHER, "hooks": [_handler(said)]}
    top = json_text.root(text)
    hooks = json_text.member(text, top, "hooks")
    if hooks is None:
        return json_text.insert(text, top, "hooks", {EVENT: [group]})
    event = json_text.member(text, hooks.value, EVENT)
    if event is None:
        return json_text.insert(text, hooks.value, EVENT, [group])
    return json_text.insert(text, event.value, "", group)


def _handler(said: str) -> dict[str, object]:
    return {"type": "command", "command": PROGRAM, "args": [said]}


def _removed(text: str, place: _Place) -> str:
    """Take the entry out, and with it the brackets of ours around that held nothing else."""
    mark = place.words.partition("\n")[0]
    ours = next((steps for word, steps in _OURS.items() if f" from={word} " in mark), 4)
    for at, index in place.steps[: ours - 1]:
        if len(json_text.items(text, at)) > 1:
            return json_text.delete(text, at, index)
    return json_text.delete(text, *place.steps[ours - 1])


def _place(text: str, where: str) -> _Place | None:
    client_settings.installed(text, where)  # raises SettingsError for what it cannot read
    if not text.removeprefix(json_text.BOM).strip(json_text.SPACE):
        return None
    top = json_text.root(text)
    for at, hooks in json_text.effective(text, top):
        for index, event in json_text.effective(text, hooks.value) if hooks.key == "hooks" else ():
            if event.key == EVENT:
                found = _in_event(text, event, ((hooks.value, index), (top, at)))
                if found:
                    return found
    return None


def _in_event(
    text: str, event: json_text.Item, outer: tuple[tuple[int, int], ...]
) -> _Place | None:
    for group_at, group in enumerate(json_text.items(text, event.value)):
        handlers = None
        if text[group.value] == "{":
            handlers = json_text.member(text, group.value, "hooks")
        if handlers is None or text[handlers.value] != "[":
            continue
        for at, item in enumerate(json_text.items(text, handlers.value)):
            said = _said(json.loads(text[item.value : item.end]))
            if said:
                steps = ((handlers.value, at), (event.value, group_at), *outer)
                return _Place(said, item, steps)
    return None


def _said(handler: object) -> str:
    """Give the words of an entry of ours, "" for any other's."""
    args = handler.get("args") if isinstance(handler, dict) else None
    if not isinstance(args, list) or len(args) != 1 or not isinstance(args[0], str):
        return ""
    opening = "<!-- memoria:begin "
    return args[0] if args[0].startswith(opening) else ""
