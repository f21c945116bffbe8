"""Keep the registry of vaults: a vault's real path, and the folder of this machine's state of it.

A vault is known by its real path alone, as an id would travel with the folder. hooks/plugin.py
reads the same file with the standard library.
"""

import json
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import platformdirs

from memoria.errors import VaultError
from memoria.vault.storage import disk
from memoria.vault.storage.child_environment import find_work_tree, is_same
from memoria.vault.storage.state import State

NAME = "registry.json"
_APP = "memoria"
_VERSION = 1
_BITS_OF_OTHERS = 0o077  # of a mode


def state_home() -> Path:
    """Give the folder with the registry and the states of all vaults on this machine."""
    return platformdirs.user_state_path(_APP, appauthor=False)


def config_home() -> Path:
    """Give the folder with the person's own settings of Memoria."""
    return platformdirs.user_config_path(_APP, appauthor=False)


def find_folder_fault(folder: Path) -> str:
    """Say why a folder cannot hold state: somebody else could write there; "" where it can."""
    try:
        status = folder.lstat()
    except FileNotFoundError:
        status = None
    except OSError as error:
        return f"it cannot be read: {error.strerror or error}"
    if status and not stat.S_ISDIR(status.st_mode):
        return "it is not a folder"
    if status and sys.platform != "win32":
        if status.st_uid != os.getuid():
            return "it belongs to somebody else"
        if status.st_mode & _BITS_OF_OTHERS:
            return f"others can use it: `chmod 700 {folder}`"
    tree = find_work_tree(str(folder))
    return f"it lies in the git work tree {tree}, which others may push to" if tree else ""


class Registry:
    """The vaults that were registered on this machine, with their states."""

    def __init__(self, home: Path | None = None) -> None:
        self.home = home or state_home()
        self._path = self.home / NAME

    def state(self, vault: Path) -> Path | None:
        """Give the state folder of a vault, None for one that is not registered."""
        vaults = self.vaults()
        return vaults.get(_vault_key(vault, vaults))

    def vaults(self) -> Mapping[str, Path]:
        """Give the state folder of each registered vault, by the vault's real path."""
        return {vault: self._state_path(entry) for vault, entry in self._read()["vaults"].items()}

    def find_vault_around(self, folder: Path) -> Path | None:
        """Find the registered vault that a folder lies in."""
        vaults, start = self.vaults(), Path(os.path.realpath(folder))
        paths = (start, *start.parents)
        return next((path for path in paths if _vault_key(path, vaults) in vaults), None)

    def list_gone_vaults(self) -> list[Path]:
        """List the registered vaults whose folder is not there any more, and whose state is."""
        paths = [Path(vault) for vault, state in self.vaults().items() if state.is_dir()]
        return [vault for vault in paths if not vault.exists()]

    def choose_state_folder(self) -> Path:
        """Name a folder for the state of a new vault; it is not made."""
        return self.home / os.urandom(8).hex()

    def register(self, vault: Path, state: Path) -> None:
        """Say that a vault's state lies there; VaultError where another vault has that folder."""
        with self._open_for_change() as value:
            key = _vault_key(vault, value["vaults"])
            owners = {self._state_path(entry): name for name, entry in value["vaults"].items()}
            owner = owners.get(state, key)
            if owner != key:
                raise VaultError(f"{state} holds the state of {owner}: name another folder")
            is_own = state.parent == self.home
            other = {"id": os.urandom(8).hex(), "state": str(state)}
            value["vaults"][key] = {"id": state.name} if is_own else other

    def move(self, old: Path, new: Path) -> None:
        """Give the state of a vault that was moved to the folder where it lies now."""
        with self._open_for_change() as value:
            state, key = value["vaults"].pop(str(old)), _vault_key(new, value["vaults"])
            value["vaults"][key] = state
            if value.get("installed") == str(old):
                value["installed"] = key

    def remove(self, vault: Path) -> None:
        """Forget a vault; its folders stay as they are."""
        with self._open_for_change() as value:
            value["vaults"].pop(_vault_key(vault, value["vaults"]), None)

    def install(self, vault: Path | None) -> None:
        """Say which vault the hooks of all projects serve, None for none: the plugin reads it."""
        key = _vault_key(vault, self._read()["vaults"]) if vault else ""
        if self._read().get("installed", "") != key:
            with self._open_for_change() as value:
                value["installed"] = key

    def _state_path(self, entry: Mapping[str, str]) -> Path:
        return Path(entry["state"]) if entry.get("state") else self.home / entry["id"]

    def _read(self) -> dict[str, Any]:
        if fault := find_folder_fault(self.home):
            raise VaultError(f"{self.home} cannot hold the state of vaults: {fault}")
        data = disk.read(self._path)
        try:
            value: Any = json.loads(data) if data is not None else {"v": _VERSION, "vaults": {}}
            if value["v"] == _VERSION and all(entry["id"] for entry in value["vaults"].values()):
                return dict(value)
        except (ValueError, TypeError, KeyError, AttributeError):
            pass
        raise VaultError(
            f"{self._path} is damaged: move it away, then `memoria init VAULT --state DIR` for each"
            f" vault, DIR being its folder in {self.home}"
        )

    @contextmanager
    def _open_for_change(self) -> Iterator[dict[str, Any]]:
        disk.make_folder(self.home)
        with State(self.home).lock("registry"):
            value = self._read()
            yield value
            # escapes keep a path that is not UTF-8 as it is
            disk.replace(self._path, json.dumps(value, indent=1).encode() + b"\n")


def _vault_key(vault: Path, vaults: Iterable[str]) -> str:
    """Give the path that a vault is registered by, or is to be; it may be told in other letters."""
    key = os.path.normcase(os.path.realpath(vault))
    paths = [*vaults]
    return key if key in paths else next((path for path in paths if is_same(path, key)), key)
