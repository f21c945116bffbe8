"""Put Memoria's hooks into the text of the client's settings, and take them out.

Only our own entries are ever written or removed; they are known by their script, so installing
twice changes nothing and an entry of an older install is replaced. What a person has there keeps
every byte. An entry outlives the interpreter that it names: the shell that starts it tries those of
the PATH next, and is silent where the package itself is gone. The trap: a settings file that is not
valid JSON is dropped whole by the client, so it is refused here with its place, never mended.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from memoria import errors
from memoria.text import json_edit

# The client gives a SessionEnd hook without a timeout 1.5 s in all; ours ends in milliseconds, and
# 10 s is room for a machine that is waking up.
TIMEOUT_SECONDS = 10
# For these somebody waits in the middle of the work; without a limit of ours the client gives them
# 30 and 600 s. A hook that takes as long as this has met a machine that hangs.
WAITED_FOR_SECONDS = 5
# Event of the client -> script in memoria/hooks.
SCRIPTS = (
    ("SessionStart", "session_start.py"),
    ("PreCompact", "pre_compact.py"),
    ("SessionEnd", "session_end.py"),
)
# Those that a person may do without: capture and the session's start work all the same.
OPTIONAL = (
    ("UserPromptSubmit", "user_prompt_submit.py"),
    ("PostToolUseFailure", "post_tool_use_failure.py"),
)
# What an install may hook, a guard aside.
EVENTS = tuple(event for event, _ in (*SCRIPTS, *OPTIONAL))
# Installed only while a guard is on, with a matcher for just the tools that it needs.
GUARD = ("PreToolUse", "pre_tool_use.py")
# The same programs as a clone's hooks/ folder names them.
CLONE_SCRIPTS = {
    script.removesuffix(".py").replace("_", "-") for _, script in (*SCRIPTS, *OPTIONAL, GUARD)
}
# The name in .claude-plugin/plugin.json; what follows an @ is the marketplace's.
PLUGIN = "memoria"

# What starts a hook where there is a POSIX shell, with the interpreter as $0 and the script as $1.
SHELL = "/bin/sh"
# An interpreter that is gone, broken or too old ends with another code than 0 before it has read
# the event, and the next one is tried; what it complains of is no news to the session. Homebrew's
# are named because a client that was started from a desktop has a short PATH.
_LAUNCH = (
    'if [ -f "$1" ]; then for p in "$0" python3 /opt/homebrew/bin/python3 /usr/local/bin/python3 '
    'python; do "$p" -S -E "$@" 2>/dev/null && exit; done; fi; '
)
_SILENT = "exit 0"
# said at a session's start alone, to the person and to the model; the shell has it in single quotes
LOST = (
    "Memoria: nothing is captured, because its program or its Python (3.11 or newer) is gone. "
    "Install memoria-compiler again and run `memoria install`, or take Memoria's hooks out of "
    "Claude Code's settings."
)
# what a hook for another agent's client is told, in a shell's line
AGENT_OPTION = "--agent"
_OR_SILENT = " || exit 0"
# what an install makes of no file, before it writes there
EMPTY = "{}\n"


@dataclass(frozen=True, slots=True)
class Hook:
    """One hook: a program and its arguments; `line` is the same as a shell's line.

    Where there is a POSIX shell the line is what is installed. Copilot CLI reads a repository's
    settings for Claude Code too and drops `args`: in exec form it gave each event, prompts among
    them, to /bin/sh as a script, and refused the call of a tool because that failed. `gone` is its
    script or its interpreter where a look at the disk did not find it.
    """

    event: str
    command: str
    args: tuple[str, ...]
    timeout: float | None = TIMEOUT_SECONDS
    matcher: str = ""
    line: str = ""
    gone: str = ""

    @property
    def script(self) -> str:
        """The path of Memoria's script among the arguments, "" where there is none."""
        return next((word for word in self.args if _is_script(word)), "")

    @property
    def python(self) -> str:
        """The path of the interpreter that is to run the script."""
        at = self.args.index(self.script) if self.script else 0
        return self.args[at - 1] if self.command == SHELL and at else self.command

    def _option(self, name: str) -> str:
        return next((value for word, value in pairwise(self.args) if word == name), "")

    @property
    def vault(self) -> str:
        """The vault that it serves."""
        return self._option("--vault")

    @property
    def state(self) -> str:
        """The vault's state folder, "" where it names none."""
        return self._option("--state")

    @property
    def ours(self) -> bool:
        """Whether an install of Memoria wrote it; one without a vault is somebody else's."""
        return bool(self.script and self.vault)


# the way to a handler in the settings: keys and numbers from the outside
_Way = tuple[str | int, ...]


