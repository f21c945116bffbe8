"""Make the page that a package index shows from README.md: there, links into docs/ lead nowhere.

With the repository's address (`repository` in pyproject.toml) they become whole addresses, and the
project's URLs are set; as long as it has none, links become plain text and the picture is left out.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

IMAGE = re.compile(r"!\[[^\]]*\]\((docs/[^)]+)\)\n*")
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((docs/[^)]+)\)")


class PackagePage(MetadataHookInterface):
    """Gives the package's metadata its description and its URLs."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill in what pyproject.toml calls dynamic."""
        root = Path(self.root)
        tools = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
        repository = tools["memoria"]["repository"]
        text = page((root / "README.md").read_text(encoding="utf-8"), repository)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
        metadata["urls"] = urls(repository)


def page(readme: str, repository: str) -> str:
    """Write the README so that it reads well away from the repository."""
    if not repository:
        return LINK.sub(r"\1", IMAGE.sub("", readme))
    whole = IMAGE.sub(
        lambda match: match[0].replace("docs/", f"{repository}/raw/main/docs/"), readme
    )
    return LINK.sub(rf"[\1]({repository}/blob/main/\2)", whole)


def urls(repository: str) -> dict[str, str]:
    """Give the project's URLs."""
    if not repository:
        return {}
    documents = f"{repository}/blob/main/docs"
    return {
        "Repository": repository,
        "Documentation": f"{documents}/index.md",
        "Changelog": f"{documents}/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }
