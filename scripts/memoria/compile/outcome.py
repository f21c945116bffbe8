"""Say what a compile did: on the terminal, in the JSON of the verb, and in log.md."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memoria import terminal
from memoria.text.numbers import format_count
from memoria.vault import index

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memoria.rules.learn import Lesson
    from memoria.rules.model import Refusal
    from memoria.workspace import Workspace


@dataclass
class CompileOutcome:
    """What a compile did: the fields of `--json`."""

    engine: str
    entries: int = 0
    created: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    refused: list[dict[str, str]] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    cost: float = 0.0
    days: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)
    contradictions: list[list[str]] = field(default_factory=list)

    def learn(self, lesson: Lesson) -> None:
        """Add what became of rules."""
        self.rules += [case.rule.id for case in lesson.learned]
        self.closed += [rule.id for rule in lesson.closed]
        self.withdrawn += lesson.withdrawn
        self.contradictions += [list(pair) for pair in lesson.opposites]


# -- On the terminal -------------------------------------------------------------------------------


def print_preview(work: Workspace, engine: str, patches: list[dict[str, Any]], own: int) -> None:
    """Print what a compile would do, day by day; `own` entries of the person's own wait, too."""
    if not patches and not own:
        work.terminal.say("Nothing new to compile.")
        return
    days = len({row["day"] for row in patches})
    own_text = f", and {format_count(own, 'entry', 'entries')} of your own for rules" if own else ""
    terminal.print_paragraph(
        f"{format_count(days, 'day')} to compile with the {engine} engine{own_text}. Each is shown "
        "as the vault is now: of several days a later one adds to what an earlier one makes."
    )
    for row in patches:
        for line in _format_patch(row["day"], row["patch"]):
            terminal.print_paragraph(line, indent=2)
    work.terminal.say("Nothing was written; --json shows all of what would be proposed.")


def _format_patch(day: str, patch: dict[str, Any]) -> Iterator[str]:
    """Give the lines that show a day's articles, with what they would say, and its rules."""
    for change in patch["articles"]:
        yield f"{day}  {change['kind']} {change['slug']}: {change['lead'] or change['title']}"
        for section in change["sections"]:
            texts = [section["prose"], *(line["text"] for line in section["lines"])]
            yield from (f"  {section['heading']}: {text}" for text in texts if text)
    yield from (f"{day}  rule: {rule['text']}" for rule in patch["rules"])


def print_outcome(work: Workspace, outcome: CompileOutcome) -> None:
    """Say in a few lines what a compile did."""
    say = work.terminal.say
    if not outcome.days:
        say("Nothing new to compile.")
    else:
        say(
            f"Compiled {format_count(outcome.entries, 'entry', 'entries')} of "
            f"{format_count(len(outcome.days), 'day')} with the "
            f"{outcome.engine} engine: "
            f"{format_count(len(set(outcome.created)), 'article')} created, "
            f"{len(set(outcome.updated) - set(outcome.created))} updated, "
            f"{format_count(len(set(outcome.rules)), 'rule')}, "
            f"{format_count(len(outcome.refused), 'part')} refused, ${outcome.cost:.2f}."
        )
    for refused in outcome.refused[:5]:
        say(f"  refused {refused['part']}: {refused['reason']}")
    for closed in outcome.closed:
        say(f"  {closed} is overruled by a newer rule and closed: `memoria why {closed}`")
    for path in outcome.withdrawn:
        say(f"  {path} waited and is gone: its entry does not say it any more")
    for rule, other in outcome.contradictions:
        work.terminal.warn(f"  {rule} and {other} contradict each other: `memoria retire` one")
    for line in outcome.skipped:
        work.terminal.warn(f"  skipped: {line}")


# -- In log.md and JSON ----------------------------------------------------------------------------


def format_refusal(fault: Refusal) -> str:
    """Word a refused part for log.md."""
    return f"Refused: {fault.part}: {fault.reason}"


def list_refusals(refused: Iterable[Refusal]) -> list[dict[str, str]]:
    """Give refusals as the fields of `--json`."""
    return [{"part": fault.part, "reason": fault.reason} for fault in refused]


def format_rule_lines(lesson: Lesson) -> list[str]:
    """Word what became of rules for log.md."""
    lines = [f"Rules: {index.format_links(lesson.paths)}"]
    lines += [f"Overruled: {index.format_links([rule.path])}" for rule in lesson.closed]
    # as text: a link would lead nowhere
    lines += [f"Withdrawn: {path}" for path in lesson.withdrawn]
    return lines + [f"Contradict each other: {rule}, {other}" for rule, other in lesson.opposites]
