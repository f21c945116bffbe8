import pytest

from memoria import errors
from memoria.llm.claude import ClientOutcome, judge

VALUE = {"title": "x"}
# What client 2.1.330 was seen to say; tests/llm/test_claude.py asks it again.
SEEN = [
    (ClientOutcome("success", value=VALUE, stop="tool_use", ended="completed"), None),
    (ClientOutcome("success", value={}, stop="tool_use", ended="completed"), None),
    (ClientOutcome("success", value=VALUE, stop="max_tokens"), errors.Truncated),
    (ClientOutcome("success", value=VALUE, stop="refusal"), errors.Refused),
    (ClientOutcome("success", stop="end_turn", text="hello"), errors.BadReply),
    (ClientOutcome("success", stop="end_turn", text=""), errors.BadReply),
    (ClientOutcome("success", True, "billing_error", 400), errors.OutOfCredit),
    (ClientOutcome("success", True, "unknown", 402), errors.OutOfCredit),
    (ClientOutcome("success", True, "authentication_failed", 401), errors.NotLoggedIn),
    (
        ClientOutcome("success", True, "authentication_failed", ended="api_error"),
        errors.NotLoggedIn,
    ),
    (ClientOutcome("success", True, "", 403), errors.NotLoggedIn),
    (ClientOutcome("success", True, "model_not_found", 404), errors.Unreachable),
    (ClientOutcome("success", True, "invalid_request", 413, ended="image_error"), errors.Truncated),
    (
        ClientOutcome("success", True, "invalid_request", 400, ended="prompt_too_long"),
        errors.Truncated,
    ),
    (ClientOutcome("success", True, "max_output_tokens", stop="stop_sequence"), errors.Truncated),
    (ClientOutcome("success", True, "unknown", 400, ended="api_error"), errors.BadReply),
    (ClientOutcome("success", True, "rate_limit", 429), errors.RateLimited),
    (ClientOutcome("success", True, "server_error", 500), errors.Overloaded),
    (ClientOutcome("success", True, "server_error", 529), errors.Overloaded),
    (ClientOutcome("success", True, "server_error", None, ended="api_error"), errors.Unreachable),
    (ClientOutcome("success", True, "", None, ended="api_error"), errors.Unreachable),
    (ClientOutcome("error_max_turns", True, stop="tool_use", ended="max_turns"), errors.BadReply),
    (
        ClientOutcome("error_max_turns", True, stop="max_tokens", ended="max_turns"),
        errors.Truncated,
    ),
    (ClientOutcome("error_max_structured_output_retries", True), errors.BadReply),
    (ClientOutcome("error_max_budget_usd", True, ended="budget_exhausted"), errors.Truncated),
    (ClientOutcome("error_during_execution", True), errors.BadReply),
    (ClientOutcome(), errors.BadReply),
]


@pytest.mark.parametrize(("outcome", "error"), SEEN)
def test_every_error_that_was_seen_has_its_name(outcome, error):
    found = judge(outcome)
    assert (type(found) if found else None) is error
