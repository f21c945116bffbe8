import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.capture.extract.signatures import LONGEST, families, family, mask, signature


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("open /home/ann/app/conf.yaml: no such file", "open <path.yaml>: no such file"),
        (r"cannot read C:\Users\ann\x.json", "cannot read <path.json>"),
        ("src/lib.rs:12:7: mismatched types", "<path.rs>: mismatched types"),
        ("job 1f0c9e0a-6f1b-4c1e-9a77-0d5a5b5c9f11 lost", "job <uuid> lost"),
        ("at 2031-05-06T07:08:09.123Z died", "at <time> died"),
        ("GET https://example.com/a?b=1 gave 502", "GET <url> gave <n>"),
        ("connect to 10.0.0.1:5432 refused", "connect to <ip> refused"),
        ("bad object 9fceb02d0ae598e95dc970b74767f19372d61af8", "bad object <hex>"),
        ("took 3.5s, limit 200ms", "took <n>, limit <n>"),
        ("No module named 'yaml'", "No module named <q>"),
        ("it doesn't match and we can't go on", "it doesn't match and we can't go on"),
        ("\x1b[31merror\x1b[0m: boom", "error: boom"),
        ("TestParse_Empty/case_2 failed", "<test> failed"),
        ("tests/a_test.py::test_sum[1-2] failed", "<test> failed"),
        ("tests/a_test.py::TestSum::test_one failed", "<test> failed"),
        ("tests/a_test.py::TestSum failed", "<test> failed"),
        ("no version 1.20.3-rc1 of it", "no version <n> of it"),
        ("no answer from db.example.com:5432", "no answer from <host>"),
        ("no answer from localhost:80 yet", "no answer from <host> yet"),
        ("app.config.dev is not set", "app.config.dev is not set"),
        ("org.example.Store not loaded", "org.example.Store not loaded"),
        ("a, 1, 2, 3 and 4", "a, <n> ..."),
        ("read/write and/or 1.5", "read/write and/or <n>"),
        ("rule E501 of ruff, TS2322 of tsc", "rule E501 of ruff, TS2322 of tsc"),
        ("HTTP 404 from server", "HTTP <n> from server"),
    ],
)
def test_mask(line, expected):
    assert mask(line) == expected


# A masked line is a fixed point but for its own marks, so a stored signature can be masked again.
@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="<>"), max_size=300))
def test_masking_is_bounded_and_has_no_line_break(line):
    masked = mask(line)
    assert "\n" not in masked
    assert len(signature("Bash", "exit", masked)) <= LONGEST


def test_the_same_error_in_another_place_has_the_same_mask():
    first = "/tmp/a1/main.py:10: error 3 in 'x' at 10:11:12"
    second = "/home/b/other.py:999: error 47 in 'a longer one' at 23:00:01"
    assert mask(first) == mask(second)


def test_long_hostile_lines_are_masked_quickly():
    for piece in ("a.", "/a", "'", "0x", "1,", "<n> ", "::a", "@a.", "-a_", "`", "a.b/c "):
        assert len(mask(piece * 60_000)) <= LONGEST * 5 * 3


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
