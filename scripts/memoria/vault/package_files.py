"""Read the files that come with the package: prompts, the schema, the sample sessions."""

from pathlib import Path

from memoria.errors import MemoriaError

PACKAGE = Path(__file__).resolve().parents[1]
SAMPLES = PACKAGE / "samples"


def read_text(name: str) -> str:
    """Give the text of a file of the package, such as "prompts/flush.md"."""
    return (PACKAGE / name).read_text(encoding="utf-8")


def read_agents_file() -> str:
    """Give the AGENTS.md that a new vault gets."""
    for path in (PACKAGE / "AGENTS.md", PACKAGE.parents[1] / "AGENTS.md"):
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise MemoriaError("the installation lacks AGENTS.md; install memoria-compiler again")
