"""`memoria learn --from-review FILE|-`: file the general rules of a code review as an entry.

The engine names the rules, code looks up the reviewers' words behind each, and what is left is
filed as daily/DATE-review-NAME.md, from where `memoria skills` and `memoria review` take it. A
review is written by others, so nothing of it comes in force by itself: the entry says `origin:
review`, its words are made inert, and no approval is given here.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoria import terminal
from memoria.errors import UsageError, VaultError
from memoria.llm.forms import CATEGORY, STRING, Form, array_schema, closed_object_schema
from memoria.llm.port import Cost, Reply, Request, register
from memoria.llm.prompts import build_boundary, fill_template
from memoria.privacy import clean
from memoria.rules.from_review.advice import Advice, advice, comments, remarks
from memoria.rules.model import MAX_RULE, MIN_RULE, Refusal, normal
from memoria.text.markdown import make_inert
from memoria.vault import frontmatter, index, package_files
from memoria.vault.file_names import generate_numbered_names, slugify
from memoria.vault.storage import clock, disk, ledger_records as records
from memoria.vault.storage.state import encode_json
from memoria.vault.written.categories import format_by_category
from memoria.vault.written.written_entry import format_draft_mark, parse_written_entry

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence
    from datetime import date

    from memoria.workspace import Workspace

STDIN = "-"
# a review of 300 comments has about 100 KB, 25,000 tokens; what is larger is a diff or a mailbox
MAX_BYTES = 160 << 10
# a review with more general rules than this is a style guide, which is a file of its own
MAX_RULES = 40
# words: fewer stand in any text
_MIN_QUOTE_WORDS = 3
_MAX_QUOTE = 200  # characters; of ten times as many the form says that it is none
# of the refused rules: what a person reads
_SHOWN_REFUSALS = 5

# only shape is in the schema: the client sends the whole prompt again for each violation
LEARN_SCHEMA: Mapping[str, Any] = closed_object_schema(
    rules=array_schema(text=STRING, quote=STRING, category=CATEGORY)
)

register("learn", lambda review: {"rules": list(map(asdict, advice(review.remarks)))})


@dataclass(frozen=True, slots=True)
class Critique:
    """A code review as it was handed in; redacted, it is the material of `learn`.

    `file` is the name of its file, "" for one from a pipe.
    """

    text: str
    file: str = ""

    @property
    def sha(self) -> str:
        """Give the hash by which the same review is known again, blind to spaces and line ends."""
        return disk.sha(" ".join(self.text.split()).encode("utf-8", "replace"))

    @property
    def name(self) -> str:
        """Give the words by which its entry is called: its file's, else its hash."""
        return slugify(self.file.rpartition(".")[0] or self.file) or self.sha[:8]

    @property
    def slug(self) -> str:
        """Give the name of its entry's file, which says once that it is a review."""
        return self.name if self.name.startswith("review") else f"review-{self.name}"

    @property
    def title(self) -> str:
        """Give the title of its entry."""
        return f"Review: {make_inert(self.file) or self.name}"

    @property
    def remarks(self) -> tuple[str, ...]:
        """Give the sentences of its reviewers."""
        return remarks(self.text)


@dataclass
class Outcome:
    """What came of a review.

    `file` is its entry, relative to the vault, "" for none; `known` says that the same review was
    taken in before. `remarks` counts the reviewers' sentences.
    """

    rules: tuple[Advice, ...] = ()
    refused: tuple[Refusal, ...] = ()
    reply: Reply | None = None
    remarks: int = 0
    engine: str = ""
    file: str = ""
    known: bool = False

    @property
    def cost(self) -> Cost:
        """Give what the call cost."""
        return self.reply.cost if self.reply else Cost()


def run(arguments: argparse.Namespace, work: Workspace) -> int:
    """Learn from a review, and print the rules that were found."""
    if arguments.from_review == STDIN and sys.stdin.isatty():
        work.terminal.say("Paste the review, then end it with Ctrl-D.")
    review = _read_review(arguments.from_review)
    project = "" if arguments.everywhere else work.project
    outcome = learn_from_review(
        work, review, project, engine=arguments.engine, dry=arguments.dry_run
    )
    if arguments.json:
        terminal.print_json(
            {
                "review": review.file or None,
                "engine": outcome.engine or None,
                "remarks": outcome.remarks,
                "rules": list(map(asdict, outcome.rules)),
                "refused": list(map(asdict, outcome.refused)),
                "file": outcome.file or None,
                "known": outcome.known,
                "cost": round(outcome.cost.usd, 6),
            }
        )
    else:
        for rule in outcome.rules:
            terminal.print_line(f"- {rule.text} ({rule.category})")
    _summarize(work, outcome, dry=arguments.dry_run)
    return 0


def _read_review(name: str) -> Critique:
    """Read a review from a file or standard input; UsageError for what is none."""
    source = "standard input" if name == STDIN else name
    try:
        data = sys.stdin.buffer.read() if name == STDIN else Path(name).expanduser().read_bytes()
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{source} is not UTF-8 (byte {error.start}); save it as UTF-8") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{source} cannot be read: {reason}") from error
    if len(data) > MAX_BYTES:
        raise UsageError(f"{source} is over {MAX_BYTES >> 10} KB; learn from it in parts")
    if b"\0" in data or not text.strip():
        raise UsageError(f"{source} is {'binary, not text' if text.strip() else 'empty'}")
    return Critique(text, "" if name == STDIN else Path(name).name)


def learn_from_review(
    work: Workspace, review: Critique, project: str, *, engine: str = "", dry: bool = False
) -> Outcome:
    """Learn from a review; a dry run files nothing."""
    review = clean.clean_value(review, work.settings.secrets)
    if not review.text.strip():
        raise UsageError("the review holds nothing that can be read")
    outcome = Outcome(remarks=len(review.remarks), file=_find_entry(work, review))
    outcome.known = bool(outcome.file)
    if outcome.known:
        return outcome
    model = work.model(engine)
    outcome.engine = model.name
    try:
        with work.terminal.progress("Reading the review", 1):
            outcome.reply = model.ask(build_learn_request(review, prompted=model.reads == "prompt"))
        rules, outcome.refused = verify(outcome.reply.value, review)
        outcome.rules = clean.clean_value(rules, work.settings.secrets)
        if outcome.rules and not dry:
            _file_entry(work, review, outcome, project)
    finally:
        # what the call cost, also where its answer was of no use
        if outcome.reply and outcome.reply.model:
            now = clock.now(work.settings.zone)
            with work.vault.open_transaction() as change:
                change.record(records.build_call_record(now, "learn", outcome.reply))
            disk.replace(work.vault.state.summary, encode_json(work.vault.history().state()))
    return outcome


def _find_entry(work: Workspace, review: Critique) -> str:
    """Give the entry that the same review has, relative to the vault; "" for none."""
    for name in work.vault.pages()[0]:
        with suppress(VaultError):  # a person's own, which distill names
            page = work.vault.page(name)
            if review.sha in page.text and parse_written_entry(page.text).session == review.sha:
                return f"daily/{name}"
    return ""


def build_learn_request(review: Critique, *, prompted: bool = True) -> Request:
    """Make the request; what plain code answers needs no prompt."""
    values = {"review": review.text, "boundary": build_boundary(review.text)}
    prompt = fill_template(package_files.read_text("prompts/learn.md"), values) if prompted else ""
    return Request("learn", prompt, LEARN_SCHEMA, review)


def verify(value: object, review: Critique) -> tuple[tuple[Advice, ...], tuple[Refusal, ...]]:
    """Read the answer to `learn` and check it against the review; BadReply for one of no form.

    Gives the rules that the reviewers' own words support, each once, and what was refused.
    """
    review_words = f" {normal(' '.join(comments(review.text)))} "
    by_text: dict[str, Advice] = {}
    refusals: list[Refusal] = []
    for item in Form(value).items("rules", MAX_RULES):
        text, quote = (" ".join(item.text(name, _MAX_QUOTE).split()) for name in ("text", "quote"))
        rule, words = Advice(text, item.category(), quote), normal(quote)
        if not MIN_RULE <= len(text) <= MAX_RULE or not normal(text):
            fault = f"a rule has {MIN_RULE} to {MAX_RULE} characters"
        elif len(words.split()) < _MIN_QUOTE_WORDS or f" {words} " not in review_words:
            fault = "the reviewers are not known to have written that"
        else:
            by_text.setdefault(normal(text), rule)
            continue
        refusals.append(Refusal(f"rule {text!r}"[:120], fault))
    return tuple(by_text.values())[:MAX_RULES], tuple(refusals)


def _file_entry(work: Workspace, review: Critique, outcome: Outcome, project: str) -> None:
    """Write the entry, with its line in log.md, in one step that can be undone."""
    with work.vault.open_transaction() as change:
        # another process may have filed it while the engine read
        outcome.file = _find_entry(work, review)
        outcome.known = bool(outcome.file)
        if outcome.known:
            return
        change.label, now = "learn", clock.now(work.settings.zone)
        names = generate_numbered_names(f"{now:%Y-%m-%d}-{review.slug}")
        name = next(name for name in names if disk.read(work.vault.daily / f"{name}.md") is None)
        engine, rules = outcome.engine, outcome.rules
        text = format_entry(review, rules, day=now.date(), project=project, engine=engine)
        change.put_entry(name, text)
        at = now.isoformat(timespec="seconds")
        change.record({"kind": "wrote", "at": at, "wrote": change.wrote})
        lines = [f"Filed to: [[daily/{name}]]", f"Rules: {len(outcome.rules)}, none active"]
        lines += [f"Refused: {refusal.part}: {refusal.reason}" for refusal in outcome.refused]
        change.append_log(index.format_log_entry(now, "learn", review.title, lines))
        outcome.file = f"daily/{name}.md"


def format_entry(
    review: Critique, rules: Sequence[Advice], *, day: date, project: str, engine: str
) -> str:
    """Write the entry of a review: Improvements as a person's, marked as the words of others.

    A rule counts as the user's own once they have changed its line; what is unchanged is one
    sighting, that of the review.
    """
    meta = {
        "title": review.title,
        "origin": "review",
        "session": review.sha,
        "project": project,
        "engine": engine,
        "created": day,
    }
    front = "".join(frontmatter.emit(key, value) for key, value in meta.items() if value)
    goal = (
        "What the authors of a code review asked for in general. The words are theirs: no rule "
        "holds until you approve it with `memoria review`."
    )
    blocks = [f"# {review.title}", "## The Goal", goal, "## Improvements"]
    blocks += format_by_category((make_inert(rule.text), rule.category) for rule in rules)
    blocks += ["## Quotes", "\n".join(f'- "{make_inert(rule.quote)}"' for rule in rules)]
    blocks.append(format_draft_mark(review.sha, [make_inert(rule.text) for rule in rules]))
    return f"---\n{front}---\n\n" + "\n\n".join(blocks) + "\n"


def _summarize(work: Workspace, outcome: Outcome, *, dry: bool) -> None:
    say = work.terminal.say
    for refusal in outcome.refused[:_SHOWN_REFUSALS]:
        work.terminal.warn(f"  refused {refusal.part}: {refusal.reason}")
    count = f"{len(outcome.rules)} general rules in {outcome.remarks} remarks"
    count += f", ${outcome.cost.usd:.4f}" if outcome.cost.usd else ""
    if outcome.known:
        say(f"This review was taken in before, as {outcome.file}; nothing has changed.")
    elif dry or not outcome.rules:
        say(f"{count}{'; a dry run' * dry}: nothing is filed.")
    else:
        say(f"{count}, filed as {outcome.file}.")
        say("They are others' words: none is active until you approve it with `memoria review`.")
