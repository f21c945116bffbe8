"""`memoria learn --from-review FILE|-`: file the general rules of a code review as an entry.

The engine names the rules, code looks up the reviewers' words behind each, and what is left is
filed as daily/DATE-review-NAME.md, from where `memoria skills` and `memoria review` take it. A
review is written by others, so nothing of it comes in force by itself: the entry says `origin:
review`, and no approval is given here.
"""

from __future__ import annotations

import os
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoria import terminal
from memoria.agents.claude_code.git import project_key
from memoria.errors import UsageError, VaultError
from memoria.llm.port import Cost, Request, register
from memoria.llm.prompts import boundary, filled
from memoria.privacy import clean as gate
from memoria.rules.from_review import review_entry as critique
from memoria.rules.from_review.advice import advice
from memoria.rules.from_review.remarks import remarks
from memoria.rules.from_review.review_entry import Critique
from memoria.vault import index as catalog
from memoria.vault import package_files as resource
from memoria.vault.file_names import numbered
from memoria.vault.storage import clock, disk
from memoria.vault.storage import history as records
from memoria.vault.storage.state import encode

if TYPE_CHECKING:
    import argparse

    from memoria.llm.port import Model, Reply
    from memoria.rules.from_review.advice import Advice
    from memoria.rules.model import Refusal
    from memoria.vault.transaction import Transaction
    from memoria.workspace import Workspace

# a review of 300 comments has about 100 KB; what is larger is a diff or a mailbox
STDIN = "-"
MOST_BYTES = 512 << 10
# of the refused rules: what a person reads
_SHOWN = 5

register("learn", lambda review: {"rules": [asdict(one) for one in advice(remarks(review.text))]})


@dataclass
class Outcome:
    """What came of a review.

    `file` is its entry, relative to the vault, "" for none; `known` says that the same review was
    taken in before. `remarks` counts the reviewers' sentences.
    """

    rules: tuple[Advice, ...] = ()
    refused: tuple[Refusal, ...] = ()
    replies: list[Reply] = field(default_factory=list)
    remarks: int = 0
    engine: str = ""
    file: str = ""
    known: bool = False

    @property
    def cost(self) -> Cost:
        """What the calls cost together."""
        return sum((reply.cost for reply in self.replies), Cost())


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Learn from a review, and print the rules that were found."""
    work.vault.require()
    if arguments.from_review == STDIN and sys.stdin.isatty():
        work.terminal.say("Paste the review, then end it with Ctrl-D.")
    review = read(arguments.from_review, work)
    here = project_key(os.getcwd())  # noqa: PTH109 - a key is made of text
    where = "" if arguments.everywhere else here
    outcome = _learned(work, review, arguments.engine, where, dry=arguments.dry_run)
    if arguments.json:
        terminal.data(_described(review, outcome))
    else:
        for one in outcome.rules:
            terminal.line(f"- {one.text} ({one.category})")
    _tell(work, outcome, dry=arguments.dry_run)
    return 0


def read(name: str, work: Workspace) -> Critique:
    """Read a review as it may be shown to an engine; UsageError for what is none."""
    what = "standard input" if name == STDIN else name
    try:
        data = sys.stdin.buffer.read() if name == STDIN else Path(name).expanduser().read_bytes()
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{what} is not UTF-8 (byte {error.start}); save it as UTF-8") from error
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"{what} cannot be read: {why}") from error
    if len(data) > MOST_BYTES:
        raise UsageError(f"{what} is over {MOST_BYTES >> 10} KB; hand it in in parts")
    if b"\0" in data or not text.strip():
        raise UsageError(f"{what} is {'binary, not text' if text.strip() else 'empty'}")
    return _review(text, "" if name == STDIN else Path(name).name, work)


def _review(text: str, name: str, work: Workspace) -> Critique:
    text = gate.clean(text, work.settings.secrets)
    if not text.strip():
        raise UsageError("the review holds nothing that can be read")
    return Critique(text, gate.clean(name, work.settings.secrets))


def learned(work: Workspace, text: str, name: str, project: str) -> Outcome:
    """Learn from a review's text, as a client hands it over."""
    return _learned(work, _review(text, name, work), "", project, dry=False)


def _learned(work: Workspace, review: Critique, engine: str, project: str, *, dry: bool) -> Outcome:
    outcome = Outcome(remarks=len(remarks(review.text)), file=taken_in(work, review))
    outcome.known = bool(outcome.file)
    if outcome.known:
        return outcome
    model = work.model(engine)
    try:
        _ask(review, model, work, outcome)
        outcome.engine = model.name
        if not dry:
            _file(work, review, outcome, project)
    finally:
        _keep(work, outcome)
    return outcome


