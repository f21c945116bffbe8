"""Run verbs by some of Windows' rules: `as_windows.py VAULT`; prints what broke them.

The platform says win32, what POSIX alone has is gone for Memoria's own code, an open file is not
renamed or removed, names are those that Windows allows, and text has an encoding. Drives, console
and msvcrt are not faked: locks go on as they are here.
"""

import builtins
import os
import shlex
import stat
import sys
from pathlib import Path

import filelock
import platformdirs

from memoria.terminal_driver import Driver

BROKEN: list[str] = []
POSIX_FUNCTIONS = (
    *("fchmod", "fork", "geteuid", "getpgid", "getsid", "getuid", "killpg", "mkfifo"),
    *("setsid", "statvfs", "ttyname"),
)
POSIX_MODULES = ("fcntl", "grp", "pwd", "resource", "select", "termios", "tty")
DEVICES = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{name}{n}" for name in ("com", "lpt") for n in "123456789"),
}
VERBS = """demo {0}; status --vault {0} --json; search --vault {0} idempotency; lint --vault {0}
undo --vault {0}; report --vault {0}; forget --vault {0} --match webhook --yes
compile --vault {0}; remember --vault {0} "Always run the linter before you commit"
demo --remove {0}"""


def is_ours(depth=2):
    """Whether the caller is Memoria's code, and not Python's or a package's."""
    return "/scripts/memoria/" in sys._getframe(depth).f_code.co_filename


def missing(name, real):
    def call(*words, **how):
        if is_ours():
            raise AttributeError(f"Windows has no os.{name}")
        return real(*words, **how)

    return call


def refusing(real, count):
    """Refuse what names a file that this process has open, but for a lock's."""

    def call(*paths, **how):
        for path in paths[:count]:
            if isinstance(path, str | os.PathLike) and not how.get("dir_fd") and is_open(path):
                raise PermissionError(32, "in use", f"{path}")
        return real(*paths, **how)

    return call


def is_open(path):
    try:
        wanted = os.lstat(path)
    except OSError:
        return False
    handles = [file.stat() for file in Path("/proc/self/fd").iterdir() if file.exists()]
    held = any(os.path.samestat(one, wanted) for one in handles)
    return held and stat.S_ISREG(wanted.st_mode) and "/locks/" not in str(path)


def opened(real):
    def call(file, mode="r", *words, **how):
        if is_ours() and "b" not in mode and not how.get("encoding"):
            BROKEN.append(f"the country's encoding: {file}")
        return real(file, mode, *words, **how)

    return call


def is_name(part):
    """Whether Windows lets a file be called so."""
    is_device = part.partition(".")[0].lower() in DEVICES
    return not (set(part) & set('<>:"|?*\\') or is_device or part != part.rstrip(". "))


def unlinked(*_, follow_symlinks=True):
    """Windows' own function always follows, and refuses to be asked not to."""
    if not follow_symlinks:
        raise NotImplementedError
    raise OSError(1, "no second name")


def heed(event, words):
    """Look at the names that are given to files and folders."""
    if event in {"open", "os.mkdir", "os.rename"}:
        for path in (word for word in words[:2] if isinstance(word, str) and "/" in word):
            BROKEN.extend(f"name: {path}" for part in path.split("/") if not is_name(part))


def fake():
    """Put the rules in force; what is imported later sees them, too."""
    assert filelock.FileLock
    assert platformdirs.user_state_path("x")
    sys.platform = "win32"
    for name in POSIX_FUNCTIONS:
        setattr(os, name, missing(name, getattr(os, name)))
    for name, count in (("replace", 2), ("rename", 2), ("unlink", 1), ("remove", 1)):
        setattr(os, name, refusing(getattr(os, name), count))
    os.link = unlinked
    builtins.open = opened(open)
    sys.modules.update(dict.fromkeys(POSIX_MODULES))
    sys.addaudithook(heed)


if __name__ == "__main__":
    # what is loaded before says where Python itself is
    import asyncio
    import shutil
    import subprocess
    import tempfile

    import psutil
    import rich.console
    import scipy.stats

    assert all((asyncio, psutil, rich.console, scipy.stats, shutil, subprocess, tempfile))
    fake()
    from memoria.cli.main import main

    for line in VERBS.format(sys.argv[1]).replace("\n", "; ").split("; "):
        code = main(shlex.split(line), driver=Driver())
        BROKEN.extend([f"{line}: {code}"] * (code not in {0, 1}))
    sys.stderr.write("\n".join(BROKEN))
    sys.exit(bool(BROKEN))
