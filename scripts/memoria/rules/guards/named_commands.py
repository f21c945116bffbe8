"""A rule's words for commands, options and paths -> the words by which a call of them is known.

The trap: many programs have the name of an English word, so those are read only between backticks.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

# programs whose name in a rule is a command: no words of English, and those only in backticks
PLAIN = frozenset(
    """git npm npx pnpm yarn pip pip3 pipx pipenv uv uvx poetry conda pytest tox nox cargo eslint
    prettier mypy pyright pylint flake8 ruff rg grep sed awk curl wget gh terraform kubectl mvn sudo
    docker-compose jest vitest chmod chown rsync brew apt-get bun deno tsc python3""".split()  # noqa: SIM905 - a list of words is read as text
)
_MARKED = PLAIN | frozenset(
    """go make docker python node rm mv cp cat head tail less more find ls bundle rails php composer
    dotnet swift flutter helm aws gcloud ansible black biome just nx hatch pdm bash sh ssh kill
    pre-commit psql mysql redis-cli supabase prisma vercel systemctl""".split()  # noqa: SIM905 - as above
)
# they only pass on what another command prints, so that a ban of them would stop every pipe
READERS = frozenset({"cat", "head", "tail", "less", "more", "find", "ls", "awk"})
NARROWED = {"grep": ["-r", "-R", "--recursive"], "sed": ["-i", "--in-place"]}
# ways to say an option, and what an option says of the command it belongs to
SPELLINGS = {"--force": ["--force", "-f"], "-f": ["--force", "-f"]}
OWNERS = {
    "--no-verify": ["git commit", "git push"],
    "--amend": ["git commit"],
    "--force-with-lease": ["git push"],
    "--break-system-packages": ["pip install"],
    "--hard": ["git reset"],
}
FORCED = ["--force", "-f", "+*"]
_WORD = re.compile(r"[a-z][a-z0-9:_-]*\Z")
_PATH = re.compile(r"[\w.*?/@{}-]+\Z")


class Command(NamedTuple):
    """A command as a rule names it: program and subcommand, then options and what follows them."""

    pattern: str
    tail: tuple[str, ...]

    @property
    def program(self) -> str:
        """The program alone."""
        return self.pattern.split()[0]


class Parts:
    """The slots of a form that matched, read as commands, options or paths."""

    def __init__(self, match: re.Match[str], spans: Sequence[tuple[str, bool]]) -> None:
        self._match, self._spans = match, spans

    def text(self, name: str) -> str:
        """Give what the form's part of that name is."""
        return self._match[name] or ""

    def _texts(self, name: str) -> list[tuple[str, bool]]:
        return [self._spans[int(number)] for number in re.findall(r"\d+", self.text(name))]

    def commands(self, name: str) -> list[Command]:
        """Give the commands, none where any of the slots is no command."""
        read = [_command(text, is_marked=marked) for text, marked in self._texts(name)]
        return [one for one in read if one] if all(read) else []

    def options(self, name: str) -> list[str]:
        """Give the options with their spellings, none where any of the slots is no option."""
        texts = [text for text, _ in self._texts(name)]
        if not all(re.fullmatch(r"--?[a-zA-Z][\w-]*", text) for text in texts):
            return []
        return [spelling for text in texts for spelling in SPELLINGS.get(text, [text])]

    def paths(self, name: str) -> list[str]:
        """Give the paths as globs, none where any of the slots is no path."""
        texts = [text for text, _ in self._texts(name)]
        named = all(_PATH.match(text) and ("/" in text or "." in text) for text in texts)
        return [f"**/{text}**" if text.endswith("/") else text for text in texts] if named else []


def _command(text: str, *, is_marked: bool) -> Command | None:
    words = text.split()
    if not words or words[0] not in (_MARKED if is_marked else PLAIN):
        return None
    size = 1
    while size < len(words) and _WORD.match(words[size]):
        size += 1
    return Command(" ".join(words[:size]), tuple(words[size:]))


def shown_by(command: Command) -> list[str]:
    """Give the words that show a command with its tail: any spelling of its option, or all."""
    if not command.tail:
        return NARROWED[command.pattern]
    if command.pattern == "git push" and command.tail[0] in SPELLINGS:
        return FORCED
    tail = " ".join(command.tail)
    return SPELLINGS.get(tail, [tail])
