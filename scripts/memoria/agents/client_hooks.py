"""Name the file in which each agent's client looks for hooks, and which of Memoria's stand in it.

All have the shape of Claude Code's settings, but for a command that is a shell's line. Gemini CLI
counts a timeout in milliseconds; OpenCode runs programs of its own language alone, so a bridge
beside the file (agents/opencode/bridge.js) runs what stands in it. The trap: a client may read no
other name in such a file, and one that waits for a hook waits for as long as the file allows.

Codex runs a hook only once the person has approved it, and keeps that in config.toml by the hook's
place and hash; a changed command asks again. Its trap: an unknown field in a hook's answer voids it
all, and a hook that ends with 2 stops the prompt.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from memoria.agents.claude_code.settings import (
    AGENT_OPTION,
    GUARD,
    TIMEOUT_SECONDS,
    WAITED_FOR_SECONDS,
    Hook,
)
from memoria.agents.json_line import mapping_of
from memoria.agents.shell_line import CMD, POWERSHELL, SH, format_shell_line, parse_shell_line

_START, _PROMPT, _END = "session_start.py", "user_prompt_submit.py", "session_end.py"
# what each needs; a session that did not end in order is found by the sweep
_USUAL = (
    ("SessionStart", _START, TIMEOUT_SECONDS),
    ("UserPromptSubmit", _PROMPT, WAITED_FOR_SECONDS),
    ("SessionEnd", _END, TIMEOUT_SECONDS),
)
# for clients that tell how a command ended; Codex tells a hook only what it printed
_FAILED = "post_tool_use_failure.py"
_FAILURE = ("PostToolUseFailure", _FAILED, WAITED_FOR_SECONDS)
_COMPACTION = ("PreCompact", "pre_compact.py", TIMEOUT_SECONDS)


@dataclass(frozen=True, slots=True)
class ClientHooks:
    """Where the hooks of an agent's client stand, and what it calls what they are for.

    `file` lies in the folder of the client's settings. `events` are the event, our program and
    seconds; `units` is what a second is to the client. `names` are Claude Code's events and tools
    that the client calls something else. `bridge` is a program beside the file that the client
    needs to run what stands in it. `shell` is the one that it starts on Windows.
    """

    agent: str
    file: str
    events: tuple[tuple[str, str, float], ...] = _USUAL
    units: int = 1
    names: Mapping[str, str] = field(default_factory=dict)
    bridge: str = ""
    shell: str = CMD

    def hooks(
        self, python: str, folder: str, vault: str, state: str, guard_matcher: str
    ) -> tuple[Hook, ...]:
        """Give the hooks of an install whose scripts lie in `folder`."""
        tools = {self.names.get(tool, tool) for tool in guard_matcher.split("|") if tool}
        guard = [(*GUARD, WAITED_FOR_SECONDS)] if tools else []
        hooks = []
        for event, program, seconds in (*self.events, *guard):
            path = f"{folder.rstrip('/')}/{program}"
            args = ("-S", "-E", path, "--vault", vault, "--state", state, AGENT_OPTION, self.agent)
            line = format_shell_line((python, *args), SH if python.startswith("/") else self.shell)
            name = self.names.get(event, event)
            matched_tools = {self.names.get("Bash", "Bash")} if program == _FAILED else set()
            matched_tools = tools if event == GUARD[0] else matched_tools
            matcher = f"^({'|'.join(sorted(matched_tools))})$" if matched_tools else ""
            if name == "PreCompress":  # it is told before each request, which most do not cut
                matcher = "manual"
            hooks.append(Hook(name, python, args, seconds * self.units, matcher, line=line))
        return tuple(hooks)


CODEX = ClientHooks(
    "codex",
    "hooks.json",
    (
        *_USUAL[:2],
        _COMPACTION,
        ("Stop", _END, WAITED_FOR_SECONDS),
        # cut to 3 by the client, which says so at each start where more is asked for; versions
        # before 0.145 have no such event
        ("SessionEnd", _END, 3),
    ),
    # a patch is an Edit or a Write to guards
    names={"Edit": "apply_patch", "Write": "apply_patch"},
)
COPILOT = ClientHooks(
    "copilot",
    "hooks/memoria.json",
    (*_USUAL, _COMPACTION, _FAILURE),
    # it has an event of that name, of tools that could not be run
    names={"PostToolUseFailure": "PostToolUse"},
    shell=POWERSHELL,
)
GEMINI = ClientHooks(
    "gemini",
    "settings.json",
    (*_USUAL, _COMPACTION, _FAILURE),
    units=1000,
    names={
        "PreCompact": "PreCompress",
        "UserPromptSubmit": "BeforeAgent",
        "PreToolUse": "BeforeTool",
        "PostToolUseFailure": "AfterTool",
        "Bash": "run_shell_command",
        "Edit": "replace",
        "Write": "write_file",
        "Read": "read_file",
    },
    shell=POWERSHELL,
)
OPENCODE = ClientHooks("opencode", "memoria.json", (*_USUAL, _FAILURE), bridge="plugins/memoria.js")
CLIENTS = {client.agent: client for client in (CODEX, COPILOT, GEMINI, OPENCODE)}

# -- What the person has approved in Codex ---------------------------------------------------------

CODEX_CONFIG = "config.toml"


def list_unapproved_events(text: str, where: str, config: str) -> tuple[str, ...] | None:
    """List the events whose hook of ours the person has not approved; None: it cannot be told.

    `text` is what stands in hooks.json at `where`, `config` what stands in config.toml.
    """
    try:
        settings = tomllib.loads(config)
    except tomllib.TOMLDecodeError:
        return None
    states = mapping_of(mapping_of(settings.get("hooks")).get("state"))
    return tuple(
        event
        for event, key, digest in list_placed_hooks(text, where)
        if (state := mapping_of(states.get(key))).get("trusted_hash") != digest
        or state.get("enabled") is False
    )


def list_unknown_fields(text: str) -> tuple[str, ...]:
    """List what Codex does not know in its hooks.json: for one such name it drops the file."""
    return tuple(sorted(json.loads(text or "{}").keys() - {"description", "hooks"}))


def is_off(config: str) -> bool:
    """Whether the person's config.toml switches all hooks off."""
    try:
        features = mapping_of(tomllib.loads(config).get("features"))
    except tomllib.TOMLDecodeError:
        return False
    return any(features.get(name) is False for name in ("hooks", "codex_hooks"))


def list_placed_hooks(text: str, where: str) -> Iterator[tuple[str, str, str]]:
    """Give event, key and hash of each hook of ours, as Codex names and hashes them."""
    for event, groups in json.loads(text or "{}").get("hooks", {}).items():
        label = re.sub(r"(?<!^)([A-Z])", r"_\1", event).lower()
        for at, group in enumerate(groups):
            for number, handler in enumerate(group.get("hooks", ())):
                if AGENT_OPTION in parse_shell_line(str(handler.get("command"))):
                    yield event, f"{where}:{label}:{at}:{number}", _hash_hook(label, group, handler)


def _hash_hook(label: str, group: dict[str, Any], handler: dict[str, Any]) -> str:
    hook = {
        "async": False,
        "command": handler["command"],
        "timeout": handler.get("timeout", 600),
        "type": "command",
    }
    identity: dict[str, Any] = {"event_name": label, "hooks": [hook]}
    if "matcher" in group and label not in {"user_prompt_submit", "stop"}:
        identity["matcher"] = group["matcher"]
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()}"
