"""Say how this installation's program is called, in every command that a person is shown.

In a clone `memoria` is not on the PATH: there a hint names the program's path, or it could not be
typed as it stands. Hooks say such hints too, so this is the standard library alone. Notes of the
vault keep the plain name, as they go to other machines.
"""

import re
import sys

# what a shell takes as it stands
_PLAIN = re.compile(r"[\w/\\:.+-]+")
_COMMAND = re.compile(r"`memoria (start\b)?")


def program() -> str:
    """Give what to type for this program, with the vault that this command was given."""
    import shlex  # noqa: PLC0415 - a hook that says no command does without it
    from itertools import pairwise  # noqa: PLC0415 - as above

    command, *words = " ".join(sys.argv[:1]), *sys.argv[1:]
    vault = ""
    for word, value in pairwise([*words, ""]):
        if word.startswith("--vault"):
            vault = word.partition("=")[2] or value
    if not vault or "demo" in words or not command.endswith(("memoria", "__main__.py")):
        return _name()
    # without it a hint would go to another vault
    return f"{_name()} --vault {shlex.quote(vault)}"


def _name() -> str:
    """Give the name on the PATH, else the path: from this folder, from the home folder, whole."""
    import shutil  # noqa: PLC0415 - a hook that says no command does without them
    from contextlib import suppress  # noqa: PLC0415 - as above
    from pathlib import Path  # noqa: PLC0415 - as above

    path = Path(sys.executable).with_name("memoria")
    # a plugin's hooks may run in a Python that has no program beside it
    if shutil.which("memoria") or not shutil.which(path):
        return "memoria"
    if not _PLAIN.fullmatch(str(path)):
        return f'"{path}"'
    with suppress(OSError, RuntimeError):  # a folder that was deleted, a user without a home
        for folder, sign in ((Path.cwd(), ""), (Path.home(), "~/")):
            if path.is_relative_to(folder):
                return sign + str(path.relative_to(folder))
    return str(path)


def typed(text: str) -> str:
    """Give a text with its commands as they can be typed here; a start makes a vault of its own."""
    if "`memoria " not in text:
        return text
    named = {"": program(), "start": _name()}
    return _COMMAND.sub(lambda match: f"`{named[match[1] or '']} {match[1] or ''}", text)
