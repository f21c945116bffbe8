"""Recognise sync clients: the services that copy a folder, and the copies that they leave in it.

A vault may be synced: it is Markdown. Its state may not: locks and databases that a sync client
copies while they are written get torn, and two machines' ledgers overwrite each other. Nothing
tells for certain which folders are synced; known are their usual names, the marks that clients
leave in them, and Dropbox's and OneDrive's own word.

A copy that a client made of a note is another state of it, from another machine: read as a note of
its own it would bring back what was mended or taken back, and count twice. So it is reported and
not read. "Plan 2.md" is such a copy only beside a "Plan.md".
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


def service(folder: Path, environment: Mapping[str, str], home: Path) -> str:
    """Name the service that syncs a folder, "" where none is seen."""
    place = folder.absolute()
    told = _told(environment, home)
    for one in (place, *place.parents):
        found = told.get(one) or _named(one) or _marked(one)
        if found and one != home:
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
            yield from [Path(one["path"]) for one in accounts.values() if "path" in one]


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
