from dataclasses import replace
from datetime import date, datetime

import pytest
from cases import cased
from hypothesis import given, strategies as st
from notes import DAY, active, entry, hostile

from memoria.text.markdown import make_inert
from memoria.vault.daily_log import digest, parse_blocks, place, render, tick_action
from memoria.vault.entry import Draft

FULL = entry(
    1,
    title="Session tokens",
    context="The login failed on `main`.",
    exchanges=("Why does it fail? -> The clocks differ.",),
    decisions=("Expiry is kept in UTC, because servers move.",),
    lessons=("`tokens.py` compared local time with UTC.", "A second one."),
    actions=("Rotate the keys.",),
)
TEXT = """\
### Session (10:01) - Session tokens

^e-000000000001

<!-- memoria {"sha": "%s", "project": "github.com/ana/shop", \
"session": "s-1", "engine": "offline"} -->

**Context:** The login failed on `main`.

**Key Exchanges:**
- Why does it fail? -> The clocks differ.

**Decisions Made:**
- Expiry is kept in UTC, because servers move.

**Lessons Learned:**
- `tokens.py` compared local time with UTC.
- A second one.

**Action Items:**
- [ ] Rotate the keys.
"""
BETTER = replace(FULL, draft=replace(FULL.draft, lessons=("Much better.",)))
OTHER = entry(2, title="Another", lessons=("Something else.",))
words = st.text(max_size=30) | hostile
drafts = st.builds(
    Draft,
    title=words,
    context=words,
    exchanges=st.tuples(words),
    decisions=st.tuples(words, words),
    lessons=st.tuples(words),
    actions=st.tuples(words),
)
entries = st.builds(
    lambda draft, project: replace(FULL, draft=draft, project=project), drafts, words
)
# logs that people leave behind: with blocks of ours, fences, their own notes
logs = (
    st.lists(
        st.sampled_from(
            [
                *("# Daily Log: 2026-04-01\n", "## Sessions\n", "## Notes\n", "# mine\n", "\n"),
                *("a note\n", "a note", "```\n", "~~~\n", "  ", "\r\n", "\ufeff", "\u2028", "<!--"),
                *("### Session (09:15) - by hand\n", "### Session\n", "**Lessons Learned:**\n"),
                *("- a lesson\n", render(OTHER), render(OTHER).replace("\n", "\r\n")),
            ]
        ),
        max_size=12,
    ).map("".join)
    | hostile
)


def log(*parts):
    return "# Daily Log: 2026-04-01\n\n## Sessions\n\n" + "\n".join(parts)


def only(text):
    (block,) = parse_blocks(text, DAY)
    return block


def test_a_block_is_written_as_agents_md_shows_it():
    assert render(FULL) == TEXT % digest(FULL)
    assert place("", FULL).text == log(TEXT % digest(FULL))


@given(entries)
def test_every_entry_comes_back_inert_and_unedited(one):
    block = only(place("", one).text)
    assert not block.edited
    assert block.entry.id == one.id
    # half a character cannot be written to a file, so it never comes from one
    if not any("\ud800" <= char <= "\udfff" for char in one.project):
        assert block.entry.project == one.project
    old, new = one.draft, block.entry.draft
    assert new.title == (make_inert(old.title) or "Untitled")
    assert new.context == make_inert(old.context)
    for name in ("exchanges", "decisions", "lessons", "actions"):
        assert getattr(new, name) == tuple(filter(None, map(make_inert, getattr(old, name))))
    shown = "\n".join(line for line in render(one).split("\n") if not line.startswith("<!-- "))
    assert not active(shown)
    (comment,) = (line for line in render(one).split("\n") if line.startswith("<!--"))
    assert comment.endswith(" -->")
    assert "--" not in comment[4:-3]


