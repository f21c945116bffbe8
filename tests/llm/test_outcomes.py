import pytest

from memoria import errors
from memoria.llm.claude import ClientOutcome as Said, judge

VALUE = {"title": "x"}
# What client 2.1.330 was seen to say; tests/llm/test_claude.py asks it again.
SEEN = [
    (Said("success", value=VALUE, stop="tool_use", ended="completed"), None),
    (Said("success", value={}, stop="tool_use", ended="completed"), None),
    (Said("success", value=VALUE, stop="max_tokens"), errors.Truncated),
    (Said("success", value=VALUE, stop="refusal"), errors.Refused),
    (Said("success", stop="end_turn", text="hello"), errors.BadReply),
    (Said("success", stop="end_turn", text=""), errors.BadReply),
    (Said("success", True, "billing_error", 400), errors.OutOfCredit),
    (Said("success", True, "unknown", 402), errors.OutOfCredit),
    (Said("success", True, "authentication_failed", 401), errors.NotLoggedIn),
    (Said("success", True, "authentication_failed", ended="api_error"), errors.NotLoggedIn),
    (Said("success", True, "", 403), errors.NotLoggedIn),
    (Said("success", True, "model_not_found", 404), errors.Unreachable),
    (Said("success", True, "invalid_request", 413, ended="image_error"), errors.Truncated),
    (Said("success", True, "invalid_request", 400, ended="prompt_too_long"), errors.Truncated),
    (Said("success", True, "max_output_tokens", stop="stop_sequence"), errors.Truncated),
    (Said("success", True, "unknown", 400, ended="api_error"), errors.BadReply),
    (Said("success", True, "rate_limit", 429), errors.RateLimited),
    (Said("success", True, "server_error", 500), errors.Overloaded),
    (Said("success", True, "server_error", 529), errors.Overloaded),
    (Said("success", True, "server_error", None, ended="api_error"), errors.Unreachable),
    (Said("success", True, "", None, ended="api_error"), errors.Unreachable),
    (Said("error_max_turns", True, stop="tool_use", ended="max_turns"), errors.BadReply),
    (Said("error_max_turns", True, stop="max_tokens", ended="max_turns"), errors.Truncated),
    (Said("error_max_structured_output_retries", True), errors.BadReply),
    (Said("error_max_budget_usd", True, ended="budget_exhausted"), errors.Truncated),
    (Said("error_during_execution", True), errors.BadReply),
    (Said(), errors.BadReply),
]


@pytest.mark.parametrize(("outcome", "error"), SEEN)
def test_every_error_that_was_seen_has_its_name(outcome, error):
    found = judge(outcome)
    assert (type(found) if found else None) is error
