"""Lines -> turns: tables of short sessions, and the laws that hold for any of them."""

from datetime import timedelta

from cases import cased
from hypothesis import example, given, strategies as st
from transcript_lines import (
    START,
    WRITTEN,
    assistant,
    encode,
    fold,
    line,
    made,
    queue,
    result,
    say,
    shown,
    text,
    tool,
    user,
)

from memoria.agents.transcript import Call, Limits

STOP = "[Request interrupted by user]"


def only(records, **options):
    (part,) = fold(records, **options)
    return part


def turns(records, **options):
    return shown(only(records, **options))


def counts(part):
    return dict(part.skipped)


@cased()
def test_a_turn_is_a_prompt_and_all_until_the_next(session, expected):
    assert turns(made(*session)) == expected


@cased(
    (  # a queue that only grows is bounded
        [("queue", "enqueue", f"q{number}") for number in range(1000)]
        + [("queue", "remove")] * 1000,
        [f"q{number}" for number in range(980, 1000)],
    )
)
def test_what_is_typed_meanwhile_steers_the_turn_once(session, steers):
    ((prompt, *steps),) = turns([user("a"), *made(*session), say("x")])
    assert (prompt, steps) == ("a", [*(f"steer {words}" for words in steers), "say x"])


def test_sidechains_are_kept_only_when_they_are_what_is_read():
    session = [user("a"), user("look", isSidechain=True), say("found", isSidechain=True)]
    part = only(session)
    assert (shown(part), counts(part)) == ([("a",)], {"sidechain": 2})
    assert turns(session[1:], sidechain=True) == [("look", "say found")]


def test_what_is_left_out_is_counted_by_reason():
    session = [
        b"broken\n",
        user("a"),
        user("caveat", isMeta=True),
        say("overloaded", isApiErrorMessage=True),
        say("x", model="<synthetic>"),
        {"type": "hologram"},
        line("progress"),
        encode(user("caf#")).replace(b"#", b"\xe9"),
    ]
    assert counts(only(session)) == {
        "API error": 2,
        "invalid UTF-8": 1,
        "meta": 1,
        "no JSON": 1,
        "type hologram": 1,
    }


def test_lines_that_repeat_are_read_once():
    session = [user("a"), say("x"), user("b"), say("y")]
    part = only([*session, *session, user("c")])
    assert shown(part) == [("a", "say x"), ("b", "say y"), ("c",)]
    assert counts(part) == {"repeated": 4}


def test_turns_that_are_known_are_dropped_and_their_bytes_are_not():
    first, second = user("a"), user("b")
    session = [first, assistant(tool("c1")), result("c1"), second, say("y")]
    part = only([*session, user("c"), say("z")], known={first["uuid"], second["uuid"]})
    assert shown(part) == [("c", "say z")]
    assert part.start == 0
    assert counts(part) == {"known turn": 2}


def test_a_known_prompt_that_was_sent_again_is_still_known():
    first = user("a")
    session = [first, user([text(STOP)]), user("a"), say("x"), user("b")]
    assert turns(session, known={first["uuid"]}) == [("b",)]


def test_a_line_without_a_time_has_that_of_the_line_before_or_of_the_file():
    session = [user("a", timestamp="soon"), user("b", 7), say("x", timestamp=None)]
    first, second = only(session).turns
    assert first.at == WRITTEN
    assert second.until == START + timedelta(minutes=7)


def test_bookkeeping_of_a_later_day_does_not_hide_the_pause():
    later = queue("enqueue", "b", at=24 * 60)
    parts = fold([user("a"), say("x"), later, queue("dequeue", at=24 * 60), user("b", 24 * 60)])
    assert [shown(part) for part in parts] == [[("a", "say x")], [("b",)]]


# Laws. A session is a list of turns; each turn its prompt and pieces that lie within it.
WORDS = st.text(max_size=20).filter(str.strip)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("say"), WORDS),
        st.tuples(st.just("tool"), WORDS),
        st.tuples(st.just("steer"), WORDS),
        st.tuples(st.just("noise"), WORDS),
        st.tuples(st.just("broken"), st.binary(max_size=20)),
        st.tuples(st.just("compacted"), WORDS),
    ),
    max_size=5,
)
SESSIONS = st.lists(st.tuples(WORDS, st.integers(0, 2000), STEPS), max_size=6)


def written(session):
    """The lines of a session; prompts are numbered, so that none is a resend of another."""
    records, at = [], 0
    for number, (prompt, minutes, steps) in enumerate(session):
        at += minutes
        records.append(user(f"{number} {prompt}", at))
        for index, (kind, words) in enumerate(steps):
            records += _records(kind, words, f"c{number}-{index}", at)
    return [encode(record) for record in records]


def _records(kind, words, key, at):
    match kind:
        case "say":
            return [say(words, at)]
        case "tool":
            return [assistant(tool(key, command=words), at=at), result(key, words, at)]
        case "steer":
            return [queue("enqueue", words, at), queue("remove", at=at)]
        case "noise":
            return [{"type": "last-prompt", "lastPrompt": words}]
        case "compacted":
            return [user(words, at, isCompactSummary=True)]
        case _:
            return [words.replace(b"\n", b"") + b"\n"]


def all_turns(parts):
    return [turn for part in parts for turn in part.turns]


@given(SESSIONS, st.integers(1, 20_000))
@example([("a", 0, [("say", "x" * 20)] * 5)], 1)
@example([("a", 0, [("say", "x" * 20)] * 5), ("b", 0, [("tool", "y")])], 4000)
def test_parts_follow_each_other_and_lose_nothing(session, bound):
    lines = written(session)
    parts, whole = fold(lines, limits=Limits(part=bound)), fold(lines)
    ends = [0, *(part.end for part in parts)]
    assert [part.start for part in parts] == ends[:-1]
    assert ends[-1] == len(b"".join(lines))
    assert steps(parts) == steps(whole)
    for number, part in enumerate(parts[:-1]):
        if not any(turn.prompt for turn in parts[number + 1].turns[:1]):
            continue  # cut within a turn: its branch was said before
        again = fold(lines_from(lines, part.end), start=part.end, limits=Limits(part=bound))
        assert all_turns(again) == all_turns(parts[number + 1 :])


def lines_from(lines, offset):
    return [raw + b"\n" for raw in b"".join(lines)[offset:].split(b"\n")[:-1]]


def steps(parts):
    """Prompts and steps in one list, calls without results: a bound may cut within a turn."""
    found = []
    for turn in all_turns(parts):
        found += [turn.prompt] if turn.prompt else []
        found += [one.id if isinstance(one, Call) else one for one in turn.steps]
    return found


def test_a_turn_that_fills_a_part_is_not_cut_between_a_call_and_its_result():
    long = [say("x" * 900) for _ in range(4)]
    session = [user("a"), assistant(tool("c1")), *long, result("c1", "ok"), say("y"), user("b")]
    first, second = fold(session, limits=Limits(part=6000))
    assert shown(first)[0][:2] == ("a", "Bash ok")
    assert shown(second) == [("", "say y"), ("b",)]
    more = [say("x" * 900) for _ in range(12)]
    never = fold([user("a"), assistant(tool("c1")), *more], limits=Limits(part=6000))
    assert shown(never[0])[0][:2] == ("a", "Bash ?")
    assert len(never) > 1
