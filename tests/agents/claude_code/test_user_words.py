"""What the user really said, when the client calls much more than that "user"."""

import json

import pytest
from cases import cased
from hypothesis import given, strategies as st
from talk import REFUSED, bash, call, refused, steer, transcript, turn
from transcript_lines import fold, user

from memoria.agents.claude_code.user_words import Ask, list_utterances, parse_ask
from memoria.privacy.private import strip_private


@cased()
def test_only_the_users_words_are_left(prompt, text):
    assert parse_ask(prompt).text == text


@cased()
def test_what_others_wrote_ends_no_element_of_the_clients(content, text):
    blocks = content
    if not isinstance(content, str):
        blocks = [{"type": kind, "text": words} for kind, words in content]
    prompts = [turn.prompt for part in fold([user(blocks, 0)]) for turn in part.turns]
    assert "".join(parse_ask(strip_private(prompt)).text for prompt in prompts) == text


def test_a_command_is_its_name_and_arguments():
    prompt = "<command-name>/review</command-name>\n<command-args>the <b> branch</command-args>"
    assert parse_ask(prompt) == Ask("/review the <b> branch", is_command=True)
    assert parse_ask("/review 12").is_command
    assert not parse_ask("/review 12").own


def test_a_plan_is_the_models():
    plan = parse_ask(
        "Implement the following plan:\n\n# Renew leases\n\nText.\n\nIf you need specific details "
        "from before exiting plan mode (like code), read the full transcript at: /x.jsonl"
    )
    assert plan == Ask("# Renew leases\n\nText.", is_plan=True)
    assert not plan.own


@pytest.mark.parametrize(
    "text", ["yes", "commit this, push, open draft PR", "ok, works. great", "3", "can you fix it?"]
)
def test_an_order_of_any_session_is_trivial(text):
    assert parse_ask(text).trivial


@pytest.mark.parametrize(
    "made",
    [
        bash("make", REFUSED + "printed by a tool"),
        call("Bash", "The user doesn't want to proceed. STOP.", error=True),
        refused("AskUserQuestion", "The user wants to clarify these questions."),
        bash("make", "Exit code 2\nerror: no rule", error=True),
    ],
)
def test_what_is_no_refusal_has_no_reason(made):
    assert made.reason == ""


def asked(result):
    labels = ('Lease "fast"', "Lease", "Always lease, from now on", "File")
    options = [{"label": label} for label in labels]
    rows = [{"question": text, "options": options} for text in ("Which lock?", "And then?")]
    questions = json.dumps(rows)
    return call("AskUserQuestion", result, questions=questions)


def test_utterances_come_in_order_with_how_they_were_said():
    session = transcript(
        turn("fix the worker", refused("Edit", "not there", file_path="x"), steer("and the lock")),
        turn("<local-command-stdout>x</local-command-stdout>"),
        turn("", asked('"Which lock?"="Lease", "And then?"="none at all"')),
    )
    assert [(one.how, one.turn, one.ask.text) for one in list_utterances(session)] == [
        ("prompt", 0, "fix the worker"),
        ("refusal", 0, "not there"),
        ("steer", 0, "and the lock"),
        ("answer", 2, "none at all"),
    ]


@pytest.mark.parametrize(
    ("result", "typed"),
    [
        ('"Which lock?"="Lease "fast"", "And then?"="File". You can now continue', []),
        ('"Which lock?"="Always lease, from now on, File"', []),
        ('"Which lock?"="File" selected preview:\nAlways lock "it". You can now continue', []),
        ('"Which lock?"="File, never two", "And then?"="Lease"', ["never two"]),
        ('"Which lock?"="Leases are slow"', ["Leases are slow"]),
        ('"Why?"="Always run it", "Which lock?"="File"', []),
    ],
)
def test_a_label_is_not_typed(result, typed):
    assert [one.text for one in asked(result).answers if one.free] == typed


@given(st.text(max_size=300))
def test_private_spans_never_come_through(text):
    secret = "q7secret"
    assert secret not in parse_ask(f"{text}<private>{secret}</private>").text
    assert secret not in parse_ask(f"{text}<private>{secret}").text


@pytest.mark.parametrize("piece", ["a", " ", "(", "`", "\n", "<private>", "<system-reminder>", "@"])
def test_a_pasted_flood_is_read_in_linear_time(piece):
    parse_ask((piece * 100_000)[:100_000])
