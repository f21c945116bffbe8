"""Give what a session that started now would be told, for `memoria doctor` and the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoria import refresh
from memoria.hooks.session_start import beside_rules
from memoria.search import injection

if TYPE_CHECKING:
    from memoria.workspace import Workspace


def preview(work: Workspace, project: str, folder: str = "") -> str:
    """Give the text of a start in a project, "" for none; `folder` has the branch it is on."""
    snapshot = refresh.read(work, project)
    snapshot["start"] = beside_rules(snapshot, folder)
    return injection.compose(snapshot, str(work.vault.root), "preview", [])
