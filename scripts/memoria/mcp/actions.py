"""Do what a tool call asks of rules, or leave a proposal; track the sessions of an experiment.

A model may have read a page that told it to call these, so nothing comes in force or out of it, and
no file is written, without the person's own yes: through the client where it can ask, else in
`memoria review`. A model's opinion of a rule is never counted. Where words change between question
and answer, nothing is done. An experiment begins with a person's decision, so none is started here,
and a mistake goes into sessions that are tracked by hand alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria.errors import UsageError
from memoria.evidence import manual_service
from memoria.evidence.experiment import Experiment, format_error_class
from memoria.evidence.experiment_report import arms_text, study_text
from memoria.evidence.service import (
    choose_experiment,
    find_project,
    read_study,
    require_running_experiment,
)
from memoria.learning.rewards import Reward, opinion
from memoria.learning.service import earned_lines, earnings
from memoria.mcp import framing
from memoria.mcp.framing import make_lines_inert
from memoria.program import expand_commands
from memoria.rules import proposal_service as proposals
from memoria.rules.from_review.service import Critique, learn_from_review as learn
from memoria.rules.model import Rule, text_hash
from memoria.rules.promotion import service as promotion
from memoria.rules.promotion.placement import renew_files
from memoria.rules.proposal_service import Verb, clip_plain_line, write_proposals
from memoria.rules.rulebook import Ruling, decide, rulebook
from memoria.vault.storage import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoria.evidence.study import ExperimentStudy
    from memoria.mcp.handlers import ToolCall


def promote(call: ToolCall) -> str:
    """Promote rules if the person says yes now; else leave a proposal."""
    work, ids = call.work, call.values["ids"]
    target = call.values["target"] or "claude-md"
    file = promotion.file_of(work, target)
    plan, activated = promotion.plan_promotion(work, file, ids)
    rule_set = rulebook(work)
    rules = [rule_set.find(name) for name in ids]
    if not activated and not plan.changes:
        return f"{file.path} holds these rules already; nothing to do."
    question = proposals.question("promote", rules, file.path, [rule.id for rule in activated])
    if not _ask_person(call, "promote", question, rules):
        command = f"memoria promote {' '.join(ids)} --target {target}"
        return _propose(call, "promote", rules, command)
    outcome, activated = promotion.promote(work, file, [rule.id for rule in rules])
    active = ", ".join(rule.id for rule in activated)
    return (
        f"The user said yes: {file.path} holds {len(outcome.rules)} rules now"
        f"{f'; active now: {active}' if active else ''}."
    )


def reject(call: ToolCall) -> str:
    """Reject rules if the person says yes now; else leave a proposal."""
    work, rule_set = call.work, rulebook(call.work)
    rules = [rule_set.find(name) for name in call.values["ids"]]
    if all(rule.status == "rejected" for rule in rules):
        return "They are rejected already; nothing to do."
    question = proposals.question("reject", rules, "")
    if not _ask_person(call, "reject", question, rules):
        names = " ".join(rule.id for rule in rules)
        return _propose(call, "reject", rules, f"memoria reject {names}")
    rulings = [Ruling(rule.id, "rejected", "reject", seen=text_hash(rule.text)) for rule in rules]
    with work.vault.step("reject"):
        decide(work, rulings)
        problems = renew_files(work, [rule.id for rule in rules])
    names = ", ".join(rule.id for rule in rules)
    return "\n".join([f"The user said yes: rejected {names}", *problems])


def _ask_person(call: ToolCall, verb: Verb, question: str, rules: Sequence[Rule]) -> bool:
    """Ask; False where nobody can be asked. UsageError for a no, and where words have changed."""
    answer = call.consent(question)
    if answer is None:
        return False
    if not answer:
        raise UsageError(f"the user did not agree to {verb} them; nothing was changed")
    # the person may have thought for minutes
    call.work.vault.articles.refresh()
    rule_set = rulebook(call.work)
    if any(rule_set.find(rule.id).text != rule.text for rule in rules):
        raise UsageError("the rules' words were changed just now; nothing was done, ask again")
    return True


def _propose(call: ToolCall, verb: Verb, rules: Sequence[Rule], command: str) -> str:
    """Write down what waits for the person; the same is not written down twice."""
    work = call.work
    now, rule_set = clock.now(work.settings.zone), rulebook(work)
    # to write a rule that is in force into a file is no decision about it: nothing waits
    undecided_rules = [rule for rule in rules if verb == "reject" or not rule_set.is_in_force(rule)]
    write_proposals(work, [proposals.record(now, verb, rule) for rule in undecided_rules])
    names = ", ".join(rule.id for rule in rules)
    review = "`memoria review`, or " if undecided_rules else ""
    return expand_commands(
        f"Proposed to {verb} {names}; nothing has changed yet. The user decides: {review}"
        f"`{command}`."
    )


def learn_from_review(call: ToolCall) -> str:
    """File the general rules of a review's text; none is in force."""
    review = Critique(call.values["review"], call.text("name"))
    outcome = learn(call.work, review, call.work.project)
    if outcome.known:
        return f"This review was taken in before, as {outcome.file}; nothing has changed."
    if not outcome.rules:
        return f"No general rules in its {outcome.remarks} remarks; nothing is filed."
    lines = [f"- {clip_plain_line(advice.text)} ({advice.category})" for advice in outcome.rules]
    footer = f"Filed as {outcome.file}. None is active before the user approves it."
    return "\n".join([*lines, footer])


