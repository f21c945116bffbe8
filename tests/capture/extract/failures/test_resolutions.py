from cases import cased
from talk import AT, bash, call, steps

from memoria.capture.extract.failures.diagnosis import Fault
from memoria.capture.extract.failures.resolutions import (
    Recovery,
    is_same_action,
    resolve,
    resolve_correction,
)

LINT = bash("make lint")


def edit(old, new, file="/srv/a.go"):
    return call("Edit", file_path=file, old_string=old, new_string=new)


def step(row):
    """Make a step of a case: a command, an edit, or what tests/fixtures/talk.py makes."""
    if isinstance(row, str):
        return bash(row)
    return edit(*row[1:]) if row[0] == "edit" else steps(row)[0]


@cased()
def test_how_it_came_to_pass(failed, about, between, passed, more, resolution):  # noqa: PLR0913, PLR0917 - a case
    line, kind, *places = about
    fault = Fault(kind, line, line, **dict(*places))
    recovery = Recovery(step(failed), fault, [*map(step, between)], step(passed), **more)
    found = resolve(recovery)
    assert (found.how, found.change, found.file) == resolution


def test_same_action():
    assert is_same_action(LINT, bash("cd x && make lint 2>&1 | tail"))
    assert is_same_action(bash("make fmt && make lint"), LINT)
    assert not is_same_action(LINT, bash("make test"))
    both = bash("make test && make lint")
    assert is_same_action(both, bash("make test"))
    assert not is_same_action(both, bash("make test"), "lint:E1")
    assert is_same_action(both, LINT, "lint:E1")
    assert not is_same_action(LINT, call("Read", file_path="make lint"))
    store = call("Read", file_path="/a/store.go")
    assert is_same_action(store, call("Read", file_path="/b/store.go"))
    assert not is_same_action(store, call("Read", file_path="/a/x.go"))
    # a command whose output is read later is the same command
    assert is_same_action(LINT, call("PowerShell", command="make lint"))
    assert is_same_action(edit("a", "b"), call("Write", file_path="/srv/a.go", content="c"))
    assert not is_same_action(edit("a", "b"), edit("a", "b", "/srv/b.go"))


def test_how_a_correction_ended():
    edits = [edit("basket.Total()", "basket.Sum()"), bash("make")]
    found = resolve_correction("the total of the basket is wrong", edits, AT)
    assert (found.how, found.change, found.at) == ("edit", "- basket.Total()\n+ basket.Sum()", AT)
    back = bash("git checkout -- a.go")
    assert resolve_correction("no, revert that", [back], AT).change == "git checkout -- a.go"
    assert resolve_correction("that is not what it does", [], AT).how == "rephrase"
