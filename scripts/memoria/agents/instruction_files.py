"""Find the rules that files say which an agent loads by itself: they are not told again.

Lines are compared by their words: case, bullets and marks do not count, nor how often a rule that
was promoted there had been seen. The trap: a file may be large or no text at all, and this runs at
every start, so only its beginning is read.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# what each agent loads of a folder; of several in a row the first that is there
_FILES_BY_AGENT: dict[str, tuple[tuple[str, ...], ...]] = {
    "": (("CLAUDE.md",), ("CLAUDE.local.md",), (os.path.join(".claude", "CLAUDE.md"),)),
    "codex": (("AGENTS.override.md", "AGENTS.md"),),
    "copilot": (
        ("AGENTS.md",),
        ("CLAUDE.md",),
        (os.path.join(".github", "copilot-instructions.md"), "copilot-instructions.md"),
    ),
    "gemini": (("GEMINI.md",),),
    "opencode": (("AGENTS.md", "CLAUDE.md"),),
}
# a file that people keep for an agent has some KB; more than this is not read
_MAX_BYTES = 64 * 1024
# folders between a project's root and the one that a session starts in
_MAX_DEPTH = 12
# the last ones are of the lines that a promotion writes
_SIGNS = {ord(mark): " " for mark in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~\u26aa\U0001f7e1\U0001f7e2"}
_COUNT_MARK = " (seen "


def list_files(agent: str, home: str, cwd: str) -> list[str]:
    """Name the files that an agent loads for a session in that folder.

    `home` is the agent's own folder; `agent` is "" for Claude Code, which keeps notes of its own
    beside a project's transcripts, too.
    """
    paths = []
    for folder in [home] * bool(home) + _walk_upwards(cwd):
        for names in _FILES_BY_AGENT.get(agent, ()):
            candidates = [os.path.join(folder, name) for name in names]
            paths += [path for path in candidates if os.path.isfile(path)][:1]
    if home and cwd and not agent:
        slug = "".join(char if char.isascii() and char.isalnum() else "-" for char in cwd)
        paths.append(os.path.join(home, "projects", slug, "memory", "MEMORY.md"))
    return paths


def match_rules(paths: Iterable[str], rules: Mapping[str, str]) -> dict[str, str]:
    """Give those of the rules (id to words) that a line of a file says, each with that file."""
    sources: dict[str, str] = {}
    for path in paths if rules else ():
        for line in _read_lines(path):
            sources.setdefault(line, path)
    words = {name: _normalise_line(text) for name, text in rules.items()}
    return {name: sources[line] for name, line in words.items() if line in sources}


def _walk_upwards(cwd: str) -> list[str]:
    """Give a folder and those above it, up to the root of its repository."""
    folders = []
    folder = cwd
    for _ in range(_MAX_DEPTH if cwd else 0):
        folders.append(folder)
        parent = os.path.dirname(folder)
        if parent == folder or os.path.exists(os.path.join(folder, ".git")):
            break
        folder = parent
    return folders


def _read_lines(path: str) -> Iterable[str]:
    try:
        with open(path, "rb") as file:
            text = file.read(_MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return ()
    # Claude Code hides HTML comments from the model: a rule that stands in one is not told by it
    head, *parts = text.split("<!--")
    visible = "".join([head, *(part.partition("-->")[2] for part in parts)])
    lines = (line.partition(_COUNT_MARK)[0] for line in visible.splitlines())
    return filter(None, map(_normalise_line, lines))


def _normalise_line(line: str) -> str:
    return " ".join(line.translate(_SIGNS).casefold().split())
