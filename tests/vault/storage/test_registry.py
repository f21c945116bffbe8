"""A vault that is told in other letters, on a disk that takes them for one, as macOS has it."""

import json
import os

import pytest

from memoria.hooks import plugin, protocol
from memoria.vault.storage.registry import Registry


@pytest.fixture
def folding(monkeypatch):
    """A disk on which A is a; a path has the letters that it was asked for in, as on macOS."""
    monkeypatch.setattr(os.path, "samefile", lambda one, other: one.lower() == other.lower())


@pytest.fixture
def vaults(tmp_path):
    vaults = Registry()
    vaults.register(tmp_path / "memoria", vaults.choose_state_folder())
    return vaults


def test_it_has_one_state_by_whatever_letters_it_is_named(folding, vaults, tmp_path):
    other, state = tmp_path / "Memoria", vaults.state(tmp_path / "memoria")
    assert vaults.state(other) == state
    vaults.register(other, state)
    vaults.install(other)
    assert list(vaults.vaults()) == [str(tmp_path / "memoria")]
    assert vaults.find_vault_around(other / "daily") == other
    registry = plugin.read_registry(os.environ)
    assert registry["installed"] == str(tmp_path / "memoria")
    assert plugin.build_place(registry, str(other), os.environ).state == str(state)
    vaults.remove(other)
    assert not vaults.vaults()


def test_where_letters_count_there_are_two(vaults, tmp_path):
    assert vaults.state(tmp_path / "Memoria") is None
    vaults.register(tmp_path / "Memoria", vaults.choose_state_folder())
    assert len(vaults.vaults()) == 2


@pytest.fixture
def state(tmp_path):
    tmp_path.chmod(0o700)
    (tmp_path / "hooks.json").write_text(json.dumps({"vault": "/home/me/Memoria"}))
    return str(tmp_path)


def test_its_hooks_go_on_when_a_command_has_named_it_in_other_letters(folding, state):
    assert protocol.HookPlace("/home/me/memoria", state).snapshot is not None
    assert protocol.HookPlace("/home/me/other", state).snapshot is None


def test_the_state_of_another_vault_serves_no_hook(state):
    assert protocol.HookPlace("/home/me/memoria", state).snapshot is None
