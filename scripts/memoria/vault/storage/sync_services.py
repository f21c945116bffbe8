"""Know what sync services make of a folder: copies of notes, placeholders, and whose it is.

A copy is another state of a note, from another machine: read as a note it would bring back what was
taken back. A vault may be synced; its state may not: locks and databases get torn by it.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

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
# Dropbox and Nextcloud, Syncthing, and what file managers name a second file
_COPY = re.compile(
    r"(?P<of>.+?)(?: \([^()/]*conflicted copy[^()/]*\)| conflicted copy[^/]*|\.sync-conflict-[^/]*)"
    r"(?P<end>\.md)",
    re.IGNORECASE,
)
_SECOND = re.compile(r"(?P<of>.+?)(?: [2-9]| \([1-9]\))(?P<end>\.md)")


def copies(paths: Iterable[str]) -> dict[str, str]:
    """Find the copies that a sync client made among the notes: copy -> what it is a copy of."""
    known = set(paths)
    found = {}
    # hardly any name has either, and there are ten thousand
    for path in sorted(one for one in known if " " in one or ".sync" in one.lower()):
        copy = _COPY.fullmatch(path)
        second = _SECOND.fullmatch(path)
        if copy:
            found[path] = copy["of"].rstrip() + copy["end"]
        elif second and second["of"] + second["end"] in known:
            found[path] = second["of"] + second["end"]
    return found


def is_placeholder(name: str) -> bool:
    """Whether iCloud keeps the content of a file elsewhere: `.plan.md.icloud` stands for it."""
    return name.startswith(".") and name.endswith(".icloud")


def service(folder: Path, environment: Mapping[str, str], home: Path) -> str:
    """Name the service that syncs a folder to other machines, as far as its name or marks tell."""
    place = folder.absolute()
    known = {Path(environment[name]): "OneDrive" for name in _ONEDRIVE if environment.get(name)}
    known |= dict.fromkeys(_dropboxes(home), "Dropbox")
    for path in (place, *place.parents):
        marked = (name for mark, name in _MARKS.items() if (path / mark).exists())
        found = known.get(path) or _named(path) or next(marked, "")
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


def _dropboxes(home: Path) -> Iterator[Path]:
    for name in _DROPBOX:
        # another program's file: what it says is taken only where it is as expected
        with suppress(OSError, ValueError, TypeError, AttributeError):
            accounts = json.loads((home / name).read_text(encoding="utf-8"))
            yield from [Path(account["path"]) for account in accounts.values() if "path" in account]
