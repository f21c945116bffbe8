from datetime import UTC, datetime, timedelta

from cases import cased
from talk import completed

from memoria.agents.claude_code import tools
from memoria.agents.transcript import AssistantText, Steer, Transcript, Turn
from memoria.capture.extract.mistakes import find_mistakes
from memoria.capture.extract.observed import observe

START = datetime(2031, 1, 2, 3, 4, 5, tzinfo=UTC)
LINT = "Exit code 1\nstore/a.go:3:1: Error return value of `x` is not checked (errcheck)\n1 issues:"


def at(index):
    return START + timedelta(minutes=index)


def bash(index, command, result="", *, error=False):
    made = tools.build_call(f"c{index}", "Bash", (("command", command),), at(index))
    return completed(made, result, error=error)


def session(*turns, subagents=(), prompts=()):
    made = tuple(
        Turn(
            f"u{number}", START, at(50 + number),
            prompts[number] if prompts else "do it", "main", tuple(steps),
        )
        for number, steps in enumerate(turns)
    )  # fmt: skip
    return Transcript("s", "/srv", "", made, 0, 1, subagents=tuple(subagents))


def missteps(transcript):
    return find_mistakes(observe(transcript))


def say(index, text):
    return AssistantText(text, at(index))


def edited(index, old, new, file="cart.py"):
    inputs = (("file_path", f"/srv/{file}"), ("old_string", old), ("new_string", new))
    return completed(tools.build_call(f"c{index}", "Edit", inputs, at(index)), "ok")


def step(row):
    """Make a step of a case: the name of a function above, the minute and its values."""
    name, *values = row
    more = values.pop() if isinstance(values[-1], dict) else {}
    return {"bash": bash, "edited": edited, "say": say}[name](*values, **more)


def ending(end):
    return end and (end.how, end.change, (end.at - START) // timedelta(minutes=1), end.file)


@cased()
def test_what_went_wrong_and_how_it_ended(turns, prompts, expected):
    found = missteps(session(*(map(step, rows) for rows in turns), prompts=prompts))
    ends = [one.resolution and ending(one.resolution) for one in found]
    assert [
        (one.signature, one.turn, end) for one, end in zip(found, ends, strict=True)
    ] == expected


def test_subagents_show_mistakes_of_no_turn():
    read = tools.build_call("r", "Read", (("file_path", "/x.py"),), START)
    read = completed(read, "File does not exist.", error=True)
    (one,) = missteps(session([bash(1, "ls")], subagents=[read]))
    assert (one.turn, one.signature) == (-1, "read not-found File does not exist")


def test_a_correction_is_a_mistake_among_the_others_in_the_order_of_time():
    failed = bash(1, "make lint", LINT, error=True)
    found = missteps(
        session(
            [edited(0, "a", "b"), failed, Steer("no, don't lint the old code", at(2))],
            [edited(3, "basket.total", "basket.sum"), say(4, "Mended.")],
            [bash(5, "ls")],
            prompts=[
                "show the sum",
                "the total of the basket is wrong, that is not right",
                "thanks",
            ],
        )
    )
    assert [one.tool for one in found] == ["shell", "user", "user"]
    steer, wrong = found[1:]
    assert steer.signature == "user correction code lint not"
    assert (wrong.kind, wrong.turn, wrong.call) == ("correction", 1, "")
    assert wrong.line == "the total of the basket is wrong, that is not right"
    assert wrong.resolution is not None
    assert wrong.resolution.how == "edit"
    assert wrong.resolution.change == "- basket.total\n+ basket.sum"
    assert wrong.resolution.at == at(51)
