from cases import cased
from hypothesis import given, strategies as st

from memoria.capture.extract.signatures import (
    LONGEST,
    build_signature,
    group_families,
    mask,
)


@cased()
def test_mask(line, expected):
    assert mask(line) == expected


# A masked line is a fixed point but for its own marks, so a stored signature can be masked again.
@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="<>"), max_size=300))
def test_masking_is_bounded_and_has_no_line_break(line):
    masked = mask(line)
    assert "\n" not in masked
    assert len(build_signature("Bash", "exit", masked)) <= LONGEST


def test_the_same_error_in_another_place_has_the_same_mask():
    first = "/tmp/a1/main.py:10: error 3 in 'x' at 10:11:12"
    second = "/home/b/other.py:999: error 47 in 'a longer one' at 23:00:01"
    assert mask(first) == mask(second)


def test_long_hostile_lines_are_masked_quickly():
    for piece in ("a.", "/a", "'", "0x", "1,", "<n> ", "::a", "@a.", "-a_", "`", "a.b/c "):
        assert len(mask(piece * 60_000)) <= LONGEST * 5 * 3


NETWORK = [f"shell exit error: network {name} was not found" for name in ("web", "cache", "jobs")]


def together(*signatures):
    table = group_families(signatures)
    return len({table[one] for one in signatures}) == 1


@cased(tuple(NETWORK))
def test_near_signatures_are_a_family(signatures):
    assert together(*signatures)


@cased(
    # two plain words in one place may be two causes
    tuple(NETWORK[:2])
)
def test_different_causes_are_not(signatures):
    table = group_families(signatures)
    assert all(table[one] == one for one in signatures)


@cased()
def test_corrections_are_near_by_their_words(one, other, near):
    assert together(f"user correction {one}", f"user correction {other}") is near
    assert not together(f"user correction {one}", f"user correction:revert {other}")


def test_the_name_is_the_shortest_member_and_is_found_again():
    table = group_families(reversed(NETWORK))
    assert set(table.values()) == {"shell exit error: network web was not found"}
    # a name that was stored before the family grew leads to the new one
    grown = group_families([*NETWORK, "shell exit error: network db was not found"])
    assert grown["shell exit error: network web was not found"] == grown[NETWORK[1]]


WORDS = st.sampled_from(
    ["open", "the", "file", "main", "getMain", "<path>", "<n>", "web", "a-1", "no"]
)
LINES = st.lists(WORDS, max_size=7).map(" ".join)
SIGNATURES = st.tuples(st.sampled_from(["shell exit", "shell test", "user correction"]), LINES).map(
    " ".join
)


@given(st.lists(SIGNATURES, max_size=25), st.randoms())
def test_the_order_of_arrival_does_not_matter(signatures, rng):
    table = group_families(signatures)
    assert group_families(rng.sample(signatures, len(signatures))) == table
    assert group_families([*signatures, *signatures]) == table
    assert set(table) == set(signatures)
    assert all(table[name] == name for name in table.values())


@given(st.lists(SIGNATURES, max_size=20), st.lists(SIGNATURES, max_size=10))
def test_more_signatures_join_families_and_never_part_them(signatures, more):
    before, after = group_families(signatures), group_families([*signatures, *more])
    for one in before:
        assert after[one] == after[before[one]]


def test_ten_thousand_signatures_take_a_moment():
    many = [
        f"shell exit error {number}: host h{number % 97} is down again" for number in range(10_000)
    ]
    assert len(set(group_families(many).values())) == 1
