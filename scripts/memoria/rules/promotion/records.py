"""Records of the ledger -> Promotion: which rules stand in which other tool's file.

A rule that is rejected has to leave every file that it was promoted to, so the ledger remembers
them; of several records about a file the last one counts. The trap: a record may say more than the
file holds (it is written first), never less, so that nothing is forgotten in a file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memoria.vault.storage.history import PROMOTE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class Promotion:
    """The rules (by id) in a file: `path` is absolute and without links, `target` says its kind.

    `root` is the folder that was named: the project's, or the client's. `project` is the key of the
    project that the file serves, "" for all projects, `sha` the hash of the section as it was
    written: another one in the file is another machine's.
    """

    path: str
    target: str
    root: str
    project: str
    ids: tuple[str, ...] = ()
    sha: str = ""


def record(at: str, promotion: Promotion) -> dict[str, Any]:
    """Make the ledger's record of what a file is to hold from now on."""
    return {
        "kind": PROMOTE,
        "at": at,
        "target": promotion.target,
        "path": promotion.path,
        "root": promotion.root,
        "project": promotion.project,
        "ids": list(promotion.ids),
        "sha": promotion.sha,
    }


def promoted(records: Iterable[Mapping[str, Any]]) -> dict[str, Promotion]:
    """Fold the records, oldest first, into what stands where, by path; what is no such is left."""
    found: dict[str, Promotion] = {}
    for one in records:
        words = [one.get(name) for name in ("path", "target", "root", "project")]
        ids = one.get("ids")
        if one.get("kind") != PROMOTE or not isinstance(ids, list):
            continue
        if not all(isinstance(word, str) for word in words) or not words[0]:
            continue
        path, target, root, project = map(str, words)
        found.pop(path, None)
        if ids:
            names = tuple(name for name in ids if isinstance(name, str))
            found[path] = Promotion(path, target, root, project, names, str(one.get("sha") or ""))
    return found
