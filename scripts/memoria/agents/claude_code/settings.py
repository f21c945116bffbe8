"""Put Memoria's hooks into the text of the client's settings, and take them out.

Only our own entries are ever written or removed; they are known by their script, so installing
twice changes nothing and an entry of an older install is replaced. An entry outlives the
interpreter that it names: the shell that starts it tries those of the PATH next. A settings file
that is not valid JSON is dropped whole by the client, so it is refused here, never mended.
"""

import json
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from memoria import errors
from memoria.agents import shell_line
from memoria.text import json_text

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

    def _find_option(self, name: str) -> str:
        return next((value for word, value in pairwise(self.args) if word == name), "")

    @property
    def vault(self) -> str:
        """The vault that it serves."""
        return self._find_option("--vault")

    @property
    def state(self) -> str:
        """The vault's state folder, "" where it names none."""
        return self._find_option("--state")

    @property
    def ours(self) -> bool:
        """Whether an install of Memoria wrote it; one without a vault is somebody else's."""
        return bool(self.script and self.vault)


def build_hook(event: str, python: str, script: str, vault: str, state: str) -> Hook:
    """Give the hook that runs that script for that vault and its state; all paths are absolute.

    It looks for neither: a project's settings can set the environment. -S -E: no site-packages and
    no PYTHON* variables, which halves the start and keeps the person's own packages out. Windows
    has no shell that is always there: the interpreter alone is named.
    """
    words = (script, "--vault", vault, "--state", state)
    is_waited_for = event in {name for name, _ in (*OPTIONAL, GUARD)}
    timeout = WAITED_FOR_SECONDS if is_waited_for else TIMEOUT_SECONDS
    if python.startswith("/"):
        args = ("-c", _build_launcher(event), python, *words)
        return Hook(event, SHELL, args, timeout, line=shell_line.format_shell_line((SHELL, *args)))
    return Hook(event, python, ("-S", "-E", *words), timeout)


def _build_launcher(event: str) -> str:
    """Give the shell's program; at a session's start it says where nothing could be started."""
    if event != "SessionStart":
        return _LAUNCH + _SILENT
    output = {"hookEventName": event, "additionalContext": LOST}
    message = json.dumps({"systemMessage": LOST, "hookSpecificOutput": output})
    message_in_quotes = message.replace("'", "'\\''")
    return f"{_LAUNCH}[ \"${{MEMORIA_DISABLE:-0}}\" = 0 ] && echo '{message_in_quotes}'; {_SILENT}"


def build_guard_hook(like: Hook, matcher: str) -> Hook:
    """Give the hook of the guards that an install of that hook would have, for those tools."""
    event, script = GUARD
    sibling = like.script.replace("\\", "/").rpartition("/")[2]
    # as a package's programs are called, or as a clone's
    path = like.script[: -len(sibling)] + (script if "_" in sibling else script.replace("_", "-"))
    return replace(build_hook(event, like.python, path, like.vault, like.state), matcher=matcher)


def parse_hooks(text: str, where: str) -> tuple[Hook, ...]:
    """List Memoria's hooks in the settings, in the order of the text.

    Raises SettingsError, naming `where`, for settings that the client would not read.
    """
    return tuple(
        hook
        for event, groups in json_text.load(check_document(text, where)).get("hooks", {}).items()
        for group in groups
        for handler in list_handlers(group)
        if (hook := _parse_hook(event, handler, str(group.get("matcher", "")))) and hook.ours
    )


def merge_hooks(text: str, hooks: tuple[Hook, ...], where: str) -> str:
    """Give the settings with exactly these hooks as Memoria's; unchanged where they are there.

    An entry of ours for the same event is replaced in its place; a person's own timeout on it
    stays. Raises SettingsError as `parse_hooks` does.
    """
    text = check_document(text, where)
    value = json_text.load(text)
    missing, old = {hook.event: hook for hook in hooks}, value.get("hooks", {})
    events = {event: _merge_groups(event, groups, missing) for event, groups in old.items()}
    events = {event: groups for event, groups in events.items() if groups or not old[event]}
    for event, new in missing.items():
        group = {"matcher": new.matcher} if new.matcher else {}
        events.setdefault(event, []).append({**group, "hooks": [_build_handler(new)]})
    if old and not events:
        del value["hooks"]
    elif events:
        value |= {"hooks": events}
    return json_text.format_like(text, value)


