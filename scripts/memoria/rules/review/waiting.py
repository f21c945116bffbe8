"""Choose from the rules of a vault those that wait for a person, strongest first, and show them.

A note can call itself active, because a pull, a sync program or a model wrote so; such a rule waits
like any other, and says why.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Literal, NamedTuple

from memoria.rules.guards.check import NOTE_KEY, check_to_json
from memoria.rules.model import CLOSED, CONFIDENCES, STATUSES, is_in_force, is_reworded, normal
from memoria.rules.proposal_service import list_proposed_rules, proposals
from memoria.text.numbers import format_count
from memoria.text.unicode import is_disguised, strip_hidden
from memoria.vault import frontmatter
from memoria.vault.citations import parse_quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memoria.rules.guards.check import Check
    from memoria.rules.model import Approvals, Rule, Status
    from memoria.rules.rulebook import Rulebook
    from memoria.workspace import Workspace

Why = Literal[
    "undecided",  # the user said it, nobody has decided
    "request",  # its note says active, this machine knows of no approval
    "changed",  # it was approved here in other words
    "found",  # it has no note yet
    "review",  # likewise, out of a code review that others wrote
    "import",  # likewise, out of a buildlog
    "colleague",  # likewise, of members of the team
    "proposed",  # it is in force, and an agent proposes to reject it
]
# "daily/2026-01-16-auth" is an entry that was written, "daily/2026-01-16-review-pr7" one by others
_WRITTEN_ENTRY = re.compile(r"daily/\d{4}-\d{2}-\d{2}-[^/]+")
_OTHERS_ENTRY = re.compile(r"daily/\d{4}-\d{2}-\d{2}-(?P<how>review|import)-[^/]+")
# what says that a rule lasts, in the languages that most rules are in: "never", "From now on"
_LASTING_WORD = re.compile(
    r"\b(?:always|never|ever|every|each time|whenever|from now on|in (?:the )?future|going forward"
    r"|immer|nie(?:mals)?|ab jetzt|siempre|nunca|toujours|jamais|sempre)\b",
    re.IGNORECASE,
)


class Case(NamedTuple):
    """A rule that waits: `why`, whether its words are the user's `own`, and whether they last.

    `proposed` is what an agent asks to be done to it (rules/proposal_service.py), "" for nothing.
    """

    rule: Rule
    why: Why
    own: bool
    standing: bool
    proposed: str

    @property
    def waits(self) -> bool:
        """Whether the rule waits, and is not one in force about which something is proposed."""
        return self.why != "proposed"

    @property
    def again(self) -> bool:
        """Whether it was said in more than one session."""
        return self.rule.frequency > 1

    @property
    def note(self) -> str:
        """Say in a line why a person is asked."""
        proposal = f"an agent proposes to {self.proposed} it" if self.proposed else ""
        return "; ".join(filter(None, (_NOTES.get(self.why) or self._explain_doubt(), proposal)))

    def _explain_doubt(self) -> str:
        """Say what keeps a statement from being in force by itself."""
        if not self.own:
            return "waits: the words are not quite yours"
        if not self.standing:
            sessions = format_count(self.rule.frequency, "session")
            return f"waits: said in {sessions}, and not that it lasts"
        return "waits: it may be meant for that moment, or for the product"


_NOTES: Mapping[Why, str] = {
    "request": "active in its note, approved by whom is not known: confirm?",
    "changed": "its words were changed since it was approved here: confirm?",
    "review": "out of a code review: written by others",
    "import": "out of a buildlog: who wrote it is not known",
    "colleague": "a rule of colleagues",
    "proposed": "active",
}


def list_cases(work: Workspace, book: Rulebook, others: Iterable[Rule] | None = None) -> list[Case]:
    """Give all that a review asks about, strongest first; `others` are the rules without a note."""
    return rank_cases(book, list_unnoted(work) if others is None else others, proposals(work))


def list_waiting(work: Workspace, book: Rulebook) -> list[Rule]:
    """Give the rules that wait for a decision, in no order: to rank them costs more than all else.

    Those without a note have no path.
    """
    reasons = _list_reasons(book, list_unnoted(work), proposals(work))
    return [rule for rule, reason in reasons if reason != "proposed"]


def list_unnoted(work: Workspace) -> list[Rule]:
    """Give the rules that have no note: insights of entries, what agents and colleagues have."""
    if not work.vault.pages()[0]:
        return list_proposed_rules(work)
    from memoria.rules.skills import find_skills  # noqa: PLC0415 - it merges, which takes seconds

    unnoted = (rule for rule in find_skills(work).skills if not rule.path)
    return [*unnoted, *list_proposed_rules(work)]


def find_status_here(book: Rulebook, rule: Rule) -> Status:
    """Say how a rule stands on this machine: one that only its note calls active waits."""
    if rule.superseded_by:
        return "retired"
    return "waiting" if rule.status == "active" and not book.is_in_force(rule) else rule.status


def count_by_status(work: Workspace, book: Rulebook) -> dict[Status, int]:
    """Count the rules by how they stand here, those that wait without a note among them."""
    counts = Counter(find_status_here(book, rule) for rule in book.rules)
    counts["waiting"] = len(list_waiting(work, book))
    return {name: counts[name] for name in STATUSES}


def origins(work: Workspace, rule: Rule) -> list[str]:
    """Say what a person should know of where a rule's evidence comes from."""
    lines, written = [], work.vault.history().written
    if rule.path and written.get(rule.path) != work.vault.articles.sha(rule.path):
        lines.append("its note is not as Memoria wrote it here: an edit, or a pull brought it")
    elif rule.path:
        lines += filter(None, [_said_by_others(rule)])
    if is_disguised(rule.text):
        lines.append("it hides something or mixes letters of two scripts: it cannot be active")
    stays = work.vault.history().sessions.values()
    rule_stays = (stay for stay in stays if stay.session[:8] in rule.sessions)
    pages = dict.fromkeys(page for stay in rule_stays for page in stay.context.get("outside") or ())
    if pages:
        sources = " and ".join(f"from {page}" for page in pages)
        lines.append(f"said in a session that had read something {sources}")
    return lines


