"""Find the command that another one runs: behind `sudo`, `timeout 5`, `xargs`, `uv run`.

The table says which options take a value, of the programs that agents put before others.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh", "ash", "fish"})
_PYTHONS = ("python", "py", "pypy")
# program -> its options that take a value, and how many words come before the command
_PREFIXES: dict[str, tuple[str, int]] = {
    "sudo": ("-u -g -h -p -C -T -r -t -U -D -R --user --group --host --prompt --chdir", 0),
    "doas": ("-u -C", 0),
    "env": ("-u -C -S --unset --chdir --split-string", 0),
    "timeout": ("-s -k --signal --kill-after", 1),
    "gtimeout": ("-s -k --signal --kill-after", 1),
    "nohup": ("", 0),
    "time": ("-f -o --format --output", 0),
    "exec": ("-a", 0),
    "command": ("", 0),
    "builtin": ("", 0),
    "nice": ("-n --adjustment", 0),
    "ionice": ("-c -n -p", 0),
    "stdbuf": ("-i -o -e", 0),
    "setsid": ("", 0),
    "chronic": ("", 0),
    "caffeinate": ("-t -w", 0),
    "unbuffer": ("", 0),
    "flock": ("-w -E --timeout", 1),
    "strace": ("-e -o -p -s -u", 0),
    "watch": ("-n -d --interval", 0),
    "xargs": ("-I -n -P -L -d -a -E -s --max-args --max-procs --delimiter --arg-file", 0),
    "npx": ("-p --package -w --workspace", 0),
    "bunx": ("-p --package", 0),
    "pnpx": ("", 0),
    "uvx": ("--from --with -p --python --index --index-url", 0),
}
# the same for those that run another program by a word of their own
_UV = "--with --with-editable --with-requirements --python -p --extra --group --only-group"
_UV += " --package --project --directory --env-file --index --index-url --no-group -C --module -m"
_RUNS: dict[str, tuple[str, str]] = {
    "uv": ("run", _UV),
    "poetry": ("run", "-C -P --directory --project"),
    "pipenv": ("run", ""),
    "pdm": ("run", "-p --project"),
    "hatch": ("run", "-e --env"),
    "rye": ("run", ""),
    "pixi": ("run", "-e --environment --manifest-path"),
    "pipx": ("run", "--spec --python"),
    "conda": ("run", "-n -p --name --prefix --cwd"),
    "mamba": ("run", "-n -p --name --prefix --cwd"),
    "pnpm": ("exec dlx", "-C --dir --filter -F"),
    "yarn": ("exec dlx", "--cwd -p --package"),
    "npm": ("exec x", "-p --package -w --workspace"),
    "bun": ("x", ""),
    "bundle": ("exec", ""),
    "mise": ("exec x", ""),
    "rbenv": ("exec", ""),
}
# with these they tell of a program, or list, and run nothing
_TELLS = {"command": frozenset({"-v", "-V"}), "sudo": frozenset({"-l", "-v", "-k", "-e"})}
_EXEC = frozenset({"-exec", "-execdir", "-ok", "-okdir"})


def script(name: str, words: Sequence[str]) -> str | None:
    """Give the text that a command runs as a shell's script: `bash -c TEXT`, `eval TEXT`, `su -c`.

    None where it runs none that its words hold.
    """
    if name == "eval":
        return " ".join(words[1:])
    if name == "trap":
        return next((word for word in words[1:] if not word.startswith("-")), None)
    if name in SHELLS or name == "su":
        return _after_c(words[1:])
    if name == "env" and any(word in {"-S", "--split-string"} for word in words):
        return " ".join(words[2:])
    return None


def _after_c(words: Sequence[str]) -> str | None:
    is_given = False
    for word in words:
        if word.startswith("-") and word not in {"-", "--"}:
            is_given = (
                is_given or (not word.startswith("--") and "c" in word) or word == "--command"
            )
        elif is_given and word != "--":
            return word
    return None


def reads_script(name: str, words: Sequence[str]) -> bool:
    """Whether a command is a shell that takes its script from what is piped into it."""
    rest = [word for word in words[1:] if not word.startswith("-") or word == "-"]
    return name in SHELLS and (not rest or rest == ["-"] or "-s" in words[1:])


def run(name: str, words: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Give the commands that a command runs: who runs it, its words, the variables set for it."""
    if name in _PREFIXES:
        if not _TELLS.get(name, frozenset()).intersection(words[1:2]):
            valued, many = _PREFIXES[name]
            yield from _inner(name, words, 1, valued, many)
    elif name in _RUNS:
        verbs, valued = _RUNS[name]
        at = _verb(words, verbs.split(), valued)
        if at:
            yield from _inner(f"{name} {words[at]}", words, at + 1, valued)
    elif name.startswith(_PYTHONS):
        yield from _module(words)
    elif name == "find":
        yield from _found(words)


def _verb(words: Sequence[str], verbs: list[str], valued: str) -> int:
    at = _past_options(words, 1, valued)
    return at if at < len(words) and words[at] in verbs else 0


def _past_options(words: Sequence[str], at: int, valued: str) -> int:
    takes = valued.split()
    while at < len(words) and words[at].startswith("-") and words[at] != "--":
        at += 2 if words[at] in takes else 1
    return at + 1 if words[at : at + 1] == ["--"] or words[at : at + 1] == ("--",) else at


def _inner(
    name: str, words: Sequence[str], at: int, valued: str, many: int = 0
) -> Iterator[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    at = _past_options(words, at, valued) + many
    settings = []
    while at < len(words) and "=" in words[at].lstrip("=") and name in {"env", "sudo", "doas"}:
        settings.append(words[at])
        at += 1
    if at < len(words) and words[at]:
        yield name, tuple(words[at:]), tuple(settings)


def _module(words: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Give `pytest -q` for `python -W error -m pytest -q`."""
    at = 1
    while at < len(words) and words[at].startswith("-") and words[at][:2] not in {"-m", "-c"}:
        at += 2 if words[at] in {"-W", "-X"} else 1
    if at < len(words) and words[at].startswith("-m") and len(words[at]) > len("-m"):
        words = [*words[:at], "-m", words[at][2:], *words[at + 1 :]]
    if words[at : at + 1] in (["-m"], ("-m",)) and at + 1 < len(words) and words[at + 1]:
        yield "python -m", tuple(words[at + 1 :]), ()


def _found(words: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    for at, word in enumerate(words):
        if word in _EXEC:
            rest = list(words[at + 1 :])
            end = next((place for place, one in enumerate(rest) if one in {";", "+"}), len(rest))
            if rest[:end] and rest[0]:
                yield "find", tuple(rest[:end]), ()
