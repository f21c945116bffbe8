"""A whole session, read without a model: the same each time, whatever it holds."""

import os
import re
import subprocess
import sys
import time
from itertools import islice, product
from pathlib import Path

import pytest
from cases import cased
from hypothesis import given, strategies as st
from talk import bash, call, commit, edit, refused, say, steer, steps, stop, transcript, turn

from memoria.capture.extract.observed import observe
from memoria.capture.extract.session_extract import MOST_FACTS, extract


def extracted(made):
    return extract(observe(made))


FILE = "C:\\Users\\ana\\shop\\app\\worker.py"


TIMER = "Replaced the sleep in `loop()` with a timer"
MIDNIGHT = "It stopped because `renew()` is never called after midnight in `loop()`."


def session():
    """A working day in short: a plan, a refusal, a question, a steer, a pull request."""
    return transcript(
        turn(
            "Implement the following plan:\n\n# AB-12: Renew leases early\n\n## Context\n\n"
            "The worker currently sleeps until its lease ends. The broker drops the token because "
            "its clock jumps.\n\n## Design\n\n- Use a fencing token instead of the timestamp.",
            say("Let me look at the worker."),
            edit(FILE),
            refused("Bash", "don't run the e2e tests, too slow", command="make e2e"),
            bash("make test 2>&1 | tail -3", "ok"),
            say(
                f"All done.\n\n### `worker.py`\n- {TIMER}\n\n"
                "### `broker.py`\n- Removed the clock from `Lease`, since the token alone says "
                "enough\n"
            ),
            branch="ana/ab-12-renew-leases",
        ),
        turn(
            "why did the worker stop at night?",
            steer("it was the one on the left"),
            say(MIDNIGHT),
            branch="ana/ab-12-renew-leases",
        ),
        turn(
            "commit and push",
            commit(
                "fix(worker): renew leases early\n\nThe lease was lost whenever the clock jumped."
            ),
            say("Committed."),
            branch="ana/ab-12-renew-leases",
        ),
        cwd="C:\\Users\\ana\\shop",
    )


def test_files_are_listed_where_there_is_nothing_else_to_tell():
    made = extracted(transcript(turn("tidy up", edit("/home/ana/shop/worker.py"), branch="main")))
    assert made.draft.context == "Branch `main`; edited `worker.py`."


def test_facts_are_ordered_scored_and_told_apart():
    facts = extracted(session()).facts
    assert {fact.kind for fact in facts} == {"answer", "decision", "lesson"}
    assert [fact.score for fact in facts] == sorted((f.score for f in facts), reverse=True)
    assert all(2.0 < fact.score <= 5.7 for fact in facts)
    assert len({fact.text for fact in facts}) == len(facts)
    assert {fact.origin for fact in facts if fact.text.startswith("User, ")} == {"user"}
    # a commit is a fact whatever it weighs
    assert "Committed: fix(worker): renew leases early" in {fact.text for fact in facts}


def test_there_are_never_too_many_facts():
    syllables = ("ka", "lo", "mi", "nu", "pe", "so")
    words = ["".join(three) for three in product(syllables, repeat=3)]
    causes = [
        say(f"`{a}_{b}()` of the {b}{c} stops because {c}{a} {a}{c} is late.")
        for a, b, c in zip(words, words[1:], words[2:], strict=False)
    ]
    turns = [turn("why?", one) for one in causes]
    assert len(extracted(transcript(*turns)).facts) == MOST_FACTS


def test_a_slice_that_begins_in_the_middle_of_a_turn_can_be_read():
    text = "The worker stops because `renew()` is never called in its loop."
    found = extracted(transcript(turn("", edit(FILE), say(text))))
    assert found.draft.lessons == (text,)


def test_what_was_told_before_the_edits_gives_way_to_what_is_told_after_them():
    early = (
        "The worker of the shop stops in every second night because `renew()` in `worker.py` never"
        " reads the clock, which only the broker can set, whose server is far behind and was never"
        " set by `any_host`. It must not wait, since `lease_time` is over by then."
    )
    last = "The clock of the broker in the shop of the worker is set to 3 in `renew()`."
    change = edit(FILE, "renew(broker)", "renew(host)")
    told = [turn("do it", *[change] * 3, say(early)), turn("fix it", change, change, say(last))]
    assert [fact.text for fact in extracted(transcript(*told)).facts] == [last]


