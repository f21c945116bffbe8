from cases import cased
from talk import call

from memoria.capture.extract.failures.faults import find_faults


@cased()
def test_what_is_no_mistake(tool, result, more):
    assert find_faults(call(tool, result, **{"error": True} | more)) == ()


@cased()
def test_what_is_a_mistake(tool, result, more, kind, masked):
    (fault,) = find_faults(call(tool, result, **{"error": True} | more))
    assert fault.kind == kind
    assert masked in {None, fault.masked}
