import pytest

from memoria.rules.merge.exchanged_roles import crossed, limited, roles


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The worker calls the scheduler", "The scheduler calls the worker"),
        ("Domain code may import adapters", "Adapters may import domain code"),
        ("Copy data from production to staging", "Copy data from staging to production"),
        ("Convert strings to bytes", "Convert bytes to strings"),
        ("Rebase main onto the branch", "Rebase the branch onto main"),
        ("Use one class per module", "Use one module per class"),
        ("Read from replicas, write to the primary", "Read from the primary, write to replicas"),
        ("Keep client state in the server cache", "Keep server state in the client cache"),
        ("Validate at the boundary, trust inside", "Trust at the boundary, validate inside"),
        (
            "The client must check the server certificate",
            "The server must check the client certificate",
        ),
    ],
)
def test_exchanged_parts(one, other):
    assert crossed(roles(one), roles(other))
    assert crossed(roles(other), roles(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The worker calls the scheduler", "The scheduler is called by the worker"),
        ("Document public functions", "Public functions should be documented"),
        ("Mock the clock in date tests", "Date tests mock the clock"),
        ("Lint and format code", "Format and lint code"),
        (
            "Use it for private fields and local variables",
            "Use it for local variables and private fields",
        ),
        ("Pin provider and module versions", "Pin module and provider versions"),
        ("Use async database drivers", "Prefer asynchronous drivers for the database"),
        ("Under load, raise the pool size", "Raise the pool size under load"),
        ("Store sessions server-side", "Sessions should be stored server-side"),
    ],
)
def test_another_order_of_words_exchanges_nothing(one, other):
    assert not crossed(roles(one), roles(other))


@pytest.mark.parametrize(
    ("one", "other", "differs"),
    [
        ("Select only the columns", "Select all columns", True),
        ("Report the first error", "Report every error", True),
        ("Log every request", "Log all requests", False),
        ("Log every request", "Log requests", False),
    ],
)
def test_all_and_some(one, other, differs):
    assert limited(roles(one), roles(other)) is differs
    assert limited(roles(other), roles(one)) is differs
