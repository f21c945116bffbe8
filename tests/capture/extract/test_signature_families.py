import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.capture.extract.signatures import families, family

NETWORK = [f"shell exit error: network {name} was not found" for name in ("web", "cache", "jobs")]


def together(*signatures):
    table = families(signatures)
    return len({table[one] for one in signatures}) == 1


@pytest.mark.parametrize(
    "signatures",
    [
        ("shell test Total is <n> (TestCart)", "shell test Total is <n> (TestCart_Empty)"),
        ("read not-found no file <path.py> here", "read not-found no file <path.go> here"),
        (
            "shell exception:TypeError load() got an unexpected keyword argument <q>",
            "shell exception:TypeError loadAll() got an unexpected keyword argument <q>",
        ),
        ("shell exit lost pod api-7d9f of web", "shell exit lost pod api-8c1a of web"),
        ("shell exit cannot open <path> <path> now", "shell exit cannot open <path> now"),
        tuple(NETWORK),
    ],
)
def test_near_signatures_are_a_family(signatures):
    assert together(*signatures)


@pytest.mark.parametrize(
    "signatures",
    [
        ("shell permission permission denied", "shell permission access denied"),
        tuple(NETWORK[:2]),  # two plain words in one place may be two causes
        ("shell test got <n>, want <n> (TestA)", "shell exit got <n>, want <n> (TestB)"),
        ("shell exit lost lease <hex> of web", "Edit exit lost lease <uuid> of web"),
        ("shell test FAIL TestCart", "shell test FAIL TestOrder"),
        (
            "shell exit cat: <path>: No such file",
            "shell exit grep: <path>: No such file",
            "shell exit tar: <path>: No such file",
        ),
        ("shell lint:x E501 line is too long", "shell lint:x E502 line is too long"),
    ],
)
def test_different_causes_are_not(signatures):
    table = families(signatures)
    assert all(table[one] == one for one in signatures)


def test_a_word_beside_what_is_known_to_vary_is_a_variable():
    assert together(
        "shell exit store getMain returned many rows", "shell exit store main returned many rows"
    )


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        ("branch commit main not open", "branch commit main not", True),
        ("branch commit main not open", "branch commit main not push", True),
        ("commit not", "commit main not", True),
        ("commit main not", "commit not trunk", False),
        ("branch commit main not", "lint run test", False),
    ],
)
def test_corrections_are_near_by_their_words(one, other, near):
    assert together(f"user correction {one}", f"user correction {other}") is near
    assert not together(f"user correction {one}", f"user correction:revert {other}")


def test_the_name_is_the_shortest_member_and_is_found_again():
    table = families(reversed(NETWORK))
    assert set(table.values()) == {"shell exit error: network web was not found"}
    # a name that was stored before the family grew leads to the new one
    grown = families([*NETWORK, "shell exit error: network db was not found"])
    assert family("shell exit error: network web was not found", grown) == grown[NETWORK[1]]
    assert family("never seen", grown) == "never seen"


def test_nothing_and_nearly_nothing():
    assert families([]) == {}
    assert set(families(["", "Bash", "shell exit", "user correction"])) == {
        "", "Bash", "shell exit", "user correction"
    }  # fmt: skip


WORDS = st.sampled_from(
    ["open", "the", "file", "main", "getMain", "<path>", "<n>", "web", "a-1", "no"]
)
LINES = st.lists(WORDS, max_size=7).map(" ".join)
SIGNATURES = st.tuples(st.sampled_from(["shell exit", "shell test", "user correction"]), LINES).map(
    " ".join
)


@given(st.lists(SIGNATURES, max_size=25), st.randoms())
def test_the_order_of_arrival_does_not_matter(signatures, rng):
    table = families(signatures)
    assert families(rng.sample(signatures, len(signatures))) == table
    assert families([*signatures, *signatures]) == table
    assert set(table) == set(signatures)
    assert all(table[name] == name for name in table.values())


@given(st.lists(SIGNATURES, max_size=20), st.lists(SIGNATURES, max_size=10))
def test_more_signatures_join_families_and_never_part_them(signatures, more):
    before, after = families(signatures), families([*signatures, *more])
    for one in before:
        assert after[one] == after[before[one]]


def test_ten_thousand_signatures_take_a_moment():
    many = [
        f"shell exit error {number}: host h{number % 97} is down again" for number in range(10_000)
    ]
    assert len(set(families(many).values())) == 1
