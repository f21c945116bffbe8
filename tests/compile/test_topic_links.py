"""Which topics are linked, and when two of them get an article on what unites them."""

from vaulted import Vault, entry, extract, fact

BOTH = (
    "The retry budget of an idle lease table is refilled because renewals count as calls.",
    "A stale lease table hides the retry budget, since both are read from one snapshot.",
    "Without a lease table the retry budget would be spent twice after a failover.",
    "Probes skip the lease table, so that the retry budget stays whole.",
)
BUDGET = (
    "The retry budget must survive deploys, otherwise load doubles at noon.",
    "A retry budget of zero disables backoff, which hid an outage.",
    "Floats in a retry budget are cut silently by the parser.",
    "Hedged calls never spend a retry budget because they have no token.",
)
TABLE = (
    "The lease table is sorted by age since the oldest is reaped first.",
    "A lease table without an index stalled because every reap scans all rows.",
    "Rows of the lease table outlive their worker when a guest is paused.",
    "Only the broker writes to the lease table, so workers see it late.",
)


def united():
    made = Vault()
    for number, texts in enumerate(zip(BOTH, BUDGET, TABLE, strict=True)):
        made.add(entry(number, number), extract(*map(fact, texts)))
    return made


def test_lines_that_speak_of_two_terms_make_a_connection():
    made = united()
    made.compile_all()
    path = "connections/lease-table-and-retry-budget"
    assert {"concepts/lease-table", "concepts/retry-budget", path} == set(made.articles)
    article = made.articles[path]
    assert article.title == "Connection: Lease table and Retry budget"
    assert article.names("connects") == ("concepts/lease-table", "concepts/retry-budget")
    assert len(made.lines(path)) == len(BOTH)
    assert "lines of" in article.lead


def test_a_connection_grows_with_the_next_line_that_unites_them():
    made = united()
    made.compile_all()
    line = "Restores rebuild the lease table before the retry budget, because of locks."
    made.add(entry(9, 9), extract(fact(line)))
    made.compile(made.entries[-1:])
    assert line in made.lines("connections/lease-table-and-retry-budget")
    assert made.compile(made.entries[-1:]).articles == ()


def test_terms_that_meet_once_are_not_connected():
    made = Vault()
    for number, texts in enumerate(zip(BUDGET, TABLE, BOTH[:1] * 4, strict=True)):
        made.add(entry(number, number), extract(*map(fact, texts)))
    made.compile_all()
    assert not any(path.startswith("connections/") for path in made.articles)


def test_topics_with_lines_in_common_are_linked_both_ways():
    made = Vault()
    lines = [fact(text) for text in (*BUDGET, BOTH[3])]
    made.add(entry(0, 0), extract(*lines))
    made.add(entry(1, 1), extract(*map(fact, BOTH[:3]), fact(TABLE[0]), branch="leases"))
    made.compile_all()
    related = {path: one.section("Related Concepts") for path, one in made.articles.items()}
    assert set(related) >= {"concepts/leases", "concepts/retry-budget"}
    assert "[[concepts/leases]] - 3 lines in common" in related["concepts/retry-budget"], related
    assert "[[concepts/retry-budget]]" in related["concepts/leases"]


def test_where_nothing_else_unites_files_do():
    made = Vault()
    for number, (branch, text) in enumerate((("one", "Lease"), ("two", "Quota"))):
        facts = [
            fact(f"{text} {what} because {why} is {how}.")
            for what, why, how in (
                ("stalls", "its clock", "late"),
                ("leaks", "the pool", "shared"),
                ("forks", "a worker", "gone"),
                ("rots", "nobody", "there"),
            )
        ]
        made.add(entry(number, number), extract(*facts, branch=branch, files=("src/pool.py",)))
    made.compile_all()
    assert "[[concepts/one]] - edited `pool.py` too" in made.articles["concepts/two"].section(
        "Related Concepts"
    )