@given(logs, entries)
def test_delivery_is_exactly_once_and_touches_nothing_else(text, one):
    first = place(text, one)
    assert first.outcome in {"added", "kept", "edited", "replaced"}
    again = place(first.text, one)
    assert again.outcome in {"kept", "edited"}
    assert again.text == first.text
    assert [block.entry.id for block in parse_blocks(first.text, DAY)].count(one.id) <= 1
    if first.outcome == "added":
        found = parse_blocks(first.text, DAY)
        (new,) = (block for block in found if block.entry.id == one.id)
        rest = first.text[: new.start] + first.text[new.end :]
        if text.strip():
            assert rest.split() == text.split()
        # by the clock among ours
        assert not any(
            block.written and block.start and block.entry.at > one.at
            for block in found[: found.index(new)]
        )


@given(logs)
def test_the_blocks_of_any_text_lie_in_order_and_have_ids_of_their_own(text):
    found = parse_blocks(text, DAY)
    places = [at for block in found for at in (block.start, block.end)]
    assert places == sorted(places)
    assert len({block.entry.id for block in found}) == len(found)
    for block in found:
        assert text[block.start : block.end].lstrip("\ufeff").startswith("### Session")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@cased()
def test_a_better_entry_replaces_the_block_and_not_a_byte_around_it(before, after, end):
    better = replace(BETTER, engine="claude")
    block, new = render(FULL).rstrip("\n"), render(better).rstrip("\n")
    text = log(before + block + after).replace("\n", end)
    placed = place(text, better)
    assert placed.outcome == "replaced"
    assert placed.text == log(before + new + after).replace("\n", end)
    assert place(placed.text, better).outcome == "kept"


