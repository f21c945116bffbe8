"""How calls and the checks in them ended: by status where it is theirs, else by closing lines."""

from cases import cased
from talk import bash, call, refused

from memoria.capture.extract.observing.call_outcomes import find_check_outcomes, judge_call


def states(command, result, status=0):
    told = f"Exit code {status}\n{result}" if status else result
    found = find_check_outcomes(bash(command, told, error=bool(status)))
    return [(" ".join(command.words[:2]), ended.state) for command, ended in found]


@cased()
def test_a_check_ended_as_its_status_or_its_closing_line_says(command, result, status, state):
    ((_, found),) = states(command, result, status)
    assert found == state


@cased()
def test_of_a_list_that_failed_the_one_that_failed_is_found(command, result, expected):
    assert states(command, result, 1) == expected


def test_what_went_on_or_was_refused_has_no_outcome():
    background = bash("go test ./... | tail", "Command running in background with ID: b1")
    assert judge_call(background).state == "unknown"
    assert find_check_outcomes(background)[0][1].state == "unknown"
    assert judge_call(refused("Bash", "no", command="go test")).state == "unknown"
    assert find_check_outcomes(refused("Bash", "no", command="go test")) == ()
    assert judge_call(call("Bash", answered=False, command="ls")).state == "unknown"
    assert judge_call(bash("python app.py & sleep 2", "")).state == "unknown"
    assert judge_call(bash("python app.py & sleep 2; curl -s x", "up")).state == "passed"


def test_other_calls_end_as_their_client_says():
    assert judge_call(call("Read", "x", file_path="a")).state == "passed"
    assert (
        judge_call(call("Read", "File does not exist.", error=True, file_path="a")).state
        == "failed"
    )
    assert judge_call(bash("grep -rn x", "Exit code 1", error=True)).state == "passed"
    task = "<status>completed</status><exit_code>1</exit_code>"
    assert judge_call(call("TaskOutput", task, task_id="b1")).state == "failed"