def _said_by_others(rule: Rule) -> str:
    """Say whose words a rule has that the person is not known to have said, "" for their own."""
    reason, names = _find_reason(rule), [source.removesuffix(".md") for source in rule.sources]
    if reason and all(name.startswith("team/") or _OTHERS_ENTRY.fullmatch(name) for name in names):
        return _NOTES.get(reason, "")
    is_by_model = any(parse_quote(line).citation for line in rule.quotes) and not rule.sessions
    return "these words are a model's; the quotes are yours" * is_by_model


# -- Which wait, and why --------------------------------------------------------------------------


def rank_cases(book: Rulebook, unnoted: Iterable[Rule], proposed: Mapping[str, str]) -> list[Case]:
    """Give the rules that wait, the strongest first.

    `proposed` is what agents ask to be done, by the id of the rule: one that would not wait waits
    for that. `unnoted` have no note: those wait that a person wrote into an entry, or that a review
    or an import brought; what an engine wrote down is knowledge, however often it was seen.
    """
    reasons = _list_reasons(book, unnoted, proposed)
    cases = (_weigh_case(rule, reason, proposed.get(rule.id, "")) for rule, reason in reasons)
    return sorted(cases, key=_rank)


def _list_reasons(
    book: Rulebook, unnoted: Iterable[Rule], proposed: Mapping[str, str]
) -> list[tuple[Rule, Why]]:
    """Give the rules that wait, each with its reason."""
    by_id = {rule.id: rule for rule in book.rules}
    reasons = [(rule, _why_noted(rule, book.approvals, proposed)) for rule in by_id.values()]
    for rule in (rule for rule in unnoted if rule.id not in by_id):
        reasons += [(rule, _find_reason(rule) or ("found" if rule.id in proposed else None))]
    return [(rule, reason) for rule, reason in reasons if reason]


def obstacle(rule: Rule, approvals: Approvals) -> str:
    """Say why a rule is not in force on this machine, "" where it is."""
    if is_in_force(rule, approvals):
        return ""
    if rule.superseded_by:
        return f"{rule.superseded_by} overruled it"
    if rule.status in CLOSED:
        return f"it was {rule.status}"
    if rule.status == "waiting":
        return "it waits for a decision: `memoria review`"
    reason = _NOTES["changed" if rule.id in approvals else "request"].removesuffix(": confirm?")
    return f"{reason}; `memoria review` confirms it"


def _why_noted(rule: Rule, approvals: Approvals, proposed: Mapping[str, str]) -> Why | None:
    """Say why a rule with a note waits, None where it does not."""
    if is_in_force(rule, approvals):
        return "proposed" if proposed.get(rule.id) == "reject" else None
    if rule.is_closed:
        return None
    if rule.status == "waiting":
        return "undecided"
    return "changed" if is_reworded(rule, approvals) else "request"


def _find_reason(rule: Rule) -> Why | None:
    """Say by whom a rule without a note is, where that is a reason to ask."""
    names = [source.removesuffix(".md") for source in rule.sources]
    if any(name.startswith("team/") for name in names):
        return "colleague"
    kinds = {match["how"] for name in names if (match := _OTHERS_ENTRY.fullmatch(name))}
    if any(_WRITTEN_ENTRY.fullmatch(name) and not _OTHERS_ENTRY.fullmatch(name) for name in names):
        return "found"
    return ("review" if "review" in kinds else "import") if kinds else None


def _weigh_case(rule: Rule, reason: Why, proposed: str) -> Case:
    """Weigh a rule that waits: whose words it has, and whether they say that it lasts."""
    quotes = [parse_quote(line).words for line in rule.quotes]
    # a rule's evidence is the user's in a note of a statement, and in an entry of theirs: what an
    # engine wrote down for an entry is quoted, too, and is not
    sources = (name.removesuffix(".md") for name in rule.sources)
    is_said = rule.path or any(map(_WRITTEN_ENTRY.fullmatch, sources))
    is_own = bool(is_said) and reason not in {"review", "import", "colleague"}
    if is_own:
        # what reads sentences costs a verb more than all else, and most ask about no such rule
        from memoria.rules.own_words import is_in_own_words  # noqa: PLC0415 - as above

        is_own = any(is_in_own_words(rule.text, words) for words in quotes)
    # by its words alone: to weigh them anew, as capture does, costs as much as all else of a review
    is_standing = any(map(_LASTING_WORD.search, (rule.text, *quotes)))
    return Case(rule, reason, is_own, is_standing, proposed)


def _rank(case: Case) -> tuple[int, int, bool, bool, str, str]:
    rule = case.rule
    sure = CONFIDENCES.index(rule.confidence)
    return -rule.frequency, -sure, not case.own, not case.standing, normal(rule.text), rule.id


def format_evidence(line: str, rule: str) -> str:
    """Give a line of evidence: where it stands, and its words where the rule has others."""
    evidence = parse_quote(line)
    source = evidence.link or evidence.where
    words = "" if evidence.words == rule else f'"{evidence.words}" '
    return f"{words}({source})" if source else words.strip()


def format_check(check: Check) -> list[str]:
    """Give a check as it stands in its note, a line each."""
    lines = frontmatter.emit(NOTE_KEY, check_to_json(check)).splitlines()
    return list(map(strip_hidden, lines))
