"""Say how this installation's program is called, in every command that a person is shown.

In a clone `memoria` is not on the PATH: there a hint names the program's path, or it could not be
typed as it stands. Hooks say such hints too, so this is the standard library alone. Notes of the
vault keep the plain name, as they go to other machines.
"""

import re
import sys

# what a shell takes as it stands
_PLAIN = re.compile(r"[\w/\\:.+-]+")
# a command; group 1 where it names its own vault, or makes one of its own
_COMMAND = re.compile(r"`memoria (?=((?:start|demo)\b|init [^`]|[^`]*--vault)?)")
# the vault that commands in hints have to name
_vault = ""


def name_vault(vault: str) -> None:
    """Say which vault commands in hints name; "" where they find it by themselves."""
    global _vault  # noqa: PLW0603 - a process works on one vault, and hints are made everywhere
    _vault = vault


def command_with_vault() -> str:
    """Give what to type for this program, with the vault that hints have to name."""
    # without it a hint would go to another vault
    return f"{command_name()} --vault {quote_words(_vault)}" if _vault else command_name()


def quote_words(*words: str) -> str:
    """Give words as a shell takes them; cmd takes single quotes for a part of the word."""
    import shlex  # noqa: PLC0415 - a hook that says no command does without it

    if sys.platform != "win32":
        return shlex.join(words)
    marked = {word: '"{}"'.format(word.replace('"', '\\"')) for word in words}
    return " ".join(word if _PLAIN.fullmatch(word) else marked[word] for word in words)


def command_name() -> str:
    """Give the name on the PATH, else the path: from this folder, from the home folder, whole."""
    import shutil  # noqa: PLC0415 - a hook that says no command does without them
    from contextlib import suppress  # noqa: PLC0415 - as above
    from pathlib import Path  # noqa: PLC0415 - as above

    is_windows = sys.platform == "win32"
    path = Path(sys.executable).with_name("memoria.exe" if is_windows else "memoria")
    # a plugin's hooks may run in a Python that has no program beside it
    if shutil.which("memoria") or not shutil.which(path):
        return "memoria"
    path = path.with_suffix("")  # which Windows finds by itself
    if not _PLAIN.fullmatch(str(path)):
        return f'"{path}"'
    with suppress(OSError, RuntimeError):  # a folder that was deleted, a user without a home
        for folder, sign in ((Path.cwd(), ""), (Path.home(), "~/")):
            if path.is_relative_to(folder) and not (sign and is_windows):  # cmd knows no ~
                return sign + str(path.relative_to(folder))
    return str(path)


def expand_commands(text: str) -> str:
    """Give a text with its commands as they can be typed here, each with one vault."""
    if "`memoria " not in text:
        return text
    return _COMMAND.sub(
        lambda match: f"`{command_name() if match[1] else command_with_vault()} ", text
    )
