"""A prompt -> what of the vault fits it, claimed for its session, recorded and printed.

What a person has taught since the session's last start comes whatever the prompt says; else up to
three rules and two passages that fit, and for most prompts nothing. A rule that fits is chosen by
what the learner knows of it, and withheld by the same coin as at the start. The trap: what does not
fit below the limit must not be claimed, or it would never be given.
"""

from __future__ import annotations

import os
import sys

from memoria.agents.claude_code.git import project_key
from memoria.hooks import protocol
from memoria.hooks.reminder_reader import Lookup
from memoria.hooks.session_claims import Given, answer
from memoria.search.reminders import prompt_match
from memoria.vault import project

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from typing import Any

    Row = tuple[Any, ...]

EVENT = "UserPromptSubmit"
# the client's ids have 36 characters
_KEY = 64


def handle(place: protocol.Place, event: dict[str, Any]) -> None:
    """Print what fits the prompt, if anything does."""
    session, prompt = protocol.session_of(event), protocol.text(event, "prompt")
    if not session or protocol.own_work(place, event) or not prompt_match.is_typed(prompt):
        return
    given = Given(place, session)
    if given.is_control:
        return
    root = protocol.root(event)
    found = Found(place, given, project_key(root) if root else "", prompt_match.asked(prompt))
    if found.rules or found.withheld or found.passages:
        key = protocol.text(event, "prompt_id")[:_KEY] or _number(prompt)
        context = found.claimed(key)
        if context:
            answer(EVENT, context)


class Found:
    """What a prompt of these words in that project is to be given; nothing is given twice.

    Rules are (id, hash, text, the chance that it was given), passages (path, title, day, hash,
    text). `withheld` are rules that fit and that the session's coin keeps from it, so that their
    effect can be told.
    """

    def __init__(self, place: protocol.Place, given: Given, key: str, words: list[str]) -> None:
        self._place, self._given, self._project = place, given, key
        lookup, known = Lookup(place, key), given.at_start()
        fresh = lookup.fresh(given.since())
        self.rules = [(*row, 1.0) for row in fresh if known.get(row[0]) != row[1]]
        self.rules = [row for row in self.rules if not given.has(_rule(row))]
        self.withheld: list[Row] = []
        self.passages: list[Row] = []
        if words:
            taken = known.keys() | {row[0] for row in self.rules}
            fitting = [row for row in lookup.rules(words) if row[0] not in taken]
            self._choose([row for row in fitting if not given.has(_rule(row))])
            self._first_each(lookup.passages(words))

    def _choose(self, fitting: list[Row]) -> None:
        """Choose among rules (id, hash, text, how well it fits) by what is known of their effect.

        The coin that withholds one is that of the session's start.
        """
        selection = self._selection() if fitting else None
        if selection is None:
            self.rules += [(*row[:3], 1.0) for row in fitting[: prompt_match.MOST_RULES]]
            return
        from memoria.learning import slate  # noqa: PLC0415 - few prompts come so far

        fit = {row[0]: row[3] for row in fitting}
        chosen = slate.choose(
            selection | {"pinned": []},  # they were there from the start
            self._given.session,
            k=prompt_match.MOST_RULES,
            fit=fit,
        )
        rows = {row[0]: row for row in fitting}
        for names, into in ((chosen.shown, self.rules), (chosen.withheld, self.withheld)):
            into += [(*rows[name][:3], chosen.propensities[name]) for name in names]

    def _selection(self) -> dict[str, Any] | None:
        """Read what the last flush knew of the effect of rules in this project."""
        names = (project.file_name(self._project), "default") if self._project else ("default",)
        found = (protocol.stored(self._place.path("inject", f"{name}.json")) for name in names)
        selection = next((one for one in found if one), {}).get("selection")
        return selection if isinstance(selection, dict) else None

    def _first_each(self, fitting: list[Row]) -> None:
        """Choose the passages that fit best, one of an article."""
        best: dict[str, Row] = {}
        for row in fitting:
            if not self._given.has(_passage(row)):
                best.setdefault(row[0], row)
        self.passages = list(best.values())[: prompt_match.MOST_PASSAGES]

    def claimed(self, key: str) -> str:
        """Claim as much as fits for the event, leave word of it, and give its text."""
        boundary = os.urandom(8).hex()
        _, rules, passages = self._composed(boundary)
        self.rules, self.passages = self.rules[:rules], self.passages[:passages]
        things = [*map(_rule, (*self.rules, *self.withheld)), *map(_passage, self.passages)]
        ours = self._given.claim(f"prompt {key}", things)
        self.rules = [row for row in self.rules if _rule(row) in ours]
        self.withheld = [row for row in self.withheld if _rule(row) in ours]
        self.passages = [row for row in self.passages if _passage(row) in ours]
        if ours:
            self._record(key)
        return self._composed(boundary)[0]

    def _composed(self, boundary: str) -> tuple[str, int, int]:
        rules = [prompt_match.rule_item(name, text) for name, _, text, _ in self.rules]
        passages = [
            prompt_match.passage_item(path, title, day, text)
            for path, title, day, _, text in self.passages
        ]
        return prompt_match.composed(rules, passages, self._place.vault, boundary)

    def _record(self, key: str) -> None:
        self._given.record(
            EVENT,
            self._project,
            about=key,
            slate=[{"id": row[0], "hash": row[1], "p": row[3]} for row in self.rules],
            withheld=[{"id": row[0], "hash": row[1], "p": row[3]} for row in self.withheld],
            passages=[{"path": row[0], "hash": row[3]} for row in self.passages],
        )


def _number(prompt: str) -> str:
    """Tell a prompt from the last one, for clients that give theirs no id; its words stay here."""
    import zlib  # noqa: PLC0415 - for old clients alone

    return f"{zlib.crc32(prompt.encode('utf-8', 'replace')):08x}"


def _rule(row: Row) -> str:
    return f"rule {row[0]} {row[1]}"


def _passage(row: Row) -> str:
    return f"passage {row[0]} {row[3]}"


def main(vault: str = "") -> None:
    """Run the hook for the vault named on the command line, or for `vault`, and end the program."""
    protocol.run(handle, sys.argv, vault)
