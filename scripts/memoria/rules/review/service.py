"""Ask the person about the rules that wait, one key each, strongest first: `memoria review`.

Without a terminal, and where an agent drives it, the list is printed. What is shown was written by
anybody, so no character of it may steer the terminal, and a key counts only for what is on screen.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from memoria import terminal, terminal_keys as keys
from memoria.privacy import clean
from memoria.rules.guards.check import check_to_json
from memoria.rules.model import MAX_RULE, MIN_RULE, Status
from memoria.rules.proposal_service import ask_about_commands, format_commands
from memoria.rules.review.decide import Sitting
from memoria.rules.review.waiting import Case, format_check, format_evidence, origins
from memoria.text.shorten import clip_line
from memoria.text.unicode import strip_hidden
from memoria.vault.citations import parse_quote

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from memoria.workspace import Workspace

_KEYS = "[a]pprove [p]in [r]eject [e]dit [s]kip [q]uit [?] "
_HELP = (
    ("a", "approve: it is active from the next session on, in these words"),
    ("p", "pin: approve, and never leave it out; it takes part in no experiment"),
    ("r", "reject: it is no rule, or another one says it; it is not suggested again"),
    ("e", "edit its words, and approve them; empty leaves it"),
    ("s", "skip: it waits for the next review"),
    ("q", "quit: what was decided stays"),
)
# columns of a rule's id with what is between it and its text
_ID_COLUMNS = 17
# of each, on a card: what a person takes in at a glance
_MAX_QUOTES, _MAX_OPPOSITES = 3, 4
_MAX_OPPOSITE_CHARS = 160  # characters of an opposite


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Go through the rules that wait, or list them."""
    sitting = Sitting(work)
    if arguments.json:
        terminal.print_json([_describe_case(sitting, case) for case in sitting.cases])
    elif not (sitting.cases or format_commands(work)):
        work.terminal.say("No rule waits for you.")
    elif keys.is_interactive() and work.driver().is_person:
        # one step, however many keys: `memoria undo` takes back the sitting
        with work.vault.step("review"):
            code = Review(sitting, work).go()
        ask_about_commands(work)
        return code
    else:
        _print_list(sitting, work)
    sitting.close()
    return 0


def _print_list(sitting: Sitting, work: Workspace) -> None:
    for case in sitting.cases:
        terminal.print_paragraph(case.rule.text, first=case.rule.id, indent=_ID_COLUMNS)
        for _, text in _format_card(case, sitting):
            terminal.print_paragraph(text, indent=_ID_COLUMNS)
    for command in format_commands(work):
        terminal.print_line(f"proposed: {command}")
    reason = work.driver().reason or "this is no terminal for keys"
    work.terminal.say(
        f"Nothing is asked here: {reason}. `memoria review` at a terminal of your own asks\n"
        "about each with one key; `memoria promote ID` approves there, too,\n"
        "and `memoria reject ID` rejects."
    )


def _format_card(case: Case, sitting: Sitting) -> Iterator[tuple[str, str]]:
    """Give the lines that show what is known of a rule, each with its style.

    The texts come from notes that anybody may have written, so the edge that prints them takes
    codes out.
    """
    rule = case.rule
    yield "", _format_state(case)
    projects = " and ".join(rule.scope) or "every project"
    yield "dim", f"in {projects}; {', '.join(rule.sources) or 'no source'}"
    if case.note:
        yield "yellow", case.note
    if rule.check:
        yield from (("cyan", line) for line in format_check(rule.check))
        yield "dim", "`memoria guard on` makes the check act"
    elif rule.check_error:
        yield "yellow", rule.check_error
    for line in rule.quotes[:_MAX_QUOTES]:
        yield "", format_evidence(line, rule.text)
    if len(rule.quotes) > _MAX_QUOTES:
        yield "dim", f"and {len(rule.quotes) - _MAX_QUOTES} more: `memoria why {rule.id}`"
    if turn := sitting.turn(rule):
        yield "dim", f"said in: {turn}"
    for line in origins(sitting.work, rule):
        yield "yellow", line
    for other in sitting.opposites(rule)[:_MAX_OPPOSITES]:
        status = "active" if other.id in sitting.in_force else other.status
        yield "red", f"opposite: {other.id} {clip_line(other.text, _MAX_OPPOSITE_CHARS)} ({status})"


def _format_state(case: Case) -> str:
    """Say what a rule is, how often it was seen, and whose words it has."""
    rule = case.rule
    times = "once" if rule.frequency == 1 else f"{rule.frequency}x"
    parts = [rule.category, f"seen {times}", f"{rule.confidence} confidence"]
    parts += ["your words"] * case.own + ["says that it lasts"] * case.standing
    if case.why in {"found", "review", "import"}:
        parts.append("no note yet")
    elif rule.status != "waiting":
        parts.append(f"its note says {rule.status}")
    return ", ".join(parts)


