"""Make the environment of what a session starts of Memoria, without the project's words.

What a project's settings set is none of the person's, and some variables make programs run
something: both are left out, and what an install noted in the state takes their place.
"""

from __future__ import annotations

import json
import os
import sys

TYPE_CHECKING = False  # as typing has it, without the cost of importing it
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# a project's own settings, and this machine's in the same folder
_SETTINGS = (".claude/settings.json", ".claude/settings.local.json")
# bytes, far above real settings; what the client reads of a larger file is not known
_MAX_SETTINGS = 1 << 20
# these let a file or a library of somebody's run in every program of a kind: by their beginning ...
_UNSAFE_PREFIXES = ("PYTHON", "LD_", "DYLD_", "GIT_", "PERL5", "RUBY", "BASH_FUNC_")
_UNSAFE_NAMES = frozenset(  # ... and by name
    {
        *("BASH_ENV", "ENV", "GCONV_PATH", "JAVA_TOOL_OPTIONS", "NODE_OPTIONS", "NODE_PATH"),
        *("OPENSSL_CONF", "OPENSSL_MODULES", "PERLLIB", "SHELLOPTS"),
        *("MEMORIA_VAULT", "MEMORIA_STATE_DIR"),  # the hook names both on the command line
    }
)
# what an install notes: where the person's programs, home and settings are, and which engine
NOTED = (
    *("PATH", "HOME", "USERPROFILE", "CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME"),
    *("SYSTEMROOT", "APPDATA", "LOCALAPPDATA", "TEMP"),  # without them Windows' programs fail
    *("MEMORIA_ENGINE", "MEMORIA_MODEL_FLUSH", "MEMORIA_MODEL_COMPILE", "MEMORIA_EXCLUDE"),
)


def clean_environment(
    environment: Mapping[str, str], fallbacks: Mapping[str, str]
) -> dict[str, str]:
    """Leave out what the project sets or what makes programs run something; put `fallbacks` in."""
    folders, home = list_project_folders(environment), str(fallbacks.get("HOME") or "")
    project_names = find_project_variables(folders, home)
    values = {
        name: value
        for name, value in environment.items()
        if project_names is not None
        and name.upper() not in project_names | _UNSAFE_NAMES
        and not name.upper().startswith(_UNSAFE_PREFIXES)
    }
    missing = environment.keys() - values.keys()
    noted = (name for name in NOTED if name in missing and fallbacks.get(name))
    values |= {name: str(fallbacks[name]) for name in noted}
    if "HOME" in missing:
        values.setdefault("HOME", own_home())
    if "PATH" in missing:
        values.setdefault("PATH", os.defpath)
    return values


def list_project_folders(environment: Mapping[str, str]) -> set[str]:
    """Give the folders whose settings a session may have read."""
    folders = {environment.get("CLAUDE_PROJECT_DIR", "")}
    try:
        folders.add(os.getcwd())
    except OSError:  # it is gone
        folders.discard("")
    return folders - {""}


def find_project_variables(folders: Iterable[str], home: str = "") -> set[str] | None:
    """Name the variables that the projects' settings set, in upper case; None: it is not known.

    `home` is a home of the person's that the system does not know: ~/.claude is no project's.
    """
    variables: set[str] = set()
    for folder in folders:
        name_sets = [_read_variable_names(os.path.join(folder, name)) for name in _SETTINGS]
        if all(names == set() for names in name_sets):
            continue
        if os.path.realpath(folder) in {own_home(), home and os.path.realpath(home)}:
            continue
        for names in name_sets:
            if names is None:
                return None
            variables |= names
    return variables


def own_home() -> str:
    """Give the person's home as the system knows it: a project may set another one."""
    home = os.path.expanduser("~")
    if sys.platform != "win32":
        import pwd  # noqa: PLC0415 - only POSIX has it, and few hooks need it

        try:
            home = pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:  # a user that the system has no entry of
            return os.path.realpath(home)
    return os.path.realpath(home)


def _read_variable_names(path: str) -> set[str] | None:
    """Name the variables that a settings file sets, in upper case; None for a broken file."""
    try:
        with open(path, "rb") as file:
            data = file.read(_MAX_SETTINGS + 1)
        value = json.loads(data or "{}") if len(data) <= _MAX_SETTINGS else None
    except OSError:
        return set()
    except (ValueError, RecursionError):
        value = None  # Claude Code drops such a file whole, this version of it at least
    if not isinstance(value, dict):
        return None
    env = value.get("env")
    return {name.upper() for name in env} if isinstance(env, dict) else set()


def on_path(name: str) -> str | None:
    """Find a program on the PATH alone.

    For Windows it lies in the present folder first, and what lies there a repository has brought.
    """
    if sys.platform != "win32":
        import shutil  # noqa: PLC0415 - hooks load this module and look for no program

        return shutil.which(name)
    folders = filter(os.path.isabs, os.get_exec_path())
    paths = (os.path.join(folder, f"{name}.exe") for folder in folders)
    return next(filter(os.path.isfile, paths), None)


def is_same(path: str, other_path: str) -> bool:
    """Whether two paths name one folder, through links or in letters that the disk takes for one.

    macOS gives a path in the letters that it is asked for in.
    """
    if os.path.normcase(os.path.realpath(path)) == os.path.normcase(os.path.realpath(other_path)):
        return True
    try:
        return os.path.samefile(path, other_path)
    except OSError:  # one of them is gone
        return False


def find_work_tree(folder: str) -> str:
    """Give the root of the git work tree around a folder, "" for none or for the whole home."""
    path = os.path.realpath(folder)
    while not os.path.lexists(f"{path}/.git"):
        path, child = os.path.dirname(path), path
        if path == child:
            return ""
    holds_home = os.path.join(own_home(), "").startswith(os.path.join(path, ""))
    return "" if holds_home else path