EDITS = {
    "one character": lambda text: text.replace("clocks differ", "clocks differed"),
    "the title": lambda text: text.replace("Session tokens", "Tokens"),
    "a line more": lambda text: text + "- [ ] And one of mine.\n",
    "a line less": lambda text: text.replace("- A second one.\n", ""),
    "trailing spaces": lambda text: text.replace("servers move.", "servers move.  "),
    "a rule below": lambda text: text + "\n---\n",
    "no hash": lambda text: text.replace(f'"sha": "{digest(FULL)}", ', ""),
    "another heading": lambda text: text.replace("### Session (10:01) - ", "#### "),
    "no heading": lambda text: text.replace("### Session (10:01) - Session tokens\n", ""),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_what_a_person_edited_is_never_replaced(edit):
    text = edit(place("", FULL).text)
    assert place(text, BETTER) == place(text, FULL)
    assert place(text, BETTER).text == text
    assert place(text, BETTER).outcome == "edited"


@given(st.data())
def test_no_change_of_one_character_is_lost(data):
    text = place("", FULL).text
    at = data.draw(st.integers(text.index("### Session") + 4, len(text) - 2))
    char = data.draw(st.sampled_from("x #\n-é"))
    edited = text[:at] + char + text[at + 1 :]
    placed = place(edited, BETTER)
    if edited == text.replace("- [ ]", "- [x]"):
        assert "- [x] Rotate the keys." in placed.text  # a tick is kept in whatever replaces it
    elif placed.outcome == "replaced":
        # only the id and the comment, with the blank lines around them, are Memoria's alone
        assert edited == text or text.index("\n\n^e-") < at < text.index("**Context")
    else:
        assert placed.text.startswith(edited)


def test_a_tick_stays_with_its_item_where_another_one_begins_as_it_does():
    both = ("Add tests for the parser", "Add tests")
    old = replace(FULL, draft=replace(FULL.draft, actions=both))
    text = tick_action(place("", old).text, "Add tests")
    grown = place(text, replace(old, draft=replace(old.draft, title="Another title")))
    assert grown.outcome == "replaced"
    assert grown.text.endswith("- [ ] Add tests for the parser\n- [x] Add tests\n")


def test_without_id_and_comment_a_block_is_a_person_s_and_delivery_adds_it_again():
    text = place("", FULL).text
    bare = "\n".join(line for line in text.split("\n") if not line.startswith(("<!--", "^")))
    placed = place(bare, FULL)
    assert placed.outcome == "added"
    assert placed.text.startswith(bare)
    mine, ours = parse_blocks(placed.text, DAY)
    assert mine.entry.id.startswith("h-")
    assert mine.entry.engine == "hand"
    assert mine.entry.draft == ours.entry.draft


def test_a_project_that_was_mended_by_hand_stays():
    text = place("", FULL).text.replace("github.com/ana/shop", "github.com/ana/till")
    assert place(text, FULL) == place(text, replace(FULL, engine="claude"))
    assert place(text, FULL).outcome == "kept"
    placed = place(text, BETTER)
    assert placed.outcome == "replaced"
    assert only(placed.text).entry.project == "github.com/ana/till"


def test_a_block_that_a_person_copied_is_an_entry_of_its_own():
    text = place("", FULL).text
    copied = text + "\n" + render(FULL).replace("clocks", "watches")
    first, second = parse_blocks(copied, DAY)
    assert first.entry.id == FULL.id
    assert second.entry.id.startswith("h-")
    assert place(copied, FULL).outcome == "kept"
    before = "### Session (08:00) - early\n\n"
    ids = [
        block.entry.id for block in parse_blocks(copied.replace("### ", before + "### ", 1), DAY)
    ]
    assert ids[1:] == [first.entry.id, second.entry.id]


@cased()
def test_which_headings_are_sessions(text, found):
    assert [block.entry.draft.title for block in parse_blocks(text, DAY)] == found


def test_a_fence_that_a_person_forgot_to_close_hides_nothing_of_ours():
    text = log(render(OTHER), "```\nforgotten\n")
    later = replace(FULL, at=OTHER.at)
    placed = place(text, later)
    assert [block.entry.id for block in parse_blocks(placed.text, DAY)] == [OTHER.id, FULL.id]
    closed = placed.text + "\n## Notes\n\n```\ncode\n```\n"
    assert [block.entry.id for block in parse_blocks(closed, DAY)] == [OTHER.id, FULL.id]
    assert place(closed, later).outcome == "kept"


def test_the_words_of_a_block_by_hand():
    text = """### Session (9:05) - Standup

We talked about the release.
It is on Friday.

- the freeze begins on Wednesday
  for all branches
- [ ] ask Bo

**Decisions Made:**
No new features.

**Action Items:**
- [x] cut the branch
- [ ] write notes
"""
    found = only(text).entry
    assert found.at == datetime.fromisoformat("2026-04-01T09:05")
    assert (found.project, found.session, found.engine) == ("", "", "hand")
    assert found.draft == Draft(
        "Standup",
        "We talked about the release. It is on Friday.",
        decisions=("No new features.",),
        lessons=("the freeze begins on Wednesday for all branches", "ask Bo"),
        actions=("write notes",),
    )


def test_an_item_that_is_done_is_no_edit_and_stays_done():
    (item,) = FULL.draft.actions
    text = tick_action(place("", FULL).text, item)
    assert f"- [x] {item}" in text
    (block,) = parse_blocks(text, FULL.day)
    assert not block.edited
    assert block.entry.draft.actions == ()
    grown = place(text, BETTER)
    assert grown.outcome == "replaced"
    assert f"- [x] {item}" in grown.text
    assert tick_action(text, item) == tick_action(text, "Nobody wrote this.") == text


@pytest.mark.parametrize(
    ("heading", "at"),
    [("(9:05)", "09:05"), ("(23:59)", "23:59"), ("(99:99)", "23:59"), ("", "00:00")],
)
def test_a_time_that_is_none_is_the_nearest(heading, at):
    assert f"{only(f'### Session {heading} - x').entry.at:%H:%M}" == at


def test_a_log_of_many_copies_is_read_in_linear_time():
    many = parse_blocks("### Session (10:00) - x\n" * 20_000, date(2026, 3, 2))
    assert len({block.entry.id for block in many}) == 20_000