def hook(event: str, python: str, script: str, vault: str, state: str) -> Hook:
    """Give the hook that runs that script for that vault and its state; all paths are absolute.

    It looks for neither: a project's settings can set the environment. -S -E: no site-packages and
    no PYTHON* variables, which halves the start and keeps the person's own packages out. Windows
    has no shell that is always there: the interpreter alone is named.
    """
    words = (script, "--vault", vault, "--state", state)
    is_waited_for = event in {name for name, _ in (*OPTIONAL, GUARD)}
    timeout = WAITED_FOR_SECONDS if is_waited_for else TIMEOUT_SECONDS
    if python.startswith("/"):
        args = ("-c", _launch(event), python, *words)
        return Hook(event, SHELL, args, timeout, line=shell_line(SHELL, args))
    return Hook(event, python, ("-S", "-E", *words), timeout)


def _launch(event: str) -> str:
    """Give the shell's program; at a session's start it says where nothing could be started."""
    if event != "SessionStart":
        return _LAUNCH + _SILENT
    output = {"hookEventName": event, "additionalContext": LOST}
    said = json.dumps({"systemMessage": LOST, "hookSpecificOutput": output})
    quoted = said.replace("'", "'\\''")
    return f"{_LAUNCH}[ \"${{MEMORIA_DISABLE:-0}}\" = 0 ] && echo '{quoted}'; {_SILENT}"


def guarding(like: Hook, matcher: str) -> Hook:
    """Give the hook of the guards that an install of that hook would have, for those tools."""
    event, script = GUARD
    beside = like.script.replace("\\", "/").rpartition("/")[2]
    # as a package's programs are called, or as a clone's
    own = like.script[: -len(beside)] + (script if "_" in beside else script.replace("_", "-"))
    return replace(hook(event, like.python, own, like.vault, like.state), matcher=matcher)


def installed(text: str, where: str) -> tuple[Hook, ...]:
    """List Memoria's hooks in the settings, in the order of the text.

    Raises SettingsError, naming `where` and the line, for settings the client would not read.
    """
    return tuple(hook for hook, _ in _ours(_document(text, where)))


def merge(text: str, hooks: tuple[Hook, ...], where: str) -> str:
    """Give the settings with exactly these hooks as Memoria's; unchanged where they are there.

    An entry of ours for the same event is replaced in its place, further ones are removed. A
    person's own timeout on an entry stays. Raises SettingsError as `installed` does.
    """
    text = _document(text, where)
    while way := _surplus(text, hooks):
        text = _removed(text, way)
    for wanted in hooks:
        text = _put(text, wanted)
    return text


def removed(text: str, where: str) -> str:
    """Give the settings without any hook of ours, and without the brackets that held only them."""
    return merge(text, (), where) if installed(text, where) else text


def notes(text: str, where: str) -> tuple[str, ...]:
    """List what in these settings keeps the hooks from running, for the person."""
    value = _value(_document(text, where))
    config = value.get("hooksConfig")  # Gemini CLI's
    is_off = isinstance(config, dict) and config.get("enabled") is False
    named = {"disableAllHooks": value.get("disableAllHooks"), "hooksConfig": is_off}
    return tuple(
        f'{where} sets "{name}": no hook runs until that is removed'
        for name, is_set in named.items()
        if is_set
    )


def plugged(text: str, where: str) -> bool:
    """Whether the client's plugin is switched on in these settings."""
    enabled = _value(_document(text, where)).get("enabledPlugins")
    named = enabled.items() if isinstance(enabled, dict) else ()
    return any(name.partition("@")[0] == PLUGIN and on is True for name, on in named)