def _merge_groups(event: str, groups: list[Any], missing: dict[str, Hook]) -> list[Any]:
    """Put what is missing in the place of our entries; brackets that held only ours go."""
    merged = []
    for group, handlers in zip(groups, map(list_handlers, groups), strict=True):
        kept = []
        for handler in handlers:
            old = _parse_hook(event, handler, str(group.get("matcher", "")))
            if not (old and old.ours):
                kept.append(handler)
            elif event in missing and missing[event].matcher in {"", old.matcher}:
                hook = missing.pop(event)
                old_words, words = ((h.command, h.args, bool(h.line)) for h in (old, hook))
                kept.append(handler if old_words == words else _build_handler(hook))
        if kept or not handlers:
            merged.append(group | {"hooks": kept} if handlers else group)
    return merged


def list_handlers(group: object) -> list[object]:
    """Give the handlers of a group; what has not the shape of one has none."""
    handlers = group.get("hooks") if isinstance(group, dict) else None
    return handlers if isinstance(handlers, list) else []


def _build_handler(hook: Hook) -> dict[str, object]:
    """Give a hook as the settings have it."""
    handler: dict[str, object] = {"type": "command", "command": hook.line or hook.command}
    handler |= {} if hook.line else {"args": list(hook.args)}
    return handler | ({} if hook.timeout is None else {"timeout": hook.timeout})


def remove_hooks(text: str, where: str) -> str:
    """Give the settings without any hook of ours, and without the brackets that held only them."""
    return merge_hooks(text, (), where) if parse_hooks(text, where) else text


def list_obstacles(text: str, where: str) -> tuple[str, ...]:
    """List what in these settings keeps the hooks from running, for the person."""
    value = json_text.load(check_document(text, where))
    config = value.get("hooksConfig")  # Gemini CLI's
    is_off = isinstance(config, dict) and config.get("enabled") is False
    switches = {"disableAllHooks": value.get("disableAllHooks"), "hooksConfig": is_off}
    names = [name for name, is_set in switches.items() if is_set]
    return tuple(f'{where} sets "{name}": no hook runs until that is removed' for name in names)


def is_plugin_enabled(text: str, where: str) -> bool:
    """Whether the client's plugin is switched on in these settings."""
    plugins = json_text.load(check_document(text, where)).get("enabledPlugins")
    items = plugins.items() if isinstance(plugins, dict) else ()
    return any(name.partition("@")[0] == PLUGIN and is_on is True for name, is_on in items)


def _is_script(word: str) -> bool:
    parts = word.replace("\\", "/").split("/")
    if parts[-3:-1] == ["memoria", "hooks"]:
        return parts[-1].endswith(".py")
    return parts[-2:-1] == ["hooks"] and parts[-1].removesuffix(".py") in CLONE_SCRIPTS


def check_document(text: str, where: str) -> str:
    """Check the settings as far as we write in them; a file without content is an empty object."""
    document = text.removeprefix(json_text.BOM)
    if not document.strip(json_text.SPACE):
        return text[: len(text) - len(document)] + EMPTY
    value = _parse_document(document, where)
    if not isinstance(value, dict):
        raise _build_error(where, "the settings are not an object")
    if not isinstance(hooks := value.get("hooks", {}), dict):
        raise _build_error(where, '"hooks" is not an object')
    for name, groups in hooks.items():
        if not isinstance(groups, list):
            raise _build_error(where, f'"{name}" in "hooks" is not an array')
    return text


def _parse_document(document: str, where: str) -> object:
    try:
        return json.loads(document, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        comment = document.startswith(("//", "/*"), error.pos)
        reason = "comments are not JSON, so take them out" if comment else error.msg
        raise _build_error(f"{where}, line {error.lineno}, column {error.colno}", reason) from None
    except (ValueError, RecursionError) as error:
        raise _build_error(where, f"not valid JSON ({error})") from None


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")  # Python alone would read NaN and Infinity


def _build_error(where: str, reason: str) -> errors.SettingsError:
    return errors.SettingsError(f"{where}: {reason}; nothing was changed: repair it first")


def _parse_hook(event: str, value: object, matcher: str) -> Hook | None:
    """Read a handler: a line as installs write it, or exec form; a person's line is theirs."""
    if not isinstance(value, dict) or not isinstance(value.get("command"), str):
        return None
    command, args, timeout = value["command"], value.get("args"), value.get("timeout")
    limit, line = (timeout if isinstance(timeout, int | float) else None), ""
    if args is None and (words := shell_line.parse_shell_line(command)):
        line, command, args = command, words[0], words[1:]
    if not isinstance(args, list):
        return None
    return Hook(event, command, tuple(str(word) for word in args), limit, matcher, line)
