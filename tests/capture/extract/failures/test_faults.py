from datetime import UTC, datetime

from cases import cased

from memoria.agents.claude_code import tools
from memoria.capture.extract.failures.faults import faults

NOW = datetime(2031, 1, 2, 3, 4, 5, tzinfo=UTC)


def call(name, result, *, error=True, answered=True, **arguments):
    return tools.call("c1", name, tuple(arguments.items()), result, error, answered, NOW)


@cased()
def test_what_is_no_mistake(tool, result, more):
    assert faults(call(tool, result, **more)) == ()


@cased()
def test_what_is_a_mistake(tool, result, more, kind, masked):
    (fault,) = faults(call(tool, result, **more))
    assert fault.kind == kind
    assert masked in {None, fault.masked}
