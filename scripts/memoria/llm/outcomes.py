"""Judge what a call of the client came to: an answer, or which error.

A call that failed ends with subtype "success" and a text; which of four fields tells why differs
from error to error. The table is what the real client was measured to say.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from memoria import errors
from memoria.llm.port import Cost

if TYPE_CHECKING:
    from collections.abc import Mapping

Finding = tuple[type[errors.ModelError], str]  # what it was, and what to say of it

# where an object may begin; of one with more openings than this nothing is expected
_OPENING = re.compile(r"(?m)^\s{0,20}\{")
_DECODER = json.JSONDecoder()
FIRST_SERVER_ERROR = 500
TOO_LARGE = 413
SAID = 200  # characters of the client's own words in an error


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the client said of one call; "" or None where it said nothing.

    `kind` is its name for an API error, `status` the HTTP status, `stop` why the model stopped,
    `ended` why the client did, `value` the structured answer, `said` the model's words beside it.
    """

    subtype: str = ""
    is_error: bool = False
    kind: str = ""
    status: int | None = None
    stop: str = ""
    ended: str = ""
    text: str = ""
    said: str = ""
    value: object = None
    model: str = ""
    cost: Cost = field(default_factory=Cost)


# What the client calls an error -> what it is here and what to do. Measured with client 2.1.330.
KINDS: Mapping[str, Finding] = {
    "billing_error": (errors.OutOfCredit, "the account has no credit left"),
    "authentication_failed": (errors.NotLoggedIn, "log in with `claude`, or set ANTHROPIC_API_KEY"),
    "oauth_org_not_allowed": (errors.NotLoggedIn, "this login may not use Claude Code"),
    "rate_limit": (errors.RateLimited, "the service asks for fewer requests"),
    # Waiting does mend it: the work is kept until the setting names a model that exists.
    "model_not_found": (
        errors.Unreachable,
        "the service does not know this model, or not for this login",
    ),
    "max_output_tokens": (errors.Truncated, "the answer was longer than allowed"),
}
STATUSES: Mapping[int, str] = {
    401: "authentication_failed",
    402: "billing_error",
    403: "authentication_failed",
    404: "model_not_found",
    429: "rate_limit",
}


def judge(outcome: Outcome) -> errors.ModelError | None:
    """Say what went wrong with a call, None where its value can be used."""
    finding = _cut(outcome) or (_api_error(outcome) if outcome.is_error else None)
    if not finding and outcome.value is not None:
        return None
    kind, what = finding or (errors.BadReply, "the model did not fill in the form")
    said = " ".join(outcome.text.split())[:SAID]
    return kind(f"{what} ({said})" if said else what)


def with_form(outcome: Outcome, schema: Mapping[str, Any]) -> Outcome:
    """Take a complete form that a model wrote into its text, where it did not hand one in.

    Small models write it in a fence, with prose around it; it was paid for, and reads the same.
    """
    if outcome.value is not None or _cut(outcome) or outcome.status:
        return outcome
    for match in _OPENING.finditer(outcome.said):
        try:
            value, _ = _DECODER.raw_decode(outcome.said, match.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and set(schema.get("required", ())) <= set(value):
            return replace(outcome, value=value, is_error=False)
    return outcome


def _cut(outcome: Outcome) -> Finding | None:
    if outcome.stop == "refusal":
        return errors.Refused, "the model declined"
    if outcome.stop in {"max_tokens", "model_context_window_exceeded"}:
        return errors.Truncated, "the answer was cut at the token limit"
    if outcome.ended == "prompt_too_long" or outcome.status == TOO_LARGE:
        return errors.Truncated, "the request is longer than the model takes"
    if outcome.subtype == "error_max_budget_usd":
        # it would reach it again: waiting mends nothing, a smaller request may
        return errors.Truncated, "the call reached its limit of dollars"
    return None


def _api_error(outcome: Outcome) -> Finding:
    known = KINDS.get(outcome.kind) or KINDS.get(STATUSES.get(outcome.status or 0, ""))
    if known:
        return known
    if outcome.status and outcome.status >= FIRST_SERVER_ERROR:
        return errors.Overloaded, "the service failed on its side"
    if outcome.status:
        return errors.BadReply, "the service rejected the request"
    if outcome.kind == "server_error" or outcome.ended == "api_error":
        return errors.Unreachable, "no connection to the service"
    return errors.BadReply, "no answer of the shape that was asked for"
