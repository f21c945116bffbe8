"""A clean environment for every test: no HOME, key or setting of the machine it runs on."""

import os

import pytest
from hypothesis import HealthCheck, settings
from place import Place

# how long an example takes says what else runs on the machine, and nothing of the code
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

STEERING = (
    "MEMORIA",
    "ANTHROPIC",
    "CLAUDE",
    "AWS_",
    "GOOGLE_",
    "VERTEX",
    "XDG_",
    "CODEX",
    "COPILOT",
)


@pytest.fixture(autouse=True)
def _clean_environment(request, monkeypatch, tmp_path_factory):
    if request.node.get_closest_marker("e2e"):
        return  # a room of its own, with a clean environment and a loopback server
    for name in list(os.environ):
        if name.startswith(STEERING):
            monkeypatch.delenv(name)
    # the states of all vaults lie in it, too
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("MEMORIA_TIMEZONE", "UTC")


@pytest.fixture
def place(tmp_path, monkeypatch, capsys):
    """A home and an initialised vault."""
    found = Place(tmp_path, capsys)
    found.home.mkdir()
    monkeypatch.setenv("HOME", str(found.home))
    code, _, _ = found.run("init")
    assert code == 0
    return found
