"""A folder -> the name of the service that copies it to other machines, "" where none is seen.

A vault may be synced: it is Markdown. Its state may not: locks and databases that a sync
client copies while they are written get torn, and two machines' ledgers overwrite each other. The
trap: nothing tells for certain. Known are the folders' usual names, the marks that clients leave in
what they sync, and Dropbox's and OneDrive's own word for where they sync.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# how a folder's name begins, in lower case -> its service; names are Apple's, Google's, ...
_NAMES = {
    "dropbox": "Dropbox",
    "onedrive": "OneDrive",
    "google drive": "Google Drive",
    "googledrive": "Google Drive",
    "my drive": "Google Drive",
    "iclouddrive": "iCloud",
    "icloud drive": "iCloud",
    "com~apple~clouddocs": "iCloud",
    "nextcloud": "Nextcloud",
}
# two folders of macOS in which everything is some service's
_MOBILE, _CLOUD = "mobile documents", "cloudstorage"
# what a client leaves in the top folder of what it syncs
_MARKS = {
    ".stfolder": "Syncthing",
    ".dropbox.cache": "Dropbox",
    ".dropbox": "Dropbox",
    ".tmp.drivedownload": "Google Drive",
    ".nextcloudsync.log": "Nextcloud",
}
# where a name may be followed by an account: "OneDrive - Contoso", "Dropbox (Personal)"
_ENDINGS = ("", " ", "-", "(")
# Windows' OneDrive says in the environment which folders are its own
_ONEDRIVE = ("OneDrive", "OneDriveConsumer", "OneDriveCommercial")
# Dropbox writes here what it syncs, the second on Windows
_DROPBOX = (".dropbox/info.json", "AppData/Local/Dropbox/info.json")


def service(folder: Path, environment: Mapping[str, str], home: Path) -> str:
    """Name the service that syncs a folder, "" where none is seen."""
    place = folder.absolute()
    told = _told(environment, home)
    for path in (place, *place.parents):
        found = told.get(path) or _named(path) or _marked(path)
        if found and path != home:
            return found
    return ""


def _named(folder: Path) -> str:
    name, above = folder.name.casefold(), folder.parent.name.casefold()
    if above == _MOBILE:
        return "iCloud"
    for start, found in _NAMES.items():
        rest = name.removeprefix(start)
        if name.startswith(start) and rest[:1] in _ENDINGS:
            return found
    return folder.name if above == _CLOUD else ""


def _marked(folder: Path) -> str:
    return next((found for mark, found in _MARKS.items() if (folder / mark).exists()), "")


def _told(environment: Mapping[str, str], home: Path) -> dict[Path, str]:
    found = {Path(environment[name]): "OneDrive" for name in _ONEDRIVE if environment.get(name)}
    return found | dict.fromkeys(_dropboxes(home), "Dropbox")


def _dropboxes(home: Path) -> Iterator[Path]:
    for name in _DROPBOX:
        # another program's file: what it says is taken only where it is as expected
        with suppress(OSError, ValueError, TypeError, AttributeError):
            accounts = json.loads((home / name).read_text(encoding="utf-8"))
            yield from [Path(account["path"]) for account in accounts.values() if "path" in account]
