"""A prompt -> what of earlier sessions bears on it, claimed for its session, recorded and printed.

What a person has taught since the session's last start comes whatever the prompt says; else at most
three lines of the one subject that fits it, and for most prompts nothing. What was replaced is told
by what replaced it. The trap: what does not fit below the limit must not be claimed, or it would
never be given.
"""

from __future__ import annotations

import os
import sys

from memoria.agents.claude_code.git import project_key
from memoria.hooks import protocol
from memoria.hooks.session_claims import Given
from memoria.search import prompt_match
from memoria.search.index import matches
from memoria.search.index.reader import Reader

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from typing import Any

    from memoria.search.prompt_match import Report

    Row = tuple[Any, ...]

EVENT = "UserPromptSubmit"
# the client's ids have 36 characters
_KEY = 64


def handle(place: protocol.Place, event: dict[str, Any]) -> None:
    """Print what bears on the prompt, if anything does."""
    session, prompt = protocol.session_of(event), protocol.text(event, "prompt")
    if not session or protocol.own_work(place, event) or not prompt_match.is_typed(prompt):
        return
    given = Given(place, session)
    if given.is_control:
        return
    root = protocol.root(event)
    answered = Answer(place, given, root, prompt)
    if answered.rules or answered.lines:
        key = protocol.prompt_of(event, _KEY) or _number(prompt)
        context = answered.claimed(key)
        if context:
            protocol.answer(place, EVENT, {"additionalContext": context})


class Answer:
    """What a prompt in that folder is to be given; nothing is given twice.

    `rules` are (id, hash, text) of those that a person taught since the session's start, `lines`
    those of the subject that fits, `subject` its name among the session's claims; `fitting` are the
    passages that were compared, best first.
    """

    def __init__(self, place: protocol.Place, given: Given, root: str, prompt: str) -> None:
        self._place, self._given, self._root = place, given, root
        self._project = project_key(root) if root else ""
        self._reader = Reader(place.path("search.sqlite"), self._project, given.session)
        known = given.at_start()
        fresh = self._reader.fresh(given.since())
        self.rules = [row for row in fresh if known.get(row[0]) != row[1]]
        self.rules = [row for row in self.rules if not given.has(_rule(row))]
        self.lines: list[Report] = []
        self.subject = ""
        self._replaced: list[tuple[str, str]] = []
        words = prompt_match.asked(prompt)
        names = prompt_match.names(prompt) if words else []
        self.fitting = matches.fitting(self._reader, words, names)
        if self.fitting and self.fitting[0].score >= matches.ENOUGH:
            self._take(self.fitting[0].newest, [part for word in words for part in word])

    def _take(self, number: int, words: list[str]) -> None:
        """Take the lines of a passage, unless the session was told of it before."""
        rows: list[Report] = [_report(row) for row in self._reader.lines(number)]
        if not rows or self._given.has(_subject(rows[0])):
            return
        self._replaced = self._reader.replaced(number)
        lines = prompt_match.chosen(rows, words, self._reader.past(number))
        said = self._said([line for line in lines if not self._given.has(_line(line))])
        self.subject, self.lines = _subject(rows[0]), said

    def _said(self, lines: list[Report]) -> list[Report]:
        """Leave out what a file says that the client loads by itself."""
        from memoria.agents import instruction_files  # noqa: PLC0415 - few prompts come so far

        home = protocol.client_folder(self._place)
        loaded = instruction_files.files(self._place.agent, home, self._root)
        known = instruction_files.told(loaded, {line.key: line.text for line in lines})
        return [line for line in lines if line.key not in known]

    def claimed(self, key: str) -> str:
        """Claim as much as fits for the event, leave word of it, and give its text."""
        boundary = os.urandom(4).hex()
        _, many = self._taught(boundary)
        self.rules, self.lines = self.rules[:many], self._composed(boundary)[1]
        things = [*map(_rule, self.rules), *map(_line, self.lines)]
        ours = self._given.claim(f"prompt {key}", [*things, *[self.subject] * bool(self.lines)])
        self.rules = [row for row in self.rules if _rule(row) in ours]
        self.lines = [line for line in self.lines if _line(line) in ours]
        if self.rules or self.lines:
            self._record(key)
        return "\n".join(filter(None, (self._taught(boundary)[0], self._composed(boundary)[0])))

    def _taught(self, boundary: str) -> tuple[str, int]:
        rules = [f"- {text} [{name}]" for name, _, text in self.rules]
        return prompt_match.taught(rules, self._place.vault, boundary)

    def _composed(self, boundary: str) -> tuple[str, list[Report]]:
        return prompt_match.composed(self.lines, boundary, self._replaced)

    def _record(self, key: str) -> None:
        self._given.record(
            EVENT,
            self._project,
            about=key,
            slate=[{"id": row[0], "hash": row[1], "p": 1.0} for row in self.rules],
            withheld=[],
            lines=[{"key": line.key, "link": line.link} for line in self.lines],
        )


class _Line:
    """A report as the index has it; a NamedTuple costs a hook a millisecond more to load."""

    def __init__(self, row: Row) -> None:
        self.key, self.kind, self.weight, self.text, self.day, self.link = row


def _report(row: Row) -> Any:  # noqa: ANN401 - a Report without its class
    return _Line(row)


def _number(prompt: str) -> str:
    """Tell a prompt from the last one, for clients that give theirs no id; its words stay here."""
    import zlib  # noqa: PLC0415 - for old clients alone

    return f"{zlib.crc32(prompt.encode('utf-8', 'replace')):08x}"


def _rule(row: Row) -> str:
    return f"rule {row[0]} {row[1]}"


def _line(line: Report) -> str:
    return f"line {line.key}"


def _subject(line: Report) -> str:
    return f"subject {line.link}"


def main(vault: str = "") -> None:
    """Run the hook for the vault named on the command line, or for `vault`, and end the program."""
    protocol.run(handle, sys.argv, vault)
