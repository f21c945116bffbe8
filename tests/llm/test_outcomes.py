from cases import cased

from memoria import errors
from memoria.llm.claude import ClientOutcome, judge


@cased()
def test_every_error_that_was_seen_has_its_name(values, fields, error):
    found = judge(ClientOutcome(*values, **fields))
    assert type(found) is (getattr(errors, error) if error else type(None))
