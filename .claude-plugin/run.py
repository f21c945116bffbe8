"""What the plugin starts -> a hook, a verb or the set-up, in a Python that is new enough.

The client starts this file with whatever Python is found first, so it is written for old ones, too
(3.6); all else lies in the package that came with the plugin. The trap: a hook may print nothing
but its one answer; its line in hooks.json drops what goes to stderr and ends with 0 in any case.
"""

import os
import sys

SCRIPTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "scripts")
OLDEST = (3, 11)
# newest first; a version more or less does not matter
NEWER = [f"python3.{minor}" for minor in range(15, OLDEST[1] - 1, -1)]
# where Homebrew, python.org and uv put them: a client that was started from a desktop has no PATH
FOLDERS = ("/opt/homebrew/bin", "/usr/local/bin", os.path.expanduser("~/.local/bin"))
NONE = "Memoria: no Python 3.11 or newer was found, so nothing is captured."


def newer() -> str:
    """Give the path of a Python that is new enough, "" without one."""
    for name in NEWER:
        for folder in (*os.environ.get("PATH", "").split(os.pathsep), *FOLDERS):
            path = os.path.join(folder, name)
            if os.path.isfile(path) and os.access(path, os.X_OK):
                return path
    return ""


def elsewhere(arguments: "list[str]") -> None:
    """Go on with a newer Python; without one end with 1."""
    program = newer()
    if program:
        os.execv(program, [program, "-S", "-E", os.path.abspath(__file__), *arguments])  # noqa: S606 - an interpreter
    # hooks.json then tries the next Python, and says so at a start where there is none
    sys.exit(NONE)


def main(arguments: "list[str]") -> None:
    """Run `hook EVENT`, `setup`, or a verb of the command line."""
    if sys.version_info < OLDEST:
        elsewhere(arguments)
        return
    # behind the standard library, so that nothing that lies there is taken for a part of it
    sys.path.append(SCRIPTS)
    del sys.path[0]
    if arguments[:1] == ["hook"]:
        from memoria.hooks import plugin  # noqa: PLC0415 - an old Python cannot load it

        plugin.main(arguments[1:])
    elif arguments[:1] == ["setup"]:
        import bootstrap  # noqa: PLC0415 - as above
        from memoria.vault.storage.child_environment import cleaned  # noqa: PLC0415 - as above

        # the session's project decides neither where the vault lies nor what pip and Python load
        values = cleaned(os.environ, {})
        os.environ.clear()
        os.environ.update(values)
        sys.exit(bootstrap.setup(arguments[1:]))
    else:
        from memoria.hooks import launcher  # noqa: PLC0415 - as above

        launcher.main(arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
