"""Name what sessions are about, by branch, title and edited files before the words of their lines.

A name is a few lower-case words: "shadow branch", "attribution". Who named it counts: a branch, a
plan and a commit were named on purpose, a file's name tells where the work was, and a phrase that
only recurs in lines has to recur often. A word that half of the sessions use is no subject.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from memoria.capture.extract.observing.commits import branch_words, is_trunk
from memoria.text.terms import GENERIC, STOP, split_words
from memoria.text.word_overlap import stems

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memoria.compile.points import Point
    from memoria.vault.entry import Entry, Extract

# titles that somebody gave; one that was guessed from the first prompt names nothing by itself
GIVEN = frozenset({"client", "plan", "pull-request", "commit"})
SHORTEST = 4  # letters: shorter words are abbreviations
FILES = 6  # of a session, the most edited first; the others were touched in passing
_PATH_PARTS = 3  # parts of a path: "src/app.py" is in many repositories
_TAIL = 3  # names at the end of a folder: with two of them, "code/app", many are called alike
_LAYOUT = frozenset("src packages apps app lib libs services code projects work workspace".split())  # noqa: SIM905 - a word list reads best as words
_TEST = re.compile(r"(?:^tests?[-_.]|[-_.](?:test|spec)s?$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TopicSource:
    """An entry as articles refer to it, with the lines it gives, the best first.

    `project` stands for all clones of its repository, `work` is the key of the work item that it
    belongs to, "" where it belongs to none.
    """

    entry: Entry
    extract: Extract | None
    project: str
    branch: str
    work: str
    points: tuple[Point, ...]

    @property
    def session(self) -> str:
        """The session, or the entry itself where a person wrote it."""
        return self.entry.session or self.entry.id


def find_names(source: TopicSource) -> frozenset[str]:
    """Find the names that somebody gave a source: in its branch, its title, its commits' scopes."""
    extract = source.extract
    title = source.entry.draft.title if extract is None or extract.titled_by in GIVEN else ""
    branch = "" if is_trunk(source.branch) else branch_words(source.branch)
    texts = (branch, *(extract.scopes if extract else ()), title)
    return frozenset(name for text in texts for name in extract_names(text))


def find_work_stems(source: TopicSource, title: str) -> frozenset[str]:
    """Give the stems of what names a work: its title, its branch and the files it edited."""
    files = source.extract.files[:FILES] if source.extract else ()
    texts = (title, source.entry.draft.title, branch_words(source.branch), *map(file_stem, files))
    return stems(" ".join(word for text in texts for word in split_words(text)))


@lru_cache(maxsize=2048)
def extract_names(text: str) -> frozenset[str]:
    """Find the names in a title, a branch or a file's name: its phrases, and words that tell."""
    words = split_words(text)
    pairs = (
        " ".join(pair)
        for pair in pairwise(words)
        if all(len(word) > 1 and word.isalpha() and word not in STOP for word in pair)
    )
    return frozenset((*pairs, *filter(is_telling, words)))


def is_telling(word: str) -> bool:
    """Whether a single word can name a thing of one project."""
    return len(word) >= SHORTEST and word.isalpha() and word not in GENERIC and word not in STOP


def file_stem(path: str) -> str:
    """Give a file's name without its endings and without what calls it a test."""
    return _TEST.sub("", path.rsplit("/", 1)[-1].split(".", 1)[0])


def checkout(project: str, branch: str) -> str:
    """Name the repository of a folder: a worktree, called as its branch, lies in that."""
    folder, _, name = project.rstrip("/").rpartition("/")
    is_worktree = name in {branch.rpartition("/")[2], branch.replace("/", "-")} - {""}
    return (folder.rpartition("/")[2] if is_worktree else "") or name


def map_clones(projects: Iterable[tuple[str, str, Sequence[str]]]) -> Mapping[str, str]:
    """Join projects that are clones of one repository; each comes with a branch and edited files.

    Folders of one name in which a file of the same folder was edited, deep below, are checkouts of
    one repository, and so are folders whose last three names are the same; and a folder called as
    its branch that lies beside one. Each is given the first of their names, a worktree's last. A
    name alone joins nothing, nor does a file at the top: each repository has its README.md.
    """
    parents: dict[str, str] = {}
    holders: dict[tuple[str, str], str] = {}

    def find_root(name: str) -> str:
        while parents.get(name, name) != name:
            name = parents[name]
        return name

    def join(*names: str) -> None:
        roots = sorted(map(find_root, names), key=lambda name: (name in worktrees, name))
        parents.update(dict.fromkeys(roots, roots[0]))

    rows = sorted(projects)
    worktrees = {row[0] for row in rows if checkout(*row[:2]) != checkout(row[0], "")}
    # what is called as its branch comes last, when all that it may lie beside is known
    for project, branch, files in sorted(rows, key=lambda row: row[0] in worktrees):
        folders = [path.rpartition("/")[0] for path in files if path.count("/") >= _PATH_PARTS]
        marks = [(checkout(project, branch), folder) for folder in folders]
        tail = project.rstrip("/").split("/")[-_TAIL:]
        if len(tail) == _TAIL and _LAYOUT.isdisjoint({tail[0], tail[-1]}):
            marks.append(("", "/".join(tail)))
        for mark in marks:
            join(holders.setdefault(mark, project), project)
        parent = f"{project.removesuffix(branch).rpartition('/')[0]}/"
        for folder in folders:
            if project not in worktrees:
                holders.setdefault((parent, folder), project)
            elif find_root(project) == project:  # it lies in none
                join(holders.get((parent, folder), project), project)
    return {project: find_root(project) for project in parents}
