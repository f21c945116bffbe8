"""Ask git who wrote which line of the notes, once for a person at a terminal.

A repository may be hostile (vault/storage/foreign_git.py). To blame ten thousand notes takes
minutes, so only those of several authors are blamed.
"""

from collections import defaultdict
from collections.abc import Collection
from pathlib import Path

from memoria.vault.storage.foreign_git import run_foreign_git
from memoria.vault.trust.known_lines import line_key

# what a line's author is called where git knows of none
UNKNOWN = "not in git's history"
# notes: a note has its authors by its log; of more than these with several no line is told apart
_MAX_BLAMED = 200


class Authorship:
    """Who wrote the lines of some notes; `paths` are relative to the vault."""

    def __init__(self, root: Path, paths: Collection[str]) -> None:
        """Ask git for the authors of each note, and of the lines of those with several."""
        self._root = root
        self._notes: dict[str, set[str]] = defaultdict(set)
        self._lines: dict[tuple[str, str], str] = {}
        self._read_log()
        shared_paths = sorted(path for path in paths if len(self._notes.get(path, ())) > 1)
        self._blamed = frozenset(path for path in shared_paths[:_MAX_BLAMED] if self._blame(path))

    def of(self, path: str, line: str) -> str:
        """Name the author of a line."""
        names = " or ".join(sorted(self._notes.get(path, ()))) or UNKNOWN
        if path not in self._blamed or path == f"knowledge/{line}.md":
            return names
        return self._lines.get((path, line_key(line)), UNKNOWN)

    def _read_log(self) -> None:
        text = run_foreign_git(
            self._root, "log", "--no-renames", "--name-only", "--relative", "--format=%x00%an <%ae>"
        )
        for commit in text.split("\0")[1:]:
            author, *names = commit.split("\n")  # a name may hold other line ends
            for name in filter(None, names):
                self._notes[name].add(author)

    def _blame(self, path: str) -> bool:
        options = ("--no-textconv", "--line-porcelain")
        text = run_foreign_git(self._root, "blame", *options, "HEAD", "--", path)
        name = mail = ""
        for row in text.split("\n"):
            if row.startswith("author "):
                name = row.removeprefix("author ")
            elif row.startswith("author-mail "):
                mail = row.removeprefix("author-mail ")
            elif row.startswith("\t"):
                # a title is the text of a heading, an entry's what follows the time in it
                for line in (row, row.lstrip("\t# "), row.partition(" - ")[2]):
                    self._lines[path, line_key(line)] = f"{name} {mail}"
        return bool(text)


def is_tracked(root: Path, name: str) -> bool:
    """Whether git has a file of the vault, so that a pull can bring it."""
    return bool(run_foreign_git(root, "ls-files", "--", name))
