"""Tell a prompt what of earlier sessions bears on it: claimed for its session, recorded, printed.

What a person has taught since the session's last start comes whatever the prompt says; else at most
three lines of the one subject that fits it, and for most prompts nothing. What does not fit below
the limit must not be claimed, or it would never be given.
"""

from __future__ import annotations

import os

from memoria.hooks import protocol
from memoria.hooks.session_claims import SessionClaims
from memoria.privacy.project_keys import project_key
from memoria.search import prompt_match
from memoria.search.index import matches
from memoria.search.index.reader import IndexReader

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from memoria.search.index.reader import SessionLine

EVENT = "UserPromptSubmit"


def handle(place: protocol.HookPlace, event: dict[str, Any]) -> None:
    """Print what bears on the prompt, if anything does."""
    session, prompt = protocol.session_of(event), protocol.text_at(event, "prompt")
    if not session or protocol.is_own_work(place, event) or not prompt_match.is_typed(prompt):
        return
    start_text = _repeat_start_text(place, event) if place.agent in protocol.TOLD_ONCE else ""
    context = "\n\n".join(filter(None, (start_text, _claim_answer(place, event, session, prompt))))
    if context:
        protocol.print_answer(place, EVENT, {"additionalContext": context})


def _repeat_start_text(place: protocol.HookPlace, event: dict[str, Any]) -> str:
    """Give what the session's start told, once after a compaction; "" else."""
    session = protocol.session_of(event)
    try:
        os.unlink(place.path("seen", f"{session}-compacted"))
    except OSError:
        return ""
    from memoria.hooks import start_answer  # noqa: PLC0415 - few prompts follow a compaction

    return start_answer.build_context(place, session, protocol.text_at(event, "cwd"))


def _claim_answer(
    place: protocol.HookPlace, event: dict[str, Any], session: str, prompt: str
) -> str:
    """Give what bears on a prompt, "" for most."""
    claims = SessionClaims(place, session)
    if claims.is_control:
        return ""
    answer = PromptAnswer(place, claims, protocol.session_folder(event), prompt)
    if not answer.rules and not answer.lines:
        return ""
    import zlib  # noqa: PLC0415 - most prompts are told nothing

    # of clients that give prompts no id the words tell one from the last
    number = f"{zlib.crc32(prompt.encode('utf-8', 'replace')):08x}"
    return answer.claim_texts(protocol.id_at(event, "prompt_id", "turn_id") or number)


class PromptAnswer:
    """What a prompt in that folder is to be given; nothing is given twice.

    `rules` are (id, hash, text) of those that a person taught since the session's start, `lines`
    those of the subject that fits and of a later one that fits, too, `subjects` their names among
    the session's claims; `fitting` are the passages that were compared, best first.
    """

    def __init__(
        self, place: protocol.HookPlace, claims: SessionClaims, root: str, prompt: str
    ) -> None:
        self._place, self._claims, self._root = place, claims, root
        self._project = project_key(root)
        self._reader = IndexReader(place.path("search.sqlite"), self._project, claims.session)
        at_start = claims.rules_at_start()
        rows = self._reader.fresh(claims.since())
        taught_rows = [row for row in rows if at_start.get(row[0]) != row[1]]
        self.rules = [row for row in taught_rows if not claims.has(_rule_claim(row))]
        self.lines: list[SessionLine] = []
        self.subjects: list[str] = []
        self._replaced: list[tuple[str, str]] = []
        words = prompt_match.find_asked_words(prompt)
        names = prompt_match.find_names(prompt) if words else []
        matched_prompt = matches.Prompt(self._reader, words, names)
        self.fitting = matched_prompt.fitting
        bearing_lines = self._list_unclaimed(matched_prompt.choose_bearing_line())
        parts = [part for word in words for part in word]
        self._take_lines(matched_prompt.subjects(), parts, bearing_lines)

    def _take_lines(
        self, numbers: Sequence[int], words: list[str], bearing_lines: list[SessionLine]
    ) -> None:
        """Take the line that bears on it, then those of passages in turn, none a second time."""
        groups: list[list[SessionLine]] = []
        for number in numbers:
            rows = self._reader.lines(number)
            subject = f"subject {rows[0].link}" if rows else ""
            if rows and not self._claims.has(subject):
                self.subjects.append(subject)
                replacements = self._reader.find_replaced(number)
                self._replaced = self._replaced if groups else replacements
                subject_lines = prompt_match.choose_lines(rows, words, amends=bool(replacements))
                groups.append(self._list_unclaimed(subject_lines))
        keys = {line.key for line in bearing_lines}
        lines = bearing_lines + [line for rows in groups for line in rows if line.key not in keys]
        if lines:
            from memoria.agents import instruction_files  # noqa: PLC0415 - few prompts come so far

            home = protocol.client_folder(self._place)
            loaded = instruction_files.list_files(self._place.agent, home, self._root)
            in_files = instruction_files.match_rules(
                loaded, {line.key: line.text for line in lines}
            )
            self.lines = [line for line in lines if line.key not in in_files]

    def _list_unclaimed(self, lines: Iterable[SessionLine]) -> list[SessionLine]:
        return [line for line in lines if not self._claims.has(_line_claim(line))]

    def claim_texts(self, key: str) -> str:
        """Claim as much as fits for the event, leave word of it, and give its text."""
        boundary = os.urandom(4).hex()
        _, rule_count = self._format_rules(boundary)
        self.rules, self.lines = self.rules[:rule_count], self._format_lines(boundary)[1]
        claims = [*map(_rule_claim, self.rules), *map(_line_claim, self.lines)]
        claimed_names = self._claims.claim(
            f"prompt {key}", [*claims, *self.subjects * bool(self.lines)]
        )
        self.rules = [row for row in self.rules if _rule_claim(row) in claimed_names]
        self.lines = [line for line in self.lines if _line_claim(line) in claimed_names]
        if self.rules or self.lines:
            slate = [{"id": row[0], "hash": row[1], "p": 1.0} for row in self.rules]
            lines = [{"key": line.key, "link": line.link} for line in self.lines]
            about = {"about": key, "slate": slate, "withheld": [], "lines": lines}
            self._claims.record(EVENT, self._project, **about)
        return "\n".join(
            filter(None, (self._format_rules(boundary)[0], self._format_lines(boundary)[0]))
        )

    def _format_rules(self, boundary: str) -> tuple[str, int]:
        rules = [f"- {text} [{name}]" for name, _, text in self.rules]
        return prompt_match.compose_taught_rules(rules, self._place.vault, boundary)

    def _format_lines(self, boundary: str) -> tuple[str, list[SessionLine]]:
        return prompt_match.compose_text(self.lines, boundary, self._replaced)


def _rule_claim(row: tuple[Any, ...]) -> str:
    return f"rule {row[0]} {row[1]}"


def _line_claim(line: SessionLine) -> str:
    return f"line {line.key}"
