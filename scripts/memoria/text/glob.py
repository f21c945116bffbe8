"""Compare a glob with a word or a path, in time that is bounded by their lengths.

`*` is any run of signs and `?` one; in a path they stop at a slash, and `**` is any number of
folders. A glob of a path without a slash is one of the file's name. No regular expressions: a
hostile pattern can make one run for minutes.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def fits_word(glob: str, word: str) -> bool:
    """Whether a glob is all of a word."""
    if "*" not in glob and "?" not in glob:
        return glob == word
    return _fits(glob, word, "*", lambda sign, char: sign in {"?", char})


def fits_path(glob: str, path: str) -> bool:
    """Whether a glob is all of a path, part by part; without a slash all of the file's name."""
    glob = glob.removeprefix("./")
    if "/" not in glob.rstrip("/"):
        parts = path.split("/")
        places = parts[:-1] if glob.endswith("/") else parts[-1:]
        return any(fits_word(glob.rstrip("/"), part) for part in places)
    if glob.endswith("/"):
        glob += "**"
    return _fits(glob.split("/"), path.split("/"), "**", fits_word)


def _fits(
    glob: Sequence[str], text: Sequence[str], wildcard: str, one_fits: Callable[[str, str], bool]
) -> bool:
    """Compare one by one; at a difference, let the last `wildcard` take one more and try again."""
    at_glob = at_text = 0
    star, star_text = -1, 0
    while at_text < len(text):
        if at_glob < len(glob) and glob[at_glob] == wildcard:
            star, star_text, at_glob = at_glob, at_text, at_glob + 1
        elif at_glob < len(glob) and one_fits(glob[at_glob], text[at_text]):
            at_glob, at_text = at_glob + 1, at_text + 1
        elif star >= 0:
            star_text += 1
            at_glob, at_text = star + 1, star_text
        else:
            return False
    return all(part == wildcard for part in glob[at_glob:])
