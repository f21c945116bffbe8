import json
from datetime import UTC, datetime

from memoria.stages.resolution import is_same_action, resolve
from memoria.stages.transcript import Call

NOW = datetime(2031, 1, 2, 3, 4, 5, tzinfo=UTC)


def call(name, **arguments):
    return Call("c", name, tuple(arguments.items()), "", False, True, NOW)


LINT = call("Bash", command="make lint")


def edit(old, new, file="/srv/a.go"):
    return call("Edit", file_path=file, old_string=old, new_string=new)


def test_same_action():
    assert is_same_action(LINT, call("Bash", command="cd x && make lint 2>&1 | tail"))
    assert is_same_action(call("Bash", command="make fmt && make lint"), LINT)
    assert not is_same_action(LINT, call("Bash", command="make test"))
    assert not is_same_action(LINT, call("Read", file_path="make lint"))
    assert is_same_action(
        call("Read", file_path="/a/store.go"), call("Read", file_path="/b/store.go")
    )
    assert is_same_action(
        call("Read", file_path="/a/store_helpers.go"), call("Read", file_path="/a/helpers.go")
    )
    assert not is_same_action(call("Read", file_path="/a/st.go"), call("Read", file_path="/a/x.go"))
    assert is_same_action(edit("a", "b"), call("Write", file_path="/srv/a.go", content="c"))
    assert not is_same_action(edit("a", "b"), edit("a", "b", "/srv/b.go"))


def test_the_change_is_the_small_diff_that_speaks_of_the_error():
    between = [
        edit("x := 1\ny := 2", "x := 1\ny := 3"),
        edit("open()\ndefer file.Close()\nread()", "open()\ndefer closeChecked(file)\nread()"),
    ]
    found = resolve(LINT, "Error return value of `file.Close` is not checked", between, LINT)
    assert found.how == "edit"
    assert found.change == "- defer file.Close()\n+ defer closeChecked(file)"


def test_several_edits_in_one_call_are_read():
    pairs = (("a", "b"), ("basket.Total()", "basket.Sum()"))
    edits = json.dumps([{"old_string": old, "new_string": new} for old, new in pairs])
    multi = call("MultiEdit", file_path="/srv/a.go", edits=edits)
    assert resolve(LINT, "basket.Total undefined", [multi], LINT).change == (
        "- basket.Total()\n+ basket.Sum()"
    )
    cut = call("MultiEdit", file_path="/srv/a.go", edits=edits[:30])
    assert resolve(LINT, "basket.Total undefined", [cut], LINT).change == ""


def test_a_change_that_is_no_fix_is_not_shown():
    error = "basket total is 3, want 4"
    new_value = edit("assertBasket(total, 3)", "assertBasket(total, 4)", "/srv/basket_test.go")
    imports = edit('import "x/basket"', 'import "y/basket"')
    marker = edit("<<<<<<< basket\na", "a")
    rewrite = edit("\n".join(f"basket{i}" for i in range(9)), "basket")
    for one in (new_value, imports, marker, rewrite, edit("other", "thing")):
        found = resolve(LINT, error, [one], LINT)
        assert (found.how, found.change) == ("edit", "")


def test_without_edits_the_call_itself_tells():
    status = call("Bash", command="git show --nostat HEAD")
    again = call("Bash", command="git show --stat HEAD")
    assert resolve(status, "unrecognized argument", [], again).change == (
        "- git show --nostat HEAD\n+ git show --stat HEAD"
    )
    assert resolve(status, "network is down", [], status).how == "retry"
    # that a check was filtered otherwise is no fix
    filtered = call("Bash", command="make lint | tail")
    assert resolve(LINT, "x", [], filtered).change == ""


def test_a_refused_edit():
    failed = edit("return nil", "return err")
    read = call("Read", file_path="/srv/a.go")
    assert resolve(failed, "not found", [read], edit("x", "y")).change == "read the file first"
    wider = edit("if bad {\n return nil", "if bad {\n return err")
    assert resolve(failed, "2 matches", [], wider).change == "more context in old_string"
    every = call("Edit", file_path="/srv/a.go", old_string="return nil", replace_all="true")
    assert resolve(failed, "2 matches", [], every).change == "replace_all"
