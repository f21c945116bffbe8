import pytest

from memoria.stages.console import command, error_lines, is_shell, result_lines, session, subject


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("cd /home/ana/shop && make test", "make test"),
        ("cd 'a b'; make test", "make test"),
        ("make test 2>&1 | tail -20", "make test"),
        ("make test | head -n 5", "make test"),
        ("make test 2>&1 | grep FAIL", "make test 2>&1 | grep FAIL"),
        ("cat > a.py <<'EOF'\nx = 1\nEOF\npython a.py", "cat > a.py <<'EOF' …"),
        ("a\nb\n\nc\nd\ne", "a\nb\nc\nd\n…"),
        ("x" * 300, "x" * 240),
        ("| tail -3", "| tail -3"),
    ],
)
def test_commands(text, shown):
    assert command(text) == shown


def test_the_lines_around_the_error_are_shown_as_they_stand():
    noise = [f"line {number} of the progress" for number in range(40)]
    result = "\n".join(["Exit code 1", *noise, "E   ValueError:   bad", "app.py:12", *noise])
    assert error_lines(result, ["ValueError: bad"]) == [
        "line 39 of the progress",
        "E   ValueError:   bad",
        "app.py:12",
        "line 0 of the progress",
        "line 1 of the progress",
    ]


def test_an_error_that_is_joined_of_parts_is_found_by_its_parts():
    logged = "2026/03/02 10:00:00 INFO started"
    result = f"{logged}\nError:  Not equal to the other\n  expected: 1 apple pie\nok"
    named = ["Error: Not equal to the other expected: 1 apple pie"]
    assert error_lines(result, named) == [
        "Error:  Not equal to the other",
        "  expected: 1 apple pie",
        "ok",
    ]


def test_many_errors_are_shown_before_what_is_around_them():
    result = "\n".join(f"a.go:{n}: bad {n}\n\tcode {n}" for n in range(12))
    named = [f"a.go:{n}: bad {n}" for n in range(12)]
    assert error_lines(result, named) == named[:10]


def test_an_error_without_a_known_line_keeps_both_ends():
    lines = error_lines("\n".join(f"line {n}" for n in range(50)), ["elsewhere"])
    assert (len(lines), lines[0], lines[-1]) == (10, "line 0", "line 49")


def test_a_result_is_told_by_its_ends_without_logs():
    result = "\n".join(
        [
            "Exit code 0",
            "\x1b[32mstart\x1b[0m",
            "2026/03/02 10:00:00 INFO x",
            *map(str, range(30)),
            "",
            "72 passed",
        ]
    )
    lines = result_lines(result)
    assert (lines[0], lines[-1], len(lines)) == ("start", "72 passed", 10)
    assert not any("INFO" in line for line in lines)
    assert result_lines("10:00:00 INFO all there is") == ["10:00:00 INFO all there is"]
    assert result_lines("") == []


def test_a_session_shows_command_and_output():
    assert session("make test\n  --all", ["72 passed", "```"]) == (
        "````console\n$ make test\n>   --all\n72 passed\n```\n````"
    )


def test_what_a_call_was_about():
    assert subject("Read", (("limit", "3"), ("file_path", "app/main.py"))) == "Read app/main.py"
    assert subject("Task", ()) == "Task"
    assert is_shell("Bash")
    assert not is_shell("Read")