def log_reward(call: ToolCall) -> str:
    """Note what a model thinks of a rule; it is never counted."""
    work = call.work
    rule = rulebook(work).find(call.values["skill_id"])
    now = clock.now(work.settings.zone)
    with work.vault.open_transaction() as change:
        thought = Reward(
            id=rule.id,
            value=call.values["reward"],
            at=now.isoformat(timespec="seconds"),
            project=work.project,
            context=call.text("context"),
            outcome=call.text("outcome"),
        )
        change.record(opinion(thought))
    return expand_commands(
        f"Noted as your opinion of {rule.id}; it is not counted. The user's word is: "
        f"`memoria reward {rule.id} {thought.value}`."
    )


def rewards(call: ToolCall) -> str:
    """Show what rules earned and what is believed of them."""
    rule = call.values["skill_id"]
    rows = earnings(call.work, rulebook(call.work).find(rule).id if rule else "")
    lines = [line for row in rows[: call.values["limit"]] for line in earned_lines(row)]
    return make_lines_inert("\n".join(lines)) or "No rule has earned anything yet."


def start_session(call: ToolCall) -> str:
    """Open a tracked session."""
    experiment = require_running_experiment(call.work, call.values["project"])
    named, studied = format_error_class(call.text("error_class")), experiment.error_class
    if named and studied and named != studied:
        raise UsageError(f"the experiment that runs is about {studied}, not {named}")
    session = manual_service.begin_session(call.work, experiment, _choose_project(call, experiment))
    return f"{manual_service.describe_arm(session)}."


def end_session(call: ToolCall) -> str:
    """Close it."""
    session, count = manual_service.end_session(
        call.work, require_running_experiment(call.work, call.values["project"])
    )
    return f"session {session.session} ({session.arm}) ended; errors: {count}"


def log_mistake(call: ToolCall) -> str:
    """Log a mistake in it."""
    experiment = require_running_experiment(call.work, call.values["project"])
    project = _choose_project(call, experiment)
    texts = {name: call.text(name) for name in ("error_class", "description")}
    mistake = manual_service.log_mistake(call.work, experiment, project, **texts)
    recurrence = f"met in {mistake.met_before} earlier sessions" if mistake.met_before else "new"
    opened = f"{manual_service.describe_arm(mistake.session)}.\n" if mistake.opened else ""
    description = clip_plain_line(mistake.description)
    return f"{opened}logged in {mistake.name}: {mistake.error_class}, {description} ({recurrence})"


def session_metrics(call: ToolCall) -> str:
    """Give the rates of an experiment, and the session that is open."""
    return framing.clip_part(arms_text(_choose_study(call)), 0, framing.MAX_RESULT)[0]


def experiment_report(call: ToolCall) -> str:
    """Give the verdict with all that it rests on."""
    study = _choose_study(call)
    texts = {rule.id: rule.text for rule in rulebook(call.work).rules}
    return framing.clip_part(study_text(study, texts), 0, framing.MAX_RESULT)[0]


def _choose_project(call: ToolCall, experiment: Experiment) -> str:
    return experiment.project or find_project(call.work, call.values["project"])


def _choose_study(call: ToolCall) -> ExperimentStudy:
    work, history = call.work, call.work.vault.history()
    key = find_project(work, call.values["project"])
    experiment = choose_experiment(work, call.values["experiment"], key, history)
    return read_study(work, experiment, history)