_TEXT = st.text(max_size=200)
_STEPS = st.lists(
    st.one_of(
        _TEXT.map(say),
        _TEXT.map(steer),
        st.just(stop()),
        _TEXT.map(edit),
        st.builds(bash, _TEXT, _TEXT),
        st.builds(lambda result: call("AskUserQuestion", result, questions="[]"), _TEXT),
        st.builds(lambda reason: refused("Bash", reason, command="make"), _TEXT),
    ),
    max_size=6,
)


@given(st.lists(st.tuples(_TEXT, _STEPS), max_size=4))
def test_any_session_gives_an_entry_of_plain_lines(turns):
    made = transcript(*(turn(prompt, *steps) for prompt, steps in turns))
    found = extracted(made)
    draft = found.draft
    lines = (draft.title, *draft.exchanges, *draft.decisions, *draft.lessons, *draft.actions)
    for line in (*lines, draft.context, *(fact.text for fact in found.facts)):
        assert "\n" not in line
        assert len(line) <= 900
        bare = re.sub(r"`[^`]*`", "", line)
        assert not re.search(r"<[A-Za-z/!]\w*>|!?\[[^\]]*\]\([^)\s]+\)|https?://\w", bare)
    assert found == extracted(made)


_CHILD = """
import sys
sys.path[:0] = {paths!r}
from test_session_extract import extracted, session
from memoria.capture.extract.observed import observe
print(repr(extracted(session())))
"""


def test_the_same_session_gives_the_same_bytes_under_another_hash_seed():
    root = Path(__file__).resolve().parents[3]
    paths = [str(root / one) for one in ("scripts", "tests", "tests/fixtures")]
    paths.append(str(Path(__file__).parent))
    child = subprocess.run(
        [sys.executable, "-c", _CHILD.format(paths=paths)],
        env={**os.environ, "PYTHONHASHSEED": "4711"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert _without_ids(child.stdout.strip()) == _without_ids(repr(extracted(session())))


def _without_ids(text):
    return re.sub(r"'c\d+'|'u\d+'", "", text)


def cpu_of_flood(piece, size):
    flood = (piece * size)[:size]
    made = transcript(turn(flood, say(flood), bash(flood, flood), steer(flood)))
    started = time.process_time()
    extracted(made)
    return time.process_time() - started


@pytest.mark.parametrize("piece", ["a", " ", "(", "`", "- ", "because ", "a/", "a, ", "x\n", "1."])
def test_a_flood_is_read_in_linear_time(piece):
    # what is quadratic takes sixteen times as long; a tenth of a second is the noise of the clock
    assert cpu_of_flood(piece, 16_000) < 8 * cpu_of_flood(piece, 4_000) + 0.1


SYLLABLES = [first + vowel for first in "bdfgklmnprst" for vowel in "aeiou"]


def cpu_of_turns(count):
    words = map("".join, islice(product(SYLLABLES, repeat=3), 1, None, 79))
    asked = (" ".join(islice(words, 8)) for _ in range(count))
    made = transcript(*(turn(f"Please add {one}. It should {one}", say("Ok.")) for one in asked))
    started = time.process_time()
    extracted(made)
    return time.process_time() - started


def test_a_long_session_is_read_in_linear_time():
    # of two runs the better one: a neighbour on the machine may take the caches
    few, many = (min(cpu_of_turns(count) for _ in range(2)) for count in (60, 240))
    assert many < 8 * few + 0.1


# -- What held when a session ended ----------------------------------------------------------------

EDIT = edit("/home/ana/shop/worker.py", "renew(30)", "renew(90)")


def results(*turns):
    return [fact.text for fact in extracted(transcript(*turns)).results]


@cased()
def test_a_page_is_made_of_what_held_when_the_session_ended(turns, told):
    assert results(*(turn(asked, *steps(*rows)) for asked, *rows in turns)) == told


def test_of_two_commits_on_one_thing_the_later_one_holds():
    first = "The clock of a lease is read once in `renew()` and kept for the whole day of a worker."
    later = "The clock of a lease is read in `renew()` at each call and kept for a second."
    made = results(
        turn("go", EDIT, commit(f"fix: one\n\n{first}")),
        turn("again", EDIT, commit(f"fix: two\n\n{later}")),
    )
    assert made == [later]