def taken_in(work: Workspace, review: Critique) -> str:
    """Give the entry that the same review has, relative to the vault; "" for none."""
    names, _ = work.vault.pages()
    for name in names:
        try:
            page = work.vault.page(name)
        except VaultError:
            continue  # a person's own, which distill names
        if review.sha in page.text and critique.is_of(page.text, review):
            return f"daily/{name}"
    return ""


def _ask(review: Critique, model: Model, work: Workspace, outcome: Outcome) -> None:
    """Let the engine read the review, part by part, and check what it says."""
    prompted = model.reads == "prompt"
    chunks = critique.parts(review) if prompted else (review,)
    answers: list[Any] = []
    with work.terminal.progress("Reading the review", len(chunks)) as step:
        for number, chunk in enumerate(chunks, 1):
            reply = model.ask(asked(chunk, prompted=prompted))
            outcome.replies.append(reply)
            rules = reply.value.get("rules")
            answers += rules if isinstance(rules, list | tuple) else [None]
            step(f"part {number}")
    kept, outcome.refused = critique.verified({"rules": answers}, review)
    outcome.rules = gate.clean(kept, work.settings.secrets)


def asked(review: Critique, *, prompted: bool = True) -> Request:
    """Make the request; what plain code answers needs no prompt."""
    values = {"review": review.text, "boundary": boundary(review.text)}
    prompt = filled(resource.text("prompts/learn.md"), values) if prompted else ""
    return Request("learn", prompt, critique.LEARN_SCHEMA, review)


def _file(work: Workspace, review: Critique, outcome: Outcome, project: str) -> None:
    """Write the entry, with its line in log.md, in one step that can be undone."""
    with work.vault.changing() as change:
        # another process may have filed it while the engine read
        outcome.file = taken_in(work, review)
        outcome.known = bool(outcome.file)
        if outcome.rules and not outcome.known:
            change.label = "learn"
            outcome.file = _entry(work, review, outcome, change, project)


def _keep(work: Workspace, outcome: Outcome) -> None:
    """Write down what the calls cost, also of those before one that failed."""
    paid = [reply for reply in outcome.replies if reply.model]
    if not paid:
        return
    now = clock.now(work.settings.zone)
    with work.vault.changing() as change:
        for reply in paid:
            change.record(records.called(now, "learn", reply))
    disk.replace(work.vault.state.summary, encode(records.state(work.vault.history())))


def _entry(
    work: Workspace, review: Critique, outcome: Outcome, change: Transaction, project: str
) -> str:
    now = clock.now(work.settings.zone)
    name = next(
        name
        for name in numbered(f"{now:%Y-%m-%d}-review-{critique.name(review)}")
        if disk.read(work.vault.daily / f"{name}.md") is None
    )
    text = critique.entry(
        review, outcome.rules, day=now.date(), project=project, engine=outcome.engine
    )
    change.put_entry(name, text)
    change.record({"kind": "wrote", "at": now.isoformat(timespec="seconds"), "wrote": change.wrote})
    lines = [f"Filed to: [[daily/{name}]]", f"Rules: {len(outcome.rules)}, none active"]
    lines += [f"Refused: {one.part}: {one.reason}" for one in outcome.refused]
    change.append_log(catalog.log_entry(now, "learn", critique.title(review), lines))
    return f"daily/{name}.md"


def _described(review: Critique, outcome: Outcome) -> dict[str, Any]:
    return {
        "review": review.name or None,
        "engine": outcome.engine or None,
        "remarks": outcome.remarks,
        "rules": [asdict(one) for one in outcome.rules],
        "refused": [asdict(one) for one in outcome.refused],
        "file": outcome.file or None,
        "known": outcome.known,
        "cost": round(outcome.cost.usd, 6),
    }


def _tell(work: Workspace, outcome: Outcome, *, dry: bool) -> None:
    say = work.terminal.say
    for one in outcome.refused[:_SHOWN]:
        work.terminal.warn(f"  refused {one.part}: {one.reason}")
    count = f"{len(outcome.rules)} general rules in {outcome.remarks} remarks"
    count += f", ${outcome.cost.usd:.4f}" if outcome.cost.usd else ""
    if outcome.known:
        say(f"This review was taken in before, as {outcome.file}; nothing has changed.")
    elif not outcome.rules:
        say(f"{count}: nothing is filed.")
    elif dry:
        say(f"{count}; a dry run, so nothing is filed.")
    else:
        say(f"{count}, filed as {outcome.file}.")
        say("They are others' words: none is active until you approve it with `memoria review`.")
