import json
from datetime import UTC, datetime

from memoria.agents.claude_code import tools
from memoria.capture.extract.failures.diagnosis import Fault
from memoria.capture.extract.fixes import is_same_action, mended, resolve

NOW = datetime(2031, 1, 2, 3, 4, 5, tzinfo=UTC)


def call(name, **arguments):
    return tools.call("c", name, tuple(arguments.items()), "", False, True, NOW)


LINT = call("Bash", command="make lint")


def fault(line, kind="lint:x", **more):
    return Fault(kind, line, line, **more)


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
    setup = call("Read", file_path="/a/setup_command_test.go")
    assert not is_same_action(setup, call("Read", file_path="/b/setup_login_hooks_test.go"))
    assert is_same_action(edit("a", "b"), call("Write", file_path="/srv/a.go", content="c"))
    assert not is_same_action(edit("a", "b"), edit("a", "b", "/srv/b.go"))


def test_the_change_is_the_small_diff_that_speaks_of_the_error():
    between = [
        edit("x := 1\ny := 2", "x := 1\ny := 3"),
        edit("open()\ndefer file.Close()\nread()", "open()\ndefer closeChecked(file)\nread()"),
    ]
    error = fault("Error return value of `file.Close` is not checked")
    found = resolve(LINT, error, between, LINT)
    assert found.how == "edit"
    assert found.change == "- defer file.Close()\n+ defer closeChecked(file)"


def test_several_edits_in_one_call_are_read():
    pairs = (("a", "b"), ("basket.Total()", "basket.Sum()"))
    edits = json.dumps([{"old_string": old, "new_string": new} for old, new in pairs])
    multi = call("MultiEdit", file_path="/srv/a.go", edits=edits)
    assert resolve(LINT, fault("basket.Total undefined"), [multi], LINT).change == (
        "- basket.Total()\n+ basket.Sum()"
    )
    cut = call("MultiEdit", file_path="/srv/a.go", edits=edits[:30])
    assert resolve(LINT, fault("basket.Total undefined"), [cut], LINT).change == ""


def test_a_change_that_is_no_fix_is_not_shown():
    error = "basket total is 3, want 4"
    new_value = edit("assertBasket(total, 3)", "assertBasket(total, 4)", "/srv/basket_test.go")
    imports = edit('import "x/basket"', 'import "y/basket"')
    marker = edit("<<<<<<< basket\na", "a")
    rewrite = edit("\n".join(f"basket{i}" for i in range(9)), "basket")
    comment = edit("// the basket is full", "// the basket is empty")
    for one in (new_value, imports, marker, rewrite, comment, edit("other", "thing")):
        found = resolve(LINT, fault(error), [one], LINT)
        assert (found.how, found.change) == ("edit", "")


def test_without_edits_the_call_itself_tells():
    status = call("Bash", command="git show --nostat HEAD")
    again = call("Bash", command="git show --stat HEAD")
    assert resolve(status, fault("unrecognized argument"), [], again).change == (
        "- git show --nostat HEAD\n+ git show --stat HEAD"
    )
    assert resolve(status, fault("network is down"), [], status).how == "retry"
    # that a check was filtered otherwise is no fix
    filtered = call("Bash", command="make lint | tail")
    assert resolve(LINT, fault("x"), [], filtered).change == ""


def test_how_a_check_was_called_is_its_fix_where_that_was_the_fault():
    tests = call("Bash", command="go test ./e2e")
    tagged = call("Bash", command="go test -tags=e2e ./e2e")
    wrong = fault("build constraints exclude all Go files in /srv/e2e", "compile")
    assert resolve(tests, wrong, [], tagged).change == (
        "- go test ./e2e\n+ go test -tags=e2e ./e2e"
    )
    assert resolve(tests, fault("got 1, want 2", "test"), [], tagged).change == ""


def test_another_command_about_something_else_is_no_fix():
    failed = call("Bash", command="cd /srv && git diff main...topic --no-stat")
    other = call("Bash", command="cd /srv && git diff docs/guide.md")
    usage = fault("usage: git diff", "usage")
    assert resolve(failed, usage, [], other).change == ""
    same = call("Bash", command="git diff main...topic --stat | head -3")
    assert resolve(failed, usage, [], same).change.endswith(
        "+ git diff main...topic --stat | head -3"
    )
    going_on = call("Bash", command="git add a.go b.go && git rebase --continue")
    more = call("Bash", command="git add a.go && git rebase --continue")
    assert resolve(going_on, fault("CONFLICT in a.go", "conflict"), [], more).change == ""


def test_the_fix_stands_in_the_file_and_on_the_line_that_was_named():
    elsewhere = edit("checked := value()", "value()", "/srv/other.go")
    here = edit("run(list)\nreturn err", "run(list)\nreturn wrap(err)", "/srv/a.go")
    error = fault("value is not checked", place="pkg/a.go", source="return err")
    assert (
        resolve(LINT, error, [elsewhere, here], LINT).change == "- return err\n+ return wrap(err)"
    )
    # without the line, the only small change of that file is it; of several none can be told
    error = fault("embedded fields come first", place="a.go")
    assert (
        resolve(LINT, error, [elsewhere, here], LINT).change == "- return err\n+ return wrap(err)"
    )
    assert resolve(LINT, error, [here, edit("x", "y")], LINT).change == ""
    # one that no edit touched may have been mended in another file
    moved = fault("value is not checked", place="b.go")
    assert resolve(LINT, moved, [elsewhere], LINT).change == "- checked := value()\n+ value()"


def test_an_import_is_the_fix_of_a_missing_name_alone():
    added = edit("import (\n)", 'import (\n"errors"\n)')
    missing = fault("a.go:3:1: undefined: errors", "compile", place="a.go")
    assert resolve(LINT, missing, [added], LINT).change == '+ "errors"'
    other = fault("a.go:3:1: undefined: parse", "compile", place="a.go")
    assert resolve(LINT, other, [added], LINT).change == ""
    silenced = edit("x()", "x()\n// nolint:gosec the name is fixed")
    assert resolve(LINT, fault("G304 (gosec)"), [silenced], LINT).change.startswith("+ // nolint")


def test_what_lets_an_edit_pass_the_client_says_itself():
    read, mismatch = call("Read", file_path="/srv/a.go"), fault("not found", "edit-mismatch")
    found = resolve(edit("return nil", "return err"), mismatch, [read], edit("x", "y"))
    assert (found.how, found.change) == ("rephrase", "")


def test_how_a_correction_ended():
    edits = [edit("basket.Total()", "basket.Sum()"), call("Bash", command="make")]
    found = mended("the total of the basket is wrong", edits, NOW)
    assert (found.how, found.change, found.at) == ("edit", "- basket.Total()\n+ basket.Sum()", NOW)
    back = call("Bash", command="git checkout -- a.go")
    assert mended("no, revert that", [back], NOW).change == "git checkout -- a.go"
    assert mended("that is not what it does", [], NOW).how == "rephrase"
