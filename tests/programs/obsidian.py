"""A folder of notes as Obsidian reads it: links by the end of a path, properties of one type each.

Obsidian finds a link's note by its whole path or the last parts of it, blind to case, and without
its ending; a property has one type in the whole vault, and a value of another one is shown as an
error. https://help.obsidian.md/properties, https://help.obsidian.md/links
"""

import re
from collections import Counter, defaultdict
from datetime import date, datetime

import yaml

# what Obsidian cannot have in a link to a file
UNLINKABLE = re.compile(r"[#^\[\]|]")
# letters, digits, "_", "-", "/"; one character at least is no digit
TAG = re.compile(r"(?=.*[^\d/])[\w/-]+")
LISTS = ("aliases", "tags", "cssclasses")


class Opened:
    """The notes of a vault by their path; `notes` maps "daily/2026-04-01.md" to its text."""

    def __init__(self, notes):
        self.notes = notes
        self._found = defaultdict(list)
        for name in sorted(notes, key=lambda name: (name.count("/"), name)):
            parts = name.removesuffix(".md").lower().split("/")
            for at in range(len(parts)):
                self._found["/".join(parts[at:])].append(name)

    def links(self, name):
        """Give the targets of a note's links; code hides them."""
        text = re.sub(r"^(```+|~~~+).*?^\1", "", self.notes[name], flags=re.DOTALL | re.MULTILINE)
        text = re.sub(r"(`+).+?\1", "", text)
        return re.findall(r"\[\[([^\]|#]*)", text)

    def blocks(self, name):
        """Give the block ids of a note: at the end of a line, or on a line of their own."""
        return set(re.findall(r"(?m)(?:^| )\^([A-Za-z0-9-]+)[ \t]*$", self.notes[name]))

    def resolved(self, target):
        """Give the notes that a link may mean, the one that Obsidian opens first."""
        return self._found[target.strip().lower().removesuffix(".md")]

    def properties(self, name):
        """Give a note's properties; {} without."""
        found = re.match(r"---\r?\n(.*?)\r?\n---(?:\r?\n|$)", self.notes[name], re.DOTALL)
        return yaml.safe_load(found[1]) if found else {}

    def faults(self):
        """Give what Obsidian would show as broken."""
        return [*self._links(), *self._properties()]

    def _links(self):
        for name in self.notes:
            if UNLINKABLE.search(name):
                yield f"{name}: cannot be linked"
            for target in self.links(name):
                found = self.resolved(target)
                if len(found) != 1:
                    yield f"{name}: [[{target}]] is {found or 'nowhere'}"
            for target, block in re.findall(r"\[\[([^\]|#]*)#\^([^\]|#]*)", self.notes[name]):
                if block not in self.blocks(self.resolved(target)[0]):
                    yield f"{name}: [[{target}]] has no block {block}"

    def _properties(self):
        types = defaultdict(Counter)
        for name in self.notes:
            for key, value in self.properties(name).items():
                types[key][_type(value)] += 1
                if key in LISTS and not isinstance(value, list):
                    yield f"{name}: {key} is no list"
                if key == "tags":
                    yield from (f"{name}: tag {tag!r}" for tag in value if not TAG.fullmatch(tag))
                if _type(value) == "list" and not all(isinstance(one, str) for one in value):
                    yield f"{name}: {key} holds what is no text"
        yield from (f"{key}: {dict(found)}" for key, found in types.items() if len(found) > 1)

    def islands(self, catalogs):
        """Give the groups of notes that links join, without the pages that link to everything."""
        near = defaultdict(set)
        for name in self.notes.keys() - catalogs:
            near[name].add(name)
            for target in self.links(name):
                for found in self.resolved(target)[:1]:
                    near[name].add(found)
                    near[found].add(name)
        groups, seen = [], set(catalogs)
        for name in near:
            group, todo = set(), [name]
            while todo:
                one = todo.pop()
                if one not in seen:
                    seen.add(one)
                    group.add(one)
                    todo += near[one]
            groups += [group] * bool(group)
        return groups


def _type(value):
    kinds = {bool: "checkbox", int: "number", float: "number", list: "list"}
    if isinstance(value, datetime):
        return "date and time"
    if isinstance(value, date):
        return "date"
    return kinds.get(type(value), "text")
