"""One loopback server for all tests of this folder, and a room of its own for each."""

from functools import partial

import pytest
from client import needs_client
from keeper import Keeper
from loopback import Loopback

WHY_NOT = needs_client()


def pytest_collection_modifyitems(items):
    for item in items:
        if "tests/e2e/" in item.path.as_posix():
            item.add_marker(pytest.mark.e2e)
            # the report's page needs a browser and no client
            if WHY_NOT and item.path.name != "test_report.py":
                item.add_marker(pytest.mark.skip(reason=WHY_NOT))


@pytest.fixture(scope="session")
def server():
    with Loopback() as server:
        yield server


@pytest.fixture
def loop(server):
    """The server with an empty script; what was not meant for it fails the test."""
    server.script()
    yield server
    assert server.strays == []


@pytest.fixture
def room(request, loop, tmp_path):
    """A clean room of the kind that the tests' module names; what is left running is ended."""
    make = getattr(request.module, "ROOM", partial(Keeper, engine="offline"))
    with make(tmp_path, loop) as room:
        yield room
