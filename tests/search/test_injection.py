import os
import subprocess
import sys
from pathlib import Path

from cases import cased
from hypothesis import given, strategies as st
from notes import hostile

from memoria.search import injection
from memoria.search.injection import (
    LIMIT,
    SECTIONS,
    START_SHARE,
    choose_for_branch,
    compose,
    count_units,
    group_by_section,
)

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


@cased({"project": "x", "other": items("x")})
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


# -- The lines of a start --------------------------------------------------------------------------

DAY = "2026-03-01"


def line(name, branch="", section="found", text="- It is so", day=DAY):
    return {"id": name, "section": section, "branch": branch, "day": day, "text": text}


def ids(lines):
    return [one["id"] for one in lines]


OWN, OTHER, ALL = line("own", "ana/leases"), line("other", "ana/till"), line("all", "")
LINES = [OTHER, OWN, ALL]


def test_a_line_fits_its_branch_or_all():
    assert ids(choose_for_branch(LINES, "ana/leases", DAY)) == ["own", "all"]
    assert ids(choose_for_branch(LINES, "ana/new", DAY)) == ["all"]
    assert ids(choose_for_branch(LINES, "", DAY)) == ["all"]

    # what was left alone for long
    assert choose_for_branch(LINES, "ana/leases", "2026-03-02") == []


def test_lines_stand_under_their_headings_in_the_order_of_the_sections():
    mixed = [line("e", section="errors"), line("o", section="open"), line("s", section="stopped")]
    found = group_by_section(mixed)
    assert [heading for heading, _ in found] == [SECTIONS[n] for n in ("stopped", "open", "errors")]
    assert group_by_section([]) == []


def test_all_of_it_stays_within_its_share_in_whole_lines():
    many = [line(str(n), section="found", text=f"- {n} " + "x" * 400) for n in range(9)]
    short = line("last", section="errors", text="- short")
    found = group_by_section([*many, short])
    text = ""
    for heading, lines in found:
        text += f"\n## {heading}\n" + "".join(f"{one['text']}\n" for one in lines)
    assert START_SHARE - 450 < count_units(text) <= START_SHARE
    # a long line is passed over and a later, shorter one still comes
    wide = line("wide", section="stopped", text="- " + "x" * 2_600)
    assert [ids(lines) for _, lines in group_by_section([wide, short])] == [["last"]]


def test_room_that_the_rules_leave_is_filled():
    many = [line(str(n), section="found", text=f"- {n} " + "x" * 400) for n in range(20)]
    full, half, none = (len(group_by_section(many, used)[0][1]) for used in (4_000, 2_000, 0))
    assert (full, half, none) == (6, 11, 15)
    assert group_by_section(many, 9_000) == group_by_section(many)
