import json

from talk import AT, bash, call

from memoria.capture.extract.failures import resolutions
from memoria.capture.extract.failures.diagnosis import Fault
from memoria.capture.extract.failures.resolutions import (
    Recovery,
    is_same_action,
    resolve_correction,
)


def resolve(failed, fault, between, passed, **more):
    return resolutions.resolve(Recovery(failed, fault, between, passed, **more))


LINT = bash("make lint")


def fault(line, kind="lint:x", **more):
    return Fault(kind, line, line, **more)


def edit(old, new, file="/srv/a.go"):
    return call("Edit", file_path=file, old_string=old, new_string=new)


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
    status = bash("git show --nostat HEAD")
    again = bash("git show --stat HEAD")
    assert resolve(status, fault("unrecognized argument"), [], again).change == (
        "- git show --nostat HEAD\n+ git show --stat HEAD"
    )
    assert resolve(status, fault("network is down"), [], status).how == "retry"
    # that a check was filtered otherwise is no other call
    filtered = bash("make lint | tail")
    assert resolve(LINT, fault("x"), [], filtered).how == "retry"
    # of the same command another option alone
    based = bash("gh pr create --draft --base topic --title x")
    on_main = bash("gh pr create --draft --base main --title x")
    assert resolve(based, fault("no commits", "exit"), [], on_main).change.endswith(
        "+ gh pr create --draft --base main --title x"
    )
    titled = bash("gh pr view 7")
    other = bash("gh pr view 8")
    assert resolve(titled, fault("no commits", "exit"), [], other).change == ""


def test_how_a_check_was_called_is_its_fix_where_that_was_the_fault():
    tests = bash("go test ./e2e")
    tagged = bash("go test -tags=e2e ./e2e")
    wrong = fault("build constraints exclude all Go files in /srv/e2e", "compile")
    assert resolve(tests, wrong, [], tagged).change == (
        "- go test ./e2e\n+ go test -tags=e2e ./e2e"
    )
    assert resolve(tests, fault("got 1, want 2", "test"), [], tagged).change == ""


def test_another_command_about_something_else_is_no_fix():
    failed = bash("cd /srv && git diff main...topic --no-stat")
    other = bash("cd /srv && git diff docs/guide.md")
    usage = fault("usage: git diff", "usage")
    assert resolve(failed, usage, [], other).change == ""
    same = bash("git diff main...topic --stat | head -3")
    assert resolve(failed, usage, [], same).change.endswith(
        "+ git diff main...topic --stat | head -3"
    )
    going_on = bash("git add a.go b.go && git rebase --continue")
    more = bash("git add a.go && git rebase --continue")
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
    assert resolve(LINT, fault("G304 (gosec)", "lint:gosec"), [silenced], LINT).change.startswith(
        "+ // nolint"
    )


def test_what_lets_an_edit_pass_the_client_says_itself():
    read, mismatch = call("Read", file_path="/srv/a.go"), fault("not found", "edit-mismatch")
    found = resolve(edit("return nil", "return err"), mismatch, [read], edit("x", "y"))
    assert (found.how, found.change) == ("rephrase", "")


def test_how_a_correction_ended():
    edits = [edit("basket.Total()", "basket.Sum()"), bash("make")]
    found = resolve_correction("the total of the basket is wrong", edits, AT)
    assert (found.how, found.change, found.at) == ("edit", "- basket.Total()\n+ basket.Sum()", AT)
    back = bash("git checkout -- a.go")
    assert resolve_correction("no, revert that", [back], AT).change == "git checkout -- a.go"
    assert resolve_correction("that is not what it does", [], AT).how == "rephrase"


