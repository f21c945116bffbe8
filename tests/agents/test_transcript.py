"""The nouns of a transcript: what is asked of them most."""

from transcript_lines import START

from memoria.agents.claude_code import tools
from memoria.agents.transcript import Say, Transcript, Turn


def call(name, *arguments):
    return tools.call("c", name, arguments, "", is_error=False, answered=True, at=START)


def turn(*steps):
    return Turn("u", START, START, "fix it", "main", steps)


def transcript(*turns):
    return Transcript("s", "/home/ana", "2.1.30", "", turns, 0, 9)


def test_a_turn_tells_its_calls_from_its_says_in_order():
    first, second, words = call("Read"), call("Bash"), Say("done", START)
    assert turn(first, words, second).calls == (first, second)
    assert turn(first, words, second).says == (words,)


def test_a_transcript_has_the_calls_of_all_turns():
    first, second = call("Read"), call("Bash")
    assert transcript(turn(first), turn(), turn(second)).calls == (first, second)


def test_an_argument_is_found_by_name_and_empty_where_there_is_none():
    asked = call("Bash", ("command", "ls"), ("description", "list"))
    assert asked.argument("description") == "list"
    assert asked.argument("file_path") == ""