def _value(text: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(text.removeprefix(json_edit.BOM))
    return value


def _is_script(word: str) -> bool:
    parts = word.replace("\\", "/").split("/")
    if parts[-3:-1] == ["memoria", "hooks"]:
        return parts[-1].endswith(".py")
    return parts[-2:-1] == ["hooks"] and parts[-1].removesuffix(".py") in CLONE_SCRIPTS


def _document(text: str, where: str) -> str:
    """Check the settings as far as we write in them; a file without content is an empty object."""
    bare = text.removeprefix(json_edit.BOM)
    if not bare.strip(json_edit.SPACE):
        return text[: len(text) - len(bare)] + EMPTY
    value = _parsed(bare, where)
    top = json_edit.root(text)
    if not isinstance(value, dict):
        raise _error(text, top, where, "the settings are not an object")
    hooks = json_edit.member(text, top, "hooks")
    if hooks is None:
        return text
    if not isinstance(value["hooks"], dict):
        raise _error(text, hooks.value, where, '"hooks" is not an object')
    for name, groups in value["hooks"].items():
        if not isinstance(groups, list):
            event = json_edit.member(text, hooks.value, name) or hooks
            raise _error(text, event.value, where, f'"{name}" in "hooks" is not an array')
    return text


def _parsed(bare: str, where: str) -> object:
    try:
        return json.loads(bare, parse_constant=_no_constant)
    except json.JSONDecodeError as bad:
        comment = bare.startswith(("//", "/*"), bad.pos)
        reason = "comments are not JSON, so take them out" if comment else bad.msg
        raise _error(bare, bad.pos, where, reason) from None
    except (ValueError, RecursionError) as bad:
        said = f"{where}: not valid JSON ({bad}); nothing was changed"
        raise errors.SettingsError(said) from None


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")  # Python alone would read NaN and Infinity


def _error(text: str, at: int, where: str, reason: str) -> errors.SettingsError:
    line = text.count("\n", 0, at) + 1
    column = at - text.rfind("\n", 0, at)
    return errors.SettingsError(
        f"{where}, line {line}, column {column}: {reason}; nothing was changed: repair it first"
    )


def _ours(text: str) -> list[tuple[Hook, _Way]]:
    """Find our entries; what has not the shape of a hook is not ours, whatever it is."""
    return [
        (entry, ("hooks", event, at, "hooks", number))
        for event, groups in _value(text).get("hooks", {}).items()
        for at, group in enumerate(groups)
        if isinstance(group, dict) and isinstance(group.get("hooks"), list)
        for number, handler in enumerate(group["hooks"])
        if (entry := _hook(event, handler, str(group.get("matcher", "")))) and entry.ours
    ]


def _hook(event: str, value: object, matcher: str) -> Hook | None:
    """Read a handler: a line as installs write it, or exec form; a person's line is theirs."""
    if not isinstance(value, dict) or not isinstance(value.get("command"), str):
        return None
    command, args, timeout = value["command"], value.get("args"), value.get("timeout")
    limit, line = (timeout if isinstance(timeout, int | float) else None), ""
    if args is None and _OR_SILENT in command:
        line = command
        try:
            command, *args = shlex.split(line.removesuffix(_OR_SILENT))
        except ValueError:  # no shell could run it
            return None
    if not isinstance(args, list):
        return None
    return Hook(event, command, tuple(str(word) for word in args), limit, matcher, line)


def shell_line(command: str, args: tuple[str, ...]) -> str:
    """Give the line for a shell; it ends with 0 whatever is gone, or prompts would stop there."""
    return shlex.join((command, *args)) + _OR_SILENT


def _surplus(text: str, hooks: tuple[Hook, ...]) -> _Way | None:
    """Find an entry of ours that is not wanted: of another event or matcher, or a second one."""
    wanted = {hook.event: hook.matcher for hook in hooks}
    seen: set[str] = set()
    for entry, way in _ours(text):
        matcher = wanted.get(entry.event)
        if matcher is None or entry.event in seen or (matcher and matcher != entry.matcher):
            return way
        seen.add(entry.event)
    return None


def _steps(text: str, way: _Way) -> list[tuple[int, int]]:
    """Give the brackets on a way, each with the number of the item that it goes on with."""
    at, steps = json_edit.root(text), []
    for key in way:
        inside = json_edit.items(text, at)
        # of a key that stands twice the last one counts
        index = [number for number, item in enumerate(inside) if key in {number, item.key}][-1]
        steps.append((at, index))
        at = inside[index].value
    return steps


def _removed(text: str, way: _Way) -> str:
    """Take the entry out, and with it every bracket around that held nothing else."""
    top, event, group, _, handler = _steps(text, way)
    for at, index in (handler, group, event):
        if len(json_edit.items(text, at)) > 1:
            return json_edit.delete(text, at, index)
    return json_edit.delete(text, *top)


def _put(text: str, wanted: Hook) -> str:
    """Write one hook where its event has ours already, else in a group of its own at the end."""
    handler: dict[str, object] = {"type": "command", "command": wanted.line or wanted.command}
    handler |= {} if wanted.line else {"args": list(wanted.args)}
    handler |= {} if wanted.timeout is None else {"timeout": wanted.timeout}
    for old, way in _ours(text):
        if old.event == wanted.event:
            same = (old.command, old.args) == (wanted.command, wanted.args)
            if same and bool(old.line) == bool(wanted.line):
                return text
            at, index = _steps(text, way)[-1]
            return json_edit.replace(text, json_edit.items(text, at)[index], handler)
    group = ({"matcher": wanted.matcher} if wanted.matcher else {}) | {"hooks": [handler]}
    top = json_edit.root(text)
    hooks = json_edit.member(text, top, "hooks")
    if hooks is None:
        return json_edit.insert(text, top, "hooks", {wanted.event: [group]})
    event = json_edit.member(text, hooks.value, wanted.event)
    if event is None:
        return json_edit.insert(text, hooks.value, wanted.event, [group])
    return json_edit.insert(text, event.value, "", group)
