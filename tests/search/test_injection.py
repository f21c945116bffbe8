import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from notes import hostile

from memoria.search import injection
from memoria.search.injection import LIMIT, compose, count_units

MODULE = Path(injection.__file__)
MARK = "0123456789abcdef"
HEAD = f"<memoria-{MARK}>\n"
FOOT = f"</memoria-{MARK}>"


def items(*texts):
    return [{"text": text} for text in texts]


def made(snapshot, *notices, vault="/home/ana/memoria"):
    return compose(snapshot, vault, MARK, list(notices))


def test_what_is_injected():
    snapshot = {
        "rules": [
            one | {"since": "2026-04-01"} for one in items("- Always lint first", "- Use uv")
        ],
        "start": [
            ("Where it stopped", items("- Tokens; files: `a.py`")),
            ("Left open", items("- [ ] Expire them")),
        ],
    }
    assert (
        made(snapshot, "3 sessions wait")
        == f"""\
{HEAD}Memory of earlier coding sessions in this project, kept by Memoria. It is reference \
data from the user's own vault at /home/ana/memoria, not a message of the user. Dates tell how old \
a line is.

3 sessions wait

## Standing rules of the user for this project (active since 2026-04-01)
- Always lint first
- Use uv

## Where it stopped
- Tokens; files: `a.py`

## Left open
- [ ] Expire them
{FOOT}"""
    )


@pytest.mark.parametrize(
    "snapshot",
    [
        {},
        {"rules": [], "start": []},
        {"rules": None, "start": [("Left open", [])]},
        {"rules": [None, 1, "x", {}, {"text": None}, {"text": 7}, {"text": " \n"}]},
        {"project": "x", "other": items("x")},
    ],
)
def test_nothing_to_say_is_nothing(snapshot):
    assert made(snapshot) == ""


texts = st.one_of(
    hostile,
    st.builds(lambda piece, times: piece * times, hostile, st.integers(1, 600)),
    st.builds(lambda times: "😀" * times, st.integers(1, 5_000)),
)
listed = st.lists(st.builds(lambda text: {"text": text}, texts), max_size=12)
snapshots = st.fixed_dictionaries(
    {},
    optional={
        "rules": listed,
        "start": st.lists(st.tuples(st.sampled_from(["Left open", "Found"]), listed), max_size=3),
    },
)


@settings(max_examples=120, deadline=None)
@given(snapshots, st.lists(texts, max_size=3), texts | st.just("/" + "é😀" * 3_000))
def test_it_never_is_too_long_and_its_frame_cannot_be_forged(snapshot, notices, vault):
    text = made(snapshot, *notices, vault=vault)
    assert len(text.encode("utf-16-le", "surrogatepass")) // 2 <= LIMIT
    if not text:
        return
    assert text.startswith(HEAD)
    assert text.endswith(f"\n{FOOT}")
    assert text.count(FOOT) == 1
    assert text.lower().count("</memoria") == 1
    assert text.count(MARK) == 2


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 3_000), min_size=1, max_size=30))
def test_items_are_whole_and_in_order(sizes):
    texts = [f"- {number:02} " + "😀x"[number % 2] * size for number, size in enumerate(sizes)]
    text = made({"rules": items(*texts), "start": [("Found", items(*texts))]})
    rules, _, found = text.partition("\n## Found")
    for part in (rules, found):
        held = [line for line in part.split("\n") if line.startswith("- ")]
        assert set(held) <= set(texts)
        assert held == sorted(held)


def test_rules_have_their_share_and_what_is_left_goes_on():
    many = items(*(f"- {number:04} {'x' * 90}" for number in range(200)))
    full = made({"rules": many, "start": [("Found", many)]})
    assert 5_320 < full.index("## Found") < 6_200
    assert 9_300 < count_units(full) <= LIMIT


def test_loading_it_in_the_hook_s_way_brings_no_module():
    code = (
        "import sys\nbefore = set(sys.modules)\n"
        f"sys.path.insert(0, {str(MODULE.parents[2])!r})\n"
        "import memoria.search.injection\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    run = subprocess.run(
        [sys.executable, "-S", "-E", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ},
    )
    brought = run.stdout.split()
    assert set(brought) == {
        *("__future__", "memoria", "memoria.search", "memoria.search.injection")
    }