def _describe_case(sitting: Sitting, case: Case) -> dict[str, Any]:
    rule = case.rule
    quotes = [parse_quote(line) for line in rule.quotes]
    return {
        "id": rule.id,
        "rule": rule.text,
        "category": rule.category,
        "status": rule.status,
        "why": case.why,
        "note": case.note or None,
        "turn": sitting.turn(rule) or None,
        "own_words": case.own,
        "standing": case.standing,
        "frequency": rule.frequency,
        "confidence": rule.confidence,
        "scope": list(rule.scope),
        "sources": list(rule.sources),
        "evidence": [{"quote": line.words, "where": line.link or line.where} for line in quotes],
        "opposites": [{"id": other.id, "rule": other.text} for other in sitting.opposites(rule)],
        "path": f"knowledge/{rule.path}.md" if rule.path else None,
        "check": check_to_json(rule.check) if rule.check else None,
    }


class Review:
    """The questions and the keys; what they decide is the sitting's."""

    def __init__(self, sitting: Sitting, work: Workspace) -> None:
        self._sitting = sitting
        self._work = work
        self._total = len(sitting.cases)
        self._waiting = sum(case.waits for case in sitting.cases)
        self._keys = keys.Keys()
        self._answers: dict[str, Callable[[Case], bool]] = {
            "a": lambda case: self._decide(case, "active"),
            "p": lambda case: self._decide(case, "active", pinned=True),
            "r": lambda case: self._decide(case, "rejected"),
            "s": lambda _: self._echo("skipped", "dim"),
            "e": self._edit,
            "?": lambda _: self._ask_again(*(("", f"  {key}  {text}") for key, text in _HELP)),
        }

    def go(self) -> int:
        """Ask about one rule after the other, until there is none or the person has enough."""
        try:
            with self._keys:
                while self._sitting.cases and self._ask(self._sitting.cases.popleft()):
                    pass
        finally:
            problems = self._sitting.close()
            self._tell(problems)
        return 1 if problems else 0

    def _ask(self, case: Case) -> bool:
        """Show a rule and take keys until it is decided; False to stop."""
        self._show(case)
        while True:
            key = self._keys.key().lower()
            if key in {"q", ""}:
                self._sitting.cases.appendleft(case)
                return False
            answer = self._answers.get(key)
            if answer is None and key.isalnum():
                self._ask_again(("yellow", f"{key!r} is none of the keys; ? explains them"))
            elif answer is not None and answer(case):
                return True

    def _show(self, case: Case) -> None:
        self._keys.drop()
        position = f"{max(1, self._total - len(self._sitting.cases))} of {self._total}"
        head = [("", ""), ("dim", f"{position}  {case.rule.id}"), ("bold", case.rule.text)]
        card = ((style, f"  {text}") for style, text in _format_card(case, self._sitting))
        terminal.print_rows([*head, *card])
        terminal.print_prompt(_KEYS)

    def _ask_again(self, *lines: tuple[str, str]) -> bool:
        """Say something below a question, and ask it again."""
        terminal.print_rows([("", ""), *lines])
        terminal.print_prompt(_KEYS)
        return False

    def _echo(self, text: str, style: str = "") -> bool:
        """Say what came of a key; the rule is done with."""
        terminal.print_rows([(style, text)])
        return True

    def _decide(self, case: Case, status: Status, text: str = "", *, pinned: bool = False) -> bool:
        words = status + ", pinned" * pinned + f": {text}" * bool(text)
        self._echo(words, "green" if status == "active" else "red")
        problem = self._sitting.decide(case, status, text, pinned=pinned)
        return self._echo(problem, "yellow") if problem else True

    def _edit(self, case: Case) -> bool:
        self._echo("edit, then Enter; empty leaves it was")
        text = " ".join(strip_hidden(self._keys.line("> ", case.rule.text)).split())
        words = clean.clean_value(text, self._work.settings.secrets)
        if not words:
            return self._ask_again(("yellow", "left as it was"))
        if not MIN_RULE <= len(words) <= MAX_RULE:
            fault = f"a rule has {MIN_RULE} to {MAX_RULE} characters, this has {len(words)}"
            return self._ask_again(("yellow", fault))
        return self._decide(case, "active", words)

    def _tell(self, problems: list[str]) -> None:
        for problem in problems:
            self._work.terminal.warn(f"  {problem}")
        decisions = self._sitting.decisions
        counts = Counter(ruling.status for _, ruling in decisions)
        decided = ", ".join(f"{count} {name}" for name, count in counts.items())
        waiting = max(0, self._waiting - sum(case.waits for case, _ in decisions))
        waiting_text = f"{waiting} wait." if waiting else "none waits."
        self._work.terminal.say(f"{decided or 'nothing decided'}; {waiting_text}")
