"""What Gemini CLI's lines have beside the contract: rewinding, commands, endings of a shell."""

import json

import pytest
from agents.written_sessions import EXPECTED, GeminiSession, made, shown
from cases import cased


@pytest.fixture
def session(tmp_path):
    return made(GeminiSession, tmp_path)


def dumped(*lines):
    return [json.dumps(line).encode() + b"\n" for line in lines]


def asked(text, key="u-9", **more):
    return {"id": key, "type": "user", "content": [{"text": text}], **more}


def test_what_was_rewound_is_withdrawn(session):
    session.put([*session.lines, *dumped({"$rewindTo": "u-1"}, asked("another way"))])
    assert [turn[0] for turn in session.turns()] == ["fix the lock", "another way"]
    session.put([*session.lines, *dumped({"$rewindTo": "nobody"})])
    assert session.turns() == EXPECTED


def test_commands_to_the_client_are_no_prompts_and_what_was_typed_counts(session):
    lines = [
        asked("/clear", "u-7"),
        asked("?", "u-8"),
        asked("see @a.txt\nFILE", displayContent="see @a.txt"),
    ]
    session.put([*session.lines, *dumped(*lines)])
    assert [turn[0] for turn in session.turns()][3:] == ["see @a.txt"]


@cased()
def test_how_a_command_ended(session, text, state, status, is_refused):
    answer = {"functionResponse": {"response": {"output": text}}}
    call = {
        "id": "c-9",
        "name": "run_shell_command",
        "args": {"command": "make"},
        "result": [answer],
        "status": state,
    }
    line = {"id": "m-9", "type": "gemini", "content": "", "toolCalls": [call]}
    session.put([*session.lines, *dumped(line, line)])
    (part,) = session.read()
    ended = part.turns[-1].steps[-1]
    assert (ended.id, ended.status, ended.is_refused) == ("c-9", status, is_refused)
    assert shown(part.turns[0]) == EXPECTED[0]