def test_a_variable_that_the_error_names_and_that_was_set_then():
    failed = bash(
        "make e2e", "Exit code 2\nerror: SHOP_TOKEN is not set\nsee LATEST_NOTES", error=True
    )
    error = fault("error: SHOP_TOKEN is not set", "exit")
    for passed in ("SHOP_TOKEN=x1 make e2e", "export SHOP_TOKEN=x1; make e2e"):
        found = resolve(failed, error, [], bash(passed))
        assert (found.how, found.change, found.file) == ("variable", "SHOP_TOKEN", "")
    dotenv = edit("A=1", "A=1\nSHOP_TOKEN=x1", "/srv/.env")
    found = resolve(failed, error, [dotenv], failed, cwd="/srv")
    assert (found.how, found.change, found.file) == ("variable", "SHOP_TOKEN", ".env")
    # one that the error does not speak of, and one that was set all along
    assert resolve(failed, error, [], bash("LATEST_NOTES=1 make e2e")).how == "retry"
    before = bash("SHOP_TOKEN= make e2e", "Exit code 2\nerror: SHOP_TOKEN is not set", error=True)
    assert resolve(before, error, [], bash("SHOP_TOKEN=y make e2e")).how == "retry"


def test_the_one_other_command_after_which_it_passes():
    fix = bash("make lint --fix")
    ship = bash("./ship.sh")
    start = bash("cd /srv && docker compose up -d 2>&1 | tail -3")
    looks = [bash(one) for one in ("ls -la", "git status", "make test")]
    found = resolve(ship, fault("connection refused", "network"), [*looks, start], ship)
    assert (found.how, found.change) == ("command", "docker compose up -d")
    joined = bash("docker compose up -d && ./ship.sh")
    assert resolve(ship, fault("x", "exit"), [], joined).change == "docker compose up -d"
    formatted = resolve(LINT, fault("not formatted"), [bash("make fmt")], LINT)
    assert (formatted.how, formatted.change) == ("command", "make fmt")
    # of two it cannot be told which; and a command can write what nobody reads as an edit
    assert resolve(ship, fault("x", "exit"), [start, fix], ship).change == ""
    written = bash("sed -i s/a/b/ a.py")
    assert resolve(ship, fault("x", "exit"), [start, written], ship).how == "edit"
    assert resolve(ship, fault("x", "exit"), looks, ship).how == "retry"


def test_an_edit_is_told_with_its_file():
    change = edit("open()\ndefer file.Close()", "open()\ndefer closeChecked(file)", "/srv/a/b.go")
    other = edit("x", "y", "/srv/c.go")
    error = fault("Error return value of `file.Close` is not checked")
    assert resolve(LINT, error, [other, change], LINT, cwd="/srv").file == "a/b.go"
    unknown = fault("nothing that a change speaks of")
    assert resolve(LINT, unknown, [change], LINT, cwd="/srv").file == "a/b.go"
    assert resolve(LINT, unknown, [other, change], LINT, cwd="/srv").file == ""
    # what was edited while a command was called wrongly did not make it pass
    usage = bash("git diff --nope")
    assert resolve(usage, fault("usage: git diff", "usage"), [change], usage).change == ""


def test_a_change_at_the_line_of_another_fault_or_for_another_rule_is_that_ones():
    two = "open(path)\nrun(list)"
    error = fault("run is not checked", "lint:errcheck", place="a.go", source="run(list)")
    theirs = edit(two, "openSafe(path)\nrun(list)")
    ours = edit("run(list)", "if err := run(list); err != nil {\n\treturn err\n}")
    found = resolve(LINT, error, [theirs, ours], LINT, others=frozenset({"open(path)"}))
    assert found.change.startswith("- run(list)\n+ if err")
    silenced = edit("return run", "return run //nolint:nilerr // it is none")
    unnamed = fault("run is always nil", "lint:unparam", place="a.go")
    assert resolve(LINT, unnamed, [silenced], LINT).change == ""
    # what was changed at that line once more was no fix yet
    first = edit("run(list)", "run(list) //nolint:errcheck")
    again = edit("run(list) //nolint:errcheck", "run(list) //nolint:errcheck // a try")
    assert resolve(LINT, error, [first, again], LINT).change.endswith("// a try")


def test_in_a_document_a_heading_is_no_comment():
    heading = edit("### Problem", "## Problem", "/srv/a.md")
    more = edit("### Solution", "## Solution", "/srv/a.md")
    commit = bash("git commit -m x")
    error = fault("Heading levels should go up by one (MD001)", "lint:MD001", place="/srv/a.md")
    assert resolve(commit, error, [heading, more], commit).change == "- ### Problem\n+ ## Problem"
