import pytest

from memoria import errors
from memoria.llm.claude import Outcome, judge

VALUE = {"title": "x"}
# What client 2.1.330 was seen to say; tests/llm/test_claude.py asks it again.
SEEN = [
    (Outcome("success", value=VALUE, stop="tool_use", ended="completed"), None),
    (Outcome("success", value={}, stop="tool_use", ended="completed"), None),
    (Outcome("success", value=VALUE, stop="max_tokens"), errors.Truncated),
    (Outcome("success", value=VALUE, stop="refusal"), errors.Refused),
    (Outcome("success", stop="end_turn", text="hello"), errors.BadReply),
    (Outcome("success", stop="end_turn", text=""), errors.BadReply),
    (Outcome("success", True, "billing_error", 400), errors.OutOfCredit),
    (Outcome("success", True, "unknown", 402), errors.OutOfCredit),
    (Outcome("success", True, "authentication_failed", 401), errors.NotLoggedIn),
    (Outcome("success", True, "authentication_failed", ended="api_error"), errors.NotLoggedIn),
    (Outcome("success", True, "", 403), errors.NotLoggedIn),
    (Outcome("success", True, "model_not_found", 404), errors.Unreachable),
    (Outcome("success", True, "invalid_request", 413, ended="image_error"), errors.Truncated),
    (Outcome("success", True, "invalid_request", 400, ended="prompt_too_long"), errors.Truncated),
    (Outcome("success", True, "max_output_tokens", stop="stop_sequence"), errors.Truncated),
    (Outcome("success", True, "unknown", 400, ended="api_error"), errors.BadReply),
    (Outcome("success", True, "rate_limit", 429), errors.RateLimited),
    (Outcome("success", True, "server_error", 500), errors.Overloaded),
    (Outcome("success", True, "server_error", 529), errors.Overloaded),
    (Outcome("success", True, "server_error", None, ended="api_error"), errors.Unreachable),
    (Outcome("success", True, "", None, ended="api_error"), errors.Unreachable),
    (Outcome("error_max_turns", True, stop="tool_use", ended="max_turns"), errors.BadReply),
    (Outcome("error_max_turns", True, stop="max_tokens", ended="max_turns"), errors.Truncated),
    (Outcome("error_max_structured_output_retries", True), errors.BadReply),
    (Outcome("error_max_budget_usd", True, ended="budget_exhausted"), errors.Truncated),
    (Outcome("error_during_execution", True), errors.BadReply),
    (Outcome(), errors.BadReply),
]


@pytest.mark.parametrize(("outcome", "error"), SEEN)
def test_every_error_that_was_seen_has_its_name(outcome, error):
    found = judge(outcome)
    assert (type(found) if found else None) is error
